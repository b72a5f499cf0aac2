"""Formats that are recognised so that nothing else takes them for its own, but are not read yet."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from errorhub.hub.importers.files import Sample
from errorhub.hub.importers.shapes import type_of

_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"}


def foreign(sample: Sample) -> str | None:
    """Name the format a log has when it is one of those that are not read yet."""
    return next((name for name, matches in FOREIGN if matches(sample)), None)


def anthropic_blocks(messages: Any) -> bool:
    """Whether a list of messages holds content blocks of the Anthropic API."""
    return isinstance(messages, list) and any(
        type_of(block) in _BLOCKS
        for message in messages[:50]
        if isinstance(message, dict) and isinstance(message.get("content"), list)
        for block in message["content"]
    )


def _first(*names: str) -> Callable[[Sample], bool]:
    """Match when the first object has all these fields."""
    return lambda sample: bool(sample.objects) and all(name in sample.objects[0] for name in names)


def _any(test: Callable[[dict[str, Any]], bool]) -> Callable[[Sample], bool]:
    return lambda sample: any(test(record) for record in sample.objects)


def _holds(items: Any, name: str) -> bool:
    return isinstance(items, list) and any(isinstance(item, dict) and name in item for item in items)


def _is_gemini(record: dict[str, Any]) -> bool:
    return "projectHash" in record or ("contents" in record and isinstance(record["contents"], list))


FOREIGN: Final = (
    ("mini-swe-agent", _any(lambda r: str(r.get("trajectory_format", "")).startswith("mini-swe-agent"))),
    ("swe-agent", _first("trajectory", "history", "info")),
    ("tau-bench", _first("traj", "reward", "info")),
    ("tau2-bench", _first("simulations", "tasks")),
    ("tau2-bench", _first("messages", "eval_result")),
    ("agentdojo", _first("messages", "suite_name", "pipeline_name")),
    ("inspect", _first("eval", "status", "version")),
    ("openhands", _any(lambda r: "source" in r and "id" in r and ("action" in r or "observation" in r))),
    ("openhands", _first("history", "instruction", "git_patch")),
    ("langsmith", _first("post", "patch")),
    ("langsmith", _any(lambda r: "run_type" in r and ("dotted_order" in r or "child_runs" in r))),
    ("langfuse", _first("trace", "observations")),
    ("adp", _any(lambda r: _holds(r.get("content"), "class_"))),
    ("autogen recorded calls", _any(lambda r: {"mode", "messages", "response"} <= r.keys())),
    ("gemini", _any(_is_gemini)),
)
"""(name, test), most decisive first. A name leaves this table when its importer arrives."""
