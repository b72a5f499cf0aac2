"""The index on disk: derived, so it may be thrown away at any time.

`index-<key>/` appears whole by renaming; the key is made of the fingerprint of what is held, the version of this
index and those of the libraries that made it. `seal.json`, written last, holds size, time and CRC of every file: an
index with another byte is rebuilt. Readers map the files and never wait; builders take turns.
"""

from __future__ import annotations

import os
import shutil
import zlib
from collections.abc import Callable, Iterable
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp

import orjson
import pyarrow as pa

from errorhub.hub.durable import locked
from errorhub.hub.errors import UsageError
from errorhub.hub.memory.answer import Held
from errorhub.hub.memory.corpus import Corpus, write_corpus

VERSION = 1
"""Version of the files, the terms and the documents."""

_SEAL = "seal.json"


def open_corpus(folder: Path, held: Callable[[], Iterable[Held]], fingerprint: str, *, rebuild: bool = False) -> Corpus:
    """Return the corpus of what is held, from the cache when it is there and whole, else built."""
    home = folder / f"index-{_key(fingerprint)}"
    corpus = None if rebuild else _load(home)
    if corpus is not None:
        return corpus
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(folder / "lock", mode=0o600):
            return (None if rebuild else _load(home)) or _build(home, held)
    except OSError as problem:
        raise UsageError(f"memory cannot be written: {folder}: {problem.strerror}.") from None


def _key(fingerprint: str) -> str:
    parts = [fingerprint, str(VERSION), version("bm25s"), version("pystemmer"), version("pyarrow")]
    return sha256("\n".join(parts).encode()).hexdigest()[:24]


def _load(home: Path) -> Corpus | None:
    """Return the corpus of a folder, or None when it is missing or not as it was sealed."""
    try:
        if _whole(home):
            return Corpus(home)
    except (OSError, ValueError, KeyError, TypeError, pa.ArrowException):
        pass
    return None


def _whole(home: Path) -> bool:
    seal: dict[str, tuple[int, int, int]] = dict(orjson.loads((home / _SEAL).read_bytes()))
    for name, (size, modified, crc) in seal.items():
        state = (home / name).stat()
        if state.st_size != size or (state.st_mtime_ns != modified and _crc(home / name) != crc):
            return False
    return bool(seal)


def _build(home: Path, held: Callable[[], Iterable[Held]]) -> Corpus:
    """Build beside, rename, and drop the indexes of the past."""
    beside = Path(mkdtemp(prefix=".building-", dir=home.parent))
    try:
        write_corpus(beside, held())
        _seal(beside)
        shutil.rmtree(home, ignore_errors=True)
        beside.rename(home)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    for past in [*home.parent.glob("index-*"), *home.parent.glob(".building-*")]:
        if past != home:
            shutil.rmtree(past, ignore_errors=True)
    return Corpus(home)


def _seal(folder: Path) -> None:
    seal = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        path.chmod(0o600)
        with path.open("rb") as file:
            os.fsync(file.fileno())
        state = path.stat()
        seal[str(path.relative_to(folder))] = (state.st_size, state.st_mtime_ns, _crc(path))
    (folder / _SEAL).write_bytes(orjson.dumps(seal))
    (folder / _SEAL).chmod(0o600)


def _crc(path: Path) -> int:
    crc = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            crc = zlib.crc32(block, crc)
    return crc
