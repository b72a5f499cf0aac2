"""Codex rollouts: JSONL of `{timestamp, type, payload}` under `sessions/YYYY/MM/DD`.

`response_item` records are the run; the same words in `event_msg` records are copies. Files without response items
(short subagent files) hold events only: then those are the run. The first session_meta owns the identity.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Line, Log, Sample
from errorhub.hub.importers.openai_responses import goal_of
from errorhub.hub.importers.outcomes import ended_in_error
from errorhub.hub.importers.records import session_lines
from errorhub.hub.importers.responses_items import ItemReader, is_item
from errorhub.hub.importers.shapes import items, mapping, text_or_none, type_of

NAME: Final = "codex"
_TYPES: Final = ("session_meta", "turn_context", "response_item", "event_msg", "compacted")
_INJECTED: Final = ("<environment_context>", "<user_instructions>", "<permissions instructions>", "# AGENTS.md",
                    "<INSTRUCTIONS>", "<turn_aborted>", "<skill>", "<user_shell_command>")  # fmt: skip
_SPOKEN: Final = {"user_message": "user", "agent_message": "assistant", "agent_reasoning": "reasoning"}


def fits(sample: Sample) -> bool:
    """Whether one of the first records has the envelope of a rollout."""
    return sample.shape in ("document", "lines") and any(_is_record(record) for record in sample.objects)


def read(log: Log) -> Runs:
    """Yield the run of a rollout, and one refusal for all its damaged lines."""
    draft = Draft(NAME)
    lines, refused = session_lines(log, draft)
    yield from refused
    yield _bundle(lines, draft)


def _bundle(lines: list[Line], draft: Draft) -> Bundle:
    metas = [_payload(line) for line in lines if line.value.get("type") == "session_meta"]
    if len(metas) > 1:
        draft.warn("several sessions in one rollout: it may repeat the history of the one it was forked from.")
    reader, copies = ItemReader(draft), _texts(lines)
    contexts = [_payload(line) for line in lines if line.value.get("type") == "turn_context"]
    meta = metas[0] if metas else {}
    if instructions := text_or_none(meta.get("instructions")):
        draft.add(
            "system", "message", role="system", input=instructions, source_ref="1", metadata={"injected": "context"}
        )
    for line in lines:
        _add(line, reader, draft, copies)
    reader.flush()
    draft.version = text_or_none(meta.get("cli_version"))
    models = [model for context in contexts if (model := text_or_none(context.get("model")))]
    names = ("id", "cwd", "originator", "model_provider", "source", "git")
    metadata = {name: meta[name] for name in names if meta.get(name)}
    run = Run(harness=NAME, policy=models[0] if models else None, started_at=text_or_none(meta.get("timestamp")),
              metadata=metadata)  # fmt: skip
    outcome = ended_in_error(draft.steps)
    return bundle(draft.trajectory(task=Task(goal=goal_of(draft)), run=run, outcome=outcome))


def _add(line: Line, reader: ItemReader, draft: Draft, copies: set[str]) -> None:
    """Add one record of a rollout."""
    kind, payload = type_of(line.value), _payload(line)
    at = text_or_none(line.value.get("timestamp"))
    if kind == "response_item" and is_item(payload):
        output = _unwrapped(payload)
        reader.add(output, str(line.number), at, injected=_is_injected(payload))
    elif kind == "event_msg" and type_of(payload) in _SPOKEN:
        said = str(payload.get("message", payload.get("text")))
        if said in copies:
            draft.lose("copy in an event")
        else:
            reader.add(_as_item(str(payload["type"]), said), str(line.number), at)
    elif kind == "event_msg" and type_of(payload) in ("error", "stream_error"):
        reader.flush()
        draft.add("system", "error", error=text_or_none(payload.get("message")) or "error", source_ref=str(line.number),
                  at=at)  # fmt: skip
    elif kind == "compacted":
        mark = {"injected": "compacted", "copied_context": True}
        draft.add("system", "message", role="user", input=payload.get("message"), source_ref=str(line.number), at=at,
                  metadata=mark)  # fmt: skip
    elif kind not in ("session_meta", "turn_context"):
        draft.lose(f"{kind}.{type_of(payload)}" if kind in _TYPES else kind or "record without type")


def _as_item(kind: str, text: str) -> dict[str, Any]:
    if kind == "agent_reasoning":
        return {"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]}
    return {"type": "message", "role": _SPOKEN[kind], "content": text}


def _unwrapped(payload: dict[str, Any]) -> dict[str, Any]:
    """Return an output item with its text taken out of the JSON text `{output, metadata}` it may be wrapped in."""
    output = payload.get("output")
    if not (str(payload.get("type", "")).endswith("_output") and isinstance(output, str) and output.startswith("{")):
        return payload
    try:
        parsed = json.loads(output)
    except (ValueError, RecursionError):
        return payload
    return {**payload, "output": parsed} if isinstance(parsed, dict) and "output" in parsed else payload


def _texts(lines: list[Line]) -> set[str]:
    """Return every text that a response item holds: the same words in an event are a copy."""
    found: set[str] = set()
    for line in lines:
        if line.value.get("type") == "response_item":
            found.update(_said(_payload(line)))
    return found


def _said(payload: dict[str, Any]) -> Iterator[str]:
    for part in (payload.get("content"), payload.get("summary")):
        for block in items(part):
            if isinstance(block, dict) and isinstance(block.get("text"), str):
                yield block["text"]


def _is_injected(payload: dict[str, Any]) -> bool:
    first = next(_said(payload), "")
    return payload.get("role") == "user" and first.lstrip().startswith(_INJECTED)


def _payload(line: Line) -> dict[str, Any]:
    return mapping(line.value.get("payload"))


def _is_record(record: dict[str, Any]) -> bool:
    return record.get("type") in _TYPES and isinstance(record.get("payload"), dict)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Codex command line rollouts",
        recognised="JSONL of `type` and `payload`, types session_meta, turn_context, response_item or event_msg",
        extensions=(".jsonl",),
    ),
    fits,
    read,
)
