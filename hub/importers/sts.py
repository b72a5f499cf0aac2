"""STS sessions, the form of the Hugging Face trace viewer: a `session` header with `harness`, then messages."""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.importers.blocks import arguments_of, content_of
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.exported import from_sts
from errorhub.hub.importers.files import Line, Log, Sample
from errorhub.hub.importers.records import session_lines
from errorhub.hub.importers.sessions import dialect, time_of
from errorhub.hub.importers.shapes import mapping, objects, text_or_none, type_of

NAME: Final = "sts"
_HEADER: Final = frozenset({"type", "harness", "id", "name", "model", "timestamp", "cwd"})
_MESSAGE: Final = frozenset({"role", "content", "reasoningContent", "toolCalls", "toolCallId", "timestamp", "model"})


def fits(sample: Sample) -> bool:
    """Whether the log is a session whose messages have the shape of STS."""
    return dialect(sample) == "sts"


def read(log: Log) -> Runs:
    """Yield the run of a session, and one refusal for all its damaged lines."""
    draft = Draft(NAME)
    lines, refused = session_lines(log, draft)
    yield from refused
    yield _bundle(lines, draft)


def _bundle(lines: list[Line], draft: Draft) -> Bundle:
    header: dict[str, Any] = next((line.value for line in lines if line.value.get("type") == "session"), {})
    messages = [line.value["message"] for line in lines if isinstance(line.value.get("message"), dict)]
    if ours := from_sts(header, messages):
        return ours
    draft.lose_unknown(header, _HEADER, "header.")
    models = [text_or_none(header.get("model"))]
    for line in lines:
        message = line.value.get("message")
        if line.value.get("type") == "message" and isinstance(message, dict):
            models.append(text_or_none(message.get("model")))
            _add(message, line, draft)
        elif line.value.get("type") != "session":
            draft.lose(type_of(line.value) or "record without type")
    run = Run(
        harness=text_or_none(header.get("harness")),
        policy=next((model for model in models if model), None),
        started_at=time_of(header.get("timestamp")),
        metadata={name: header[name] for name in ("id", "name", "cwd") if header.get(name)},
    )
    first = next((step.input for step in draft.steps if step.role == "user"), None)
    goal = text_or_none(first.get("text") if isinstance(first, dict) else first)
    return bundle(draft.trajectory(task=Task(goal=goal), run=run))


def _add(message: dict[str, Any], line: Line, draft: Draft) -> None:
    draft.lose_unknown(message, _MESSAGE, "message.")
    role = str(message.get("role"))
    at = time_of(message.get("timestamp")) or time_of(line.value.get("timestamp"))
    common = {"role": role, "source_ref": str(line.number), "at": at}
    content = content_of(message.get("content"), draft)
    if role == "tool":
        call_id = text_or_none(message.get("toolCallId"))
        tool = draft.tool_of(call_id)
        draft.add(role, "tool.result", tool=tool, call_id=call_id, output=content.value(), **common)
        return
    if role != "assistant":
        draft.add(role, "message", input=content.value(), **common)
        return
    if thought := text_or_none(message.get("reasoningContent")):
        content.reasoning.append(thought)
    calls = objects(message.get("toolCalls"))
    if not content.empty or not calls:
        draft.add(role, "llm.response", output=content.value(), **common)
    for number, call in enumerate(calls):
        function = mapping(call.get("function")) or call
        arguments, mark = arguments_of(function.get("arguments"))
        place = {**common, "source_ref": f"{line.number}.{number}"}
        draft.add(role, "tool.call", tool=text_or_none(function.get("name")), input=arguments, metadata=mark,
                  call_id=text_or_none(call.get("id")), **place)  # fmt: skip


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Sessions of the Hugging Face trace viewer (STS)",
        recognised="JSONL with a `session` header naming a `harness`; messages with toolCalls or role tool",
        extensions=(".jsonl",),
        status="experimental",
    ),
    fits,
    read,
)
