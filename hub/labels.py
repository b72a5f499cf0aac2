"""Labels beside logs: diagnoses written down elsewhere, one JSON object each, or an AgentRx label file.

`{"run", "step", "agent", "explanation"}` and, if known, `"base"` (0 or 1, default 0), `"author"`, `"revision"`,
`"quotes"` (`[{"step", "quote"}]`), `"fix"`, `"mode"`. `run` is the name of the log file, its task id, or the start of
its trajectory id. Steps count the steps of the imported run; with `"space": "message"` they count the messages of the
source, of which one may have become several steps.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis
from errorhub.hub.bundle.canonical import Text
from errorhub.hub.bundle.diagnosis import Mode, Origin
from errorhub.hub.bundle.grounding import same_agent
from errorhub.hub.bundle.trajectory import Record
from errorhub.hub.errors import FormatError
from errorhub.hub.labels_agentrx import is_agentrx, mode_id, rows_of
from errorhub.hub.taxonomy import seed_mode


class Label(Record):
    """One diagnosis of one run, as somebody wrote it down."""

    run: Text
    """File name, task id, or the start of a trajectory id."""
    task: Text | None = None
    """The source task; a run whose log names none takes it over."""
    step: int
    """Number of the step, counted from `base`."""
    agent: Text
    """Who is responsible."""
    explanation: Text
    """Why."""
    base: Annotated[int, Field(ge=0, le=1)] = 0
    """What `step` counts from."""
    space: Literal["step", "message"] = "step"
    """What `step` counts: steps of the imported run, or messages of the source."""
    author: Text = "labels"
    """Who says so."""
    revision: Text | None = None
    """Version of the label set."""
    quotes: tuple[Citation, ...] = ()
    """Words that prove it, in 0-based steps."""
    fix: Text | None = None
    """What should have been done."""
    mode: Text | None = None
    """Failure mode."""
    scheme: Text | None = None
    """The scheme `mode` belongs to, when it is not the seed's."""
    root_cause: bool | None = None
    """Whether its author calls it the decisive one of several."""


def read_labels(path: Path) -> list[list[Label]]:
    """Return the labels of a JSON list or a JSONL file, one list a record: the labels of a record are of one run.

    Raise FormatError naming the first that is not one.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in _lines(text)]
    except (OSError, UnicodeDecodeError, ValueError):
        raise FormatError(f"labels cannot be read: {path}. Write a JSON list, or one JSON object a line.") from None
    labels = []
    for number, row in enumerate(rows):
        try:
            labels.append([Label.model_validate(each) for each in (rows_of(row) if is_agentrx(row) else [row])])
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise FormatError(f"label {number} of {path.name}: {place}: {first['msg']}.") from None
        except ValueError as problem:
            raise FormatError(f"label {number} of {path.name}: {problem}.") from None
    return labels


def of_run(bundle: Bundle, records: Iterable[list[Label]]) -> list[int]:
    """Return the numbers of the records that label this run."""
    known = {*_names(bundle)}
    return [number for number, labels in enumerate(records) if any(_names_run(one, known, bundle) for one in labels)]


def labelled(bundle: Bundle, labels: Iterable[Label]) -> tuple[Bundle, list[str]]:
    """Return the bundle with labels of its run, and why some were refused; the run stays either way."""
    refused, added = [], []
    steps, named = bundle.trajectory.steps, ""
    for label in labels:
        step = place_of(label, bundle)
        if step is None:
            refused.append(f"label refused: {label.space} {label.step} is outside the run's {len(steps)} steps")
        elif not any(same_agent(label.agent, agent) for agent in bundle.trajectory.agents):
            refused.append("label refused: its agent never acts in the run")
        else:
            added.append(_diagnosis(label, step))
            named = named or label.task or ""
    trajectory = bundle.trajectory
    if named and not trajectory.task.id:
        bundle = bundle.replace(trajectory=trajectory.replace(task=trajectory.task.replace(id=named)))
    fresh = tuple(one for one in added if one not in bundle.diagnoses)
    return (bundle.replace(diagnoses=(*bundle.diagnoses, *fresh)) if fresh else bundle), refused


def place_of(label: Label, bundle: Bundle) -> int | None:
    """Return the position of the labelled step, or None when the run has none like it.

    A message is found by its number in the source: what its first step's `source_ref` begins with. Sources that number
    messages themselves count from `step_base`, others by position from 0.
    """
    steps = bundle.trajectory.steps
    if label.space == "step":
        step = label.step - label.base
        return step if 0 <= step < len(steps) else None
    numbers = [(step.source_ref or "").partition(".")[0] for step in steps]
    first = int(numbers[0]) if numbers[0].isdecimal() else 0
    wanted = str(label.step - label.base + first)
    return numbers.index(wanted) if wanted in numbers else None


def _diagnosis(label: Label, step: int) -> Diagnosis:
    known = seed_mode(label.mode) if label.mode and not label.scheme else None
    if label.mode and label.scheme:
        known = Mode(scheme=label.scheme, id=mode_id(label.mode), text=label.mode)
    return Diagnosis(
        step=step,
        agent=label.agent,
        explanation=label.explanation,
        evidence=label.quotes,
        correction=Correction(text=label.fix) if label.fix else None,
        mode=known,
        novel_mode=label.mode if label.mode and not known else None,
        author=label.author,
        source=Origin(
            name=label.scheme or "labels", revision=label.revision, step_as_written=label.step, base=label.base
        ),
        conditions={} if label.root_cause is None else {"root_cause": label.root_cause},
    )


def _names_run(label: Label, known: set[str], bundle: Bundle) -> bool:
    return label.run in known or (len(label.run) >= 8 and bundle.trajectory_id.startswith(label.run))


def _names(bundle: Bundle) -> list[str]:
    file, task = bundle.provenance.file, bundle.trajectory.task
    names: list[Any] = [file, Path(file).stem if file else None, task.id, *task.aliases]
    return [name for name in names if name]


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
