"""Labelled group chats of the Who&When family: one JSON object a run, `history` and one `mistake_*` label.

The actor is `name` in algorithm-generated runs and `role` in hand-crafted ones, verbatim. Steps are the entries of
`history`, empty ones too, so the label's 0-based number is the step's position. The opening entry hands over the task
and is input; everything after it is output. `system_prompt` is kept under `run.metadata.inputs`: as steps it would
shift the numbers.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle, Diagnosis, Outcome
from errorhub.hub.bundle.diagnosis import Mode, Origin
from errorhub.hub.bundle.grounding import same_agent
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import text_or_none

NAME: Final = "who-and-when"
STEP_BASE: Final = 0
_KNOWN: Final = frozenset({
    "history", "question", "question_ID", "question_id", "ground_truth", "groundtruth", "level", "is_correct",
    "is_corrected", "system_prompt", "mistake_agent", "mistake_step", "mistake_reason", "mistake_type",
})  # fmt: skip
_ENTRY: Final = frozenset({"content", "name", "role", "step"})


def fits(sample: Sample) -> bool:
    """Whether one of the first objects has a history and a label."""
    return any(_is_run(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run an object."""
    return each_record(log, read_run)


def read_run(value: Any, record: int) -> Bundle:
    """Return one labelled run."""
    if not _is_run(value):
        raise FormatError("not a run with history, mistake_agent and mistake_step.")
    draft = Draft(NAME, step_base=STEP_BASE, record=record)
    draft.lose_unknown(value, _KNOWN)
    for position, entry in enumerate(value["history"]):
        add_entry(entry, position, draft)
    diagnoses = _diagnoses(value, draft)
    level = value.get("level")
    prompts = value.get("system_prompt")
    trajectory = draft.trajectory(
        task=Task(
            id=str(value.get("question_ID", value.get("question_id")) or ""),
            family=str(level) if isinstance(level, str | int) else None,
            goal=text_or_none(value.get("question")),
        ),
        run=Run(metadata={"inputs": {"system_prompt": prompts}} if prompts else {}),
        outcome=_outcome(value),
        construction_only=ConstructionOnly(reference_answer=_answer(value)),
    )
    return bundle(trajectory, diagnoses=diagnoses)


def add_entry(entry: Any, position: int, draft: Draft) -> None:
    """Add one turn of the chat, its text untouched."""
    if not isinstance(entry, dict) or not isinstance(entry.get("content"), str):
        raise FormatError(f"entry {position} of history has no text.")
    draft.lose_unknown(entry, _ENTRY, "history.")
    named = text_or_none(entry.get("name"))
    agent = named or str(entry.get("role") or "")
    common = {"role": entry.get("role") if named else None, "source_ref": str(entry.get("step", position))}
    opening = position == 0 or (not named and agent == "human")
    if opening:
        draft.add(agent, "message", input=entry["content"], **common)
    else:
        draft.add(agent, "agent.step", output=entry["content"], **common)


def _diagnoses(value: dict[str, Any], draft: Draft) -> tuple[Diagnosis, ...]:
    """Return the label, or none with a warning when it names no step or no agent of the run."""
    agent, written = value["mistake_agent"], value["mistake_step"]
    step = int(written) if str(written).isdecimal() else -1
    actors = {each.agent for each in draft.steps}
    if not 0 <= step < len(draft.steps):
        draft.warn("label refused: its step is not one of the run.")
        return ()
    if not any(same_agent(actor, str(agent)) for actor in actors):
        draft.warn("label refused: its agent never acts in the run.")
        return ()
    if not same_agent(draft.steps[step].agent, str(agent)):
        draft.warn("the labelled agent does not act at the labelled step; both are kept as written.")
    mode = text_or_none(value.get("mistake_type"))
    label = Diagnosis(
        step=step,
        agent=str(agent),
        explanation=str(value.get("mistake_reason") or ""),
        mode=Mode(scheme=NAME, id=mode) if mode else None,
        author=NAME,
        source=Origin(name=NAME, step_as_written=written, base=STEP_BASE),
    )
    return (label,)


def _outcome(value: dict[str, Any]) -> Outcome:
    for name in ("is_correct", "is_corrected"):
        if isinstance(value.get(name), bool):
            return Outcome(status="passed" if value[name] else "failed", verifier=name)
    return Outcome()


def _answer(value: dict[str, Any]) -> str | None:
    answer = value.get("ground_truth", value.get("groundtruth"))
    return None if answer is None else str(answer)


def _is_run(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("history"), list)
        and "mistake_agent" in value
        and "mistake_step" in value
    )


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Multi-agent chats with a human label of the decisive error, as in Who&When",
        recognised="an object with `history`, `mistake_agent` and `mistake_step`",
        extensions=(".json", ".jsonl"),
        step_base=STEP_BASE,
    ),
    fits,
    read,
)
