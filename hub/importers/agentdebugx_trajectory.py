"""An AgentDebugX trajectory as a run. Events keep their own input and output; positions count, step numbers do not."""

from __future__ import annotations

import json
from typing import Any, Final

from errorhub.hub.bundle import Diagnosis, Outcome, Step, Trajectory
from errorhub.hub.bundle.diagnosis import Mode, Origin
from errorhub.hub.bundle.trajectory import KINDS, Artifact, ConstructionOnly, Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.draft import Draft
from errorhub.hub.importers.outcomes import ended_as
from errorhub.hub.importers.shapes import items, mapping, number_or_none, objects, text_or_none

NAME: Final = "agentdebugx"
_TRAJECTORY: Final = frozenset({"trace_id", "task_id", "goal", "framework", "started_at", "ended_at", "metadata",
                                "events"})  # fmt: skip
_EVENT: Final = frozenset({"event_id", "trace_id", "parent_event_id", "agent_name", "event_type", "module",
                           "step_index", "timestamp", "input", "output", "error", "duration_ms", "metadata",
                           "artifacts"})  # fmt: skip
_MODALITIES: Final = ("text", "image", "audio", "video", "ui", "file", "tool", "state", "other")

BENCH: Final = "agenterrorbench"
"""AgentDebugX's reader of this benchmark writes the gold reason into the steps; see `_labels_out`."""
_GOLD: Final = ("critical_failure_step", "critical_failure_module", "failure_types", "failure_reasonings",
                "failure_modules")  # fmt: skip


class Events:
    """Where the events of a trajectory are: ids and step numbers may repeat, so both may be needed."""

    def __init__(self, events: list[dict[str, Any]]) -> None:
        self._events = [(event.get("event_id"), event.get("step_index")) for event in events]

    def position(self, event_id: Any, step_index: Any) -> int | None:
        """Return the position of an event, or None when the run has none like it or several."""
        rows = list(enumerate(self._events))
        named = [place for place, (name, _) in rows if event_id is not None and name == event_id]
        numbered = [place for place, (_, number) in rows if step_index is not None and number == step_index]
        if len(named) == 1:
            return named[0]
        both = [place for place in named if place in numbered]
        for found in (both, [] if named else numbered):
            if len(found) == 1:
                return found[0]
        return None


def read_trajectory(value: dict[str, Any], record: int, *, warnings: tuple[str, ...] = ()) -> Trajectory:
    """Return the run of an AgentDebugX trajectory. Gold labels that a reader wrote into its steps are taken out."""
    draft = Draft(NAME, record=record)
    draft.lose_unknown(value, _TRAJECTORY)
    for warning in warnings:
        draft.warn(warning)
    events = events_of(value)
    metadata = mapping(value.get("metadata"))
    if is_bench(value):
        metadata, events = _labels_out(metadata, events)
        draft.warn("gold labels of AgentErrorBench stood in the steps; they were taken out.")
    for event in events:
        draft.steps.append(step_of(event, value.get("trace_id"), draft))
    kept = {"trace_id": value.get("trace_id"), "ended_at": value.get("ended_at"), "metadata": metadata or None}
    return draft.trajectory(
        task=Task(id=str(value.get("task_id") or ""), goal=text_or_none(value.get("goal"))),
        run=Run(
            framework=text_or_none(value.get("framework")),
            policy=text_or_none(metadata.get("model")),
            started_at=text_or_none(value.get("started_at")),
            metadata={name: held for name, held in kept.items() if held is not None},
        ),
        outcome=_ended(events),
        construction_only=ConstructionOnly(verifier_context=_gold(value) or None),
    )


def _ended(events: list[dict[str, Any]]) -> Outcome | None:
    """Return how a run ended that nobody can grade. Its `success` tells only that no exception came through."""
    ends = [event for event in events if event.get("event_type") == "run.end"]
    if not ends:
        return None
    said = mapping(ends[-1].get("metadata")) | mapping(ends[-1].get("output"))
    words = (said.get(name) for name in ("termination", "termination_reason", "exit_status", "status"))
    return next((outcome for word in words if (outcome := ended_as(word, by="run.end"))), None)


