"""OpenAI Responses: a list of items, a response with `output`, or a request with `input`, and what it answered."""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle, listed
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.records import each_record, one_record
from errorhub.hub.importers.responses_items import ItemReader, is_item
from errorhub.hub.importers.shapes import number_or_none, text_or_none

NAME: Final = "openai-responses"
_TOP: Final = frozenset({"input", "output", "instructions", "model", "temperature", "tools", "id", "object", "status",
                         "created_at", "previous_response_id"})  # fmt: skip


def fits(sample: Sample) -> bool:
    """Whether one of the first records is a response or a list of items, or all of them are items."""
    if sample.shape not in ("document", "lines") or not sample.records:
        return False
    return _are_items(list(sample.records)) or any(_items(record) for record in sample.records)


def read(log: Log) -> Runs:
    """Yield one run a response or list of items; lines that are items are one run."""
    if log.shape == "lines" and _are_items(list(log.sample().records)):
        yield _read_lines(log)
    else:
        yield from each_record(log, read_response)


def read_response(value: Any, record: int) -> Bundle:
    """Return the run of one response or list of items."""
    items = _items(value)
    if not items:
        raise FormatError("holds no items of the Responses format.")
    draft = Draft(NAME, record=record)
    reader = ItemReader(draft)
    top = value if isinstance(value, dict) else {}
    draft.lose_unknown(top, _TOP)
    if top.get("previous_response_id"):
        draft.warn("earlier turns are in another response: the history is incomplete.")
    if instructions := text_or_none(top.get("instructions")):
        draft.add("system", "message", role="system", input=instructions, source_ref="instructions")
    for position, item in enumerate(items):
        _add(reader, item, str(position), draft)
    return _finish(draft, reader, top)


def _add(reader: ItemReader, item: Any, place: str, draft: Draft) -> None:
    if isinstance(item, dict) and "role" in item and "type" not in item:
        item = {**item, "type": "message"}
    if is_item(item):
        reader.add(item, place)
    else:
        draft.lose(f"item.{item.get('type')}" if isinstance(item, dict) else "item")


def _read_lines(log: Log) -> Any:
    draft = Draft(NAME)
    reader, damaged = ItemReader(draft), []
    for line in log.lines():
        if line.damage is not None:
            damaged.append(line.number)
        else:
            _add(reader, line.value, str(line.index), draft)
    if damaged:
        draft.lose("damaged line", len(damaged))
        draft.warn(f"{listed(damaged)}: no item, left out.")
    return one_record(log, 0, None, None, lambda _, __: _finish(draft, reader, {}))


def _finish(draft: Draft, reader: ItemReader, top: dict[str, Any]) -> Bundle:
    reader.flush()
    tools, temperature = top.get("tools"), top.get("temperature")
    metadata = {"id": top.get("id"), "inputs": {"tools": tools} if tools else None}
    run = Run(
        policy=text_or_none(top.get("model")),
        temperature=number_or_none(temperature),
        metadata={name: held for name, held in metadata.items() if held is not None},
    )
    return bundle(draft.trajectory(task=Task(goal=goal_of(draft)), run=run))


def goal_of(draft: Draft) -> str | None:
    """Return the first thing a user said."""
    said = (step.input for step in draft.steps if step.role == "user" and "injected" not in step.metadata)
    first = next(said, None)
    return text_or_none(first.get("text") if isinstance(first, dict) else first)


def _items(value: Any) -> list[Any]:
    """Return the items of a record: those that went in, then those that came out."""
    if isinstance(value, list):
        return value if _are_items(value) else []
    if not isinstance(value, dict) or "payload" in value:
        return []
    parts = [value.get(name) for name in ("input", "output")]
    given: list[Any] = [{"type": "message", "role": "user", "content": parts[0]}] if isinstance(parts[0], str) else []
    items = [item for part in parts if isinstance(part, list) for item in part]
    return given + items if any(is_item(item) for item in items) else []


def _are_items(values: list[Any]) -> bool:
    messages = [value for value in values if isinstance(value, dict) and "role" in value and "type" not in value]
    return bool(values) and all(is_item(v) or v in messages for v in values) and len(messages) < len(values)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Items of the OpenAI Responses API: lists, responses, requests",
        recognised="items whose `type` is message, reasoning, function_call, function_call_output and the like",
        extensions=(".json", ".jsonl"),
    ),
    fits,
    read,
)
