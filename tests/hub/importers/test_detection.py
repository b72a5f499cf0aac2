"""Automatic recognition: on structure, never by looser fallback; near misses of other formats are not taken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.errors import FormatError
from errorhub.hub.importers import formats, registry
from errorhub.hub.importers.files import Sample
from errorhub.hub.importers.reading import choose

SAID = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
RECORD = {"type": "user", "uuid": "u", "sessionId": "s", "version": "2", "message": {"role": "user", "content": "q"}}
EVENT = {"event_type": "agent.step", "output": "x"}
LABELLED = {"history": [{"role": "human", "content": "q"}], "mistake_agent": "human", "mistake_step": "0"}

OWN = [
    ("agentdebugx", {"trace_id": "t", "events": [EVENT]}),
    ("agentdebugx", {"report_id": "r", "trace_id": "t", "findings": []}),
    ("agentdebugx", {"request": {"trace_id": "t"}, "capability": {}}),
    ("agentdebugx", {"record_type": "agentdebug.rerun.actor_task", "trace_id": "t", "messages": SAID}),
    ("atif", {"schema_version": "ATIF-v1.7", "agent": {}, "steps": []}),
    ("codex", {"timestamp": "t", "type": "session_meta", "payload": {}}),
    ("pi", {"type": "session", "id": "x", "cwd": "/"}),
    ("sts", {"type": "session", "id": "x", "harness": "h"}),
    ("openai-responses", [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}]),
    ("openai-responses", {"output": [{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]}),
    ("anthropic-messages", {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t"}]}]}),
    ("otlp", {"resourceSpans": []}),
    ("claude-code", RECORD),
    ("errorhub", {"schema": "errorhub.bundle/1", "trajectory": {}}),
    ("openai-chat", SAID),
    ("openai-chat", {"messages": SAID, "model": "m"}),
    ("openai-chat", {"messages": SAID, "system": "plain turns read the same as chat"}),
    ("openai-chat", {"conversations": [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]}),
    ("openai-chat", [{"messages": SAID}, {"messages": SAID}]),
    ("who-and-when", LABELLED),
]

SPAN = {"id": "o", "type": "GENERATION", "parentObservationId": None}
STEP = {"action": "ls", "observation": "a"}

SECOND = [
    ("mini-swe-agent", {"info": {}, "messages": SAID, "trajectory_format": "mini-swe-agent-1"}),
    ("swe-agent", {"environment": "e", "trajectory": [STEP], "history": SAID, "info": {}}),
    ("swe-agent", {"history": [{"role": "assistant", "content": "t", "agent": "main", "message_type": "action"}]}),
    ("tau-bench", [{"task_id": 0, "reward": 0.0, "info": {}, "traj": SAID}]),
    ("tau2-bench", {"simulations": [], "tasks": []}),
    ("tau2-bench", {"messages": SAID, "eval_result": {"score": 0.0}}),
    ("inspect", {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": []}),
    ("openhands", [{"id": 0, "source": "user", "action": "message", "args": {}}]),
    ("openhands", [{"id": "x", "source": "agent", "kind": "ActionEvent", "tool_name": "t"}]),
    ("openhands", {"instance_id": "i", "history": [{"action": "run", "args": {}, "source": "agent"}]}),
    ("langsmith", {"post": [], "patch": []}),
    ("langsmith", {"id": "r", "run_type": "llm", "trace_id": "t", "dotted_order": "o"}),
    ("langfuse", {"trace": {}, "observations": [SPAN]}),
    ("autogen", [{"mode": "create", "messages": SAID, "response": {}}]),
    ("autogen", [{"source": "user", "type": "TextMessage", "content": "q"}]),
    ("gemini-cli", {"sessionId": "s", "projectHash": "h", "messages": [{"type": "user", "content": "q"}]}),
    ("agentrx", [{"role": "human", "content": "q"}, {"role": "Orchestrator (thought)", "content": "t"}]),
]
OWN += SECOND

FOREIGN = [
    ("agentdojo", {"suite_name": "s", "pipeline_name": "p", "messages": SAID}),
    ("adp", {"id": "x", "content": [{"class_": "text_observation", "content": "q"}]}),
    ("gemini api requests", {"contents": [{"role": "user", "parts": [{"text": "q"}]}]}),
    ("fireact", {"1": {"reward": True, "em": True, "gt": "x", "traj": "Thought 1: x"}}),
]

NOBODY = [
    ("atif: steps without a version", {"schema_version": "1.0", "steps": []}),
    ("agentdebugx: events without a type", {"trace_id": "t", "events": [{"event": "on_start"}]}),
    ("who-and-when: history without a label", {"history": [{"role": "human", "content": "q"}], "question": "q"}),
    (
        "claude-code: record without a session",
        {"type": "user", "uuid": "u", "message": {"role": "user", "content": "q"}},
    ),
    ("openai-chat: messages without content", {"messages": [{"role": "user", "parts": ["q"]}]}),
    ("openai-chat: roles of nobody", [{"role": "human", "content": "q"}, {"role": "robot", "content": "t"}]),
    ("openai-chat: tools only", {"tools": [{"type": "function", "function": {"name": "f"}}]}),
    ("openai-responses: items of no known type", [{"type": "sunrise", "content": "x"}]),
    ("anthropic-messages: blocks without messages", [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]),
    ("codex: envelope of another program", {"timestamp": "t", "type": "metric", "payload": {}}),
    ("pi and sts: session without cwd or harness", {"type": "session", "id": "x"}),
    ("otlp: a list of Phoenix spans", [{"context": {"span_id": "s"}, "span_kind": "LLM", "attributes": {}}]),
    ("agentrx: roles without a hint", [{"role": "human", "content": "q"}, {"role": "WebSurfer", "content": "t"}]),
    ("autogen: source without a type", [{"source": "user", "content": "q"}]),
    ("gemini-cli: session without a project", {"sessionId": "s", "messages": [{"type": "user", "content": "q"}]}),
    ("inspect: a status without an evaluation", {"version": 2, "status": "success", "samples": []}),
    ("langfuse: observations without a trace", {"observations": [SPAN]}),
    ("langsmith: a run without an order", {"id": "r", "run_type": "llm", "inputs": {}}),
    ("mini-swe-agent: only its info", {"trajectory_format": "mini-swe-agent-1", "info": {}}),
    ("openhands: actions of a game", [{"action": "jump", "reward": 1}, {"action": "run", "reward": 0}]),
    ("openhands: a moderation log", [{"action": "block", "content": "x"}, {"action": "allow", "content": "y"}]),
    ("openhands: predictions", [{"instance_id": "i", "model_patch": "diff", "model_name_or_path": "openhands"}]),
    ("swe-agent: history of a chat", {"history": SAID}),
    ("tau-bench: a reward alone", [{"task_id": 0, "reward": 1.0, "info": {}}]),
    ("tau2-bench: tasks alone", {"tasks": [], "info": {}}),
    ("errorhub: a schema without a run", {"schema": "errorhub.bundle/1"}),
]


def sample(value: Any) -> Sample:
    return Sample(Path("log.json"), "document", (value,))


@pytest.mark.parametrize(("name", "value"), OWN)
def test_own_format_is_recognised(name: str, value: Any) -> None:
    assert choose(sample(value)).format.name == name


@pytest.mark.parametrize(("name", "value"), FOREIGN)
def test_format_of_others_is_named_and_refused(name: str, value: Any) -> None:
    with pytest.raises(FormatError, match=f"not a known format: it looks like {name}"):
        choose(sample(value))


@pytest.mark.parametrize(
    ("value", "what"),
    [([{"trajectory_id": "x", "failures": [], "root_cause": {"failure_id": 1}}], "AgentRx labels. Give them with --labels"),
     ({"resolved": True, "patch_exists": True}, "a SWE-bench report. Put it beside its run")],
    ids=["labels", "report"],
)  # fmt: skip
def test_file_that_belongs_to_logs_is_named(value: Any, what: str) -> None:
    with pytest.raises(FormatError, match=f"not a log but {what}"):
        choose(sample(value))


@pytest.mark.parametrize("value", [row[1] for row in NOBODY], ids=[row[0] for row in NOBODY])
def test_near_miss_is_refused(value: Any) -> None:
    with pytest.raises(FormatError, match=r"not a known format.*--format"):
        choose(sample(value))


@pytest.mark.parametrize(("name", "value"), OWN)
def test_no_two_formats_fit(name: str, value: Any) -> None:
    assert [each.format.name for each in registry.importers() if each.fits(sample(value))] == [name]


def test_every_format_is_in_the_tables() -> None:
    known = {each.format.name for each in registry.importers()}
    assert {name for name, _ in OWN} == known
    missed = {name for row in NOBODY for name in row[0].partition(":")[0].split(" and ")}
    assert missed >= known


def test_ambiguity_is_refused_with_its_candidates() -> None:
    both = {**LABELLED, "messages": SAID}
    with pytest.raises(FormatError, match=r"openai-chat, who-and-when\. Name one with --format"):
        choose(sample(both))
    assert choose(sample(both), "who-and-when").format.name == "who-and-when"


def test_named_format_that_does_not_fit_is_refused(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    bundles, refused = read(put("log.json", {"messages": SAID}), "claude-code")
    assert bundles == []
    assert refused[0].reason.startswith("not claude-code: ")


def test_unknown_format_lists_the_known_ones(put: Callable[..., Path], read: Callable[..., Any]) -> None:
    _, refused = read(put("log.json", {"messages": SAID}), "nonsense")
    assert "Known: agentdebugx, agentrx, anthropic-messages, atif" in refused[0].reason


def test_formats_are_described() -> None:
    listed = {each.name: each for each in formats()}
    assert {"agentdebugx", "claude-code", "openai-chat", "who-and-when"} <= set(listed)
    assert listed["who-and-when"].step_base == 0
    assert all(each.description and each.recognised and each.extensions for each in listed.values())


def test_bookkeeping_at_the_top_does_not_decide(put: Callable[..., Path], one: Callable[..., Any]) -> None:
    lines = [{"type": "summary", "summary": "s"}] * 20 + [RECORD]
    assert one(put("log.jsonl", lines=lines)).trajectory.source.format == "claude-code"
