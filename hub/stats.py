"""Counts: pairs, runs and tasks are different things (AED, section on the dataset)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from errorhub.hub.bundle.arrow import FLAT
from errorhub.hub.errors import UsageError


def count(rows: Iterable[dict[str, Any]], by: Sequence[str]) -> dict[str, Any]:
    """Count diagnoses (pairs), distinct trajectories (runs) and source tasks, in all and by flat columns.

    Raise UsageError naming a column that does not exist.
    """
    for name in by:
        if name not in FLAT:
            raise UsageError(f"no such column: {name}. Columns are {', '.join(FLAT)}.")
    groups: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    rows = list(rows)
    for row in rows:
        groups.setdefault(tuple(row[name] for name in by), []).append(row)
    table = [dict(zip(by, key, strict=True)) | _counts(group) for key, group in groups.items()]
    table.sort(key=lambda row: (-row["runs"], [str(row[name]) for name in by]))
    return _counts(rows) | {"table": table}


def _counts(rows: list[dict[str, Any]]) -> dict[str, int]:
    return {
        "pairs": sum(row["n_diagnoses"] for row in rows),
        "runs": len({row["trajectory_id"] for row in rows}),
        "tasks": len({row["task"] for row in rows}),
    }
