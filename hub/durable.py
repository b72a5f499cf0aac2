"""Files that survive a crash, and locks that do not: write beside, fsync, rename; flock dies with its holder."""

from __future__ import annotations

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from errorhub.hub.errors import UsageError


def write_file(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Write a file whole or not at all, and return once it is on the disk."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()
    sync_folder(path.parent)


def output_file(path: Path) -> Path:
    """Return where a file that the user named lies, links followed. Raise UsageError where none can be put.

    A rename would put a file in the place of a device, a pipe or a link.
    """
    try:
        place = path.resolve()
        if not place.parent.is_dir():
            reason = "no such folder"
        elif place.exists() and not place.is_file():
            reason = "not a regular file"
        else:
            return place
    except (OSError, RuntimeError) as problem:  # a name that is too long, links in a circle
        reason = getattr(problem, "strerror", None) or "links in a circle"
    raise UsageError(f"cannot write {path}: {reason}.")


def sync_folder(folder: Path) -> None:
    """Put a folder's names on the disk."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def locked(path: Path, *, shared: bool = False, mode: int = 0o666) -> Iterator[None]:
    """Hold the lock of a file, made when missing; wait for it. `shared` only needs to read an existing one."""
    flags = os.O_RDONLY if shared else os.O_RDWR | os.O_CREAT
    descriptor = os.open(path, flags | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK, mode)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def writing(what: str, path: Path) -> Iterator[None]:
    """Turn a full or read-only disk into one sentence."""
    try:
        yield
    except OSError as problem:
        raise UsageError(f"{what} cannot be written: {path}: {problem.strerror or type(problem).__name__}.") from None


@contextmanager
def if_free(folder: Path) -> Iterator[bool]:
    """Give True and hold the folder's lock when nobody else does, else False at once."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True
    finally:
        os.close(descriptor)
