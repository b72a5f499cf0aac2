"""Gold and predictions: one JSON object a line, read with every defect named."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeGuard

from errorhub.evidence.replies import first_answer
from errorhub.hub.errors import RecordError, UsageError

_OFFICIAL_STEP = re.compile(r"Step Number:\s*(\d+)", re.IGNORECASE)
_OFFICIAL_AGENT = re.compile(r"Agent Name:\s*([^\n,]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Gold:
    """One annotator's label of one run."""

    step: int
    agent: str
    author: str | None = None


@dataclass(frozen=True)
class Case:
    """One run to be scored, with every label it has."""

    id: str
    task: str
    family: str | None
    n_steps: int | None
    agents: tuple[str, ...]
    """Who acts, a name a step when there are `n_steps` of them, else every name once."""
    golds: tuple[Gold, ...]

    def actor(self, step: int) -> str | None:
        """Return who acts at a step, None when the gold file does not say."""
        known = self.n_steps is not None and len(self.agents) == self.n_steps
        return self.agents[step] if known and 0 <= step < len(self.agents) else None


@dataclass(frozen=True)
class Prediction:
    """What a student said about one run. `step` is None when no step could be read from it."""

    id: str
    step: int | None = None
    agent: str | None = None
    written: str = ""
    """The step as text, for the official mode only."""


@dataclass
class Read:
    """Predictions of one file, and what was wrong with it."""

    predictions: dict[str, Prediction]
    refused: list[str] = field(default_factory=list)
    """Lines that are no prediction; their runs count as missing."""
    conditions: dict[str, Any] = field(default_factory=dict)
    """What the student saw and how it was asked, from the file beside the predictions."""


def read_gold(path: Path) -> list[Case]:
    """Read the cases of a gold file; several lines of one id are several annotators.

    Raise RecordError for a line that is no gold, contradicts another of its id, or counts steps from another base.
    """
    cases: dict[str, Case] = {}
    for place, document in _objects(path):
        if isinstance(document, str):
            raise RecordError(f"{place}: {document}")
        case = _case(document, place)
        known = cases.get(case.id)
        cases[case.id] = _merged(known, case, place) if known else case
    if not cases:
        raise UsageError(f"{path} holds no gold: nothing can be scored.")
    return list(cases.values())


def read_predictions(path: Path) -> Read:
    """Read a file of predictions. Raise RecordError when one id has two lines: which one counts is not ours to say."""
    read = Read({})
    lines: dict[str, str] = {}
    for place, document in _objects(path):
        if isinstance(document, str) or not isinstance(document.get("id"), str):
            problem = document if isinstance(document, str) else "no text `id`."
            read.refused.append(f"{place}: {problem}")
            continue
        found = prediction(document)
        if found.id in lines:
            raise RecordError(
                f"{place}: a second answer for {found.id}, first at {lines[found.id]}. Keep one line an id."
            )
        lines[found.id] = place
        read.predictions[found.id] = found
    read.conditions = _conditions(conditions_path(path))
    return read


def _conditions(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise RecordError(f"{path.name} holds no conditions. Remove it, or predict again.")
    return found


def conditions_path(path: Path) -> Path:
    """Return where the conditions of a file of predictions stand."""
    return path.with_name(f"{path.name}.conditions.json")


def prediction(document: dict[str, Any]) -> Prediction:
    """Return the prediction of a line. A null step is looked for in `text`, where the first JSON object counts."""
    step, agent, text = document.get("step"), document.get("agent"), document.get("text")
    written = str(step) if step is not None else ""
    if step is None and isinstance(text, str):
        answer = first_answer(text) or {}
        step, agent = answer.get("step"), answer.get("agent", agent)
        official = _OFFICIAL_STEP.search(text), _OFFICIAL_AGENT.search(text)
        written = str(step) if step is not None else official[0].group(1) if official[0] else ""
        agent = agent if agent is not None else official[1].group(1).strip() if official[1] else None
    return Prediction(
        id=str(document["id"]),
        step=step if isinstance(step, int) and not isinstance(step, bool) else None,
        agent=agent if isinstance(agent, str) else None,
        written=written,
    )


def _objects(path: Path) -> Iterator[tuple[str, dict[str, Any] | str]]:
    """Yield the place and the object of every line that is not blank, or what is wrong with it."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as problem:
        raise UsageError(f"cannot read {path}: {problem.strerror}.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{path.name} line {number}"
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            yield place, "not JSON."
            continue
        yield place, value if isinstance(value, dict) else "not a JSON object."


def _case(document: dict[str, Any], place: str) -> Case:
    name, step, agent = document.get("id"), document.get("step"), document.get("agent")
    n_steps, agents = document.get("n_steps"), document.get("agents") or []
    if not isinstance(name, str) or not isinstance(agent, str) or not _whole(step):
        raise RecordError(
            f'{place}: no gold. A gold line is {{"id": text, "step": number, "agent": text, "task": text}}.'
        )
    if n_steps is not None and not _whole(n_steps):
        raise RecordError(f"{place}: n_steps is no number of steps.")
    if not isinstance(agents, list) or not all(isinstance(one, str) for one in agents):
        raise RecordError(f"{place}: agents is no list of names.")
    if step < 0 or (n_steps is not None and step >= n_steps):
        raise RecordError(f"{place}: step {step} of {n_steps} steps. Steps count from 0: is this gold of another base?")
    family, author = document.get("family"), document.get("author")
    return Case(
        id=name,
        task=str(document.get("task") or name),
        family=None if family is None else str(family),
        n_steps=n_steps,
        agents=tuple(agents),
        golds=(Gold(step, agent, None if author is None else str(author)),),
    )


def _merged(one: Case, other: Case, place: str) -> Case:
    """Add a second annotator; the same label twice without names is one line too many and counts once."""
    if (one.task, one.n_steps) != (other.task, other.n_steps):
        raise RecordError(f"{place}: {one.id} is another task or has another number of steps than before.")
    golds = one.golds if other.golds[0] in one.golds else one.golds + other.golds
    return Case(one.id, one.task, one.family, one.n_steps, one.agents, golds)


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
