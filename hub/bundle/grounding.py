"""Structural grounding: does a diagnosis hold up against what a student can see? (AED, stage 3)"""

from __future__ import annotations

import re
from typing import Any

from errorhub.hub.bundle.bundle import Bundle
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.bundle.diagnosis import Citation, Diagnosis, Grade, Grounding
from errorhub.hub.bundle.trajectory import Step, Trajectory

WITHHELD = "<DROPPED>"
"""What a scrubber leaves in place of a quote: it proves nothing, and refutes nothing."""

_PARENTHESES = re.compile(r"\([^)]*\)")
_SPACES = re.compile(r"\s+")


def ground(trajectory: Trajectory, diagnosis: Diagnosis, *, by: str = "structure") -> Grounding:
    """Grade one diagnosis: located, evidenced, actionable, or rejected with the rule that failed.

    located: the step exists and the agent acts there. evidenced: also at least one quote, and every quote stands in
    its cited step. actionable: also a non-empty correction.
    """
    rule, detail = _fault(trajectory, diagnosis)
    grade: Grade = "rejected" if rule else _grade(diagnosis)
    name = diagnosis.id_in(trajectory.trajectory_id)
    return Grounding(diagnosis_id=name, grade=grade, rule=rule or grade, detail=detail, by=by)


def grounded(bundle: Bundle) -> Bundle:
    """Return the bundle with a fresh structural grounding of every diagnosis; other people's groundings stay."""
    fresh = tuple(ground(bundle.trajectory, diagnosis) for diagnosis in bundle.diagnoses)
    others = tuple(old for old in bundle.groundings if old.by != "structure")
    return bundle.replace(groundings=fresh + others)


def same_agent(one: str, other: str) -> bool:
    """Compare two agent names: case, punctuation and anything in parentheses do not count."""
    return _plain(one) == _plain(other)


def _grade(diagnosis: Diagnosis) -> Grade:
    if not any(_visible(citation) for citation in diagnosis.evidence):
        return "located"
    correction = diagnosis.correction
    fixed = correction is not None and (correction.action is not None or _meaning(correction.text))
    return "actionable" if fixed else "evidenced"


def _fault(trajectory: Trajectory, diagnosis: Diagnosis) -> tuple[str, str]:
    """Return (rule, detail) of the first rule that fails, or two empty strings."""
    steps = trajectory.steps
    if diagnosis.step >= len(steps):
        return "step_out_of_range", f"step {diagnosis.step} of {len(steps)}"
    if not same_agent(steps[diagnosis.step].agent, diagnosis.agent):
        return "agent_not_at_step", f"another agent acts at step {diagnosis.step}"
    for citation in diagnosis.evidence:
        if citation.step >= len(steps):
            return "quote_step_out_of_range", f"step {citation.step} of {len(steps)}"
        if not citation.quote.strip():
            return "quote_empty", f"step {citation.step}"
        if _visible(citation) and not _quoted(steps[citation.step], citation.quote):
            return "quote_not_in_step", f"step {citation.step}"
    return "", ""


def _visible(citation: Citation) -> bool:
    return bool(_meaning(citation.quote))


def _meaning(text: str) -> str:
    return text.replace(WITHHELD, "").strip()


def _quoted(step: Step, quote: str) -> bool:
    wanted = _SPACES.sub(" ", quote).strip()
    return any(wanted in _SPACES.sub(" ", text) for text in quotable(step))


def quotable(step: Step) -> list[str]:
    """Return everything of a step that can be quoted: what it shows, in a row, and the strings in structured values."""
    parts = [f"<{step.tool}>" if step.tool else "", _shown(step.input), _shown(step.output), step.error or ""]
    structured = [value for value in (step.input, step.output) if not isinstance(value, str)]
    return ["\n".join(part for part in parts if part), *(text for value in structured for text in _strings(value))]


def _shown(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else canonical(value).decode()


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    return []


def _plain(name: str) -> str:
    return "".join(c for c in _PARENTHESES.sub("", name).casefold() if c.isalnum()) or name.casefold().strip()
