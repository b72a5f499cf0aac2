"""`local:DIR`: a plain folder that anything can read, with commits that survive a kill at any point.

A commit stages its files in `.hub/staged`, then writes `.hub/journal`: from that moment it has happened, and whoever
comes next finishes moving the files. Before that moment it has not, and the next commit throws the staged files away.
One lock orders writers; readers share it while they list.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from errorhub.hub.bundle.canonical import digest
from errorhub.hub.durable import locked, sync_folder, write_file
from errorhub.hub.errors import Conflict, NotFound, RemoteError, UsageError
from errorhub.hub.stores.store import MAX_READ, require_safe, require_size

_CONTROL = ".hub"
_Stamp = tuple[int, int, int]


class LocalTree:
    """The folder as it was when it was listed. Files of folders are written once; those of the root are held."""

    def __init__(self, root: Path, revision: str | None) -> None:
        self.revision = revision
        self._root = root
        self._stamps: dict[str, _Stamp] = {}
        self._strange: list[str] = []
        if root.is_dir():
            self._list(root, "")
        small = [path for path, stamp in self._stamps.items() if "/" not in path and stamp[1] <= MAX_READ >> 4]
        self._held = {path: self.read(path) for path in small}

    def paths(self, prefix: str = "") -> list[str]:
        """Return the sorted paths of the plain files whose path starts with `prefix`."""
        return sorted(path for path in self._stamps if path.startswith(prefix))

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """Return a file's bytes. Raise Conflict when a commit replaced it since it was listed."""
        if path not in self._stamps:
            raise NotFound(f"no such file in the hub: {path}.")
        require_size(path, self._stamps[path][1], limit)
        if "/" not in path and path in getattr(self, "_held", {}):
            return self._held[path]
        try:
            descriptor = os.open(self._root / path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            raise _moved(path) from None
        except OSError as problem:
            raise _failed(f"read {path}", problem) from None
        with os.fdopen(descriptor, "rb") as file:
            if _stamp(os.fstat(descriptor)) != self._stamps[path]:
                raise _moved(path)
            return file.read()

    def holds(self, path: str, data: bytes) -> bool:
        """Return False: a folder has to be read."""
        return False

    def strange(self) -> list[str]:
        """Return the paths of links, devices and names that are not UTF-8."""
        return sorted(self._strange)

    def _list(self, folder: Path, prefix: str) -> None:
        for item in os.scandir(folder):
            path = prefix + item.name
            if not prefix and item.name in (_CONTROL, ".git"):
                continue
            if any("\ud800" <= letter <= "\udfff" for letter in item.name):
                self._strange.append(path.encode("utf-8", "backslashreplace").decode())
            elif item.is_dir(follow_symlinks=False):
                self._list(folder / item.name, f"{path}/")
            elif item.is_file(follow_symlinks=False):
                self._stamps[path] = _stamp(item.stat(follow_symlinks=False))
            else:
                self._strange.append(path)


class LocalStore:
    """A hub in a folder."""

    location: str | None = None
    extras: Mapping[str, bytes] = {}

    def __init__(self, place: str, *, create: bool, cache: Path | None, revision: str | None) -> None:
        self.root = Path(place).expanduser().resolve()
        self.spec = f"local:{place}"
        self.url = self.root.as_uri()
        self.load = f"load_dataset({json.dumps(str(self.root), ensure_ascii=False)})"
        self._control = self.root / _CONTROL
        self._pinned = revision
        self._require_hub(create)

    def head(self) -> str | None:
        """Return the newest revision; a half-done commit is finished first."""
        with self._reading():
            return self._head()

    def tree(self, revision: str | None = None) -> LocalTree:
        """Return the head. A folder keeps no older revisions, so any other is NotFound."""
        wanted = revision or self._pinned
        with self._reading():
            tree = LocalTree(self.root, self._head())
        if wanted not in (None, tree.revision):
            raise NotFound(f"revision {wanted} is not there: a folder keeps only its newest, {tree.revision}.")
        return tree

    def commit(
        self,
        add: Mapping[str, bytes],
        remove: Iterable[str],
        message: str,
        expect: str | None,
        *,
        author: str = "errorhub",
    ) -> str:
        """Replace the head `expect`; on the disk when this returns."""
        remove = sorted(set(remove) - set(add))
        require_safe([*add, *remove])
        try:
            self._make_control()
            with locked(self._control / "lock"):
                self._recover()
                if self._head() != expect:
                    raise Conflict(f"somebody else committed to {self.spec} first.")
                journal = self._stage(add, remove, message, expect, author)
                write_file(self._control / "journal", json.dumps(journal).encode(), mode=0o666)
                self._apply(journal)
                return str(journal["revision"])
        except OSError as problem:
            raise _failed(f"write {self.spec}", problem) from None

    def _require_hub(self, create: bool) -> None:
        if self._control.is_symlink():
            raise UsageError(f"not a hub: {self._control} is a link.")
        if self.root.exists() and not self.root.is_dir():
            raise UsageError(f"not a folder: {self.root}.")
        if not self.root.exists():
            if not create:
                raise NotFound(f"no hub at {self.spec}.", hint=f"errorhub publish --to {self.spec} --create")
            return
        names = {item.name for item in self.root.iterdir()}
        if not names & {_CONTROL, "hub.json"} and any(not name.startswith(".") for name in names):
            raise UsageError(f"not a hub: {self.root} has other files in it. Name an empty or a new folder.")

    def _make_control(self) -> None:
        if not (self._control / ".gitignore").exists():
            self._control.mkdir(parents=True, exist_ok=True)
            write_file(self._control / ".gitignore", b"*\n", mode=0o666)
            sync_folder(self.root)
            sync_folder(self.root.parent)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Share the lock with other readers, after finishing what a killed writer left."""
        try:
            if (self._control / "journal").exists():
                with locked(self._control / "lock"):
                    self._recover()
            if not (self._control / "lock").exists():
                yield
                return
            with locked(self._control / "lock", shared=True):
                yield
        except OSError as problem:
            raise _failed(f"read {self.spec}", problem) from None

    def _head(self) -> str | None:
        told = _plain_text(self._control / "head")
        if told is not None and re.fullmatch(r"[0-9a-f]{40}\n", told):
            return told.strip()
        return _outline(self.root) if (self.root / "hub.json").exists() else None

    def _stage(
        self, add: Mapping[str, bytes], remove: list[str], message: str, expect: str | None, author: str
    ) -> dict[str, Any]:
        """Put every new file beside the hub, on the disk, and return what is to be done."""
        staged = self._control / "staged"
        staged.mkdir()
        files: dict[str, str] = {}
        for number, path in enumerate(sorted(add)):
            files[path] = sha256(data := add[path]).hexdigest()
            with (staged / str(number)).open("xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        sync_folder(staged)
        journal = {"parent": expect, "add": files, "remove": remove, "message": message, "author": author}
        return journal | {"revision": digest(journal)[:40]}

    def _recover(self) -> None:
        """Finish the commit that was cut short, or forget the one that never happened."""
        if os.path.lexists(self._control / "staged"):
            self._require_folder(self._control / "staged")
        if (text := _plain_text(self._control / "journal")) is not None:
            self._apply(_journal(text))
        with suppress(FileNotFoundError):
            shutil.rmtree(self._control / "staged")

    def _apply(self, journal: dict[str, Any]) -> None:
        """Move what is staged into place. Doing it again, from any point, changes nothing."""
        staged = self._control / "staged"
        touched: set[Path] = set()
        for number, path in enumerate(sorted(journal["add"])):
            target = self.root / path
            touched |= self._make_folder(target.parent)
            with suppress(FileNotFoundError):
                (staged / str(number)).replace(target)
        for target in [self.root / path for path in journal["remove"]]:
            with suppress(FileNotFoundError):
                self._require_folder(target.parent)
                target.unlink()
                touched.add(target.parent)
        for folder in touched:
            sync_folder(folder)
        write_file(self._control / "head", f"{journal['revision']}\n".encode(), mode=0o666)
        with suppress(FileNotFoundError):
            shutil.rmtree(staged)
        (self._control / "journal").unlink()
        sync_folder(self._control)

    def _make_folder(self, folder: Path) -> set[Path]:
        """Make a folder below the root, never through a link, and return what must be synced."""
        made = {folder}
        for step in reversed([folder, *folder.parents]):
            if step == self.root or self.root not in step.parents:
                continue
            if not os.path.lexists(step):
                self._require_folder(step.parent)
                step.mkdir()
                made |= {step, step.parent}
        self._require_folder(folder)
        return made

    def _require_folder(self, folder: Path) -> None:
        """Raise OSError when a link or a file stands in the way from the root to a folder."""
        for step in (folder, *folder.parents):
            if step == self.root:
                return
            if not stat.S_ISDIR(step.lstat().st_mode):
                raise OSError(errno.ENOTDIR, "a link or a file is in the way")


def _outline(root: Path) -> str:
    """Name the revision of a folder that was copied from elsewhere: digest of its paths, sizes and times."""
    tree = LocalTree(root, None)
    return digest(sorted(tree._stamps.items()))[:40]


def _plain_text(path: Path) -> str | None:
    """Return the text of a plain file; None when there is none, or something else in its place."""
    with suppress(FileNotFoundError, UnicodeDecodeError):
        if stat.S_ISREG(path.lstat().st_mode):
            return path.read_text(encoding="utf-8")
    return None


def _journal(text: str) -> dict[str, Any]:
    """Read a journal: it may be a stranger's, so no path in it leads out of the hub."""
    try:
        journal = json.loads(text)
        require_safe([*journal["add"], *journal["remove"]])
        if not re.fullmatch("[0-9a-f]{40}", journal["revision"]):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise RemoteError("the hub's .hub/journal is not readable. Delete it to give up the commit it holds.") from None
    return dict(journal)


def _stamp(status: os.stat_result) -> _Stamp:
    return status.st_ino, status.st_size, status.st_mtime_ns


def _moved(path: str) -> Conflict:
    return Conflict(f"{path} was replaced while it was read. Try again.")


def _failed(what: str, problem: OSError) -> RemoteError:
    return RemoteError(f"cannot {what}: {problem.strerror or type(problem).__name__}.")
