"""The texts of a case that are compared: the diagnosis, and the steps around the error.

Goal, whole trajectory, repairs and construction-only fields are left out: they tell what a run was about, not how it
failed (adding the goal halves the quality of retrieval). So are a goal that a step quotes, and the frames of harnesses.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from errorhub.hub.bundle import Diagnosis, Step, Trajectory
from errorhub.hub.memory.frames import unframed
from errorhub.hub.memory.words import MAX_TERM

STEP_CHARS = 500
"""Characters of one step."""
DIAGNOSIS_CHARS = 20_000
"""Characters of one diagnosis."""
SCANNED = 500_000
"""Characters at either end of a text that are searched for signs of an error."""
WINDOWS = 4
"""Most windows of one undiagnosed run."""
GOAL_CHARS = 20
"""A goal of fewer characters is not looked for in the steps."""

_STRONG = (
    r"(?m)Traceback \(most recent call last\)|(?:Error|Exception|Failure)\b ?[:(]|^ *(?:error|fatal|panic)\b"
    r"|\berror\[\w+\]|\bnpm ERR!|\bexit(?:ed with)? ?(?:code|status)?:? *[1-9]|<returncode>[1-9]|\bFAILED\b"
    r"|command not found|No such file|[Pp]ermission denied|Segmentation fault|\bHTTP[/ 0-9.]* [45]\d\d\b"
    r"|\b[1-9]\d* (?:failed|errors?)\b|Nothing happens"
)
_WEAK = (
    r"(?i)\b(?:errors?|fail(?:s|ed|ure)?|cannot|can['’]?t|could(?: not|n['’]t)|unable|denied|refused|timed? ?out"
    r"|not found|invalid|missing|wrong(?:ly)?|incorrect(?:ly)?|mistakes?|should(?:n['’]t| not)? have|sorry|apologi[sz]e"
    r"|instead|never|lost|stuck|deleted|overwr(?:ote|itten)|broken?|undo|unexpected(?:ly)?)\b"
)
_SPEECH = ("agent.step", "llm.call", "llm.response", "plan", "reflection", "handoff", "tool.call")
"""What an agent says or writes: code that handles an error is no error."""


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """Return the document of a diagnosis: who, which mode, why."""
    mode = diagnosis.mode
    parts = (
        diagnosis.agent,
        f"{mode.id} {mode.text or ''}" if mode else "",
        diagnosis.novel_mode or "",
        diagnosis.explanation,
    )
    return "\n".join(part for part in parts if part)[:DIAGNOSIS_CHARS]


def window_text(trajectory: Trajectory, step: int) -> str:
    """Return the document of an error: its step, which counts twice, and the two beside it; the goal is cut out.

    Twice, because the neighbours dilute it (AgentRx failures / root causes, a raw error step as the query, nDCG@10 of
    the windows alone: .57 / .46 once, .59 / .47 twice).
    """
    goal = trajectory.task.goal
    near = [step - 1, step, step, step + 1]
    texts = [step_text(trajectory.steps[at], goal) for at in near if 0 <= at < len(trajectory.steps)]
    return "\n".join(text for text in texts if text)


def run_windows(trajectory: Trajectory) -> tuple[str, ...]:
    """Return the windows of a run that nobody diagnosed: its latest detected errors, and its end."""
    last = len(trajectory.steps) - 1
    weights = [_alarm(step) for step in trajectory.steps]
    alarming = sorted((at for at, weight in enumerate(weights) if weight), key=lambda at: (-weights[at], -at))
    centres: list[int] = []
    for at in [*alarming[: WINDOWS - 1], max(0, last - 1)]:
        if all(abs(at - other) > 1 for other in centres):
            centres.append(at)
    return tuple(text for at in sorted(centres) if (text := window_text(trajectory, at)))


def step_text(step: Step, goal: str | None = None) -> str:
    """Return who acted, and the telling 500 characters of error, output and input. Prompts and goal are left out."""
    if step.role in ("system", "developer"):
        return ""
    asked = "" if step.kind in ("llm.call", "run.start") else flatten(step.input)
    text = "\n".join(part for part in (step.error or "", flatten(step.output), asked) if part)
    if goal and len(goal) >= GOAL_CHARS:
        text = text.replace(goal, "\n")
    text = unframed(text).strip()
    name = " ".join(dict.fromkeys(part for part in (step.agent, step.tool) if part))
    return f"{name}: {excerpt(text)}" if text else ""


def excerpt(text: str, size: int = STEP_CHARS) -> str:
    """Return at most `size` characters, in whole words: around the last sign of an error, else the two ends."""
    if len(text) <= size:
        return text
    ends = text if len(text) <= 2 * SCANNED else f"{text[:SCANNED]}\n{text[-SCANNED:]}"
    signs = [found.start() for found in _signs(_STRONG).finditer(ends)]
    if signs:
        start = min(max(0, signs[-1] - size // 3), len(ends) - size)
        return _whole_words(ends, start, start + size)
    return f"{_whole_words(text, 0, size // 2)}\n{_whole_words(text, len(text) - size // 2, len(text))}"


def _whole_words(text: str, start: int, end: int) -> str:
    """Cut a piece out of a text, without the words that the cuts would halve: half a word is another term."""
    limit = start + MAX_TERM
    while 0 < start < min(end, limit) and _in_word(text[start - 1]) and _in_word(text[start]):
        start += 1
    limit = end - MAX_TERM
    while max(start, limit) < end < len(text) and _in_word(text[end - 1]) and _in_word(text[end]):
        end -= 1
    return text[start:end]


def _in_word(character: str) -> bool:
    return character == "_" or character.isalnum()


def flatten(value: Any) -> str:
    """Return the strings of a JSON value, one a line, keys left out."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return "\n".join(text for text in map(flatten, value) if text)
    return ""


def _alarm(step: Step) -> int:
    """Return 2 for a reported or unmistakable error, 1 for words of regret or failure, 0 for neither."""
    if step.role in ("system", "developer"):
        return 0
    if step.error or step.kind == "error":
        return 2
    text = excerpt(flatten(step.output) or (flatten(step.input) if step.kind == "message" else ""), 2 * SCANNED)
    spoken = step.role == "assistant" or step.kind in _SPEECH
    if not spoken and _signs(_STRONG).search(text):
        return 2
    return 1 if _signs(_WEAK).search(text) else 0


@cache
def _signs(pattern: str) -> Any:
    """Compile a pattern with RE2: forty times faster here than `re`, and linear whatever the log holds."""
    import re2

    return re2.compile(pattern)
