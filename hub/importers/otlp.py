"""OTLP JSON traces of agents: OpenTelemetry gen_ai (current and older) and OpenInference. One trace is one run."""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers.contract import Format, Importer, Refused, Runs
from errorhub.hub.importers.exported import from_otlp
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.otlp_spans import Span, traces, walk_spans
from errorhub.hub.importers.records import one_record
from errorhub.hub.importers.trace_reader import TraceReader

NAME: Final = "otlp"


def fits(sample: Sample) -> bool:
    """Whether one of the first records holds resource spans."""
    return sample.shape in ("document", "lines") and any("resourceSpans" in record for record in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a trace, and a refusal for each damaged line."""
    documents: list[Any] = []
    for line in log.lines():
        if line.damage is not None:
            yield Refused(log.path, f"line {line.number}: {line.damage}", record=line.index)
        else:
            documents += line.value if isinstance(line.value, list) else [line.value]
    for record, roots in enumerate(traces(documents)):
        yield one_record(log, record, roots, None, _read_trace)


def _read_trace(roots: list[Span], record: int) -> Bundle:
    kept = from_otlp([span for span, _ in walk_spans(roots)])
    return kept or TraceReader(roots, record, NAME).bundle()


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="OpenTelemetry traces as OTLP JSON, with gen_ai or OpenInference attributes",
        recognised="`resourceSpans`",
        extensions=(".json", ".jsonl"),
    ),
    fits,
    read,
)
