"""OTLP JSON with gen_ai attributes: one trace a bundle, one span a turn under one `invoke_agent` span.

What somebody says and its calls are a `chat` span with input and output messages; a result is an `execute_tool` span.
Attributes `errorhub.*` hold what the conventions have no place for. Ids of spans derive from the trajectory; a step
without a time has none. Lost: what only graders knew, and the receipt.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle, Step
from errorhub.hub.exporters.documents import put
from errorhub.hub.exporters.turns import Turn, is_time, part, reasoning_of, rest, side_of, text_of, turns

KEY: Final = "errorhub"


def write(bundle: Bundle, folder: Path) -> list[Path]:
    """Write the trace and return its path."""
    return [put(folder / f"{bundle.bundle_id}.otlp.json", trace(bundle))]


def trace(bundle: Bundle) -> dict[str, Any]:
    """Return the bundle as one trace."""
    name = bundle.trajectory_id[:32]
    root = _id(name, "root")
    run = bundle.trajectory.run
    spans = [_span(name, root, number, turn, run.policy) for number, turn in enumerate(_turns(bundle))]
    head = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": bundle.trajectory.agents[0],
        "gen_ai.conversation.id": name,
        f"{KEY}.bundle": json.dumps(rest(bundle), ensure_ascii=False, allow_nan=False),
    }
    first = {"traceId": name, "spanId": root, "name": "invoke_agent", "kind": 1, "attributes": _attributes(head)}
    times = [int(span["startTimeUnixNano"]) for span in spans if span.get("startTimeUnixNano")]
    if times:
        first |= {"startTimeUnixNano": str(min(times)), "endTimeUnixNano": str(max(times))}
    scope = {"scope": {"name": KEY}, "spans": [first, *spans]}
    service = _attributes({"service.name": run.harness or run.framework or "agent"})
    return {"resourceSpans": [{"resource": {"attributes": service}, "scopeSpans": [scope]}]}


def _turns(bundle: Bundle) -> list[Turn]:
    return turns(bundle.trajectory.steps, fused=False)


def _span(trace: str, root: str, number: int, turn: Turn, model: str | None) -> dict[str, Any]:
    opening = turn.first
    parts: list[dict[str, Any]] = []
    tool = bool(turn.results) and opening.kind == "tool.result"
    held = _result(turn, parts) if turn.results else _chat(turn, parts, model)
    held |= {f"{KEY}.parts": json.dumps(parts, ensure_ascii=False, allow_nan=False)}
    operation = "execute_tool" if tool else "chat" if turn.calls or turn.said else "event"
    attributes = {"gen_ai.operation.name": operation, "gen_ai.agent.name": opening.agent, **held}
    span: dict[str, Any] = {"traceId": trace, "spanId": _id(trace, str(number)), "parentSpanId": root,
                            "name": f"{operation} {opening.tool or opening.agent}".strip(), "kind": 1,
                            "attributes": _attributes(attributes)}  # fmt: skip
    if is_time(opening.at):
        start = round(datetime.fromisoformat(str(opening.at)).timestamp() * 1_000_000) * 1000
        end = start + round((opening.duration_ms or 0) * 1_000_000)
        span |= {"startTimeUnixNano": str(start), "endTimeUnixNano": str(max(start, end))}
    if opening.error:
        span["status"] = {"code": 2, "message": opening.error}
    return span


def _result(turn: Turn, parts: list[dict[str, Any]]) -> dict[str, Any]:
    position, result = turn.results[0]
    text = isinstance(result.output, str)
    parts.append(part(position, result, output=text, call_id=True, tool=True))
    shown = {
        "gen_ai.tool.name": result.tool,
        "gen_ai.tool.call.id": result.call_id,
        "gen_ai.tool.call.result": text_of(result.output) if result.output is not None else None,
    }
    return {name: held for name, held in shown.items() if held is not None}


def _chat(turn: Turn, parts: list[dict[str, Any]], model: str | None) -> dict[str, Any]:
    incoming, outgoing = [], []
    if turn.said:
        position, said = turn.said
        side = side_of(said)
        value = getattr(said, side)
        parts.append(part(position, said, **{side: isinstance(value, str)}))
        role = (said.role if said.role in ("system", "user", "assistant", "tool") else None) or "user"
        thought = [{"type": "reasoning", "content": text}] if (text := reasoning_of(value)) else []
        content = [*thought, {"type": "text", "content": text_of(value)}]
        if side == "input":
            incoming.append({"role": role, "parts": content})
        else:
            outgoing += content
    outgoing += [_call(position, call, parts) for position, call in turn.calls]
    found: dict[str, Any] = {"gen_ai.request.model": model} if model else {}
    if incoming:
        found["gen_ai.input.messages"] = json.dumps(incoming, ensure_ascii=False)
    if outgoing:
        finish = "tool_call" if turn.calls else "stop"
        answer = {"role": "assistant", "parts": outgoing, "finish_reason": finish}
        found["gen_ai.output.messages"] = json.dumps([answer], ensure_ascii=False, allow_nan=False)
    return found


def _call(position: int, call: Step, parts: list[dict[str, Any]]) -> dict[str, Any]:
    parts.append(part(position, call, input=True, tool=True, call_id=True))
    return {
        "type": "tool_call",
        "id": call.call_id or f"call-{position}",
        "name": call.tool or "unknown",
        "arguments": call.input,
    }


def _attributes(values: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": name, "value": {"stringValue": str(value)}} for name, value in values.items()]


def _id(trace: str, name: str) -> str:
    return hashlib.sha256(f"{trace} {name}".encode()).hexdigest()[:16]
