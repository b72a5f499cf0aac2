"""What views admit and what a ranker learns from runs, before and after scrubbing. Read by `bench/utility.py`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.bundle import Rights
from errorhub.scrubber import Receipt
from errorhub.training import Case, Gold, Prediction, evaluate
from errorhub.training.features import run_of
from errorhub.training.ranker import cross_validated
from errorhub.views import Plan, build, of_bundles

Runs = Sequence[Bundle]
VIEWS = ("diagnosis_compact", "diagnosis_rationale", "diagnosis_full")
METRICS = ("exact", "agent", "joint")


def certified(bundle: Bundle) -> Bundle:
    """Return a bundle with a licence and a receipt, as if it were published: what is counted are the views."""
    held = bundle.replace(rights=Rights(license="MIT"), receipt=None)
    return held.replace(receipt=Receipt(policy="none", policy_digest="", scrubber="none", digest=held.certified_digest))


def admitted(runs: Runs) -> dict[str, dict[str, Any]]:
    """Return rows and refusals of every diagnosis view."""
    with TemporaryDirectory() as folder:
        report = build(of_bundles([certified(one) for one in runs]), Plan(VIEWS), Path(folder))
    return {view: {"rows": one["rows"], "refused": one["refused"]} for view, one in report["views"].items()}


def admission(before: Runs, after: Runs) -> float:
    """Share of the rows of the diagnosis views that are still admitted."""
    old, new = (sum(one["rows"] for one in admitted(runs).values()) for runs in (before, after))
    return new / old if old else 1.0


def ranker(before: Runs, after: Runs) -> list[str]:
    """Return lines: accuracy of the ranker on runs before and after, and the paired difference, with intervals.

    Cross-validated by task; both learn and are asked on their own kind of runs, with the labels of before.
    """
    pairs = [(one, two) for one, two in zip(before, after, strict=True) if one.diagnoses and _in_range(one)]
    cases, said = [], {}
    for name, place in (("unscrubbed", 0), ("scrubbed", 1)):
        runs = [run_of(pair[place], str(number)) for number, pair in enumerate(pairs)]
        gold = [pair[0].diagnoses[0].step for pair in pairs]
        tasks = [run_of(pair[0]).task for pair in pairs]
        runs = [type(run)(run.id, task, run.goal, run.agents, run.texts) for run, task in zip(runs, tasks, strict=True)]
        said[name] = cross_validated(runs, gold)
        if not cases:
            cases = [
                Case(run.id, run.task, None, len(run.texts), run.agents, (Gold(step, pair[0].diagnoses[0].agent),))
                for run, step, pair in zip(runs, gold, pairs, strict=True)
            ]
    return _lines(cases, said)


def _lines(cases: list[Case], said: dict[str, dict[str, Prediction]]) -> list[str]:
    scores = evaluate(cases, said)
    rows = {name: scores["students"][name] for name in said}
    rows["difference"] = scores["paired"]["scrubbed - unscrubbed"]
    return [f"ranker, {len(cases)} runs, {name:11} {_cells(one)}" for name, one in rows.items()]


def _cells(one: dict[str, Any]) -> str:
    cells = []
    for metric in METRICS:
        low, high = one["interval"][metric] or (float("nan"), float("nan"))
        cells.append(f"{metric} {100 * one[metric]:5.1f} [{100 * low:5.1f}, {100 * high:5.1f}]")
    return "  ".join(cells)


def _in_range(bundle: Bundle) -> bool:
    return bundle.diagnoses[0].step < len(bundle.trajectory.steps)
