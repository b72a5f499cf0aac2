"""Gemini CLI sessions: `{sessionId, projectHash, messages}` with messages of type user, gemini, info, error.

A message of the model says something and holds its calls together with their results. `source_ref` is the message's
position and, for calls, `.number`; results are `.r<number>`.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.blocks import Content, content_of
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import items, mapping, objects, text_or_none, type_of

NAME: Final = "gemini-cli"
_TOP: Final = frozenset({"sessionId", "projectHash", "startTime", "lastUpdated", "messages"})
_MESSAGE: Final = frozenset({"id", "timestamp", "type", "content", "thoughts", "tokens", "model", "toolCalls"})
_CALL: Final = frozenset({"id", "name", "args", "result", "status", "timestamp", "displayName", "description",
                          "renderOutputAsMarkdown", "resultDisplay"})  # fmt: skip


def fits(sample: Sample) -> bool:
    """Whether one of the first objects is a session of the Gemini CLI."""
    return any(_is_session(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a session."""
    return each_record(log, read_session)


def read_session(value: Any, record: int) -> Bundle:
    """Return the run of one session."""
    if not isinstance(value, dict) or not _is_session(value):
        raise FormatError("not a Gemini CLI session.")
    draft, models = Draft(NAME, record=record), []
    draft.lose_unknown(value, _TOP)
    for place, message in enumerate(items(value.get("messages"))):
        if not isinstance(message, dict):
            draft.lose("message")
            continue
        draft.lose_unknown(message, _MESSAGE, "message.")
        models.append(text_or_none(message.get("model")))
        _add(message, str(place), draft)
    run = Run(
        harness=NAME,
        policy=next((model for model in models if model), None),
        started_at=text_or_none(value.get("startTime")),
        metadata={name: value[name] for name in ("sessionId",) if text_or_none(value.get(name))},
    )
    said = (step.input for step in draft.steps if step.agent == "user")
    return bundle(draft.trajectory(task=Task(goal=text_or_none(next(said, None))), run=run))


def _add(message: dict[str, Any], place: str, draft: Draft) -> None:
    kind = type_of(message)
    common = {"source_ref": place, "at": text_or_none(message.get("timestamp"))}
    content = _content(message.get("content"), draft)
    if kind == "user":
        draft.add("user", "message", role="user", input=content.value(), **common)
    elif kind == "gemini":
        _add_reply(message, content, common, draft)
    elif kind == "error":
        draft.add("system", "error", error=content.text or "error", **common)
    else:
        draft.lose(f"message.{kind}" if kind else "message without type")


def _add_reply(message: dict[str, Any], content: Content, common: dict[str, Any], draft: Draft) -> None:
    for thought in objects(message.get("thoughts")):
        content.reasoning.append(": ".join(str(thought[n]) for n in ("subject", "description") if thought.get(n)))
    calls = objects(message.get("toolCalls"))
    if not content.empty or not calls:
        mark = {"usage": message.get("tokens")}
        draft.add("assistant", "llm.response", role="assistant", output=content.value(), metadata=mark, **common)
    place = common["source_ref"]
    for number, call in enumerate(calls):
        draft.lose_unknown(call, _CALL, "toolCall.")
        draft.add("assistant", "tool.call", role="assistant", tool=text_or_none(call.get("name")),
                  call_id=text_or_none(call.get("id")), input=call.get("args"),
                  **common | {"source_ref": f"{place}.{number}"})  # fmt: skip
    for number, call in enumerate(calls):
        _add_result(call, common | {"source_ref": f"{place}.r{number}"}, draft)


def _add_result(call: dict[str, Any], common: dict[str, Any], draft: Draft) -> None:
    responses = [mapping(mapping(part.get("functionResponse")).get("response")) for part in objects(call.get("result"))]
    if not responses and call.get("status") in (None, "success", "executing"):
        return
    answers = [response.get("output", response.get("error", response or None)) for response in responses]
    output = answers[0] if len(answers) == 1 else answers or call.get("resultDisplay")
    errors = [str(response["error"]) for response in responses if response.get("error")]
    status = call.get("status")
    error = errors[0] if errors else str(status) if status not in (None, "success") else None
    at = text_or_none(call.get("timestamp"))
    draft.add("tool", "tool.result", role="tool", tool=text_or_none(call.get("name")), output=output, error=error,
              call_id=text_or_none(call.get("id")), **common | {"at": at})  # fmt: skip


def _content(value: Any, draft: Draft) -> Content:
    """Return what a message says: text, or parts with `text`."""
    parts = [part.get("text", part) if isinstance(part, dict) else part for part in items(value)]
    return content_of(parts or value, draft)


def _is_session(value: dict[str, Any]) -> bool:
    return "sessionId" in value and "projectHash" in value and isinstance(value.get("messages"), list)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Gemini CLI sessions",
        recognised="an object with `sessionId`, `projectHash` and `messages`",
        extensions=(".json",),
    ),
    fits,
    read,
)
