"""Where a build takes its bundles from: read twice, first only the names of their tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.shards import read_flat
from errorhub.hub.mirrors import looking_at, mirrors
from errorhub.hub.recall import Everything
from errorhub.hub.workspace import Workspace

COLUMNS = ("bundle_id", "trajectory_id", "task", "goal", "task_json")
"""What the first reading needs of a bundle's row."""


PIECE = 200
"""Bundles of a piece."""


class Piece(NamedTuple):
    """Some bundles of one shard, for a process of their own."""

    shard: Path
    bundle_ids: tuple[str, ...]


@dataclass(frozen=True)
class Source:
    """Gives the bundles anew each time it is called, and the rows that name their tasks, which is far cheaper."""

    bundles: Callable[[], Iterable[Bundle]]
    rows: Callable[[], Iterable[dict[str, Any]]]
    pieces: Callable[[], Iterator[Piece]] = lambda: iter(())
    """The same bundles in the same order as parts of files; none where they are in no file."""


def at_hand(workspace: Workspace) -> Source:
    """Return the scrubbed runs of a workspace and the bundles of every pulled hub, each once."""
    shelf = Everything(workspace, raw=False)
    ids = {name for name, _ in shelf.places()}

    def rows() -> Iterator[dict[str, Any]]:
        left = set(ids)
        for read in (shelf.own.rows, *(mirror.rows for mirror in mirrors(workspace))):
            for row in read(COLUMNS):
                if row["bundle_id"] in left:
                    left.discard(row["bundle_id"])
                    yield row

    def pieces() -> Iterator[Piece]:
        return _pieces([*shelf.own.shards(), *(path for one in mirrors(workspace) for path in one.shards())], ids)

    return Source(lambda: shelf.read(ids), rows, pieces)


def of_hub(workspace_folder: Path, spec: str) -> Source:
    """Return the bundles of one hub, pulled and verified."""

    def bundles() -> Iterator[Bundle]:
        with looking_at(workspace_folder, spec) as mirror:
            yield from mirror.bundles()

    def rows() -> Iterator[dict[str, Any]]:
        with looking_at(workspace_folder, spec) as mirror:
            yield from mirror.rows(COLUMNS)

    def pieces() -> Iterator[Piece]:
        with looking_at(workspace_folder, spec) as mirror:
            yield from _pieces_of(mirror)

    # Without a workspace the copy of the hub vanishes before another process could read it.
    return Source(bundles, rows, pieces) if workspace_folder.is_dir() else Source(bundles, rows)


def of_stage(held: Any) -> Source:
    """Return the bundles of one stage or mirror."""
    return Source(held.bundles, lambda: held.rows(COLUMNS), lambda: _pieces_of(held))


def of_bundles(bundles: Iterable[Bundle]) -> Source:
    """Return bundles that are in memory."""
    held = tuple(bundles)

    def rows() -> Iterator[dict[str, Any]]:
        for one in held:
            task = one.trajectory.task
            yield {
                "bundle_id": one.bundle_id, "trajectory_id": one.trajectory_id, "task": one.trajectory.task_id,
                "goal": task.goal, "task_json": task.model_dump_json(),
            }  # fmt: skip

    return Source(lambda: held, rows)


def _pieces_of(held: Any) -> Iterator[Piece]:
    return _pieces(held.shards(), {str(row["bundle_id"]) for row in held.rows(("bundle_id",))})


def _pieces(shards: Iterable[Path], bundle_ids: Set[str]) -> Iterator[Piece]:
    left = set(bundle_ids)
    for shard in shards:
        here = [row["bundle_id"] for row in read_flat(shard, ("bundle_id",)) if row["bundle_id"] in left]
        left -= set(here)
        for start in range(0, len(here), PIECE):
            yield Piece(shard, tuple(here[start : start + PIECE]))
