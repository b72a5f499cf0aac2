"""Diagnosis rows: the failed run goes in, one diagnosis comes out. No replay is needed, no grader's text is shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from errorhub.evidence.transcript import render_steps
from errorhub.hub.bundle import Bundle, Diagnosis
from errorhub.hub.bundle.grounding import WITHHELD, ground, same_agent
from errorhub.views.draft import Draft, Refusal, Refused, provenance, sound
from errorhub.views.fitting import Budget, fit
from errorhub.views.leaks import Withheld
from errorhub.views.row import Message, Row, action_text
from errorhub.views.target import KEYS, Target, render_target

_ASK: Final = {
    "step": "the number of the decisive error, the first step whose correction would have saved the run",
    "agent": "who acted there, the name as written",
    "explanation": "why it is the decisive error",
    "evidence": "a list of the numbers of steps that show it",
    "correction": "what should have been done instead",
}
_GRADES: Final = {
    "diagnosis_full": ("actionable",), "diagnosis_rationale": ("evidenced", "actionable"),
    "diagnosis_compact": ("located", "evidenced", "actionable"),
}  # fmt: skip
"""Grades a view admits: a label that is only located feeds compact."""


@dataclass(frozen=True)
class _Found(Draft):
    diagnosis: Diagnosis
    view: str
    grade: str


Rule = tuple[str, Callable[[_Found], str | None]]


def diagnosis_rows(bundle: Bundle, view: str, budget: Budget, *, blind: bool = False) -> Iterator[Row | Refused]:
    """Yield a row or a refusal for every diagnosis of a bundle.

    `blind` leaves steps out without looking at the label, as rows for evaluation must.
    """
    withheld = Withheld(bundle)
    for name, diagnosis in zip(bundle.diagnosis_ids, bundle.diagnoses, strict=True):
        grade = ground(bundle.trajectory, diagnosis).grade
        found = _Found(bundle, name, diagnosis, view, grade)
        refusal = next((Refusal(rule, why) for rule, test in RULES if (why := test(found))), None)
        yield found.refused(view, refusal) if refusal else _row(found, budget, withheld, blind)


def instruction(view: str) -> str:
    """Return the system message of a view: the task, the keys, one line."""
    keys = "\n".join(f'- "{key}": {_ASK[key]}' for key in KEYS[view])
    return (
        "An agent run failed. Its steps are numbered [0], [1], … in the order they happened.\n"
        f"Answer with one line of JSON with these keys, in this order:\n{keys}"
    )


def prompt(bundle: Bundle, view: str, elided: tuple[int, ...] = ()) -> tuple[Message, ...]:
    """Return the messages that show a failed run."""
    goal = bundle.trajectory.task.goal
    head = f"Task: {goal}\n\n" if goal else ""
    steps = render_steps(bundle.trajectory.steps, elided=set(elided))
    return (
        {"role": "system", "content": instruction(view), "train": False},
        {"role": "user", "content": f"{head}Run:\n{steps}", "train": False},
    )


def _row(found: _Found, budget: Budget, withheld: Withheld, blind: bool) -> Row | Refused:
    view, diagnosis = found.view, found.diagnosis
    evidence = tuple(sorted({one.step for one in diagnosis.evidence if one.quote.replace(WITHHELD, "").strip()}))
    target = render_target(_target(diagnosis, evidence), view)
    keep = frozenset(() if blind else (diagnosis.step, *evidence))
    fitted = fit(found.bundle.trajectory.steps, lambda out: prompt(found.bundle, view, out), target, keep, budget)
    if fitted is None:
        return found.refused(view, Refusal("A4", "over_budget"))
    if {diagnosis.step, *evidence} & set(fitted.elided):
        return found.refused(view, Refusal("A3", "the gold step or its evidence did not fit"))
    if leak := withheld.leak(fitted.prompt[-1]["content"]):
        return found.refused(view, Refusal("A5", leak))
    return provenance(
        found, view, diagnosis, prompt=fitted.prompt,
        completion=({"role": "assistant", "content": target, "train": True},), evidence_steps=evidence,
        elided_steps=fitted.elided, n_prompt_tokens=fitted.prompt_tokens, n_target_tokens=fitted.target_tokens,
        tokenizer=budget.counter.name,
    )  # fmt: skip


def _target(diagnosis: Diagnosis, evidence: tuple[int, ...]) -> Target:
    fix = diagnosis.correction
    correction = (fix.text.strip() or action_text(fix.action)) if fix else ""
    return Target(
        step=diagnosis.step, agent=diagnosis.agent, explanation=diagnosis.explanation, evidence=evidence,
        correction=correction,
    )  # fmt: skip


def _failed(found: _Found) -> str | None:
    outcome = found.bundle.trajectory.outcome
    if outcome.status != "failed":
        return f"outcome is {outcome.status}"
    return f"fault of the {outcome.fault}" if outcome.fault in ("infrastructure", "grader") else None


def _located(found: _Found) -> str | None:
    steps, label = found.bundle.trajectory.steps, found.diagnosis
    if label.step >= len(steps):
        return "step out of range"
    return None if same_agent(steps[label.step].agent, label.agent) else "another agent acts at the step"


def _quotes(found: _Found) -> str | None:
    return "a quote is not in its step" if found.grade == "rejected" else None


def _graded(found: _Found) -> str | None:
    return None if found.grade in _GRADES[found.view] else f"grade {found.grade}"


def _said(found: _Found) -> str | None:
    needed = "" if found.view == "diagnosis_compact" else found.diagnosis.explanation.strip() or None
    return "empty target" if needed is None or not found.diagnosis.agent.strip() else None


def _dropped(found: _Found) -> str | None:
    label = found.diagnosis
    target = "" if found.view == "diagnosis_compact" else render_target(_target(label, ()), found.view)
    return "the scrubber took part of the target" if WITHHELD in target else None


RULES: Final[tuple[Rule, ...]] = (
    ("A12", sound), ("A1", _failed), ("A2", _located), ("A3", _quotes), ("E1", _graded), ("E2", _said),
    ("E3", _dropped),
)  # fmt: skip
"""Rule id -> reason to refuse, None to admit. A3 (shown), A4, A5 are decided when the prompt is made."""
