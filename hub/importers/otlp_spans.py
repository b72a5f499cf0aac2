"""Spans of OTLP JSON: decoded attributes, one tree a trace, parents first and siblings by start time.

Ids are hex or base64 and stay as written; enums are numbers or names; 64-bit integers are text or numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from errorhub.hub.importers.shapes import items, mapping, objects, text_or_none


@dataclass
class Span:
    """One span."""

    trace: str
    id: str
    parent: str | None
    name: str
    start: int
    end: int
    attributes: dict[str, Any]
    events: list[tuple[str, dict[str, Any]]]
    failed: bool
    status_message: str | None
    scope: str
    scope_version: str | None
    resource: dict[str, Any]
    timed: bool = True
    """Whether `start` is a time, not only an order."""
    children: list[Span] = field(default_factory=list)

    @property
    def at(self) -> str | None:
        """ISO time of the start."""
        if self.start <= 0 or not self.timed:
            return None
        try:
            second = datetime.fromtimestamp(self.start // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
        except (OverflowError, OSError, ValueError):
            return None
        return f"{second}.{self.start % 10**9:09d}Z"

    @property
    def duration_ms(self) -> float | None:
        """Milliseconds from start to end."""
        return (self.end - self.start) / 1e6 if self.timed and self.end >= self.start > 0 else None

    @property
    def error(self) -> str | None:
        """What an exception event or an error status says."""
        for name, attributes in self.events:
            if name == "exception":
                parts = (attributes.get("exception.type"), attributes.get("exception.message"))
                return ": ".join(str(part) for part in parts if part) or "exception"
        return (self.status_message or "error") if self.failed else None

    @property
    def model_call(self) -> bool:
        """Whether a model was called."""
        operation = self.attributes.get("gen_ai.operation.name")
        return operation in ("chat", "text_completion", "generate_content") or self.kind == "LLM"

    @property
    def tool_call(self) -> bool:
        """Whether a tool was executed."""
        return self.attributes.get("gen_ai.operation.name") == "execute_tool" or self.kind == "TOOL"

    @property
    def kind(self) -> str:
        """OpenInference's kind; empty for other dialects."""
        return str(self.attributes.get("openinference.span.kind", ""))

    @property
    def agent(self) -> str | None:
        """The agent this span names."""
        return text_or_none(self.attributes.get("gen_ai.agent.name")) or text_or_none(self.attributes.get("agent.name"))


def traces(documents: list[Any]) -> list[list[Span]]:
    """Return the roots of every trace, in order of first appearance; one trace may be spread over documents."""
    found: dict[str, dict[str, Span]] = {}
    for document in documents:
        for span in _spans(document):
            found.setdefault(span.trace, {}).setdefault(span.id, span)
    return [tree(list(spans.values())) for spans in found.values()]


def walk_spans(roots: list[Span]) -> Iterator[tuple[Span, tuple[Span, ...]]]:
    """Yield every span with its ancestors, nearest first; parents before children."""
    todo: list[tuple[Span, tuple[Span, ...]]] = [(root, ()) for root in reversed(roots)]
    while todo:
        span, above = todo.pop()
        yield span, above
        todo += [(child, (span, *above)) for child in reversed(span.children)]


def below(span: Span) -> Iterator[Span]:
    """Yield every descendant of a span."""
    return (each for child in span.children for each, _ in walk_spans([child]))


def tree(spans: list[Span]) -> list[Span]:
    """Return the roots of spans, each with its children by start time; a cycle is cut."""
    by_id = {span.id: span for span in spans}
    roots: list[Span] = []
    for span in sorted(spans, key=lambda each: each.start):
        above = by_id.get(span.parent or "")
        (above.children if above and above is not span and not _under(span, above, by_id) else roots).append(span)
    return roots


def _under(span: Span, above: Span, by_id: dict[str, Span]) -> bool:
    """Whether the parent hangs under its own child: a cycle, which is cut."""
    seen: set[str] = set()
    at: Span | None = above
    while at is not None and at.id not in seen:
        if at is span:
            return True
        seen.add(at.id)
        at = by_id.get(at.parent or "")
    return at is not None


def _spans(document: Any) -> Iterator[Span]:
    for resource in objects(document.get("resourceSpans") if isinstance(document, dict) else None):
        shared = _attributes(mapping(resource.get("resource")).get("attributes"))
        groups = resource.get("scopeSpans") or resource.get("instrumentationLibrarySpans")
        for group in objects(groups):
            scope = mapping(group.get("scope") or group.get("instrumentationLibrary"))
            for span in objects(group.get("spans")):
                yield _span(span, scope, shared)


def _span(value: dict[str, Any], scope: dict[str, Any], shared: dict[str, Any]) -> Span:
    status = mapping(value.get("status"))
    events = [(str(e.get("name")), _attributes(e.get("attributes"))) for e in objects(value.get("events"))]
    return Span(
        trace=str(value.get("traceId")),
        id=str(value.get("spanId")),
        parent=text_or_none(value.get("parentSpanId")),
        name=str(value.get("name", "")),
        start=_integer(value.get("startTimeUnixNano")),
        end=_integer(value.get("endTimeUnixNano")),
        attributes=_attributes(value.get("attributes")),
        events=events,
        failed=status.get("code") in (2, "2", "STATUS_CODE_ERROR"),
        status_message=text_or_none(status.get("message")),
        scope=str(scope.get("name", "")),
        scope_version=text_or_none(scope.get("version")),
        resource=shared,
    )


def _attributes(value: Any) -> dict[str, Any]:
    return {str(item.get("key")): _value(item.get("value")) for item in objects(value)}


def _value(value: Any) -> Any:
    """Return the plain value of an AnyValue."""
    if not isinstance(value, dict):
        return value
    if "arrayValue" in value:
        return [_value(item) for item in items(mapping(value["arrayValue"]).get("values"))]
    if "kvlistValue" in value:
        return _attributes(mapping(value["kvlistValue"]).get("values"))
    if "intValue" in value:
        return _integer(value["intValue"])
    return next(iter(value.values()), None)


def _integer(value: Any) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return 0
    return number if abs(number) < 1 << 64 else 0
