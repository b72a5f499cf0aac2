"""Reads the spans of one trace as a run, whatever format told them.

Only innermost model calls count: wrappers repeat them. A model call repeats its history, so only messages not seen
before in its agent become steps. The actor is the agent that the span or the nearest one around it names, else the
role. Tool spans pair by call id; those without one count only when no message speaks of the tool.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Task
from errorhub.hub.importers.blocks import arguments_of
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.otlp_messages import Message, messages_of
from errorhub.hub.importers.otlp_spans import Span, below, walk_spans
from errorhub.hub.importers.shapes import text_or_none


class TraceReader:
    """One trace on its way to a run."""

    def __init__(self, roots: list[Span], record: int, format: str) -> None:
        self.draft = Draft(format, record=record)
        self.spans = list(walk_spans(roots))
        self.seen: dict[str, Counter[str]] = {}
        self.answered: set[str] = set()
        self.spoken = {
            call.name
            for span, _ in self.spans
            if span.model_call
            for side in messages_of(span, Draft(format))
            for message in side
            for call in message.calls
        }
        self.goal: str | None = None

    def bundle(self, known: ConstructionOnly | None = None) -> Bundle:
        """Return the run; `known` is what only graders said of it."""
        for span, above in self.spans:
            self._add(span, above)
        agents = [span for span, _ in self.spans if span.model_call or span.tool_call]
        lead = agents[0] if agents else self.spans[0][0]
        self.draft.version = lead.scope_version
        models = [model for span in agents if (model := _model(span))]
        tools = next((found for span in agents if (found := _tools(span))), None)
        attributes = lead.attributes
        kept = {
            "trace_id": lead.trace or None,
            "service": lead.resource.get("service.name"),
            "session": attributes.get("gen_ai.conversation.id") or attributes.get("session.id"),
            "inputs": {"tools": tools} if tools else None,
        }
        run = Run(
            framework=lead.scope or None,
            policy=models[0] if models else None,
            started_at=self.spans[0][0].at,
            metadata={name: held for name, held in kept.items() if held is not None},
        )
        return bundle(self.draft.trajectory(task=Task(goal=self.goal), run=run, construction_only=known))

    def _add(self, span: Span, above: tuple[Span, ...]) -> None:
        agent = next((name for each in (span, *above) if (name := each.agent)), None)
        if span.model_call and any(each.model_call for each in below(span)):
            self.draft.lose("wrapper span")
        elif span.model_call:
            self._add_model_call(span, agent or "assistant", _scope(span, above))
        elif span.tool_call:
            self._add_tool(span, agent or "assistant")
        elif span.kind == "RETRIEVER":
            self._step(span, agent or span.name, "observation", tool=span.name or None,
                       input=_value(span, "input"), output=_value(span, "output"), error=span.error)  # fmt: skip
        elif span.error and not any(each.error for each in below(span)):
            self._step(span, agent or "system", "error", error=span.error, metadata={"span": span.name})
        else:
            self.draft.lose(f"span.{span.kind or span.attributes.get('gen_ai.operation.name') or 'other'}")

    def _add_model_call(self, span: Span, agent: str, scope: str) -> None:
        """Add what is new in a model call: messages in, the answer, its calls."""
        incoming, outgoing = messages_of(span, self.draft)
        seen = self.seen.setdefault(scope, Counter())
        here: Counter[str] = Counter()
        for number, message in enumerate(incoming):
            here[message.key] += 1
            if here[message.key] > seen[message.key] and not self._told(message):
                self._say(span, message, agent, f"{span.id}.in{number}")
        for number, message in enumerate(outgoing):
            here[message.key] += 1
            self._say(span, message, agent, f"{span.id}.out{number}", error=span.error, mark=_usage(span))
        self.seen[scope] = seen | here
        if not incoming and not outgoing:
            self.draft.warn("content not captured: some model calls have no text.")
        if not outgoing:
            self._step(span, agent, "llm.response", role="assistant", error=span.error, metadata=_usage(span))

    def _told(self, message: Message) -> bool:
        """Whether the ids of a message show that it was told already, in whatever conversation."""
        if message.call_id:
            return message.call_id in self.answered
        return bool(message.calls) and all(self.draft.tool_of(call.id) for call in message.calls)

    def _say(self, span: Span, message: Message, agent: str, place: str, **more: Any) -> None:
        error, mark = more.get("error"), more.get("mark") or {}
        if message.role == "tool":
            self.answered.add(message.call_id or "")
            tool = self.draft.tool_of(message.call_id)
            self._step(span, "tool", "tool.result", place, role="tool", tool=tool, call_id=message.call_id,
                       output=message.content.value())  # fmt: skip
        elif message.role != "assistant":
            if message.role == "user":
                self.goal = self.goal or text_or_none(message.content.text)
            self._step(span, message.role, "message", place, role=message.role, input=message.content.value())
        else:
            if not message.content.empty or not message.calls:
                self._step(span, agent, "llm.response", place, role="assistant", output=message.content.value(),
                           error=error, metadata=mark)  # fmt: skip
                mark = {}
            for number, call in enumerate(message.calls):
                self._step(span, agent, "tool.call", f"{place}.{number}", role="assistant", tool=call.name,
                           call_id=call.id, input=call.arguments, metadata={**call.mark, **mark})  # fmt: skip
                mark = {}

    def _add_tool(self, span: Span, agent: str) -> None:
        """Add a tool span: its result when a message made the call, else call and result."""
        name = text_or_none(span.attributes.get("gen_ai.tool.name")) or text_or_none(span.attributes.get("tool.name"))
        name = name or span.name
        call_id = text_or_none(span.attributes.get("gen_ai.tool.call.id"))
        if call_id is None and name in self.spoken:
            self.draft.lose("tool span without a call id")
            return
        if self.draft.tool_of(call_id) is None:
            given, mark = arguments_of(span.attributes.get("gen_ai.tool.call.arguments", _raw(span, "input")))
            self._step(span, agent, "tool.call", f"{span.id}.call", role="assistant", tool=name, call_id=call_id,
                       input=given, metadata=mark)  # fmt: skip
        output = span.attributes.get("gen_ai.tool.call.result", _value(span, "output"))
        if call_id:
            self.answered.add(call_id)
        self._step(span, "tool", "tool.result", tool=name, call_id=call_id, output=output, error=span.error)

    def _step(self, span: Span, agent: str, kind: str, place: str | None = None, **parts: Any) -> None:
        told_again = place is not None and ".in" in place
        duration = span.duration_ms if kind in ("llm.response", "tool.result") and not told_again else None
        self.draft.add(agent, kind, source_ref=place or span.id, parent=span.parent, at=span.at, duration_ms=duration,
                       **parts)  # fmt: skip


def _scope(span: Span, above: tuple[Span, ...]) -> str:
    """Name the conversation a model call belongs to: an agent called as a tool has its own, all others share one."""
    return next((each.id for each in above if each.tool_call), span.trace)


def _usage(span: Span) -> dict[str, Any]:
    names = (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.output_tokens",
        "llm.token_count.prompt",
        "llm.token_count.completion",
    )
    usage = {name: span.attributes[name] for name in names if name in span.attributes}
    return {"usage": usage} if usage else {}


def _model(span: Span) -> str | None:
    names = ("gen_ai.response.model", "gen_ai.request.model", "llm.model_name")
    return next((found for name in names if (found := text_or_none(span.attributes.get(name)))), None)


def _tools(span: Span) -> Any:
    if tools := span.attributes.get("gen_ai.tool.definitions"):
        return tools
    flat = [held for name, held in sorted(span.attributes.items()) if name.endswith(".tool.json_schema")]
    return flat or None


def _raw(span: Span, side: str) -> Any:
    return span.attributes.get(f"{side}.value")


def _value(span: Span, side: str) -> Any:
    """Return input or output of a span, parsed when it says that it is JSON."""
    value = _raw(span, side)
    if isinstance(value, str) and span.attributes.get(f"{side}.mime_type") == "application/json":
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
