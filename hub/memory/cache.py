"""The index on disk: derived, so it may be thrown away at any time.

`part-<token>/` holds some bundles and never changes; `index-<key>/` names the parts of one state of what is held, with
the marks of their rows. Both appear whole by renaming, and `seal.json`, written last, holds size, time and CRC of every
file: with another byte in it, everything is rebuilt. The key is made of the fingerprint of what is held and of what
makes an index (its version, the stemmer, the encoder).

A new state reads the bundles that no part holds yet, and takes over the rest. What is no longer held is cut out at
once. A new part swallows those up to twice its size, so there are never many. Readers map the files and never wait;
builders take turns.
"""

from __future__ import annotations

import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from errorhub.hub.durable import locked
from errorhub.hub.errors import UsageError
from errorhub.hub.memory.answer import Place
from errorhub.hub.memory.calibration import calibrated, neutral, probes_of
from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.dense import Encoder
from errorhub.hub.memory.marks import MARKS, mark
from errorhub.hub.memory.part import LEGS, ROWS, Part, join_parts, write_part
from errorhub.hub.memory.shelf import Shelf

VERSION = 9
"""Version of the files, the terms, the documents and the floor."""
SWALLOWED = 2
"""A part is joined with a new one that has at least this fraction (1/2) of its rows."""

_SEAL = "seal.json"
_STATE = "state.json"


class _Index(NamedTuple):
    """One state: its parts by name, in order, the marks, and what an answer needs."""

    parts: dict[str, Part]
    marks: pa.Table
    floor: float = 0.0
    neutral: Mapping[str, float] | None = None

    def corpus(self) -> Corpus:
        return Corpus(list(self.parts.values()), self.marks, self.floor, self.neutral)


def open_corpus(
    folder: Path,
    shelf: Shelf,
    fingerprint: str,
    *,
    rebuild: bool = False,
    encoder: Encoder | None = None,
    lance: bool = False,
) -> Corpus:
    """Return the corpus of what is held: as it is cached, else brought up to date, else built."""
    make = _make(encoder, lance)
    home = folder / f"index-{sha256(f'{make} {fingerprint}'.encode()).hexdigest()[:24]}"
    index = None if rebuild else _load(home)
    if index is not None:
        return index.corpus()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(folder / "lock", mode=0o600):
            index = None if rebuild else _load(home)
            return (index or _Building(folder, make, encoder, lance).build(home, shelf, afresh=rebuild)).corpus()
    except OSError as problem:
        raise UsageError(f"memory cannot be written: {folder}: {problem.strerror}.") from None


def _make(encoder: Encoder | None, lance: bool) -> str:
    parts = [str(VERSION), version("pystemmer"), version("bm25s"), encoder.name if encoder else "", str(lance)]
    return sha256("\n".join(parts).encode()).hexdigest()


