"""STS sessions, one JSONL file a bundle, for the Hugging Face trace viewer (card tag `format:agent-traces`).

The header holds, under `errorhub`, what the format has no place for: actors and errors of steps, diagnoses, repairs,
outcome. Lost: what only graders knew, and the receipt.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle, Step
from errorhub.hub.exporters.documents import put_bytes
from errorhub.hub.exporters.turns import Turn, is_time, part, reasoning_of, rest, side_of, text_of, turns

KEY: Final = "errorhub"


def write(bundle: Bundle, folder: Path) -> list[Path]:
    """Write the session and return its path."""
    lines = "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in session(bundle))
    return [put_bytes(folder / f"{bundle.bundle_id}.sts.jsonl", lines.encode())]


def session(bundle: Bundle) -> list[dict[str, Any]]:
    """Return header and messages of a bundle."""
    run = bundle.trajectory.run
    messages, parts = [], []
    for turn in turns(bundle.trajectory.steps, fused=False):
        message, own = _message(turn)
        messages.append({"type": "message", "message": message | ({"model": run.policy} if run.policy else {})})
        parts.append(own)
    header = {
        "type": "session",
        "harness": run.harness or run.framework or "agent",
        "id": bundle.trajectory_id,
        "name": (bundle.trajectory.task.goal or "")[:80],
        KEY: {**rest(bundle), "parts": parts},
    }
    return [header, *messages]


def _message(turn: Turn) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the message of a turn, and the parts it cannot show."""
    opening = turn.first
    message: dict[str, Any] = {"role": _role(turn), "content": ""}
    parts = []
    if is_time(opening.at):
        message["timestamp"] = round(datetime.fromisoformat(str(opening.at)).timestamp() * 1000)
    if turn.results:
        (position, result), *_ = turn.results
        text = isinstance(result.output, str)
        message["content"] = text_of(result.output) if result.output is not None else result.error or ""
        if result.call_id:
            message["toolCallId"] = result.call_id
        parts.append(part(position, result, output=text, call_id=True))
    if turn.said:
        position, said = turn.said
        side = side_of(said)
        value = getattr(said, side)
        message["content"] = text_of(value)
        if thought := reasoning_of(value):
            message["reasoningContent"] = thought
        parts.append(part(position, said, **{side: isinstance(value, str)}))
    if turn.calls:
        message["toolCalls"] = [_call(position, call, parts) for position, call in turn.calls]
    return message, parts


def _call(position: int, call: Step, parts: list[dict[str, Any]]) -> dict[str, Any]:
    parts.append(part(position, call, input=True, tool=True, call_id=True))
    arguments = json.dumps(call.input, ensure_ascii=False, allow_nan=False)
    function = {"name": call.tool or "unknown", "arguments": arguments}
    return {"id": call.call_id or f"call-{position}", "function": function}


def _role(turn: Turn) -> str:
    if turn.calls:
        return "assistant"
    if turn.said is None:
        return "tool" if turn.first.kind == "tool.result" else "system"
    said = turn.said[1]
    if side_of(said) == "output":
        return "assistant"
    return said.role if said.role in ("system", "user") else "system" if said.agent == "system" else "user"
