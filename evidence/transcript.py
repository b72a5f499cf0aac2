"""A run as a student reads it: one block a step, `[i] agent (kind): text`, numbered from 0.

A line of a step that looks like the head of one is moved in by a space, so a prompt has exactly one head a step and
reads back. Nothing but agent, kind, tool, input, output and error of a step is shown.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

from errorhub.hub.bundle import Step
from errorhub.hub.bundle.canonical import canonical

_HEAD: Final = re.compile(r"^\[(\d+)\] (.*?) \(([a-z.]+)\): ?", re.MULTILINE)
_LOOKS_LIKE_HEAD: Final = re.compile(r"^(?=\[\d+\] )", re.MULTILINE)
_ELIDED: Final = re.compile(r"\[\d+ characters left out\]")

LEAST_SHOWN: Final = 160
"""Characters of a step that are shown however long the run is."""
_MARK: Final = 120
"""Characters that the head of a step and the line about what is left out may take."""


class Shown(NamedTuple):
    """One step read back from a prompt."""

    step: int
    agent: str
    kind: str
    text: str


def step_text(step: Step) -> str:
    """Return what a step shows: its tool, what went in, what came out, the error it reports."""
    parts = [_text(step.input), _text(step.output)]
    if step.tool:
        parts.insert(0, f"<{step.tool}>")
    if step.error:
        parts.append(f"error: {step.error}")
    return "\n".join(part for part in parts if part)


def render_step(number: int, step: Step, *, elide: bool = False, most: int | None = None) -> str:
    """Return the block of a step; an elided one keeps its head and says how much is left out.

    A text of more than `most` characters loses its middle.
    """
    text = step_text(step)
    if elide:
        text = f"[{len(text)} characters left out]"
    elif most is not None:
        text = cut_middle(text, most)
    if "\n[" in text:
        text = _LOOKS_LIKE_HEAD.sub(" ", text)
    agent = " ".join(step.agent.split()) or "unknown"
    return f"[{number}] {agent} ({step.kind}): {text}"


def render_steps(steps: Sequence[Step], *, elided: Collection[int] = ()) -> str:
    """Return the blocks of all steps, a line between them."""
    return "\n".join(render_step(i, step, elide=i in elided) for i, step in enumerate(steps))


def render_within(steps: Sequence[Step], limit: int) -> tuple[str, int] | None:
    """Return the blocks of all steps in at most `limit` characters, and how many of them are cut.

    The longest texts lose their middle first, all down to one length. None when even short ones do not fit.
    """
    most = most_shown([len(render_step(i, step)) + 1 for i, step in enumerate(steps)], limit)
    if most is None:
        return None
    cut = sum(len(step_text(step)) > most for step in steps)
    return "\n".join(render_step(i, step, most=most) for i, step in enumerate(steps)), cut


def most_shown(lengths: Sequence[int], limit: int) -> int | None:
    """Return the most characters of one text that can be shown, so that texts of these lengths fit into a limit."""
    if sum(lengths) <= limit:
        return max(lengths, default=LEAST_SHOWN)
    low, high, best = LEAST_SHOWN, max(lengths), None
    while low <= high:
        most = (low + high) // 2
        if sum(min(length, most + _MARK) for length in lengths) <= limit:
            best, low = most, most + 1
        else:
            high = most - 1
    return best


def cut_middle(text: str, most: int) -> str:
    """Return a text of at most `most` characters and a line that says how many are left out."""
    if len(text) <= most:
        return text
    tail = most // 3
    return f"{text[: most - tail]}\n[{len(text) - most} characters left out]\n{text[len(text) - tail :]}"


def parse_steps(text: str) -> list[Shown]:
    """Read a rendered run back, in its order. Whatever stands before step 0 is not part of it."""
    heads, wanted = [], None
    for head in _HEAD.finditer(text):
        if wanted is None or int(head[1]) == wanted:
            heads.append(head)
            wanted = int(head[1]) + 1
    ends = [head.start() for head in heads[1:]] + [len(text) + 1]
    blocks = [(head, text[head.end() : end - 1]) for head, end in zip(heads, ends, strict=True)] if heads else []
    return [Shown(int(head[1]), head[2], head[3], block) for head, block in blocks]


def is_elided(text: str) -> bool:
    """Tell whether a step's block says that it was left out."""
    return _ELIDED.fullmatch(text) is not None


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else canonical(value).decode()