def _load(home: Path, make: str | None = None) -> _Index | None:
    """Return a state, or None when it is missing, not as it was sealed, or made otherwise than wanted."""
    try:
        state = orjson.loads((home / _STATE).read_bytes())
        folders = [home.parent / str(name) for name in state["parts"]]
        if (make is None or state["make"] == make) and all(map(_whole, (home, *folders))):
            marks = pa.ipc.open_file(pa.memory_map(str(home / "marks.arrow"))).read_all()
            parts = {folder.name: Part.load(folder) for folder in folders}
            return _Index(parts, marks, float(state["floor"]), {k: float(v) for k, v in state["neutral"].items()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError, pa.ArrowException):
        pass
    return None


def _whole(folder: Path) -> bool:
    seal: dict[str, tuple[int, int, int]] = dict(orjson.loads((folder / _SEAL).read_bytes()))
    for name, (size, modified, crc) in seal.items():
        state = (folder / name).stat()
        if state.st_size != size or (state.st_mtime_ns != modified and _crc(folder / name) != crc):
            return False
    return bool(seal)


class _Building:
    """One builder at work, the lock in its hand."""

    def __init__(self, folder: Path, make: str, encoder: Encoder | None, lance: bool) -> None:
        self.folder, self.make, self.encoder, self.lance = folder, make, encoder, lance

    def build(self, home: Path, shelf: Shelf, *, afresh: bool) -> _Index:
        """Bring the last whole state up to date, and drop what is left of the past."""
        places = _best_places(shelf)
        last = None if afresh else self._last()
        try:
            parts = self._parts(last.parts if last else {}, places, shelf)
            rows = pa.concat_tables([ROWS.empty_table(), *(part.rows for part in parts.values())])
            index = _Index(parts, mark(rows, places))
            kept = self.folder / f"probes-{self.make[:24]}.npy"
            probes = probes_of(kept, self.encoder, afresh=afresh) if self.encoder else None
            index = index._replace(neutral=neutral(index.corpus(), probes) if probes else {})
            index = index._replace(floor=calibrated(index.corpus(), probes))

            def write(beside: Path) -> None:
                with pa.OSFile(str(beside / "marks.arrow"), "wb") as file, pa.ipc.new_file(file, MARKS) as writer:
                    writer.write_table(index.marks)
                state = {"make": self.make, "parts": list(parts), "floor": index.floor, "neutral": index.neutral}
                (beside / _STATE).write_bytes(orjson.dumps(state))

            self._publish(home, write)
        finally:
            self._sweep(".building-*", set())
        self._sweep("index-*", {home.name})
        self._sweep("part-*", set(parts))
        for past in set(self.folder.glob("probes-*.npy")) - {kept}:
            past.unlink(missing_ok=True)
        return index

    def _last(self) -> _Index | None:
        homes = (_load(home, self.make) for home in sorted(self.folder.glob("index-*")))
        return next((index for index in homes if index), None)

    def _parts(self, old: dict[str, Part], places: dict[str, Place], shelf: Shelf) -> dict[str, Part]:
        """Return parts that hold exactly what is held: old ones, and at most one new one."""
        wanted = pa.array(places, pa.string())
        live = {
            name: np.asarray(pc.is_in(part.rows["bundle_id"], value_set=wanted), bool) for name, part in old.items()
        }
        parts = {name: part for name, part in old.items() if live[name].all()}
        pieces = {name: (part, live[name]) for name, part in old.items() if name not in parts}
        news = places.keys() - {one for part in old.values() for one in part.rows["bundle_id"].unique().to_pylist()}
        if news:
            sizes = {name: _total([part.sizes[name] for part in old.values()]) for name in LEGS}
            name, part = self._new(
                lambda beside: write_part(beside, shelf.read(news), sizes, self.encoder, lance=self.lance)
            )
            pieces[name] = (part, np.ones(len(part), bool))
        grown = sum(int(kept.sum()) for _, kept in pieces.values())
        for name, part in sorted(parts.items(), key=lambda one: len(one[1])):
            if pieces and len(part) <= SWALLOWED * grown:
                pieces[name] = (parts.pop(name), np.ones(len(part), bool))
                grown += len(part)
        if len(pieces) == 1 and news:
            return parts | {name: part for name, (part, _) in pieces.items()}
        return parts | dict(
            [self._new(lambda beside: join_parts(beside, list(pieces.values()), lance=self.lance))] if grown else []
        )

    def _new(self, write: Callable[[Path], None]) -> tuple[str, Part]:
        """Make a part and return its name and itself, opened where it stays."""
        name = f"part-{secrets.token_hex(8)}"
        self._publish(self.folder / name, write)
        return name, Part.load(self.folder / name)

    def _publish(self, home: Path, write: Callable[[Path], None]) -> None:
        """Write a folder beside, seal it, and rename it."""
        beside = Path(mkdtemp(prefix=".building-", dir=self.folder))
        write(beside)
        _seal(beside)
        shutil.rmtree(home, ignore_errors=True)
        beside.rename(home)

    def _sweep(self, pattern: str, kept: set[str]) -> None:
        for past in self.folder.glob(pattern):
            if past.name not in kept:
                shutil.rmtree(past, ignore_errors=True)


def _best_places(shelf: Shelf) -> dict[str, Place]:
    places: dict[str, Place] = {}
    for name, place in shelf.places():
        known = places.get(name)
        places[name] = place if known is None or place.rank > known.rank else known
    return places


def _total(sizes: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return sum(texts for texts, _ in sizes), sum(words for _, words in sizes)


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
