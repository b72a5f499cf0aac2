"""Pi and OpenClaw sessions: JSONL, a `session` header, then entries; a tree by `id` and `parentId`, or a plain list.

The run is the path from the last entry to the root; other branches are counted. A person acts as `user`, the model as
`assistant`, tools as `tool`, the program as `system`.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.importers.blocks import Content, content_of, read_block
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Line, Log, Sample
from errorhub.hub.importers.outcomes import ended_in_error
from errorhub.hub.importers.records import session_lines
from errorhub.hub.importers.sessions import dialect, time_of
from errorhub.hub.importers.shapes import text_or_none, type_of

NAME: Final = "pi"
_SUMMARIES: Final = {"branchSummary": "summary", "compactionSummary": "summary"}
_ASSISTANT: Final = frozenset({"role", "content", "api", "provider", "model", "usage", "stopReason", "errorMessage",
                               "timestamp"})  # fmt: skip


def fits(sample: Sample) -> bool:
    """Whether the log is a session whose messages have the shape of Pi."""
    return dialect(sample) == "pi"


def read(log: Log) -> Runs:
    """Yield the run of a session, and one refusal for all its damaged lines."""
    draft = Draft(NAME)
    lines, refused = session_lines(log, draft)
    yield from refused
    yield _bundle(lines, draft)


def _bundle(lines: list[Line], draft: Draft) -> Bundle:
    header: dict[str, Any] = next((line.value for line in lines if line.value.get("type") == "session"), {})
    models: list[str] = []
    for line in _path(lines, draft):
        _add(line, draft, models)
    draft.version = str(header["version"]) if header.get("version") is not None else None
    names = ("id", "cwd", "provider", "thinkingLevel", "parentSession", "branchedFrom")
    metadata = {name: header[name] for name in names if header.get(name)}
    if len(models) > 1:
        metadata["models"] = models
    policy = text_or_none(header.get("modelId")) or (models[0] if models else None)
    run = Run(harness=NAME, policy=policy, started_at=time_of(header.get("timestamp")), metadata=metadata)
    said = (step.input for step in draft.steps if step.agent == "user" and step.kind == "message")
    first = next(said, None)
    goal = text_or_none(first.get("text") if isinstance(first, dict) else first)
    return bundle(draft.trajectory(task=Task(goal=goal), run=run, outcome=ended_in_error(draft.steps)))


def _path(lines: list[Line], draft: Draft) -> list[Line]:
    """Return the entries of the run: the path from the last entry to the root, or all without a tree."""
    entries = [line for line in lines if line.value.get("type") != "session"]
    by_id = {line.value["id"]: line for line in entries if isinstance(line.value.get("id"), str)}
    if not by_id or not any("parentId" in line.value for line in entries):
        return entries
    kept: list[Line] = []
    seen: set[str] = set()
    at: Any = entries[-1].value.get("id")
    while isinstance(at, str) and at in by_id and at not in seen:
        seen.add(at)
        kept.append(by_id[at])
        at = by_id[at].value.get("parentId")
    if len(kept) < len(entries):
        draft.lose("side branch record", len(entries) - len(kept))
        draft.warn("side branches left out: the path to the last entry was read.")
    return kept[::-1]


def _add(line: Line, draft: Draft, models: list[str]) -> None:
    entry, kind = line.value, type_of(line.value)
    message = entry.get("message")
    common = {"source_ref": str(line.number), "at": time_of(entry.get("timestamp"))}
    if kind == "message" and isinstance(message, dict):
        _add_message(message, common, draft, models)
    elif kind in ("compaction", "branch_summary"):
        mark = {"injected": kind, "copied_context": True}
        draft.add("system", "message", role="user", input=entry.get("summary"), metadata=mark, **common)
    elif kind == "custom_message":
        content = content_of(entry.get("content"), draft).value()
        draft.add("system", "message", role="user", input=content, metadata={"injected": "custom"}, **common)
    else:
        draft.lose(kind or "record without type")


def _add_message(message: dict[str, Any], common: dict[str, Any], draft: Draft, models: list[str]) -> None:
    role = str(message.get("role"))
    if message.get("details"):
        draft.lose("details")
    if role == "assistant":
        _add_assistant(message, common, draft, models)
    elif role == "toolResult":
        content = content_of(message.get("content"), draft)
        error = (content.text or "error") if message.get("isError") is True else None
        draft.add("tool", "tool.result", role="tool", tool=text_or_none(message.get("toolName")), error=error,
                  call_id=text_or_none(message.get("toolCallId")), output=content.value(), **common)  # fmt: skip
    elif role == "bashExecution":
        mark = {"exit_code": message.get("exitCode"), "not_in_context": message.get("excludeFromContext") or None}
        draft.add("user", "observation", role="user", tool="bash", input={"command": message.get("command")},
                  output=message.get("output"), metadata=mark, **common)  # fmt: skip
    elif role in _SUMMARIES:
        mark = {"injected": role, "copied_context": True}
        draft.add("system", "message", role="user", input=message.get("summary"), metadata=mark, **common)
    else:
        agent = "user" if role == "user" else "system"
        mark = {} if role == "user" else {"injected": role}
        content = content_of(message.get("content"), draft)
        draft.add(agent, "message", role="user", input=content.value(), metadata=mark, **common)


def _add_assistant(message: dict[str, Any], common: dict[str, Any], draft: Draft, models: list[str]) -> None:
    draft.lose_unknown(message, _ASSISTANT, "message.")
    model = text_or_none(message.get("model"))
    if model and model not in models:
        models.append(model)
    said, calls = Content(), []
    content = message.get("content")
    for block in content if isinstance(content, list) else [content]:
        if isinstance(block, dict) and block.get("type") == "toolCall":
            calls.append(block)
        elif block is not None:
            read_block(block, said, draft)
    error = text_or_none(message.get("errorMessage"))
    mark = {"usage": message.get("usage"), "stop_reason": message.get("stopReason")}
    mark["model"] = model if models and model != models[0] else None
    if not said.empty or not calls or error:
        draft.add("assistant", "llm.response", role="assistant", output=said.value(), error=error, metadata=mark,
                  **common)  # fmt: skip
        mark = {}
    for number, block in enumerate(calls):
        place = {**common, "source_ref": f"{common['source_ref']}.{number}"}
        draft.add("assistant", "tool.call", role="assistant", tool=text_or_none(block.get("name")), metadata=mark,
                  call_id=text_or_none(block.get("id")), input=block.get("arguments"), **place)  # fmt: skip
        mark = {}


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Pi and OpenClaw sessions",
        recognised="JSONL with a `session` header; messages with toolCall blocks or role toolResult",
        extensions=(".jsonl",),
    ),
    fits,
    read,
)
