"""Anthropic messages: `{system?, messages[]}` or a bare list, with blocks of tools or thinking.

Results of tools arrive in user messages and are observations of `tool`, not a person's turn; a message that mixes
results and text splits in two. The actor of everything else is the role.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.blocks import Content, content_of, read_block
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.foreign import anthropic_blocks
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import number_or_none, text_or_none

NAME: Final = "anthropic-messages"
CALLS: Final = ("tool_use", "server_tool_use", "mcp_tool_use")
_TOP: Final = frozenset({"system", "messages", "model", "temperature", "tools", "id"})
_MESSAGE: Final = frozenset({"role", "content", "id", "type", "model", "usage", "stop_reason", "stop_sequence"})


def fits(sample: Sample) -> bool:
    """Whether one of the first records is a conversation with Anthropic blocks."""
    records = sample.records
    if sample.shape == "document" and records and isinstance(records[0], list) and not _messages(records[0]):
        records = tuple(records[0])
    return any(anthropic_blocks(_messages(record)) for record in records)


def read(log: Log) -> Runs:
    """Yield one run a conversation."""
    return each_record(log, read_conversation)


def read_conversation(value: Any, record: int) -> Bundle:
    """Return the run of one conversation."""
    messages = _messages(value)
    if not messages:
        raise FormatError("not a conversation of the Anthropic messages format.")
    draft = Draft(NAME, record=record)
    top = value if isinstance(value, dict) else {}
    draft.lose_unknown(top, _TOP)
    if top.get("system"):
        system = content_of(top["system"], draft).value()
        draft.add("system", "message", role="system", input=system, source_ref="system")
    goal: str | None = None
    for position, message in enumerate(messages):
        draft.lose_unknown(message, _MESSAGE, "message.")
        if message["role"] == "assistant":
            _add_assistant(message, position, draft)
        else:
            said = _add_user(message, position, draft)
            goal = goal or (said if message["role"] == "user" else None)
    tools, temperature = top.get("tools"), top.get("temperature")
    run = Run(
        policy=text_or_none(top.get("model")),
        temperature=number_or_none(temperature),
        metadata={"inputs": {"tools": tools}} if tools else {},
    )
    return bundle(draft.trajectory(task=Task(goal=goal), run=run))


def _add_user(message: dict[str, Any], position: int, draft: Draft) -> str | None:
    """Add results as they come and the rest as one message; return what was said."""
    said, place = Content(), 0
    content = message.get("content")
    for number, block in enumerate(content if isinstance(content, list) else [content]):
        if isinstance(block, dict) and str(block.get("type", "")).endswith("tool_result"):
            add_result(block, f"{position}.{number}", draft)
        elif block is not None:
            place = place if not said.empty else number
            read_block(block, said, draft)
    if said.empty and content != "":
        return None
    role = str(message["role"])
    draft.add(role, "message", role=role, input=said.value(), source_ref=f"{position}.{place}")
    return said.text or None


def _add_assistant(message: dict[str, Any], position: int, draft: Draft) -> None:
    said, calls = Content(), []
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    for number, block in enumerate(blocks):
        kind = str(block.get("type", "")) if isinstance(block, dict) else ""
        if kind in CALLS or kind.endswith("tool_result"):
            calls.append((number, block))
        elif block is not None:
            read_block(block, said, draft)
    if not said.empty or not calls:
        draft.add("assistant", "llm.response", role="assistant", output=said.value(), source_ref=f"{position}.0")
    for number, block in calls:
        place = f"{position}.{number}"
        if block["type"] in CALLS:
            draft.add(
                "assistant",
                "tool.call",
                role="assistant",
                tool=text_or_none(block.get("name")),
                call_id=text_or_none(block.get("id")),
                input=block.get("input"),
                source_ref=place,
            )
        else:
            add_result(block, place, draft)


def add_result(block: dict[str, Any], place: str, draft: Draft) -> None:
    """Add one result block; `is_error` is an error of the step, not an outcome."""
    content = content_of(block.get("content"), draft)
    call = text_or_none(block.get("tool_use_id"))
    draft.add(
        "tool",
        "tool.result",
        role="tool",
        tool=draft.tool_of(call),
        call_id=call,
        output=content.value(),
        error=(content.text or "error") if block.get("is_error") is True else None,
        source_ref=place,
    )


def _messages(value: Any) -> list[dict[str, Any]]:
    """Return the messages of a conversation, or none when it is no conversation."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        return []
    known = all(isinstance(m, dict) and m.get("role") in ("system", "user", "assistant") for m in messages)
    return messages if known else []


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Conversations of the Anthropic messages API",
        recognised="`messages` whose content holds blocks of tool_use, tool_result or thinking",
        extensions=(".json", ".jsonl"),
    ),
    fits,
    read,
)
