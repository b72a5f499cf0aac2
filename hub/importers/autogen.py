"""AutoGen: message lists with `source` and `type`, and recorded model calls `{mode, messages, response}`.

A message's `source` is its actor. Tool requests and executions pair by id. Recorded calls are read as model calls:
each repeats its history, so only messages not said before become steps; who called is not recorded.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.importers.blocks import arguments_of, content_of
from errorhub.hub.importers.chat_parts import as_messages
from errorhub.hub.importers.contract import Format, Importer, Refused, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.otlp_spans import Span
from errorhub.hub.importers.records import one_record
from errorhub.hub.importers.shapes import items, mapping, objects, text_or_none, type_of
from errorhub.hub.importers.trace_reader import TraceReader

NAME: Final = "autogen"
_TYPES: Final = frozenset({
    "TextMessage", "MultiModalMessage", "StopMessage", "HandoffMessage", "ToolCallRequestEvent",
    "ToolCallExecutionEvent", "ToolCallSummaryMessage", "ThoughtEvent", "UserInputRequestedEvent", "MemoryQueryEvent",
})  # fmt: skip
_MESSAGE: Final = frozenset({"source", "type", "content", "models_usage", "metadata", "id", "created_at", "target",
                             "context", "tool_calls", "results"})  # fmt: skip


def fits(sample: Sample) -> bool:
    """Whether one of the first objects is a message of a team, or a recorded model call."""
    return sample.shape in ("document", "lines") and any(
        _is_call(value) or any(_is_message(each) for each in _messages([value])) for value in sample.objects
    )


def read(log: Log) -> Runs:
    """Yield the one run of a log: a team's messages, or a session of recorded calls."""
    values: list[Any] = []
    for line in log.lines():
        if line.damage is not None:
            yield Refused(log.path, f"line {line.number}: {line.damage}", record=line.index)
            continue
        values += line.value if isinstance(line.value, list) else [line.value]
    reader = _read_calls if any(isinstance(value, dict) and _is_call(value) for value in values) else _read_team
    yield one_record(log, 0, values, None, reader)


def _messages(values: list[Any]) -> list[dict[str, Any]]:
    """Return the messages of a list, or of a task result that holds them."""
    held = (value.get("messages") if isinstance(value, dict) else None for value in values[:1])
    return objects(next(held, None)) or objects(values)


def _read_calls(values: list[Any], record: int) -> Bundle:
    spans = [_span(value, place) for place, value in enumerate(values) if isinstance(value, dict) and _is_call(value)]
    reader = TraceReader(spans, record, NAME)
    reader.draft.warn("recorded model calls: which agent made them is not in the log.")
    if len(spans) < len(values):
        reader.draft.lose("record without a call", len(values) - len(spans))
    return reader.bundle()


def _span(value: dict[str, Any], place: int) -> Span:
    response = mapping(value.get("response")) or mapping((items(value.get("stream")) or [None])[-1])
    answer = {"type": "AssistantMessage", "content": response.get("content"), "thought": response.get("thought")}
    attributes = {
        "openinference.span.kind": "LLM",
        "gen_ai.input.messages": as_messages(value.get("messages")),
        "gen_ai.output.messages": as_messages(answer) if response.get("content") not in (None, "", []) else [],
        "gen_ai.tool.definitions": value.get("tools"),
    }
    return Span(trace="", id=str(place), parent=None, name="", start=place + 1, end=0, attributes=attributes,
                events=[], failed=False, status_message=None, scope="", scope_version=None, resource={},
                timed=False)  # fmt: skip


def _read_team(values: list[Any], record: int) -> Bundle:
    draft = Draft(NAME, record=record)
    for place, message in enumerate(_messages(values)):
        draft.lose_unknown(message, _MESSAGE, "message.")
        _add(message, place, draft)
    stop = mapping(values[0]).get("stop_reason") if values else None
    said = (step.input for step in draft.steps if step.kind == "message")
    run = Run(framework=NAME, metadata={"stop_reason": stop} if stop else {})
    return bundle(draft.trajectory(task=Task(goal=text_or_none(next(said, None))), run=run))


def _add(message: dict[str, Any], place: int, draft: Draft) -> None:
    agent, kind = str(message.get("source") or "agent"), type_of(message)
    common = {"source_ref": str(place), "at": text_or_none(message.get("created_at"))}
    content = message.get("content")
    if kind in ("ToolCallRequestEvent", "ToolCallExecutionEvent"):
        for number, item in enumerate(objects(content)):
            add = _add_call if kind == "ToolCallRequestEvent" else _add_result
            add(item, agent, common | {"source_ref": f"{place}.{number}"}, draft)
    elif kind in ("ToolCallSummaryMessage", "UserInputRequestedEvent"):
        draft.lose(kind)
    else:
        said = content_of(content, draft).value()
        if agent == "user" or place == 0:
            draft.add(agent, "message", role="user", input=said, **common)
        else:
            step = {"HandoffMessage": "handoff", "ThoughtEvent": "reflection"}.get(kind, "agent.step")
            draft.add(agent, step, output=said, **common)


def _add_call(call: dict[str, Any], agent: str, common: dict[str, Any], draft: Draft) -> None:
    given, mark = arguments_of(call.get("arguments"))
    tool, call_id = text_or_none(call.get("name")), text_or_none(call.get("id"))
    draft.add(agent, "tool.call", tool=tool, call_id=call_id, input=given, metadata=mark, **common)


def _add_result(result: dict[str, Any], agent: str, common: dict[str, Any], draft: Draft) -> None:
    call_id, output = text_or_none(result.get("call_id")), result.get("content")
    error = str(output) if result.get("is_error") is True else None
    tool = text_or_none(result.get("name")) or draft.tool_of(call_id)
    draft.add("tool", "tool.result", role="tool", tool=tool, call_id=call_id, output=output, error=error, **common)


def _is_call(value: dict[str, Any]) -> bool:
    return {"mode", "messages", "response"} <= value.keys() and isinstance(value["messages"], list)


def _is_message(value: dict[str, Any]) -> bool:
    return "source" in value and type_of(value) in _TYPES and "content" in value


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="AutoGen team messages and recorded model calls",
        recognised="messages with `source` and a `type` such as TextMessage; or `mode`, `messages` and `response`",
        extensions=(".json", ".jsonl"),
        status="experimental",
    ),
    fits,
    read,
)
