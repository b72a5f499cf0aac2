"""The secret side of scrubbing: the key of keyed hashes, and the values that must never leave."""

from __future__ import annotations

import hmac
import os
import secrets
import stat
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple, Self

from errorhub.scrubber.errors import ScrubConflict, VaultError

KEY_BYTES = 32
SHORTEST = 3
"""Shortest known value; a shorter one would hit everywhere."""


class KnownValue(NamedTuple):
    """A literal that is always replaced, in every case and encoding."""

    value: str
    """The literal."""
    kind: str = "CUSTOM"
    """Word in the placeholder."""

    def __repr__(self) -> str:
        return f"KnownValue(<{len(self.value)} characters>, {self.kind!r})"


@dataclass(frozen=True)
class Vault:
    """Hold the HMAC key and the known values; neither is ever printed or stored with a result."""

    key: bytes = field(repr=False)
    known: tuple[KnownValue, ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        if len(self.key) != KEY_BYTES:
            raise VaultError(f"a vault key has {KEY_BYTES} bytes, this one has {len(self.key)}.")
        kinds: dict[str, str] = {}
        for value, kind in self.known:
            if len(value.strip()) < SHORTEST:
                raise VaultError(f"a known value of kind {kind} is shorter than {SHORTEST} characters.")
            if kinds.setdefault(value.casefold(), kind) != kind:
                raise ScrubConflict(f"one known value is listed as {kinds[value.casefold()]} and as {kind}.")

    @classmethod
    def open(cls, path: Path | None = None) -> Self:
        """Read the key file, or create it with mode 0600; two processes that create it at once get the same key."""
        path = path or default_key_path()
        try:
            if not path.exists():
                _create(path)
            _check_mode(path)
            return cls(path.read_bytes())
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise VaultError(f"key file {str(path)!r} cannot be used: {reason}.", _HINT) from None

    def with_known(self, values: Iterable[KnownValue]) -> Self:
        """Return a vault that knows more; raise ScrubConflict when a value would have two kinds."""
        return type(self)(self.key, tuple(dict.fromkeys((*self.known, *values))))

    def hmac(self, kind: str, value: str | bytes) -> str:
        """Return the keyed SHA-256 of a value as hex; kinds keep equal values of different meaning apart."""
        data = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        return hmac.digest(self.key, kind.encode() + b"\0" + data, "sha256").hex()

    @cached_property
    def known_key(self) -> str:
        """Keyed hash of all known values: changes when the list does."""
        return self.hmac("known-values", "\0".join(sorted(f"{kind}\0{value}" for value, kind in self.known)))


_HINT = "Point ERRORHUB_CONFIG_DIR at a folder that you own and can write to."


def default_key_path() -> Path:
    """Return where the key lives: the user's config directory, or ERRORHUB_CONFIG_DIR."""
    chosen = os.environ.get("ERRORHUB_CONFIG_DIR")
    if chosen:
        return Path(chosen) / "vault.key"
    if sys.platform == "win32":
        root = Path(os.environ.get("APPDATA") or Path.home() / "AppData" / "Roaming")
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Application Support"
    else:
        root = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
    return root / "errorhub" / "vault.key"


def _create(path: Path) -> None:
    """Write a whole key beside the target and link it into place: the first process wins, no reader sees half a key."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _check_mode(path: Path) -> None:
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        raise VaultError(f"key file {str(path)!r} is not a regular file.", _HINT)
    if os.name == "posix" and mode & 0o077:
        raise VaultError(f"key file {str(path)!r} can be read by others.", f"Run: chmod 600 {path}")
