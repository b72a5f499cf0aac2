"""Our own exports as ATIF, STS and OTLP: what each format shows of every part."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers.otlp_spans import Span
from errorhub.hub.importers.parts import KEY, own, together
from errorhub.hub.importers.shapes import items, mapping, objects

Parts = Iterator[tuple[Any, dict[str, Any]]]


def from_atif(value: dict[str, Any]) -> Bundle | None:
    """Return the bundle of our ATIF export, or None for any other trajectory."""
    document = own(value.get("extra"))
    steps = objects(value.get("steps"))
    return together(document, (each for step in steps for each in _of_step(step))) if document else None


def _of_step(step: dict[str, Any]) -> Parts:
    parts = items(mapping(mapping(step.get("extra")).get(KEY)).get("parts"))
    message = step.get("message")
    shown = [
        {"tool": call.get("function_name"), "call_id": call.get("tool_call_id"), "input": call.get("arguments")}
        for call in objects(step.get("tool_calls"))
    ]
    results = objects(mapping(step.get("observation")).get("results"))
    shown += [{"output": each.get("content"), "call_id": each.get("source_call_id")} for each in results]
    said = [{"input": message, "output": message}] * (len(parts) - len(shown))
    return zip(parts, said + shown, strict=False)


def from_sts(header: dict[str, Any], messages: list[dict[str, Any]]) -> Bundle | None:
    """Return the bundle of our STS export, or None for any other session."""
    document = own(header)
    lists = items(mapping(header.get(KEY)).get("parts"))
    if not document or len(lists) != len(messages):
        return None
    held = {name: value for name, value in document.items() if name != "parts"}
    shown = (each for parts, message in zip(lists, messages, strict=True) for each in _of_message(parts, message))
    return together(held, shown)


def _of_message(parts: Any, message: dict[str, Any]) -> Parts:
    content = message.get("content")
    shown: list[dict[str, Any]] = []
    for call in objects(message.get("toolCalls")):
        function = mapping(call.get("function"))
        shown.append(
            {"tool": function.get("name"), "call_id": call.get("id"), "input": _json(function.get("arguments"))}
        )
    said = {"input": content, "output": content, "call_id": message.get("toolCallId")}
    return zip(items(parts), [said] * (len(items(parts)) - len(shown)) + shown, strict=False)


def from_otlp(spans: list[Span]) -> Bundle | None:
    """Return the bundle of our OTLP export, or None for any other trace."""
    documents = (_json(span.attributes.get(f"{KEY}.bundle")) for span in spans)
    document = own({KEY: next((each for each in documents if isinstance(each, dict)), None)})
    told = [span for span in spans if f"{KEY}.parts" in span.attributes]
    return together(document, (each for span in told for each in _of_span(span))) if document else None


def _of_span(span: Span) -> Parts:
    held = span.attributes
    parts = items(_json(held.get(f"{KEY}.parts")))
    messages = [*items(_json(held.get("gen_ai.input.messages"))), *items(_json(held.get("gen_ai.output.messages")))]
    told = [part for message in objects(messages) for part in objects(message.get("parts"))]
    text = next((part.get("content") for part in told if part.get("type") == "text"), None)
    text = held.get("gen_ai.tool.call.result", text)
    said = {
        "input": text,
        "output": text,
        "call_id": held.get("gen_ai.tool.call.id"),
        "tool": held.get("gen_ai.tool.name"),
    }
    shown = [
        {"tool": part.get("name"), "call_id": part.get("id"), "input": part.get("arguments")}
        for part in told
        if part.get("type") == "tool_call"
    ]
    return zip(parts, [said] * (len(parts) - len(shown)) + shown, strict=False)


def _json(value: Any) -> Any:
    try:
        return json.loads(value)
    except (TypeError, ValueError, RecursionError):
        return None
