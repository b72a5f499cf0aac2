"""Turns: what an agent did between two things it saw, and what the world answered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from errorhub.evidence.fixture_likeness import root_of, text_of
from errorhub.hub.bundle import Step, Trajectory

SEEN: Final = ("tool.result", "observation", "human.feedback", "error", "run.start", "memory.read")
"""Kinds of steps that an agent sees; so is whatever another agent or a person says."""

_FENCED: Final = re.compile(r"```[\w+-]*[ \t\r]*\n(.*?)```", re.DOTALL)
_REACT: Final = re.compile(r"^ *Action(?: \d+)?:(.*?)(?=^ *Observation|\Z)", re.DOTALL | re.MULTILINE)
_FAILED: Final = re.compile(
    r"\s*(?:\W{0,3}(?:[\w.]*(?:Error|Exception)|ERROR|FATAL|error|fatal)\b\W*:)"
    r"|<returncode>\s*-?[1-9]"
    r"|\bexit[ _]?(?:code|status)[\"':= ]+-?[1-9]"
    r"|Traceback \(most recent call last\)"
    r"|\s*\{\s*\"(?:error|is_error\"\s*:\s*true|success\"\s*:\s*false)",
)
_MARK: Final = re.compile(r"(?i)\b\w*(?:error|exception|traceback|failed|fatal|denied|not found|returncode)\b")
_WINDOW: Final = 400


@dataclass(frozen=True)
class Call:
    """One tool call and its result."""

    step: int
    tool: str | None
    input: Any
    answer: int | None
    """Step of the result."""


@dataclass(frozen=True)
class Turn:
    """The steps of one agent from what it saw to what it saw next."""

    steps: range
    state: Step | None
    """What it saw last; None at the start of the run."""
    calls: tuple[Call, ...]
    text: Any
    """What it said."""
    state_ref: str | None
    answer: int | None
    """Step that came next, whoever's it is."""


@dataclass(frozen=True)
class Fault:
    """An error that a run met."""

    step: int
    tool: str | None
    input: Any
    """Arguments of the call that met it."""
    text: str
    """The lines that tell it."""


def turns(trajectory: Trajectory) -> list[Turn]:
    """Return the turns of a run, in order."""
    steps, found, start = trajectory.steps, list[Turn](), 0
    for end in range(1, len(steps) + 1):
        if end < len(steps) and acts(steps[end]) == acts(steps[start]) and steps[end].agent == steps[start].agent:
            continue
        if acts(steps[start]):
            found.append(_turn(steps, range(start, end)))
        start = end
    return found


def faults(trajectory: Trajectory) -> Iterator[Fault]:
    """Yield the errors of a run, in order: what a step reports, and results that say they failed."""
    steps = trajectory.steps
    calls = {call.answer: call for turn in turns(trajectory) for call in turn.calls if call.answer is not None}
    for number, step in enumerate(steps):
        text = step.error or ""
        if not text and step.kind in ("tool.result", "observation", "error"):
            output = text_of(step.output)
            text = output if step.kind == "error" or _FAILED.match(output) or _FAILED.search(output[:LOOK]) else ""
        if text:
            call = calls.get(number)
            given = call.input if call else step.input if step.kind == "tool.call" else None
            yield Fault(number, step.tool or (call.tool if call else None), given, window(text))


LOOK: Final = 600
"""Characters of a result among which a failure shows."""


def acts(step: Step) -> bool:
    """Whether a step is something an agent does, not something it sees."""
    return step.kind not in SEEN and not (step.kind == "message" and step.role != "assistant")


def spoken(text: Any) -> Any:
    """Return what a text does: its code, else its `Action:`, else all of it."""
    if not isinstance(text, str):
        return text
    done = _FENCED.findall(text) or _REACT.findall(text)
    return "\n".join(part.strip() for part in done) if any(part.strip() for part in done) else text


def seen(step: Step) -> Any:
    """Return what a step shows to whoever comes next."""
    return next((value for value in (step.error, step.output, step.input) if value not in (None, "")), "")


def window(text: str) -> str:
    """Return the lines of a long text around its errors."""
    if len(text) <= _WINDOW:
        return text
    lines = text.splitlines()
    marked = [number for number, line in enumerate(lines) if _MARK.search(line)]
    chosen = sorted({near for number in marked for near in (number, number + 1) if near < len(lines)})
    return "\n".join(line[:300] for line in [lines[number] for number in (chosen[:3] + chosen[-6:])]) or text[:_WINDOW]


def root(trajectory: Trajectory) -> str | None:
    """Return the folder a run worked in: the one its log names, else the one most of its paths lie in."""
    named = trajectory.run.metadata.get("cwd")
    if isinstance(named, str) and named.count("/") > 1:
        return named.rstrip("/")
    return root_of(text_of(value)[:20_000] for step in trajectory.steps for value in (step.input, step.output) if value)


def _turn(steps: tuple[Step, ...], places: range) -> Turn:
    own = [steps[place] for place in places]
    said = [step.output if step.output is not None else step.input for step in own if step.kind != "tool.call"]
    texts = [value for value in said if value not in (None, "")]
    return Turn(
        steps=places,
        state=steps[places.start - 1] if places.start else None,
        calls=tuple(_call(steps, place) for place in places if steps[place].kind == "tool.call"),
        text=texts[0] if len(texts) == 1 else "\n".join(map(text_of, texts)),
        state_ref=own[0].state_ref,
        answer=places.stop if places.stop < len(steps) else None,
    )


def _call(steps: tuple[Step, ...], place: int) -> Call:
    """Return a call with its result: by id, else the one that follows when nothing else was called in between."""
    step = steps[place]
    later = range(place + 1, len(steps))
    if step.call_id:
        answer = next((n for n in later if steps[n].kind == "tool.result" and steps[n].call_id == step.call_id), None)
    else:
        following = place + 1 < len(steps) and not acts(steps[place + 1])
        answer = place + 1 if following and steps[place + 1].kind in ("tool.result", "observation", "error") else None
    return Call(place, step.tool, step.input, answer)
