"""How a bundle looks to a person at a terminal."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from errorhub.hub.bundle import Attempt, Bundle, Diagnosis, Repair, Step

_WIDTH = 100


def shown(bundle: Bundle) -> str:
    """Return the run, its diagnoses and its repairs as text."""
    return "\n".join([*_head(bundle), "", *_steps(bundle), "", *_findings(bundle)])


def compared(bundle: Bundle) -> str:
    """Return the run beside each attempt at a repair, step by step."""
    lines = _head(bundle)
    attempts = [
        (repair, one) for repair in bundle.repairs for one in repair.attempts if one.steps or one.arm != "original"
    ]
    for repair, attempt in attempts:
        ended = f"recorded run: {bundle.trajectory.outcome.status}"
        told = repair.directive or _text(repair.action)
        lines += ["", f"{repair.kind}: {told}", f"{ended} │ {attempt.arm} arm: {attempt.outcome.status}"]
        start = _shared(bundle, repair, attempt)
        left, right = bundle.trajectory.steps[start:], attempt.steps
        for number, (ours, theirs) in enumerate(zip_longest(left, right), start):
            lines.append(f"{number:4} {_brief(ours):48.48} │ {_brief(theirs):48.48}")
    return "\n".join(lines if attempts else [*lines, "", "no attempt at a repair is recorded"])


def _shared(bundle: Bundle, repair: Repair, attempt: Attempt) -> int:
    """Return the step both start from: that of the diagnosis when they share its checkpoint, else the first."""
    blamed = dict(zip(bundle.diagnosis_ids, bundle.diagnoses, strict=True)).get(repair.diagnosis_id or "")
    known = blamed and bundle.trajectory.steps[blamed.step : blamed.step + 1]
    same = known and attempt.state_ref is not None and known[0].state_ref == attempt.state_ref
    return blamed.step if blamed and same else 0


def _head(bundle: Bundle) -> list[str]:
    trajectory, run = bundle.trajectory, bundle.trajectory.run
    return [
        f"bundle      {bundle.bundle_id}",
        f"trajectory  {bundle.trajectory_id}",
        f"task        {trajectory.task_id}: {trajectory.task.goal or 'goal not known'}"[:400],
        f"run         {run.harness or trajectory.source.format}, {run.policy or 'policy unknown'}",
        f"outcome     {trajectory.outcome.status} (said by {trajectory.outcome.source})",
        f"scrubbed    {'with policy ' + bundle.receipt.policy if bundle.receipt else 'no: raw, for your eyes only'}",
        f"licence     {bundle.rights.license or 'none yet'}",
    ]


def _steps(bundle: Bundle) -> Iterator[str]:
    graded = zip(bundle.diagnoses, bundle.grades, strict=True)
    blamed = {diagnosis.step for diagnosis, grade in graded if grade != "rejected"}
    for number, step in enumerate(bundle.trajectory.steps):
        mark = "▶" if number in blamed else " "
        tool = f" {step.tool}" if step.tool else ""
        yield f"{mark}[{number}] {step.agent} ({step.kind}{tool})"
        for label, value in (("in", step.input), ("out", step.output), ("error", step.error)):
            if value not in (None, ""):
                yield "      " + textwrap.shorten(f"{label}: {_text(value)}", _WIDTH * 3, placeholder=" …")


def _findings(bundle: Bundle) -> Iterator[str]:
    for name, diagnosis, grade in zip(bundle.diagnosis_ids, bundle.diagnoses, bundle.grades, strict=True):
        said = [one for one in bundle.groundings if one.diagnosis_id == name]
        rule = next((one.rule for one in said if one.by == "structure" and grade == "rejected"), None)
        yield from _diagnosis(diagnosis, f"{grade}: {rule}" if rule else grade)
        for one in said:
            if one.by != "structure":
                yield f"      {one.by} thinks: {one.rule.replace('_', ' ')}{f' ({one.detail})' if one.detail else ''}"
    for repair in bundle.repairs:
        yield from _repair(repair)
    if not bundle.diagnoses:
        yield "no diagnosis yet"


def _diagnosis(diagnosis: Diagnosis, grade: str | None) -> Iterator[str]:
    yield f"diagnosis ({grade or 'not checked'}) by {diagnosis.author}: step {diagnosis.step}, {diagnosis.agent}"
    if saw := _saw(diagnosis.conditions):
        yield f"      having seen {saw}"
    yield f"      {diagnosis.explanation}"
    for citation in diagnosis.evidence:
        yield f"      step {citation.step} says “{citation.quote}”"
    if diagnosis.correction:
        yield f"      should have: {diagnosis.correction.text or _text(diagnosis.correction.action)}"


def _saw(conditions: dict[str, Any]) -> str:
    """Return what a program saw of the run and beyond it, empty when nothing is recorded."""
    cases = conditions.get("memory")
    parts = [
        f"the {conditions['stage']} run" if "stage" in conditions else "",
        "what only graders knew" if conditions.get("reference") else "",
        f"{len(cases)} past cases" if isinstance(cases, list) and cases else "",
    ]
    return ", ".join(part for part in parts if part)


def _repair(repair: Repair) -> Iterator[str]:
    yield f"repair ({repair.verdict}): {repair.directive or _text(repair.action)}"
    for attempt in repair.attempts:
        yield f"      {attempt.arm}: {attempt.outcome.status} {attempt.outcome.reason or ''}".rstrip()


def _brief(step: Step | None) -> str:
    if step is None:
        return ""
    value = next((v for v in (step.error, step.output, step.input) if v not in (None, "")), "")
    return " ".join(f"{step.agent} {step.tool or step.kind}: {_text(value)}".split())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
