"""Coverage: which modes are seen where, and which harnesses, policies and environments the corpus hardly knows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from errorhub.hub.taxonomy.cases import Case, distinct_tasks, mode_of
from errorhub.hub.taxonomy.modes import KnownMode, Taxonomy

DIMENSIONS = ("harness", "policy", "environment")
FEW = 5
"""Runs below which a value is under-represented whatever the others have."""
THIN = 1 / 3
"""Share of an even spread below which a value is under-represented."""
UNNAMED = "no mode yet"
UNKNOWN = "not said"


@dataclass(frozen=True)
class Group:
    """One value of one dimension."""

    value: str
    """For example `claude-code`."""
    runs: int
    """Distinct runs."""
    tasks: int
    """Distinct source tasks."""
    named: int
    """Runs with at least one diagnosis under a known mode."""
    notes: tuple[str, ...]
    """Why it is under-represented; empty when it is not."""


@dataclass(frozen=True)
class Coverage:
    """Runs by mode, and by harness, policy and environment."""

    runs: int
    """Distinct runs with a diagnosis."""
    tasks: int
    """Their source tasks."""
    named: int
    """Runs with at least one diagnosis under a known mode."""
    modes: tuple[tuple[KnownMode, int], ...]
    """Mode -> distinct runs, most first."""
    groups: dict[str, tuple[Group, ...]]
    """Dimension -> its values, most runs first."""
    cells: dict[tuple[str, str, str], int]
    """(mode, dimension, value) -> distinct runs; `no mode yet` is a mode here."""

    @property
    def thin(self) -> list[tuple[str, Group]]:
        """Who is under-represented: (dimension, group)."""
        return [(name, one) for name, groups in self.groups.items() for one in groups if one.notes]


def coverage(found: Iterable[Case], taxonomy: Taxonomy) -> Coverage:
    """Count distinct runs. A run whose diagnoses stand under two modes counts under both."""
    placed = [(one, mode_of(one, taxonomy)) for one in found]
    everywhere = {one.trajectory_id for one, _ in placed}
    named = {one.trajectory_id for one, mode in placed if mode is not None}
    modes: dict[str, tuple[KnownMode, set[str]]] = {}
    cells: dict[tuple[str, str, str], set[str]] = {}
    for one, mode in placed:
        key = str(mode.ref) if mode else UNNAMED
        if mode is None and one.trajectory_id in named:
            continue
        if mode is not None:
            modes.setdefault(key, (mode, set()))[1].add(one.trajectory_id)
        for dimension in DIMENSIONS:
            cells.setdefault((key, dimension, _value(one, dimension)), set()).add(one.trajectory_id)
    ordered = sorted(modes.values(), key=lambda pair: (-len(pair[1]), pair[0].id))
    return Coverage(
        runs=len(everywhere), tasks=distinct_tasks(one for one, _ in placed), named=len(named),
        modes=tuple((mode, len(runs)) for mode, runs in ordered),
        groups={name: _groups(placed, name, named) for name in DIMENSIONS},
        cells={key: len(runs) for key, runs in cells.items()},
    )  # fmt: skip


def _groups(placed: Sequence[tuple[Case, KnownMode | None]], dimension: str, named: set[str]) -> tuple[Group, ...]:
    runs: dict[str, set[str]] = {}
    members: dict[str, list[Case]] = {}
    for one, _ in placed:
        runs.setdefault(_value(one, dimension), set()).add(one.trajectory_id)
        members.setdefault(_value(one, dimension), []).append(one)
    total = sum(len(held) for held in runs.values())
    overall = len(named) / total if total else 0.0
    rows = []
    for value, held in sorted(runs.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        covered = len(held & named)
        notes = []
        if len(held) < FEW:
            notes.append(f"fewer than {FEW} runs")
        elif len(held) < THIN * total / len(runs):
            notes.append("less than a third of an even share")
        if 2 * covered < overall * len(held):
            notes.append("its failures have names half as often as elsewhere")
        rows.append(Group(value, len(held), distinct_tasks(members[value]), covered, tuple(notes)))
    return tuple(rows)


def _value(one: Case, dimension: str) -> str:
    return str(getattr(one, dimension) or UNKNOWN)
