"""What the ranker sees of a step: where it stands, what its words do, how it differs from the rest of its run.

*Absolute* features tell one kind of run from another and carry most within one source; *relative* ones compare a step
with the steps of its own run only, and are what survives a change of source.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from errorhub.evidence.transcript import Shown, parse_steps, step_text
from errorhub.hub.bundle import Bundle
from errorhub.training.words import PATTERNS, ROLES

Array = NDArray[np.float64]

_WORD = re.compile(r"[a-z0-9]+(?:[.'][a-z0-9]+)*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_RELATIVE_TO_RUN: Final = (
    "length", "assume", "error", "verify", "final", "plan", "goal share", "novel", "novel words", "adopted",
    "ends in answer",
    "numbers", "new numbers", "like previous", "like next", "nothing", "browse",
)  # fmt: skip
_RELATIVE: Final = (
    "place", "place among acting", "acting", "new agent", "same agent", "same agent next", "code", "terminal next",
    "goal words",
    "like own last", "like own next", "longest", "longer share", "relative length", "next error", "adopted",
    "ends in answer",
)  # fmt: skip
SHORT: Final = 40


@dataclass(frozen=True)
class Run:
    """A run as the ranker reads it, from a bundle or from a rendered prompt."""

    id: str
    task: str
    goal: str
    agents: tuple[str, ...]
    texts: tuple[str, ...]


def run_of(bundle: Bundle, name: str | None = None) -> Run:
    """Return the run of a bundle."""
    trajectory = bundle.trajectory
    texts = tuple(step_text(step) for step in trajectory.steps)
    agents = tuple(step.agent for step in trajectory.steps)
    return Run(name or bundle.trajectory_id, trajectory.task_id, trajectory.task.goal or "", agents, texts)


def run_of_prompt(name: str, task: str, prompt: str) -> Run:
    """Return the run a rendered prompt shows; elided steps show only that they were."""
    steps: list[Shown] = parse_steps(prompt)
    goal = prompt[: prompt.find("[0] ")] if steps else prompt
    return Run(name, task, goal, tuple(step.agent for step in steps), tuple(step.text for step in steps))


def features(run: Run) -> tuple[Array, list[str]]:
    """Return one row a step and the names of the columns."""
    columns = _columns(run)
    relative = _against_run(columns)
    table = columns | relative
    return np.array(list(table.values()), dtype=float).T, list(table)


def relative_names(names: Sequence[str]) -> list[int]:
    """Return the columns that only compare a step with its own run."""
    return [i for i, name in enumerate(names) if name.startswith(("z ", "rank ")) or name in _RELATIVE]


def _columns(run: Run) -> dict[str, Array]:
    low = [text.lower() for text in run.texts]
    n = len(low)
    sets = [set(_WORD.findall(text)) for text in low]
    machine = np.array(
        [
            t.startswith("exitcode") or bool(ROLES["terminal"].search(a.lower()))
            for t, a in zip(low, run.agents, strict=True)
        ]
    )
    acting = ~(machine | np.array([len(t) < SHORT or "no code from the last" in t for t in low]))
    hits = {name: np.log1p([float(len(p.findall(t))) for t in low]) for name, p in PATTERNS.items()}
    return {
        **_places(n, acting),
        **_lengths(run.texts),
        **hits,
        **{
            f"{name} next": _next(hits[name], -1)
            for name in ("error", "assume", "regret", "nothing", "ran", "final", "verify")
        },
        **{f"{name} before": _before(hits[name], -1) for name in ("error", "ran")},
        **_around(low, machine, hits["error"]),
        **_speakers(run.agents),
        **_novelty(low, sets, set(_WORD.findall(run.goal.lower()))),
        **_repeats(run.agents, sets),
        **{name: np.array([float(bool(p.search(a.lower()))) for a in run.agents]) for name, p in ROLES.items()},
    }


def _places(n: int, acting: NDArray[np.bool_]) -> dict[str, Array]:
    index = np.arange(n, dtype=float)
    order: Array = np.cumsum(acting, dtype=float) - acting
    total = max(1, int(acting.sum()))
    full = np.ones(n)
    return {
        "index": index, "place": index / max(1, n - 1), "n": n * full, "from end": n - 1 - index,
        "first": 1.0 * (index == 0),
        "second": 1.0 * (index == 1), "last": 1.0 * (index == n - 1), "acting": 1.0 * acting,
        "index among acting": order,
        "place among acting": order / total, "acting steps": total * full, "acting from end": total - 1.0 - order,
    }  # fmt: skip


def _lengths(texts: Sequence[str]) -> dict[str, Array]:
    size = np.array([len(text) for text in texts], dtype=float)
    longest = size == (size[1:].max() if len(size) > 1 else size[0])
    code = np.array(["```" in text for text in texts], dtype=float)
    first = int(np.argmax(code)) if code.any() else -1
    return {
        "length": np.log1p(size), "relative length": np.log((size + 1) / (np.median(size) + 1)),
        "longer share": np.array([(size > one).mean() for one in size]), "short": 1.0 * (size < SHORT),
        "longest": 1.0 * longest,
        "code": code, "code next": _next(code, 0), "code before": _before(code, 0),
        "code at start": code[0] * np.ones(len(size)),
        "length of start": np.log1p(size[0]) * np.ones(len(size)), "first code": 1.0 * (np.arange(len(size)) == first),
        "question": np.array(["?" in text for text in texts], dtype=float),
    }  # fmt: skip


def _around(low: Sequence[str], machine: NDArray[np.bool_], errors: Array) -> dict[str, Array]:
    failed = np.array(["execution failed" in text for text in low], dtype=float)
    worked = np.array(["execution succeeded" in text for text in low], dtype=float)
    empty = np.array([text.strip().endswith("code output:") for text in low], dtype=float)
    bad = np.flatnonzero(errors > 0)
    places = np.arange(len(low))
    upcoming = np.searchsorted(bad, places, side="right")
    distance = np.array(
        [bad[j] - i if j < len(bad) else 10 for i, j in zip(places, upcoming, strict=True)], dtype=float
    )
    return {
        "failed next": _next(failed, 0), "worked next": _next(worked, 0), "failed before": _before(failed, 0),
        "worked before": _before(worked, 0), "failures so far": np.cumsum(failed), "empty next": _next(empty, 0),
        "terminal next": _next(1.0 * machine, 0), "terminal before": _before(1.0 * machine, 0),
        "next error": np.minimum(distance, 10), "errors so far": np.cumsum(errors > 0) - 1.0 * (errors > 0),
        "error share": (errors > 0).mean() * np.ones(len(low)),
    }  # fmt: skip


def _speakers(agents: Sequence[str]) -> dict[str, Array]:
    count, turns, seen = Counter(agents), [], Counter[str]()
    for agent in agents:
        turns.append(float(seen[agent]))
        seen[agent] += 1
    same = np.array([float(i > 0 and agents[i] == agents[i - 1]) for i in range(len(agents))])
    return {
        "turn": np.array(turns), "new agent": 1.0 * (np.array(turns) == 0),
        "share of turns": np.array([count[a] / len(agents) for a in agents]),
        "agents": len(count) * np.ones(len(agents)), "same agent": same, "same agent next": _next(same, 0),
    }  # fmt: skip


def _novelty(low: Sequence[str], sets: Sequence[set[str]], goal: set[str]) -> dict[str, Array]:
    numbers = [set(_NUMBER.findall(text)) for text in low]
    last, seen, told = sets[-1] | (sets[-2] if len(sets) > 1 else set()), set[str](), set[str]()
    later: list[set[str]] = [set()]
    for words in reversed(sets[1:]):
        later.append(later[-1] | words)
    rows = []
    for words, counted, future in zip(sets, numbers, reversed(later), strict=True):
        fresh, shared = words - seen, words & goal
        rows.append({
            "goal share": len(shared) / max(1, len(goal)), "goal words": len(shared) / max(1, len(words)),
            "novel": len(fresh) / max(1, len(words)), "novel words": np.log1p(len(fresh)),
            "adopted": len(fresh & future) / max(1, len(fresh)),
            "ends in answer": len((fresh - goal) & last) / max(1, len(last - goal)), "numbers": np.log1p(len(counted)),
            "new numbers": np.log1p(len(counted - told)), "numbers in answer": len((counted - told) & numbers[-1]),
        })  # fmt: skip
        seen |= words
        told |= counted
    table = {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}
    overlap = [len(a & b) for a, b in pairwise(sets)]
    size = [max(1, len(words)) for words in sets]
    table["like previous"] = np.array([0.0, *(o / s for o, s in zip(overlap, size[1:], strict=True))])
    table["like next"] = np.array([*(o / s for o, s in zip(overlap, size[:-1], strict=True)), 0.0])
    return table | {"goal share of start": table["goal share"][0] * np.ones(len(sets))}


def _repeats(agents: Sequence[str], sets: Sequence[set[str]]) -> dict[str, Array]:
    """Return how much of a step its agent says again: -1 for a first and for a last turn."""
    before, after, held = -np.ones(len(sets)), -np.ones(len(sets)), dict[str, int]()
    for i, agent in enumerate(agents):
        if (j := held.get(agent)) is not None:
            before[i] = after[j] = len(sets[i] & sets[j]) / max(1, len(sets[i] | sets[j]))
        held[agent] = i
    return {"like own last": before, "like own next": after}


def _against_run(columns: dict[str, Array]) -> dict[str, Array]:
    """Return each step's standing among the acting steps of its run: deviations from their mean, and share above."""
    acting = columns["acting"] > 0
    among = acting if acting.sum() > 1 else np.ones(len(acting), dtype=bool)
    table: dict[str, Array] = {}
    for name in _RELATIVE_TO_RUN:
        column = columns[name]
        table[f"z {name}"] = np.clip((column - column[among].mean()) / (column[among].std() + 1e-2), -4, 4)
        table[f"rank {name}"] = np.array([(column[among] > one).mean() for one in column])
    return table


def _next(column: NDArray[np.floating], end: float) -> Array:
    return np.append(column[1:], end)


def _before(column: NDArray[np.floating], start: float) -> Array:
    return np.append(start, column[:-1])
