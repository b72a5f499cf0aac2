"""Steps as turns of a conversation, and what of a step a foreign format cannot show.

A turn is what somebody says, its tool calls, and their results. A *part* is a step without what the format shows
itself; parts stand in the format's own place for extras and `errorhub.hub.importers.parts` puts the steps together
again. What only graders knew is in none of them: it never leaves in a format made for training.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from errorhub.hub.bundle import Bundle, Step

_SAYS: Final = ("message", "agent.step", "llm.call", "llm.response", "reflection", "plan", "handoff", "human.feedback",
                "guardrail", "memory.read", "memory.write")  # fmt: skip


@dataclass
class Turn:
    """What one speaker does at once: positions and steps."""

    said: tuple[int, Step] | None = None
    calls: list[tuple[int, Step]] = field(default_factory=list)
    results: list[tuple[int, Step]] = field(default_factory=list)

    @property
    def first(self) -> Step:
        """The step that opens the turn."""
        opening = self.said or (self.calls or self.results)[0]
        return opening[1]


def turns(steps: Iterable[Step], *, fused: bool) -> list[Turn]:
    """Group steps into turns, in order; `fused` moves every result to the turn of its call."""
    found: list[Turn] = []
    home: dict[str, Turn] = {}
    for position, step in enumerate(steps):
        last = found[-1] if found else None
        if step.kind == "tool.call":
            joins = last is not None and not last.results and last.first.agent == step.agent and _answers(last)
            turn = last if joins and last else Turn()
            found += [] if turn is last else [turn]
            turn.calls.append((position, step))
            if step.call_id:
                home[step.call_id] = turn
        elif fused and step.kind == "tool.result" and step.call_id in home:
            home[step.call_id].results.append((position, step))
        elif step.kind in _SAYS:
            found.append(Turn(said=(position, step)))
        else:
            found.append(Turn(results=[(position, step)]))
    return found


def _answers(turn: Turn) -> bool:
    return turn.said is None or turn.said[1].kind == "llm.response"


def part(position: int, step: Step, **shown: bool) -> dict[str, Any]:
    """Return a step without what the format shows: the fields named in `shown` whose value it can show, if true."""
    names = [name for name, can in shown.items() if can and getattr(step, name) is not None]
    plain = step.model_dump(mode="json", exclude_defaults=True)
    return {"position": position, "shown": names, **{k: held for k, held in plain.items() if k not in names}}


def rest(bundle: Bundle) -> dict[str, Any]:
    """Return the document without steps, receipt and what only graders knew."""
    document = bundle.document()
    trajectory = {**document["trajectory"], "steps": [], "construction_only": {}}
    return {**document, "trajectory": trajectory, "receipt": None}


def side_of(step: Step) -> str:
    """Return the field that holds what a speaker said: what came out, or what went in."""
    return "input" if step.output is None and step.input is not None else "output"


def text_of(value: Any) -> str:
    """Return a value as people would read it: text as it is, an object's `text`, anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"])
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def reasoning_of(value: Any) -> str | None:
    """Return visible reasoning beside a text, if there is some."""
    held = value.get("reasoning") if isinstance(value, dict) else None
    return held if isinstance(held, str) and held else None


def is_time(value: Any) -> bool:
    """Whether a value is an ISO 8601 time."""
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
