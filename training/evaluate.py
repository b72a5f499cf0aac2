"""Scores of students beside baselines, with intervals over source tasks, as one JSON document."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from errorhub.evidence.intervals import DRAWS, bootstrap
from errorhub.hub.errors import UsageError
from errorhub.training.answers import Case, Prediction
from errorhub.training.baselines import baselines, bucket
from errorhub.training.marks import METRICS, Marks, Mode, agreement, by_annotator, marks

_KEYS: Final[Mapping[str, Callable[[Case], str]]] = {
    "task_family": lambda case: case.family or "none", "task": lambda case: case.task,
    "length": lambda case: bucket(case.n_steps), "agent": lambda case: case.golds[0].agent,
}  # fmt: skip
BY: Final = tuple(_KEYS)
"""What macro averages can go over."""

Said = Mapping[str, Prediction]


@dataclass(frozen=True)
class Protocol:
    """How predictions are scored."""

    mode: Mode = "strict"
    """`official` imitates Who&When's substring scorer; for comparison with published tables only."""
    by: str = "task_family"
    """Groups whose mean counts once each in the macro average."""
    within: int = 1
    """Distance in steps that still counts as near."""
    seeds: bool = False
    """The files are runs of one student with several seeds: its scores are their mean."""
    draws: int = DRAWS
    """Bootstrap draws."""
    seed: int = 0
    """Seed of the bootstrap."""

    def marks(self, cases: Sequence[Case], said: Said) -> Marks:
        """Return the marks of answers under this protocol."""
        return marks(cases, said, mode=self.mode, within=self.within)


@dataclass
class _Table:
    """Marks of everybody, by name; one bootstrap serves them all."""

    cases: Sequence[Case]
    rows: dict[str, Marks] = field(default_factory=dict)
    pairs: dict[str, tuple[str, str]] = field(default_factory=dict)

    def compare(self, floor: Mapping[str, Marks | str], *, seeds: bool) -> str:
        """Add baselines and every comparison of interest, and return the row that is the headline."""
        names = list(self.rows)
        head = "mean of seeds" if seeds else names[0]
        if seeds:
            self.rows[head] = np.mean(list(self.rows.values()), axis=0)
        else:
            self.pairs |= {f"{b} - {a}": (b, a) for a, b in combinations(names, 2)}
        self.rows |= {name: made for name, made in floor.items() if not isinstance(made, str)}
        self.pairs |= {f"{head} - {name}": (head, name) for name in floor if name in self.rows}
        return head

    def intervals(self, protocol: Protocol) -> dict[str, NDArray[np.float64]]:
        """Return the interval of each row and each difference; empty with fewer than two tasks."""
        columns = self.rows | {name: self.rows[a] - self.rows[b] for name, (a, b) in self.pairs.items()}
        tasks = [case.task for case in self.cases]
        found = bootstrap(np.hstack(list(columns.values())), tasks, draws=protocol.draws, seed=protocol.seed)
        if found is None:
            return {}
        width = len(METRICS)
        return {name: found[:, i * width : (i + 1) * width] for i, name in enumerate(columns)}


def evaluate(
    cases: Sequence[Case],
    students: Mapping[str, Said],
    protocol: Protocol = Protocol(),
    *,
    extra: Mapping[str, Said | str] | None = None,
) -> dict[str, Any]:
    """Score students against the labels. Runs without a prediction are misses; the denominator is every case.

    `extra` adds baselines that need more than the gold file, or the reason why one could not be computed.
    """
    if protocol.by not in BY:
        raise UsageError(f"no such grouping: {protocol.by}. Use {', '.join(BY)}.")
    warnings = _unknown(cases, students)
    floor: dict[str, Marks | str] = baselines(cases, mode=protocol.mode, within=protocol.within)
    floor |= {
        name: said if isinstance(said, str) else protocol.marks(cases, said) for name, said in (extra or {}).items()
    }
    warnings += [reason for reason in floor.values() if isinstance(reason, str)]
    table = _Table(cases, {name: protocol.marks(cases, said) for name, said in students.items()})
    head = table.compare(floor, seeds=protocol.seeds)
    intervals = table.intervals(protocol)
    if not intervals:
        warnings.append("one source task only: no interval can be given.")
    rows = table.rows
    return {
        **_overview(cases, protocol, students),
        **_means(rows[head]),
        "interval": _interval(intervals.get(head)),
        "macro": _macro(cases, rows[head], protocol.by),
        "by_length": _groups([bucket(case.n_steps) for case in cases], rows[head]),
        "baselines": {name: _entry(rows[name], intervals.get(name)) if name in rows else None for name in floor},
        "paired": {name: _entry(rows[a] - rows[b], intervals.get(name)) for name, (a, b) in table.pairs.items()},
        "students": {name: _entry(rows[name], intervals.get(name)) for name in students},
        "seeds": _seeds([rows[name] for name in students]),
        "annotators": _annotators(cases, students, protocol),
        "warnings": warnings + _bases(cases, students),
    }


