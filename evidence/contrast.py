"""What a correction changed: pairs of runs from one checkpoint, negatives and ties included (AED, stage 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from errorhub.hub.bundle import Attempt, Bundle, Repair


@dataclass(frozen=True)
class Pair:
    """One run of each arm from the same checkpoint under the same settings and seed."""

    task: str
    corrected: bool
    original: bool


@dataclass
class Paired:
    """The pairs of some repairs, and what was left out of them."""

    pairs: list[Pair] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """Reason -> attempts."""


def pair(bundles: Iterable[tuple[Bundle, Repair]]) -> Paired:
    """Match the arms of replays. An attempt without its match, or that nobody could grade, is counted, not guessed."""
    found = Paired()
    for bundle, repair in bundles:
        originals = {_key(one): one for one in repair.attempts if one.arm == "original"}
        for mine in (one for one in repair.attempts if one.arm == "corrected"):
            other = originals.get(_key(mine))
            if reason := _unfit(mine, other):
                found.left_out[reason] += 1
            elif other is not None:
                passed = [one.outcome.status == "passed" for one in (mine, other)]
                found.pairs.append(Pair(bundle.trajectory.task_id, *passed))
    return found


def contrast(pairs: Sequence[Pair], *, seed: int = 0) -> dict[str, Any]:
    """Return pass rates, uplift and its 95 % interval over source tasks; the interval is None for a single task."""
    import numpy as np

    from errorhub.evidence.intervals import bootstrap

    if not pairs:
        return {"pairs": 0, "tasks": 0, "corrected": None, "original": None, "uplift": None, "interval": None}
    arms = np.array([[one.corrected, one.original] for one in pairs], dtype=float)
    difference = arms[:, :1] - arms[:, 1:]
    bounds = bootstrap(difference, [one.task for one in pairs], seed=seed)
    signs = Counter(int(value) for value in difference[:, 0])
    return {
        "pairs": len(pairs),
        "tasks": len({one.task for one in pairs}),
        "corrected": float(arms[:, 0].mean()),
        "original": float(arms[:, 1].mean()),
        "uplift": float(difference.mean()),
        "interval": None if bounds is None else [round(float(value), 6) for value in bounds[:, 0]],
        "contrasts": {"positive": signs[1], "zero": signs[0], "negative": signs[-1]},
    }


def _key(attempt: Attempt) -> tuple[Any, ...]:
    return attempt.state_ref, attempt.settings_digest, attempt.seed


def _unfit(mine: Attempt, other: Attempt | None) -> str | None:
    if None in _key(mine) or other is None:
        return "no run of the other arm from the same checkpoint under the same settings and seed"
    if not {mine.outcome.status, other.outcome.status} <= {"passed", "failed"}:
        return "nobody could grade one of the runs"
    if mine.executed_faithfully is False or other.executed_faithfully is False:
        return "the action was not carried out as meant"
    return None
