"""Labels beside logs: diagnoses written down elsewhere, one JSON object each.

`{"run", "step", "agent", "explanation"}` and, if known, `"base"` (0 or 1, default 0), `"author"`, `"quotes"`
(`[{"step", "quote"}]`), `"fix"`, `"mode"`. `run` is the name of the log file, its task id, or the start of its
trajectory id. Steps count the steps of the imported run.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis
from errorhub.hub.bundle.canonical import Text
from errorhub.hub.bundle.diagnosis import Origin
from errorhub.hub.bundle.grounding import same_agent
from errorhub.hub.bundle.trajectory import Record
from errorhub.hub.errors import FormatError
from errorhub.hub.taxonomy import seed_mode


class Label(Record):
    """One diagnosis of one run, as somebody wrote it down."""

    run: Text
    """File name, task id, or the start of a trajectory id."""
    step: int
    """Number of the step, counted from `base`."""
    agent: Text
    """Who is responsible."""
    explanation: Text
    """Why."""
    base: Annotated[int, Field(ge=0, le=1)] = 0
    """What `step` counts from."""
    author: Text = "labels"
    """Who says so."""
    quotes: tuple[Citation, ...] = ()
    """Words that prove it, in 0-based steps."""
    fix: Text | None = None
    """What should have been done."""
    mode: Text | None = None
    """Failure mode."""


def read_labels(path: Path) -> list[Label]:
    """Return the labels of a JSON list or a JSONL file. Raise FormatError naming the first that is not one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        rows = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in _lines(text)]
    except (OSError, UnicodeDecodeError, ValueError):
        raise FormatError(f"labels cannot be read: {path}. Write a JSON list, or one JSON object a line.") from None
    labels = []
    for number, row in enumerate(rows):
        try:
            labels.append(Label.model_validate(row))
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise FormatError(f"label {number} of {path.name}: {place}: {first['msg']}.") from None
    return labels


def labelled(bundle: Bundle, labels: Iterable[Label]) -> tuple[Bundle, list[str]]:
    """Return the bundle with the labels of its run, and why some were refused; the run stays either way."""
    known, refused, added = {*_names(bundle)}, [], []
    steps = bundle.trajectory.steps
    for label in labels:
        if label.run not in known and not (len(label.run) >= 8 and bundle.trajectory_id.startswith(label.run)):
            continue
        step = label.step - label.base
        if not 0 <= step < len(steps):
            refused.append(f"label refused: step {label.step} is outside the run's {len(steps)} steps")
        elif not any(same_agent(label.agent, agent) for agent in bundle.trajectory.agents):
            refused.append("label refused: its agent never acts in the run")
        else:
            added.append(_diagnosis(label, step))
    fresh = tuple(one for one in added if one not in bundle.diagnoses)
    return (bundle.replace(diagnoses=(*bundle.diagnoses, *fresh)) if fresh else bundle), refused


def _diagnosis(label: Label, step: int) -> Diagnosis:
    known = seed_mode(label.mode) if label.mode else None
    return Diagnosis(
        step=step,
        agent=label.agent,
        explanation=label.explanation,
        evidence=label.quotes,
        correction=Correction(text=label.fix) if label.fix else None,
        mode=known,
        novel_mode=label.mode if label.mode and not known else None,
        author=label.author,
        source=Origin(name="labels", step_as_written=label.step, base=label.base),
    )


def _names(bundle: Bundle) -> list[str]:
    file, task = bundle.provenance.file, bundle.trajectory.task
    names: list[Any] = [file, Path(file).stem if file else None, task.id, *task.aliases]
    return [name for name in names if name]


def _lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.strip()]
