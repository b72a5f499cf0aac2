"""Langfuse exports: `{trace, observations}`. Input, output and metadata are JSON inside strings.

Observations are sorted by start time and hung under their parents; of generations that wrap each other only the
innermost counts. Scores are opinions of evaluators, never the outcome: they are kept where only graders look. The
user's id is left out.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import ConstructionOnly
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.chat_parts import as_messages
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.otlp_spans import Span, tree
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import mapping, objects, text_or_none
from errorhub.hub.importers.trace_reader import TraceReader

NAME: Final = "langfuse"
_KINDS: Final = {"GENERATION": "LLM", "TOOL": "TOOL", "RETRIEVER": "RETRIEVER"}
_KNOWN: Final = frozenset({
    "id", "traceId", "parentObservationId", "type", "name", "startTime", "endTime", "input", "output", "model", "level",
    "statusMessage", "usageDetails", "projectId", "environment", "createdAt", "updatedAt", "latency", "metadata",
})  # fmt: skip
_SCORE: Final = ("name", "value", "stringValue", "dataType", "source", "comment", "observationId")


def fits(sample: Sample) -> bool:
    """Whether one of the first objects is a trace with its observations."""
    return any(_is_export(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a trace."""
    return each_record(log, read_trace)


def read_trace(value: Any, record: int) -> Bundle:
    """Return the run of one exported trace."""
    if not isinstance(value, dict) or not _is_export(value):
        raise FormatError("not a trace with observations.")
    trace, observations = mapping(value.get("trace")), objects(value.get("observations"))
    if not observations:
        raise FormatError("holds no step of a run.")
    ordered = sorted(observations, key=lambda each: str(each.get("startTime", "")))
    reader = TraceReader(tree([_span(each, place, trace) for place, each in enumerate(ordered)]), record, NAME)
    for each in ordered:
        reader.draft.lose_unknown(each, _KNOWN, "observation.")
    if trace.get("userId"):
        reader.draft.lose("userId")
    scores = [{name: score.get(name) for name in _SCORE if score.get(name) is not None} for score in _scores(trace)]
    return reader.bundle(ConstructionOnly(verifier_context={"scores": scores}) if scores else None)


def _scores(trace: dict[str, Any]) -> list[dict[str, Any]]:
    return objects(trace.get("scores"))


def _span(each: dict[str, Any], place: int, trace: dict[str, Any]) -> Span:
    kind = _KINDS.get(str(each.get("type")), "AGENT" if each.get("type") == "AGENT" else "CHAIN")
    given, came = _inside(each.get("input")), _inside(each.get("output"))
    attributes: dict[str, Any] = {"openinference.span.kind": kind, "input.value": given, "output.value": came}
    attributes["session.id"] = trace.get("sessionId")
    if kind == "AGENT":
        attributes["agent.name"] = each.get("name")
    if kind == "LLM":
        attributes["gen_ai.input.messages"] = _asked(given)
        attributes["gen_ai.output.messages"] = as_messages(_answer(came), "assistant")
        attributes["llm.model_name"] = each.get("model")
    if kind == "TOOL":
        call = mapping(given).get("tool_call_id") or mapping(given).get("toolCallId")
        attributes |= {"tool.name": each.get("name"), "gen_ai.tool.call.id": call}
    failed = each.get("level") == "ERROR"
    start = _nanoseconds(each.get("startTime"))
    return Span(
        trace=str(each.get("traceId") or trace.get("id")),
        id=str(each.get("id")),
        parent=text_or_none(each.get("parentObservationId")),
        name=str(each.get("name", "")),
        start=start or place + 1,
        end=_nanoseconds(each.get("endTime")),
        attributes=attributes,
        events=[],
        failed=failed,
        status_message=text_or_none(each.get("statusMessage")) if failed else None,
        scope="",
        scope_version=text_or_none(trace.get("version")),
        resource={},
        timed=start > 0,
    )


def _asked(given: Any) -> list[dict[str, Any]]:
    value = mapping(given)
    if not value:
        return as_messages(given)
    system = as_messages(value.get("system"), "system")
    return system + as_messages(next((value[n] for n in ("messages", "prompt", "input") if value.get(n)), None))


def _answer(came: Any) -> Any:
    value = mapping(came)
    return next((value[name] for name in ("message", "text", "output") if value.get(name)), came) if value else came


def _inside(value: Any) -> Any:
    """Return the JSON value inside a string, or the string."""
    if not isinstance(value, str) or value[:1] not in ('"', "[", "{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _nanoseconds(value: Any) -> int:
    try:
        return int(datetime.fromisoformat(value).timestamp() * 1_000_000) * 1000
    except (TypeError, ValueError, OverflowError):
        return 0


def _is_export(value: dict[str, Any]) -> bool:
    return isinstance(value.get("trace"), dict) and isinstance(value.get("observations"), list)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Langfuse trace exports",
        recognised="an object with `trace` and `observations`",
        extensions=(".json", ".jsonl"),
    ),
    fits,
    read,
)