def offsets(cases: Iterable[Case], said: Said) -> list[int]:
    """Return predicted step minus gold step for every readable answer and every label."""
    found = [(said[case.id].step, gold.step) for case in cases if case.id in said for gold in case.golds]
    return [step - gold for step, gold in found if step is not None]


def _overview(cases: Sequence[Case], protocol: Protocol, students: Mapping[str, Said]) -> dict[str, Any]:
    tasks = len({case.task for case in cases})
    names = list(students)
    return {"n": len(cases), "tasks": tasks, "mode": protocol.mode, "within": protocol.within, "files": names}


def _unknown(cases: Sequence[Case], students: Mapping[str, Said]) -> list[str]:
    """Return a warning a file with ids the gold lacks. Raise UsageError when it shares none with the gold."""
    ids = {case.id for case in cases}
    warnings = []
    for name, said in students.items():
        strange = [one for one in said if one not in ids]
        if said and len(strange) == len(said):
            raise UsageError(f"{name} shares no id with the gold, for example {strange[0]}. Is it of another split?")
        if strange:
            warnings.append(f"{name}: {len(strange)} ids are not in the gold and were not scored, first {strange[0]}.")
    return warnings


def _bases(cases: Sequence[Case], students: Mapping[str, Said]) -> list[str]:
    """Warn where a shift by one would hit far more often: one side may count from 1."""
    warnings = []
    for name, said in students.items():
        found = offsets(cases, said)
        hits = {shift: sum(one == shift for one in found) for shift in (-1, 0, 1)}
        for shift in (-1, 1):
            if len(found) >= 10 and hits[shift] >= 3 * max(1, hits[0]) and hits[shift] > len(found) / 2:
                warnings.append(
                    f"{name}: {hits[shift]} of {len(found)} steps are off by {shift:+d}. Steps count from 0."
                )
    return warnings


def _means(rows: Marks) -> dict[str, float | None]:
    return {name: _number(value) for name, value in zip(METRICS, rows.mean(axis=0), strict=True)}


def _entry(rows: Marks, interval: NDArray[np.float64] | None) -> dict[str, Any]:
    return _means(rows) | {"interval": _interval(interval)}


def _interval(bounds: NDArray[np.float64] | None) -> dict[str, list[float] | None]:
    if bounds is None:
        return dict.fromkeys(METRICS)
    pairs = zip(METRICS, bounds.T, strict=True)
    return {name: None if np.isnan(pair).any() else [_round(pair[0]), _round(pair[1])] for name, pair in pairs}


def _macro(cases: Sequence[Case], rows: Marks, by: str) -> dict[str, Any]:
    groups = _groups([_KEYS[by](case) for case in cases], rows)
    mean = {name: _number(np.mean([group[name] for group in groups.values()])) for name in METRICS}
    return mean | {"by": by, "groups": groups}


def _groups(keys: Sequence[str], rows: Marks) -> dict[str, dict[str, Any]]:
    where = np.asarray(keys)
    return {key: {"n": int((where == key).sum())} | _means(rows[where == key]) for key in sorted(set(keys))}


def _seeds(rows: Sequence[Marks]) -> dict[str, Any] | None:
    """Return mean and sample deviation over files; it says something when they are seeds of one student."""
    if len(rows) < 2:
        return None
    means = np.array([one.mean(axis=0) for one in rows])
    mean, spread = means.mean(axis=0), means.std(axis=0, ddof=1)
    return {
        "n": len(rows),
        "mean": {name: _number(value) for name, value in zip(METRICS, mean, strict=True)},
        "sd": {name: _number(value) for name, value in zip(METRICS, spread, strict=True)},
    }


def _annotators(cases: Sequence[Case], students: Mapping[str, Said], protocol: Protocol) -> dict[str, Any] | None:
    agreed = agreement(cases)
    if agreed is None:
        return None
    alone = by_annotator(cases)
    scores = {
        name: {
            who: _means(marks(theirs, said, mode=protocol.mode, within=protocol.within))
            for who, theirs in alone.items()
        }
        for name, said in students.items()
    }
    return {"agreement": agreed, "scores": scores}


def _number(value: Any) -> float | None:
    return None if np.isnan(value) else _round(value)


def _round(value: Any) -> float:
    return round(float(value), 6)
