"""Runs that nobody can grade: what the infrastructure or the grader broke is never counted as an agent's error.

Only what a log says outright decides: how it says the run ended, or an API error as the last thing that happened.
"""

from __future__ import annotations

import re
from typing import Any, Final

from errorhub.hub.bundle import Outcome, Step

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
        return Outcome(
            status="ungradable", fault="infrastructure", reason=f"ended by {word}", verifier=by, source="rule"
        )
    if _GRADER.fullmatch(word):
        return Outcome(status="ungradable", fault="grader", reason=f"ended by {word}", verifier=by, source="rule")
    return None


def ended_in_error(steps: list[Step]) -> Outcome | None:
    """Return the ungradable outcome of a run whose last step is a failing model API, or None.

    What the program itself adds after it does not count. A request that the API refuses is the agent's own doing.
    """
    said = (step for step in reversed(steps) if not (step.agent == "system" and step.kind == "message"))
    last = next(said, None)
    if last is None or last.kind not in ("error", "llm.response") or not last.error or _OWN_DOING.search(last.error):
        return None
    return Outcome(status="ungradable", fault="infrastructure", reason=f"ended in an API error: {last.error}",
                   verifier="last step", source="rule")  # fmt: skip
