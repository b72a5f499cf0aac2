"""A person says where a run went wrong, and what should have been done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis, grounded
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.errors import Blocked, UsageError
from errorhub.hub.taxonomy import KnownMode, Taxonomy, fold


def annotate(
    bundle: Bundle,
    *,
    step: int,
    because: str,
    by: str,
    agent: str | None = None,
    quotes: Sequence[Citation] = (),
    fix: str | None = None,
    action: Any = None,
    mode: str | None = None,
    taxonomy: Taxonomy | None = None,
) -> tuple[Bundle, Diagnosis]:
    """Return the bundle with one more diagnosis, grounded; the agent is the one acting at the step when not given.

    A mode is looked up in the taxonomy, the seed by default, by id or name; an unknown one counts as novel.

    Raise UsageError for a step that does not exist, Blocked when agent or quotes do not hold: a person can mend both
    at once, so nothing is recorded.
    """
    steps = bundle.trajectory.steps
    if not 0 <= step < len(steps):
        raise UsageError(f"no step {step}: the run has steps 0 to {len(steps) - 1}.")
    if not because.strip():
        raise UsageError("no reason given. Say in words why this step is the error.")
    known = _known(mode, taxonomy or fold([])) if mode else None
    diagnosis = Diagnosis(
        step=step,
        agent=agent or steps[step].agent,
        explanation=because,
        evidence=tuple(quotes),
        correction=Correction(text=fix or "", action=action) if fix or action is not None else None,
        mode=known.mode if known else None,
        novel_mode=mode if mode and not known else None,
        author=by,
    )
    verdict = ground(bundle.trajectory, diagnosis)
    if verdict.grade == "rejected":
        raise Blocked(
            _advice(verdict.rule, verdict.detail, bundle, step), hint=f"errorhub show {bundle.bundle_id[:12]}"
        )
    if diagnosis in bundle.diagnoses:
        return bundle, diagnosis
    return grounded(bundle.replace(diagnoses=(*bundle.diagnoses, diagnosis))), diagnosis


def citation(text: str) -> Citation:
    """Read `N:TEXT`, a quote of step N. Raise UsageError when it is not of that form."""
    number, colon, quote = text.partition(":")
    if not colon or not number.strip().isdecimal() or not quote.strip():
        raise UsageError(f"not a quote: {text[:40]}. Write STEP:TEXT, for example 3:'permission denied'.")
    return Citation(step=int(number), quote=quote)


def _known(mode: str, taxonomy: Taxonomy) -> KnownMode | None:
    """Return the mode of this id or name, None for a novel one. Raise NotFound when several have it."""
    found = taxonomy.find(mode)
    return taxonomy.mode(mode) if found is None and taxonomy.called(mode) else found


def _advice(rule: str, detail: str, bundle: Bundle, step: int) -> str:
    if rule == "agent_not_at_step":
        return f"the agent named does not act at step {step}: {bundle.trajectory.steps[step].agent} does."
    if rule == "quote_not_in_step":
        return f"the quote does not stand in {detail}. Quote its words exactly."
    return f"the diagnosis does not hold: {rule} ({detail})."
