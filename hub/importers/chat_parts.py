"""Messages of chat APIs, LangChain, AutoGen and the AI SDK in one shape: gen_ai messages of parts, for traces."""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.importers.shapes import items, mapping, objects, text_or_none, type_of

_ROLES: Final = {
    "human": "user", "HumanMessage": "user", "HumanMessageChunk": "user", "UserMessage": "user", "user": "user",
    "ai": "assistant", "AIMessage": "assistant", "AIMessageChunk": "assistant", "AssistantMessage": "assistant",
    "assistant": "assistant", "model": "assistant", "system": "system", "SystemMessage": "system",
    "developer": "developer", "tool": "tool", "ToolMessage": "tool", "function": "tool", "FunctionMessage": "tool",
    "FunctionExecutionResultMessage": "tool",
}  # fmt: skip
"""What the sources call a speaker -> its chat role."""


def as_messages(value: Any, role: str = "user") -> list[dict[str, Any]]:
    """Return the messages of a list, a nested list, one message or plain text; `role` is that of plain text."""
    if isinstance(value, str):
        return [{"role": role, "parts": [_text(value)]}] if value else []
    if isinstance(value, list):
        return [message for item in value for message in as_messages(item, role)]
    return [_message(value, role)] if isinstance(value, dict) else []


def _message(value: dict[str, Any], role: str) -> dict[str, Any]:
    kind = type_of(value)
    name = items(value.get("id"))[-1:]
    if "kwargs" in value and name:
        kind, value = str(name[0]), mapping(value.get("kwargs"))
    elif isinstance(value.get("data"), dict):
        value = value["data"]
    said = value.get("role") if isinstance(value.get("role"), str) else kind or type_of(value)
    found = _ROLES.get(str(said), role)
    extra = mapping(value.get("additional_kwargs"))
    parts = [_part(part) for part in _listed(value.get("content"), value)]
    if found == "tool" and not any(type_of(part) == "tool_call_response" for part in parts):
        call = value.get("tool_call_id") or value.get("toolCallId")
        parts = [{"type": "tool_call_response", "id": call, "response": value.get("content")}]
    if thought := text_or_none(value.get("thought")) or text_or_none(value.get("reasoning_content")):
        parts.insert(0, {"type": "reasoning", "content": thought})
    calls = objects(value.get("tool_calls")) or objects(extra.get("tool_calls"))
    parts += [_call(call) for call in calls]
    if isinstance(value.get("function_call"), dict):
        parts.append(_call({"function": value["function_call"]}))
    return {"role": found, "parts": parts}


def _listed(content: Any, value: dict[str, Any]) -> list[Any]:
    if content is None:
        content = value.get("text")
    if isinstance(content, list):
        return content
    return [] if content in (None, "") else [content]


def _part(part: Any) -> Any:
    """Return one block of content as a part; unknown blocks stay as they are and are counted by the reader."""
    if not isinstance(part, dict):
        return _text(part) if isinstance(part, str) else {"type": "value", "content": part}
    kind = type_of(part)
    if kind in ("text", "input_text", "output_text") and isinstance(part.get("text"), str):
        return _text(part["text"])
    if kind == "thinking" or (kind == "reasoning" and "text" in part):
        return {"type": "reasoning", "content": part.get("thinking", part.get("text"))}
    if kind in ("tool_use", "tool-call") or (not kind and {"name", "arguments"} <= part.keys()):
        return _call(part)
    if kind in ("tool_result", "tool-result") or "call_id" in part:
        call = part.get("tool_use_id") or part.get("toolCallId") or part.get("call_id")
        held = next((part[name] for name in ("content", "output", "result") if name in part), None)
        return {"type": "tool_call_response", "id": call, "response": held}
    return part


def _call(call: dict[str, Any]) -> dict[str, Any]:
    function = mapping(call.get("function")) or call
    given = next((function[name] for name in ("arguments", "args", "input") if name in function), None)
    return {
        "type": "tool_call",
        "id": call.get("id") or call.get("toolCallId"),
        "name": function.get("name") or call.get("toolName"),
        "arguments": given,
    }


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "content": text}
