"""Runs that nobody can grade: what the infrastructure or the grader broke is never counted as an agent's error.

Only what a log says outright decides: how it says the run ended, or an API error as the last thing that happened.
"""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from errorhub.hub.bundle import Outcome, Step
from errorhub.hub.importers.shapes import number_or_none

_INFRASTRUCTURE: Final = re.compile(
    r"infra(structure)?(_?(error|failure|fault))?|(wall_?clock_)?time_?d?_?out(_error)?|time_limit(_exceeded)?"
    r"|cancell?ed|aborted|(sandbox|environment|container|runtime|docker|host)_?(lost|error|failure|failed|crash(ed)?|timeout)"
    r"|(install|installation|setup|build|image_pull|dependency)_?(failure|failed|error|timeout)"
    r"|(api|network|connection|rate_?limit|provider|service|internal_server)_?(error|failure|unavailable|exceeded)?"
    r"|out_of_memory|oom(_killed)?|evicted|preempted|no_capacity|quota_exceeded"
)  # fmt: skip
_GRADER: Final = re.compile(r"(grader|grading|evaluator|evaluation|verifier|judge|scorer|test_?parse|parse)_?"
                            r"(error|failure|failed|timeout|crash(ed)?)")  # fmt: skip
_OWN_DOING: Final = re.compile(
    r"prompt is too long|context (limit|length|window)|output token maximum|usage policy|invalid_request_error", re.I
)
"""API errors that the agent's own request caused: no fault of the infrastructure."""


def ended_as(said: Any, *, by: str) -> Outcome | None:
    """Return the ungradable outcome of a run that ended in the way a log names, or None for any other word."""
    word = re.sub(r"[\s\-.:]+", "_", said.strip().lower()) if isinstance(said, str) else ""
    if _INFRASTRUCTURE.fullmatch(word):
        return broken("infrastructure", f"ended by {word}", by=by)
    return broken("grader", f"ended by {word}", by=by) if _GRADER.fullmatch(word) else None


def broken(fault: Literal["infrastructure", "grader"], why: str, *, by: str) -> Outcome:
    """Return the outcome of a run that nobody can grade."""
    return Outcome(status="ungradable", fault=fault, reason=why, verifier=by, source="rule")


def judged(verdict: Any, *, by: str) -> Outcome:
    """Return the outcome an explicit verdict gives; a verdict that is null is the grader's fault."""
    if isinstance(verdict, bool):
        return Outcome(status="passed" if verdict else "failed", verifier=by)
    return broken("grader", f"{by} is null", by=by) if verdict is None else Outcome(reason=f"{by} is no verdict")


def rewarded(reward: Any, *, by: str) -> Outcome:
    """Return the outcome of a reward between 0 and 1: only 1 passes; a reward that is null is the grader's fault."""
    score = number_or_none(reward)
    if score is None:
        return judged(reward, by=by)
    return Outcome(status="passed" if abs(score - 1) < 1e-6 else "failed", score=score, verifier=by)


def ended_in_error(steps: list[Step]) -> Outcome | None:
    """Return the ungradable outcome of a run whose last step is a failing model API, or None.

    What the program itself adds after it does not count. A request that the API refuses is the agent's own doing.
    """
    said = (step for step in reversed(steps) if not (step.agent == "system" and step.kind == "message"))
    last = next(said, None)
    if last is None or last.kind not in ("error", "llm.response") or not last.error or _OWN_DOING.search(last.error):
        return None
    return broken("infrastructure", f"ended in an API error: {last.error}", by="last step")