def events_of(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a trajectory. Raise FormatError when they are not objects."""
    events = value.get("events")
    if not isinstance(events, list) or not all(isinstance(event, dict) for event in events):
        raise FormatError("its events are no list of objects.")
    return events


def step_of(event: dict[str, Any], trace_id: Any, draft: Draft) -> Step:
    """Return one event as a step."""
    draft.lose_unknown(event, _EVENT, "event.")
    kind = str(event.get("event_type", "agent.step"))
    metadata = dict(mapping(event.get("metadata")))
    extra = {"module": event.get("module"), "step_index": event.get("step_index")}
    if kind not in KINDS:
        draft.warn("event types that are not AgentDebugX's own are kept as agent.step.")
        kind, extra["event_type"] = "agent.step", kind
    if event.get("trace_id") != trace_id:
        extra["trace_id"] = event.get("trace_id")
    for name, held in extra.items():
        if held is not None and metadata.get(name) != held:
            metadata[f"event_{name}" if name in metadata else name] = held
    error, source = event.get("error"), event.get("input")
    return Step(
        agent=str(event.get("agent_name") or "agent"),
        kind=kind,  # type: ignore[arg-type]  # checked above
        input=source,
        output=event.get("output"),
        error=error if error is None or isinstance(error, str) else json.dumps(error),
        tool=_tool(source, metadata) if kind.startswith("tool.") else None,
        call_id=text_or_none(metadata.get("tool_call_id")) or text_or_none(metadata.get("call_id")),
        parent=text_or_none(event.get("parent_event_id")),
        at=text_or_none(event.get("timestamp")),
        duration_ms=number_or_none(event.get("duration_ms")),
        source_ref=text_or_none(event.get("event_id")),
        metadata=metadata,
        artifacts=tuple(_artifact(item, draft) for item in objects(event.get("artifacts"))),
    )


def _tool(source: Any, metadata: dict[str, Any]) -> str | None:
    given = mapping(source)
    names = (given.get("tool"), given.get("tool_name"), metadata.get("tool"), metadata.get("tool_name"))
    return next((name for name in names if isinstance(name, str) and name), None)


def _artifact(item: dict[str, Any], draft: Draft) -> Artifact:
    modality = item.get("modality", "other")
    draft.lose_unknown(item, frozenset(Artifact.model_fields), "artifact.")
    return Artifact(
        uri=str(item.get("uri", "")),
        modality=modality if modality in _MODALITIES else "other",
        media_type=text_or_none(item.get("media_type")),
        description=text_or_none(item.get("description")),
        metadata=mapping(item.get("metadata")),
    )


def is_bench(value: dict[str, Any]) -> bool:
    """Whether a trajectory was made from an AgentErrorBench row."""
    return mapping(value.get("metadata")).get("source_dataset") == BENCH


def bench_label(value: dict[str, Any], trajectory: Trajectory) -> tuple[Diagnosis, ...]:
    """Return the gold label of an AgentErrorBench run: its step counts assistant turns from 1."""
    if not is_bench(value):
        return ()
    gold = _gold(value)
    turns = [place for place, step in enumerate(trajectory.steps) if step.agent == "assistant"]
    written = gold.get("critical_failure_step")
    if not isinstance(written, int) or not 1 <= written <= len(turns):
        return ()
    kinds, module = items(gold.get("failure_types")), gold.get("critical_failure_module")
    mode = f"{module}.{kinds[0]}" if kinds and module else None
    label = Diagnosis(
        step=turns[written - 1],
        agent="assistant",
        explanation="; ".join(str(reason) for reason in items(gold.get("failure_reasonings"))),
        mode=Mode(scheme=BENCH, id=mode) if mode else None,
        author=BENCH,
        source=Origin(name=BENCH, step_as_written=written, base=1),
    )
    return (label,)


def _gold(value: dict[str, Any]) -> dict[str, Any]:
    if not is_bench(value):
        return {}
    return {name: value["metadata"][name] for name in _GOLD if name in value["metadata"]}


def _labels_out(metadata: dict[str, Any], events: list[dict[str, Any]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return metadata and events without what the labels left in them: error text, marks and modules."""
    clean = []
    for event in events:
        marks = mapping(event.get("metadata"))
        kept = {name: held for name, held in marks.items() if not name.startswith("critical_failure")}
        flagged = {"error": None} if kept != marks else {}
        clean.append(event | {"metadata": kept, "module": None} | flagged)
    return {name: held for name, held in metadata.items() if name not in _GOLD}, clean
