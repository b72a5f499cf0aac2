"""What nobody who learnt anything may fall below. Computed from the gold file alone, so they are always printed.

| name     | what it answers                                                                                    |
|----------|----------------------------------------------------------------------------------------------------|
| random   | every step with equal chance; the expectation, not a draw                                          |
| first    | step 0                                                                                             |
| last     | the last step                                                                                      |
| constant | the one step and the one agent that score best on this very gold: no constant can do better        |
| position | the best rule of position (from the front, the back, or relative) for runs of this length, chosen  |
|          | on other tasks: five folds by source task                                                          |
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from errorhub.training.answers import Case, Prediction
from errorhub.training.marks import METRICS, Marks, Mode, mark, marks

FOLDS: Final = 5
_ENOUGH: Final = 5
"""Runs of a length from which a rule is chosen for that length alone."""

LENGTHS: Final = ((1, 5), (6, 10), (11, 20), (21, 50), (51, None))

Rule = tuple[str, float]
_RULES: Final[tuple[Rule, ...]] = (
    *(("front", float(i)) for i in range(20)),
    *(("back", float(i)) for i in range(10)),
    *(("relative", i / 10) for i in range(1, 10)),
)


def bucket(n_steps: int | None) -> str:
    """Return the name of the bucket of a length."""
    for low, high in LENGTHS:
        if n_steps is not None and low <= n_steps and (high is None or n_steps <= high):
            return f"{low}-{high}" if high else f"{low}+"
    return "unknown"


def baselines(cases: Sequence[Case], *, mode: Mode = "strict", within: int = 1) -> dict[str, Marks | str]:
    """Return the marks of every baseline, or why one cannot be computed."""
    known: dict[str, Marks | str] = {}
    for name, (answer, needs_length) in _ANSWERS.items():
        if needs_length and any(case.n_steps is None for case in cases):
            known[name] = f"baseline {name}: gold without n_steps."
            continue
        known[name] = answer(cases, mode, within)
    return known


def folds(tasks: Sequence[str], number: int = FOLDS) -> dict[str, int]:
    """Return the fold of each task: sorted by hash, dealt in turn, so a fold never depends on the order of a file."""
    ordered = sorted(set(tasks), key=lambda task: hashlib.sha256(f"errorhub-fold-1:{task}".encode()).digest())
    return {task: place % number for place, task in enumerate(ordered)}


def _random(cases: Sequence[Case], mode: Mode, within: int) -> Marks:
    return np.array([_expected(case, mode, within) for case in cases])


def _expected(case: Case, mode: Mode, within: int) -> Marks:
    steps = range(case.n_steps or 0)
    told = [mark(case, _at(case, step), mode=mode, within=within) for step in steps]
    mean: Marks = np.mean(told, axis=0)
    if case.actor(0) is None:
        names = dict.fromkeys(case.agents)
        each = [mark(case, Prediction(case.id, 0, name, "0"), mode=mode, within=within)[2] for name in names]
        mean[2] = np.mean(each) if each else np.nan
        mean[3] = mean[0] * mean[2]
    return mean


def _first(cases: Sequence[Case], mode: Mode, within: int) -> Marks:
    return _marked(cases, [_at(case, 0) for case in cases], mode, within)


def _last(cases: Sequence[Case], mode: Mode, within: int) -> Marks:
    return _marked(cases, [_at(case, (case.n_steps or 1) - 1) for case in cases], mode, within)


def _constant(cases: Sequence[Case], mode: Mode, within: int) -> Marks:
    steps = Counter(gold.step for case in cases for gold in case.golds)
    agents = Counter(gold.agent for case in cases for gold in case.golds)
    step, agent = min(steps, key=lambda s: (-steps[s], s)), min(agents, key=lambda a: (-agents[a], a))
    return marks(cases, {c.id: Prediction(c.id, step, agent, str(step)) for c in cases}, mode=mode, within=within)


def _position(cases: Sequence[Case], mode: Mode, within: int) -> Marks:
    fold = folds([case.task for case in cases])
    groups: dict[tuple[int, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((fold[case.task], bucket(case.n_steps)), []).append(case)
    answers: dict[str, Prediction] = {}
    for (number, length), members in groups.items():
        others = [one for one in cases if fold[one.task] != number]
        alike = [one for one in others if bucket(one.n_steps) == length]
        rule = _best(alike if len(alike) >= _ENOUGH else others)
        answers |= {case.id: _at(case, _apply(rule, case.n_steps or 1)) for case in members}
    return _marked(cases, [answers[case.id] for case in cases], mode, within)


def _best(known: Sequence[Case]) -> Rule:
    """Return the rule with most exact hits; the first of equals, so step 0 where nothing is known."""
    n = np.array([case.n_steps or 1 for case in known for _ in case.golds])
    gold = np.array([label.step for case in known for label in case.golds])
    return _RULES[int(np.argmax([int(np.sum(_applied(rule, n) == gold)) for rule in _RULES]))]


def _applied(rule: Rule, n: NDArray[np.int64]) -> NDArray[np.float64]:
    kind, value = rule
    step = np.rint(value * (n - 1)) if kind == "relative" else n - 1 - value if kind == "back" else value
    return np.asarray(np.clip(step, 0, n - 1))


def _apply(rule: Rule, n: int) -> int:
    return int(_applied(rule, np.array([n]))[0])


def _at(case: Case, step: int) -> Prediction:
    return Prediction(case.id, step, case.actor(step), str(step))


def _marked(cases: Sequence[Case], answers: Sequence[Prediction], mode: Mode, within: int) -> Marks:
    """Mark answers; agent and joint are unknown where the gold file does not say who acts at a step."""
    table = marks(cases, {one.id: one for one in answers}, mode=mode, within=within)
    if any(one.agent is None for one in answers):
        table[:, [METRICS.index("agent"), METRICS.index("joint")]] = np.nan
    return table


_ANSWERS: Final[dict[str, tuple[Callable[[Sequence[Case], Mode, int], Marks], bool]]] = {
    "random": (_random, True), "first": (_first, False), "last": (_last, True), "constant": (_constant, False),
    "position": (_position, True),
}  # fmt: skip
"""name -> how it answers, whether it must know how long a run is."""
