"""Write the example logs and read what people said about them."""

import json
import re
from functools import partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, TypeAdapter

from errorhub.examples.values import Planted, planted

SLOT = re.compile("@@([A-Z0-9_]+)@@")


class Attempted(BaseModel):
    """Say what was tried after a diagnosis and how it ended."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    directive: str
    """The instruction the agent got for the second attempt."""
    outcome: Literal["passed", "failed"]
    """How the second attempt ended, as a person judged it."""


class Annotation(BaseModel):
    """Say what went wrong in one run of an example log."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    """The log, relative to the folder given to `write`."""
    run: int
    """0-based position of the run within the file."""
    marker: str
    """Text that occurs in exactly one step of the run: the step of the error."""
    agent: str | None
    """Who made the error; None means whoever acts in that step."""
    explanation: str
    """Why it went wrong, free of names."""
    quote: str
    """Evidence: text of the same step, word for word."""
    fix: str
    """What the agent should have done instead."""
    repair: Attempted | None = None
    """What was tried afterwards, where it was."""


def annotations() -> tuple[Annotation, ...]:
    """Read the packaged annotations."""
    text = files(__package__).joinpath("annotations.json").read_bytes()
    return tuple(TypeAdapter(list[Annotation]).validate_json(text))


def write(folder: Path) -> list[Path]:
    """Write all example logs into a folder, slots filled, and name the files in order.

    A subfolder a format (`claude-code`, `openai-chat`, `who-and-when`, `agentdebugx`) and `story`.
    """
    values = planted()
    written = []
    for parts, template in _templates(files(__package__).joinpath("logs"), ()):
        path = folder.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(fill(template.read_text(encoding="utf-8"), values), encoding="utf-8")
        written.append(path)
    return sorted(written)


def fill(template: str, values: dict[str, Planted]) -> str:
    """Put the values into the slots of a JSON text; a slot without a value raises KeyError."""
    return SLOT.sub(partial(_value, values), template)


def _value(values: dict[str, Planted], slot: re.Match[str]) -> str:
    # Slots stand inside JSON strings, so a value is written as the inside of one.
    return json.dumps(values[slot[1]].value, ensure_ascii=False)[1:-1]


def _templates(folder: Traversable, above: tuple[str, ...]) -> list[tuple[tuple[str, ...], Traversable]]:
    found = []
    for entry in folder.iterdir():
        here = (*above, entry.name)
        found += _templates(entry, here) if entry.is_dir() else [(here, entry)]
    return found
