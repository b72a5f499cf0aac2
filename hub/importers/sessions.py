"""Session files of Pi (and OpenClaw) and STS: JSONL with a `session` header, told apart by the shape of messages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from errorhub.hub.importers.files import Sample
from errorhub.hub.importers.shapes import text_or_none


def dialect(sample: Sample) -> Literal["pi", "sts"] | None:
    """Tell Pi from STS: tools in messages decide; without any, a header with `harness` is STS."""
    headers = [record for record in sample.objects if record.get("type") == "session"]
    if sample.shape not in ("document", "lines") or not headers:
        return None
    for record in sample.objects:
        message = record.get("message")
        if isinstance(message, dict):
            if "toolCalls" in message or ("toolCallId" in message and message.get("role") == "tool"):
                return "sts"
            if message.get("role") in ("toolResult", "bashExecution") or _has_call_block(message.get("content")):
                return "pi"
    if "harness" in headers[0]:
        return "sts"
    return "pi" if "cwd" in headers[0] else None


def time_of(value: Any) -> str | None:
    """Return an ISO time: text as it is, a number as milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return text_or_none(value)
    try:
        return datetime.fromtimestamp(value / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    except (OverflowError, OSError, ValueError):
        return None


def _has_call_block(content: Any) -> bool:
    return isinstance(content, list) and any(isinstance(b, dict) and b.get("type") == "toolCall" for b in content)
