"""What is recognised so that nothing else takes it for its own: formats not read yet, and files beside logs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from errorhub.hub.importers.files import Sample
from errorhub.hub.importers.shapes import type_of

_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use"}


def foreign(sample: Sample) -> str | None:
    """Name the format a log has when it is one of those that are not read yet."""
    return next((name for name, matches in FOREIGN if matches(sample)), None)


def beside(sample: Sample) -> str | None:
    """Say what a file is, and what to do with it, when it belongs to logs and is none."""
    return next((what for what, matches in BESIDE if matches(sample)), None)


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


FOREIGN: Final = (
    ("agentdojo", _first("messages", "suite_name", "pipeline_name")),
    ("adp", _any(lambda r: _holds(r.get("content"), "class_"))),
    ("gemini api requests", _any(lambda r: isinstance(r.get("contents"), list))),
    ("mast", _first("mas_name", "mast_annotation")),
    ("fireact", _any(lambda r: any(isinstance(v, dict) and {"traj", "em", "gt"} <= v.keys() for v in r.values()))),
    ("toolbench", _first("win", "tree", "answer_generation")),
)
"""(name, test), most decisive first. A name leaves this table when its importer arrives."""

BESIDE: Final = (
    (
        "AgentRx labels. Give them with --labels",
        _any(lambda r: isinstance(r.get("failures"), list) and "root_cause" in r),
    ),
    ("a SWE-bench report. Put it beside its run", _first("resolved", "patch_exists")),
)
"""What is no log but belongs to one, and what to do with it."""
