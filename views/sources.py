"""Where a build takes its bundles from: read twice, first only the names of their tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.mirrors import looking_at, mirrors
from errorhub.hub.recall import Everything
from errorhub.hub.workspace import Workspace

COLUMNS = ("bundle_id", "trajectory_id", "task", "goal", "task_json")
"""What the first reading needs of a bundle's row."""


@dataclass(frozen=True)
class Source:
    """Gives the bundles anew each time it is called, and the rows that name their tasks, which is far cheaper."""

    bundles: Callable[[], Iterable[Bundle]]
    rows: Callable[[], Iterable[dict[str, Any]]]


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

    return Source(lambda: shelf.read(ids), rows)


def of_hub(workspace_folder: Path, spec: str) -> Source:
    """Return the bundles of one hub, pulled and verified."""

    def bundles() -> Iterator[Bundle]:
        with looking_at(workspace_folder, spec) as mirror:
            yield from mirror.bundles()

    def rows() -> Iterator[dict[str, Any]]:
        with looking_at(workspace_folder, spec) as mirror:
            yield from mirror.rows(COLUMNS)

    return Source(bundles, rows)


def of_stage(held: Any) -> Source:
    """Return the bundles of one stage or mirror."""
    return Source(held.bundles, lambda: held.rows(COLUMNS))


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
