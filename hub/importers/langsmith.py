"""LangSmith runs: ingest batches `{post, patch}`, flat lists or JSONL of runs, and nested `child_runs`.

A patch completes the post of the same id. Runs of one trace are one run of ours, in `dotted_order`. Model runs are read
as model spans and tool runs as tool spans; chains and prompts only wrap them and are counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers.chat_parts import as_messages
from errorhub.hub.importers.contract import Format, Importer, Refused, Runs
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.otlp_spans import Span, tree
from errorhub.hub.importers.records import one_record
from errorhub.hub.importers.shapes import items, mapping, number_or_none, objects, text_or_none
from errorhub.hub.importers.trace_reader import TraceReader

NAME: Final = "langsmith"
_KINDS: Final = {"llm": "LLM", "tool": "TOOL", "retriever": "RETRIEVER"}
_KNOWN: Final = frozenset({
    "id", "trace_id", "parent_run_id", "dotted_order", "name", "run_type", "inputs", "outputs", "error", "start_time",
    "end_time", "extra", "child_runs", "session_name",
})  # fmt: skip


def fits(sample: Sample) -> bool:
    """Whether one of the first objects is a batch or a run."""
    return sample.shape in ("document", "lines") and any(_is_batch(v) or _is_run(v) for v in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a trace, and a refusal for each damaged line."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for line in log.lines():
        if line.damage is not None:
            yield Refused(log.path, f"line {line.number}: {line.damage}", record=line.index)
        for run in _runs(line.value):
            traced = found.setdefault(str(run.get("trace_id") or _id(run)), {})
            held = traced.setdefault(_id(run), {})
            held |= {name: value for name, value in run.items() if value not in (None, {}, [])}
    for record, runs in enumerate(found.values()):
        ordered = sorted(runs.values(), key=lambda run: str(run.get("dotted_order", "")))
        yield one_record(log, record, ordered, None, _read_trace)


def _read_trace(runs: list[dict[str, Any]], record: int) -> Bundle:
    reader = TraceReader(tree([_span(run, place) for place, run in enumerate(runs)]), record, NAME)
    for run in runs:
        reader.draft.lose_unknown(run, _KNOWN, "run.")
    return reader.bundle()


def _runs(value: Any) -> Iterator[dict[str, Any]]:
    """Yield the runs of a batch, a list or a tree, parents first."""
    for item in items(value) if isinstance(value, list) else [value]:
        if not isinstance(item, dict):
            continue
        if _is_batch(item):
            yield from (run for side in ("post", "patch") for run in objects(item.get(side)))
            continue
        if _is_run(item):
            yield item
            for child in objects(item.get("child_runs")):
                above = {"trace_id": item.get("trace_id") or _id(item), "parent_run_id": _id(item)}
                yield from _runs(above | {name: held for name, held in child.items() if held is not None})


def _span(run: dict[str, Any], place: int) -> Span:
    extra = mapping(mapping(run.get("extra")).get("metadata"))
    given, came = run.get("inputs"), run.get("outputs")
    kind = _KINDS.get(str(run.get("run_type")), "CHAIN")
    attributes: dict[str, Any] = {"openinference.span.kind": kind, "input.value": given, "output.value": came}
    attributes["agent.name"] = extra.get("langgraph_node") or extra.get("lc_agent_name")
    if kind == "LLM":
        attributes["gen_ai.input.messages"] = _asked(mapping(given))
        attributes["gen_ai.output.messages"] = _answered(came)
        model = mapping(came).get("model") or extra.get("ls_model_name") or mapping(given).get("model")
        attributes["llm.model_name"] = model
        attributes["gen_ai.tool.definitions"] = mapping(given).get("tools")
    if kind == "TOOL":
        call = mapping(given).get("tool_call_id") or extra.get("tool_call_id") or mapping(came).get("tool_call_id")
        attributes |= {"tool.name": run.get("name"), "gen_ai.tool.call.id": call}
    return Span(
        trace=str(run.get("trace_id") or _id(run)),
        id=_id(run),
        parent=text_or_none(run.get("parent_run_id")),
        name=str(run.get("name", "")),
        start=_nanoseconds(run.get("start_time")) or place + 1,
        end=_nanoseconds(run.get("end_time")),
        attributes=attributes,
        events=[],
        failed=bool(run.get("error")),
        status_message=text_or_none(run.get("error")),
        scope="langsmith",
        scope_version=text_or_none(mapping(mapping(run.get("extra")).get("runtime")).get("sdk_version")),
        resource={},
        timed=_nanoseconds(run.get("start_time")) > 0,
    )


def _asked(given: dict[str, Any]) -> list[dict[str, Any]]:
    names = ("messages", "prompts", "prompt", "input")
    return as_messages(next((given[name] for name in names if given.get(name)), None))


def _answered(came: Any) -> list[dict[str, Any]]:
    value = mapping(came)
    if choices := objects(value.get("choices")):
        return as_messages([choice.get("message", choice.get("text")) for choice in choices], "assistant")
    if generations := items(value.get("generations")):
        flat = [each for row in generations for each in (row if isinstance(row, list) else [row])]
        return as_messages([g.get("message") or g.get("text") for g in flat if isinstance(g, dict)], "assistant")
    for name in ("message", "output", "content", "messages"):
        if value.get(name):
            return as_messages(value if name == "content" else value[name], "assistant")
    return as_messages(came, "assistant") if isinstance(came, str) else []


def _id(run: dict[str, Any]) -> str:
    """Return the id of a run; a patch may only hold it at the end of its dotted order."""
    return text_or_none(run.get("id")) or str(run.get("dotted_order", "")).rpartition("Z")[2]


def _nanoseconds(value: Any) -> int:
    """Return a time as nanoseconds since 1970: ISO text, or a number of milliseconds; 0 when it is none."""
    if (number := number_or_none(value)) is not None:
        return int(number * 1_000_000)
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return 0
    zoned = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return int(zoned.timestamp() * 1_000_000) * 1000


def _is_batch(value: dict[str, Any]) -> bool:
    return isinstance(value.get("post"), list) and isinstance(value.get("patch"), list)


def _is_run(value: dict[str, Any]) -> bool:
    return "run_type" in value and ("dotted_order" in value or "child_runs" in value or "trace_id" in value)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="LangSmith runs and ingest batches",
        recognised="objects with `run_type` and `dotted_order`, `trace_id` or `child_runs`; or `post` and `patch`",
        extensions=(".json", ".jsonl"),
        status="experimental",
    ),
    fits,
    read,
)
