"""A stage folder: the bundles of one stage as Parquet shards, at most one bundle an origin.

Shards are write-once; a newer shard supersedes older rows of the same origin, which are then removed. A kill in
between leaves both, and the newer one is read.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from threading import RLock
from typing import Any

from errorhub.hub.bundle import Bundle, read_shard, write_shard
from errorhub.hub.bundle.arrow import FLAT
from errorhub.hub.bundle.shards import read_flat, read_rows
from errorhub.hub.durable import locked

SHARD_ROWS = 500


def origin_of(row: dict[str, Any]) -> str:
    """Return what makes a row unique in a stage: its origin key, or its trajectory when it has none."""
    return str(row["origin_key"] or row["trajectory_id"])


class Stage:
    """The bundles of one stage of one workspace."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = folder.name
        self._mine, self._locked = RLock(), False

    def shards(self) -> list[Path]:
        """Return the shards, oldest first."""
        return sorted(self.folder.glob("[0-9]*.parquet"))

    def rows(self, columns: Iterable[str] = FLAT) -> Iterator[dict[str, Any]]:
        """Yield the flat columns of every bundle, oldest first."""
        wanted = {*columns, "origin_key", "trajectory_id"}
        winner = self._winners()
        for shard in self.shards():
            yield from (row for row in read_flat(shard, wanted) if winner.get(origin_of(row)) == shard)

    def bundles(self) -> Iterator[Bundle]:
        """Yield every bundle once, oldest first, a few in memory at a time; a writer at work loses none."""
        winner = self._winners()
        for shard in self.shards():
            missing = {name for name, place in winner.items() if place == shard}
            with suppress(FileNotFoundError):
                for bundle in read_shard(shard):
                    if _origin(bundle) in missing:
                        missing.discard(_origin(bundle))
                        yield bundle
            yield from self.held(missing).values()

    def held(self, origins: set[str]) -> dict[str, Bundle]:
        """Return the bundles of these origins."""
        found: dict[str, Bundle] = {}
        for shard in self.shards() if origins else []:
            ids = {row["bundle_id"] for row in read_flat(shard, _KEYS) if origin_of(row) in origins}
            if ids:
                found |= {_origin(bundle): bundle for bundle in read_rows(shard, ids) if _origin(bundle) in origins}
        return found

    def origins(self, prefix: str) -> set[str]:
        """Return the origins of bundles that have, or ever had, a bundle or trajectory id with this prefix."""
        if not self._ids.exists():
            return set()
        with self._ids.open(encoding="ascii") as file:
            lines = (line.split() for line in file)
            return {parts[2] for parts in lines if len(parts) == 3 and any(i.startswith(prefix) for i in parts)}

    @contextmanager
    def editing(self) -> Iterator[None]:
        """Let nobody else write meanwhile, so that what is read here and put back replaces nothing of theirs."""
        with self._mine:
            if self._locked:
                yield
                return
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with locked(self.folder / ".lock", mode=0o600):
                self._locked = True
                try:
                    yield
                finally:
                    self._locked = False

    def put(self, bundles: Iterable[Bundle]) -> int:
        """Add bundles, replacing those of the same origin, and return their number."""
        source, total = iter(bundles), 0
        with self.editing():
            while batch := {_origin(bundle): bundle for bundle in islice(source, SHARD_ROWS)}:
                fresh = self._next()
                total += write_shard(fresh, batch.values())
                self._record(batch)
                self._retire(set(batch), older_than=fresh)
        return total

    def remove(self, origins: set[str]) -> None:
        """Remove the bundles of these origins."""
        with self.editing():
            self._retire(origins, older_than=self.folder / "~")

    @property
    def _ids(self) -> Path:
        """Ledger of every id a bundle of this stage ever had, so that an id once printed can always be typed."""
        return self.folder / "ids.txt"

    def _record(self, batch: dict[str, Bundle]) -> None:
        self._ids.touch(mode=0o600)
        with self._ids.open("a", encoding="ascii") as file:
            file.writelines(f"{b.bundle_id} {b.trajectory_id} {origin}\n" for origin, b in batch.items())

    def _next(self) -> Path:
        shards = self.shards()
        number = int(shards[-1].name.split("-")[0]) + 1 if shards else 1
        return self.folder / f"{number:08d}-{secrets.token_hex(4)}.parquet"

    def _retire(self, origins: set[str], *, older_than: Path) -> None:
        for shard in self.shards():
            names = {origin_of(row) for row in read_flat(shard, _KEYS)} if shard < older_than else set()
            if not names & origins:
                continue
            if names <= origins:
                shard.unlink()
            else:
                write_shard(shard, [bundle for bundle in read_shard(shard) if _origin(bundle) not in origins])

    def _winners(self) -> dict[str, Path]:
        return {origin_of(row): shard for shard in self.shards() for row in read_flat(shard, _KEYS)}


_KEYS = ("bundle_id", "trajectory_id", "origin_key")


def _origin(bundle: Bundle) -> str:
    return bundle.provenance.origin_key or bundle.trajectory_id
