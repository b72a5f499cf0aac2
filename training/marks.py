"""Marks: what one prediction earns against the labels of its run. Misses are zeros, never gaps.

| metric   | earned when                                                                  |
|----------|------------------------------------------------------------------------------|
| exact    | the step is the gold step                                                    |
| near     | it is at most `within` steps away, and is a step of the run                  |
| agent    | the names are the same but for case, punctuation and parentheses             |
| joint    | exact and agent                                                              |
| parsed   | a step could be read from the answer                                         |
| coverage | there is an answer                                                           |

Mode `official` imitates the public scorer of Who&When (ag2ai/Agents_Failure_Attribution, commit 3d9d568): gold step
and agent need only occur *inside* the text of the prediction, so 10 hits gold 1. For comparison with its tables only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from errorhub.hub.bundle.grounding import same_agent
from errorhub.training.answers import Case, Gold, Prediction

Mode = Literal["strict", "official"]
Marks = NDArray[np.float64]
"""One row a case, one column a metric; a column of NaN is a metric that cannot be computed."""

METRICS: Final = ("exact", "near", "agent", "joint", "parsed", "coverage")
_WORD = re.compile(r"\w*")


def marks(cases: Sequence[Case], said: Mapping[str, Prediction], *, mode: Mode = "strict", within: int = 1) -> Marks:
    """Return the marks of a student, the mean over annotators where a run has several."""
    table = np.zeros((len(cases), len(METRICS)))
    for row, case in enumerate(cases):
        if answer := said.get(case.id):
            table[row] = mark(case, answer, mode=mode, within=within)
    return table


def mark(case: Case, answer: Prediction, *, mode: Mode = "strict", within: int = 1) -> Marks:
    """Return the marks of one answer to one case."""
    each = np.array([_against(case, gold, answer, mode, within) for gold in case.golds])
    return np.asarray(each.mean(axis=0))


def agreement(cases: Sequence[Case]) -> dict[str, Any] | None:
    """Return how far the annotators of runs with several labels agree, over all pairs; None without such runs."""
    several = [case for case in cases if len(case.golds) > 1]
    if not several:
        return None
    rows = []
    for case in several:
        pairs = [(a, b) for i, a in enumerate(case.golds) for b in case.golds[i + 1 :]]
        told = [_against(case, a, Prediction(case.id, b.step, b.agent, str(b.step)), "strict", 1) for a, b in pairs]
        rows.append(np.mean(told, axis=0))
    shared = dict(zip(METRICS[:4], np.mean(rows, axis=0)[:4].tolist(), strict=True))
    return {"cases": len(several)} | shared


def by_annotator(cases: Sequence[Case]) -> dict[str, list[Case]]:
    """Return the cases of each annotator alone, by name or by the order of the labels."""
    found: dict[str, list[Case]] = {}
    for case in cases:
        for place, gold in enumerate(case.golds):
            alone = Case(case.id, case.task, case.family, case.n_steps, case.agents, (gold,))
            found.setdefault(gold.author or f"label {place + 1}", []).append(alone)
    return found


def _against(case: Case, gold: Gold, answer: Prediction, mode: Mode, within: int) -> tuple[float, ...]:
    step = answer.step
    if mode == "strict" and step is not None and not _in_range(case, step):
        step = None
    hit, agent = _HITS[mode](gold, answer, step)
    near = step is not None and abs(step - gold.step) <= within
    return float(hit), float(near), float(agent), float(hit and agent), float(answer.step is not None), 1.0


def _in_range(case: Case, step: int) -> bool:
    return step >= 0 and (case.n_steps is None or step < case.n_steps)


def _strict(gold: Gold, answer: Prediction, step: int | None) -> tuple[bool, bool]:
    return step == gold.step, answer.agent is not None and same_agent(answer.agent, gold.agent)


def _official(gold: Gold, answer: Prediction, step: int | None) -> tuple[bool, bool]:
    word = _WORD.match((answer.agent or "").strip())
    return str(gold.step) in answer.written, bool(answer.agent) and gold.agent in (word.group() if word else "")


_HITS: Final[Mapping[Mode, Callable[[Gold, Prediction, int | None], tuple[bool, bool]]]] = {
    "strict": _strict, "official": _official,
}  # fmt: skip
