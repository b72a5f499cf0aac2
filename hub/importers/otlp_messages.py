"""What a span says: messages in and out of a model in three dialects, as one shape.

gen_ai attributes (current), gen_ai events (conventions 1.36 and older, or content on the operation.details event), and
OpenInference's flattened `llm.input_messages.N.message.*`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from errorhub.hub.importers.blocks import Content, arguments_of, content_of, without_bytes
from errorhub.hub.importers.draft import Draft
from errorhub.hub.importers.otlp_spans import Span
from errorhub.hub.importers.shapes import fingerprint, items, text_or_none, type_of

_FLAT = re.compile(r"llm\.(input|output)_messages\.(\d+)\.message\.(.+)")
_DETAILS = "gen_ai.client.inference.operation.details"
_ROLES = {"gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant",
          "gen_ai.tool.message": "tool"}  # fmt: skip


@dataclass
class Call:
    """One tool call."""

    id: str | None
    name: str | None
    arguments: Any
    mark: dict[str, Any]


@dataclass
class Message:
    """One message, whatever the dialect."""

    role: str
    content: Content = field(default_factory=Content)
    calls: list[Call] = field(default_factory=list)
    call_id: str | None = None
    """The call that a tool message answers."""

    @property
    def key(self) -> str:
        """What makes two copies of one message equal: a model's history repeats what was said before."""
        calls = [[call.id, call.name, call.arguments] for call in self.calls]
        return fingerprint([self.role, self.content.text.strip(), calls, self.call_id])


def messages_of(span: Span, draft: Draft) -> tuple[list[Message], list[Message]]:
    """Return what went into and came out of a model call."""
    attributes = dict(span.attributes)
    for name, values in span.events:
        if name == _DETAILS:
            attributes.update(values)
    incoming = _parts_list(attributes.get("gen_ai.input.messages"), draft)
    outgoing = _parts_list(attributes.get("gen_ai.output.messages"), draft)
    if system := attributes.get("gen_ai.system_instructions"):
        parts = _json(system)
        incoming.insert(
            0, _from_parts({"role": "system", "parts": parts if isinstance(parts, list) else [parts]}, draft)
        )
    if incoming or outgoing:
        return incoming, outgoing
    flat_in, flat_out = _flattened(attributes, draft)
    return (flat_in, flat_out) if flat_in or flat_out else _from_events(span, draft)


def _parts_list(value: Any, draft: Draft) -> list[Message]:
    """Split messages of parts: one message may hold several answers of tools."""
    found = []
    parsed = _json(value)
    for message in parsed if isinstance(parsed, list) else ():
        if not isinstance(message, dict):
            continue
        parts = items(message.get("parts"))
        answers = [part for part in parts if type_of(part) == "tool_call_response"]
        rest = [part for part in parts if part not in answers]
        if rest or not answers:
            found.append(_from_parts({**message, "parts": rest}, draft))
        for part in answers:
            answer = Message("tool", call_id=text_or_none(part.get("id")))
            held = part.get("response", part.get("result"))
            answer.content = content_of(held if isinstance(held, str | list) else without_bytes(held), draft)
            found.append(answer)
    return found


def _from_parts(message: dict[str, Any], draft: Draft) -> Message:
    found = Message(str(message.get("role", "user")))
    for part in items(message.get("parts")):
        kind = type_of(part)
        if kind == "tool_call":
            found.calls.append(_call(part.get("id"), part.get("name"), part.get("arguments")))
        elif kind == "text" and isinstance(part.get("content"), str):
            found.content.texts.append(part["content"])
        elif kind == "reasoning":
            found.content.reasoning.append(str(part.get("content", "")))
        else:
            draft.lose(f"part.{kind}") if kind not in ("blob", "file", "uri") else None
            found.content.parts.append(_without_blob(part))
    return found


def _flattened(attributes: dict[str, Any], draft: Draft) -> tuple[list[Message], list[Message]]:
    """Rebuild OpenInference messages from their flattened names."""
    tree: dict[str, dict[int, dict[str, Any]]] = {"input": {}, "output": {}}
    for name, value in attributes.items():
        if found := _FLAT.fullmatch(name):
            tree[found[1]].setdefault(int(found[2]), {})[found[3]] = value
    sides = [[_from_flat(rows[number], draft) for number in sorted(rows)] for rows in (tree["input"], tree["output"])]
    return sides[0], sides[1]


def _from_flat(fields: dict[str, Any], draft: Draft) -> Message:
    message = Message(str(fields.get("role", "user")), call_id=text_or_none(fields.get("tool_call_id")))
    nested: dict[str, dict[int, dict[str, Any]]] = {"contents": {}, "tool_calls": {}}
    for name, value in fields.items():
        group, _, rest = name.partition(".")
        number, _, inner = rest.partition(".")
        if group in nested and number.isdecimal():
            nested[group].setdefault(int(number), {})[inner.partition(".")[2]] = value
    for _, block in sorted(nested["contents"].items()):
        text = block.get("text")
        (message.content.texts if isinstance(text, str) else message.content.parts).append(text or without_bytes(block))
    if not nested["contents"] and fields.get("content") is not None:
        message.content = content_of(fields["content"], draft)
    for _, call in sorted(nested["tool_calls"].items()):
        message.calls.append(_call(call.get("id"), call.get("function.name"), call.get("function.arguments")))
    return message


def _from_events(span: Span, draft: Draft) -> tuple[list[Message], list[Message]]:
    """Read per-message events of conventions 1.36 and older."""
    incoming, outgoing = [], []
    for name, values in span.events:
        body = {key: _json(value) for key, value in values.items()}
        if name == "gen_ai.choice":
            inner = body.get("message")
            outgoing.append(_from_body("assistant", inner if isinstance(inner, dict) else body, draft))
        elif name in _ROLES:
            incoming.append(_from_body(_ROLES[name], body, draft))
    return incoming, outgoing


def _from_body(role: str, body: dict[str, Any], draft: Draft) -> Message:
    message = Message(str(body.get("role") or role), call_id=text_or_none(body.get("id")) if role == "tool" else None)
    message.content = content_of(body.get("content"), draft)
    calls = body.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            message.calls.append(_call(call.get("id"), function.get("name"), function.get("arguments")))
    return message


def _call(call_id: Any, name: Any, arguments: Any) -> Call:
    value, mark = arguments_of(arguments)
    return Call(text_or_none(call_id), text_or_none(name), value, mark)


def _without_blob(part: Any) -> Any:
    if isinstance(part, dict) and part.get("type") == "blob":
        part = {**part, "type": "base64", "data": part.get("content", part.get("data"))}
    return without_bytes(part)


def _json(value: Any) -> Any:
    """Return the value inside JSON text; anything else as it is."""
    if not isinstance(value, str) or not value.lstrip().startswith(("[", "{")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
