"""Anthropic messages, Responses items, Codex, Pi, STS and ATIF: steps, calls, results, actors and injected context."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle

One = Callable[..., Bundle]
Put = Callable[..., Path]


def rows(bundle: Bundle) -> list[tuple[str, str]]:
    return [(step.agent, step.kind) for step in bundle.trajectory.steps]


TEXT = {"type": "text", "text": "On it"}
USE = {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "x"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "none"}], "is_error": True}
SPOKEN = [("system", "message"), ("user", "message"), ("assistant", "llm.response"), ("assistant", "tool.call"),
          ("tool", "tool.result"), ("user", "message")]  # fmt: skip


def test_anthropic_messages(put: Put, one: One) -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
    messages = [
        {"role": "user", "content": "Find x"},
        {"role": "assistant", "content": [thought, TEXT, USE]},
        {"role": "user", "content": [RESULT, {"type": "text", "text": "And y?"}]},
    ]
    bundle = one(
        put("x.json", {"system": "Be brief", "messages": messages, "model": "c", "tools": [{"name": "search"}]})
    )
    assert rows(bundle) == SPOKEN
    steps = bundle.trajectory.steps
    assert steps[2].output == {"text": "On it", "reasoning": "Hm."}
    assert (steps[4].tool, steps[4].error, steps[5].input) == ("search", "none", "And y?")
    assert bundle.trajectory.task.goal == "Find x"
    assert bundle.trajectory.run.metadata == {"inputs": {"tools": [{"name": "search"}]}}
    assert bundle.trajectory.source.unmapped == {"signature": 1}


def message(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


ITEMS = [
    message("user", "Find x"),
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAA"},
    message("assistant", "On it"),
    {"type": "function_call", "call_id": "c1", "id": "fc_1", "name": "search", "arguments": '{"q": "x"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "none"},
]


@pytest.mark.parametrize("shape", ["list", "lines", "response"])
def test_responses_items(shape: str, put: Put, one: One) -> None:
    if shape == "lines":
        path = put("x.jsonl", lines=ITEMS)
    else:
        response = {"id": "resp_1", "model": "g", "input": "Find x", "output": ITEMS[1:], "instructions": "Be brief"}
        path = put("x.json", ITEMS if shape == "list" else response)
    bundle = one(path)
    assert rows(bundle) == (SPOKEN[:5] if shape == "response" else SPOKEN[1:5])
    said, call, result = bundle.trajectory.steps[-3:]
    assert said.output == {"text": "On it", "reasoning": "Hm."}
    assert (call.input, call.call_id, result.call_id, result.output) == ({"q": "x"}, "c1", "c1", "none")
    assert bundle.trajectory.source.unmapped == {"encrypted_content": 1}
    assert bundle.trajectory.task.goal == "Find x"


def test_responses_that_go_on_elsewhere_are_told(put: Put, one: One) -> None:
    bundle = one(put("x.json", {"output": ITEMS[2:], "previous_response_id": "resp_0"}))
    assert "incomplete" in bundle.trajectory.source.warnings[0]


def record(kind: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


def test_codex_takes_items_and_drops_their_copies(put: Put, one: One) -> None:
    wrapped = {**ITEMS[4], "output": json.dumps({"output": "none", "metadata": {"exit_code": 1}})}
    lines = [
        record("session_meta", {"id": "s", "cwd": "/r", "cli_version": "0.77.0", "instructions": "Be brief"}),
        record("response_item", message("user", "<environment_context>\n</environment_context>")),
        record("response_item", ITEMS[0]),
        record("event_msg", {"type": "user_message", "message": "Find x"}),
        record("turn_context", {"model": "g-codex"}),
        record("event_msg", {"type": "token_count"}),
        *[record("response_item", item) for item in (*ITEMS[1:4], wrapped)],
        record("event_msg", {"type": "agent_message", "message": "On it"}),
    ]
    bundle = one(put("rollout.jsonl", lines=lines))
    assert rows(bundle) == [("system", "message"), ("system", "message"), *SPOKEN[1:5]]
    assert bundle.trajectory.steps[-1].output == {"output": "none", "metadata": {"exit_code": 1}}
    assert (bundle.trajectory.run.policy, bundle.trajectory.source.version) == ("g-codex", "0.77.0")
    assert bundle.trajectory.source.unmapped == {
        "copy in an event": 2,
        "encrypted_content": 1,
        "event_msg.token_count": 1,
    }
    assert bundle.trajectory.task.goal == "Find x"


def test_codex_file_of_events_alone_is_the_run(put: Put, one: One) -> None:
    meta = record("session_meta", {"id": "s", "source": {"subagent": "review"}})
    events = [
        ("user_message", "message", "Review"),
        ("agent_reasoning", "text", "Hm."),
        ("agent_message", "message", "Fine"),
    ]
    lines = [meta, *[record("event_msg", {"type": kind, key: text}) for kind, key, text in events]]
    bundle = one(put("rollout.jsonl", lines=lines))
    assert rows(bundle) == [("user", "message"), ("assistant", "llm.response")]
    assert bundle.trajectory.steps[1].output == {"text": "Fine", "reasoning": "Hm."}
    assert bundle.trajectory.run.metadata["source"] == {"subagent": "review"}


def entry(number: int, parent: int | None, message: dict[str, Any]) -> dict[str, Any]:
    above = None if parent is None else f"e{parent}"
    return {
        "type": "message",
        "id": f"e{number}",
        "parentId": above,
        "timestamp": "2026-01-01T00:00:00Z",
        "message": message,
    }


def test_pi_reads_the_path_to_the_last_entry(put: Put, one: One) -> None:
    call = {"type": "toolCall", "id": "t1", "name": "bash", "arguments": {"command": "ls"}}
    lines = [
        {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-01T00:00:00Z", "cwd": "/r"},
        entry(1, None, {"role": "user", "content": "Find x"}),
        entry(2, 1, {"role": "user", "content": "left"}),
        entry(3, 1, {"role": "assistant", "content": [TEXT, call], "model": "c", "stopReason": "toolUse"}),
        entry(4, 3, {"role": "toolResult", "toolCallId": "t1", "toolName": "bash", "content": [TEXT], "isError": True}),
        {"type": "compaction", "id": "e5", "parentId": "e4", "summary": "So far", "firstKeptEntryId": "e3"},
        entry(
            6, 5, {"role": "assistant", "content": [], "model": "c", "stopReason": "aborted", "errorMessage": "Aborted"}
        ),
        entry(7, 6, {"role": "bashExecution", "command": "make", "output": "ok", "exitCode": 0}),
    ]
    bundle = one(put("x.jsonl", lines=lines))
    assert rows(bundle) == [*SPOKEN[1:5], ("system", "message"), ("assistant", "llm.response"), ("user", "observation")]
    steps = bundle.trajectory.steps
    assert (steps[3].error, steps[4].metadata["copied_context"], steps[5].error) == ("On it", True, "Aborted")
    assert bundle.trajectory.source.unmapped == {"side branch record": 1}
    assert (bundle.trajectory.source.version, bundle.trajectory.run.policy) == ("3", "c")


def test_sts(put: Put, one: One) -> None:
    call = {"id": "c1", "function": {"name": "search", "arguments": '{"q": "x"}'}}
    said = {"role": "assistant", "content": "On it", "reasoningContent": "Hm.", "toolCalls": [call], "model": "g"}
    messages = [
        {"role": "system", "content": "Be brief"}, {"role": "user", "content": "Find x", "timestamp": 1767225600000},
        said, {"role": "tool", "toolCallId": "c1", "content": "none"},
    ]  # fmt: skip
    lines = [
        {"type": "session", "harness": "h", "id": "s"},
        *[{"type": "message", "message": each} for each in messages],
    ]
    bundle = one(put("x.jsonl", lines=lines))
    assert rows(bundle) == SPOKEN[:5]
    assert bundle.trajectory.steps[1].at == "2026-01-01T00:00:00.000Z"
    assert bundle.trajectory.steps[2].output == {"text": "On it", "reasoning": "Hm."}
    assert (bundle.trajectory.run.harness, bundle.trajectory.run.policy) == ("h", "g")


def atif(**changes: Any) -> dict[str, Any]:
    call = {"tool_call_id": "c1", "function_name": "search", "arguments": {"q": "x"}}
    result = {"source_call_id": "c1", "content": "none", "subagent_trajectory_ref": [{"trajectory_id": "sub"}]}
    inner = {"schema_version": "ATIF-v1.7", "trajectory_id": "sub", "agent": {"name": "digger", "version": "1"},
             "steps": [{"step_id": 1, "source": "agent", "message": "Nothing"}]}  # fmt: skip
    return {
        "schema_version": "ATIF-v1.7", "session_id": "s", "subagent_trajectories": [inner],
        "agent": {"name": "planner", "version": "2", "model_name": "g", "tool_definitions": [{"name": "search"}]},
        "steps": [
            {"step_id": 1, "source": "system", "message": "Be brief"},
            {"step_id": 2, "source": "user", "message": "Find x"},
            {"step_id": 3, "source": "agent", "message": "On it", "tool_calls": [call], "reasoning_content": "Hm.",
             "observation": {"results": [result, {"source_call_id": None, "content": "Wind rises"}]}},
            {"step_id": 4, "source": "agent", "message": "", "extra": {"ns": {"actor": "writer"}}, "is_copied_context": True},
        ], **changes,
    }  # fmt: skip


def test_atif(put: Put, one: One) -> None:
    bundle = one(put("x.json", atif()))
    assert rows(bundle) == [
        ("system", "message"), ("user", "message"), ("planner", "llm.response"), ("planner", "tool.call"),
        ("digger", "llm.response"), ("tool", "tool.result"), ("environment", "observation"), ("writer", "llm.response"),
    ]  # fmt: skip
    steps = bundle.trajectory.steps
    assert [step.source_ref for step in steps] == ["1", "2", "3", "3.0", "sub/1", "3.r0", "3.r1", "4"]
    assert (steps[4].parent, steps[7].metadata) == ("3.0", {"copied_context": True})
    assert (bundle.trajectory.source.version, bundle.trajectory.source.step_base) == ("1.7", 1)
    assert bundle.trajectory.run.metadata["inputs"] == {"tools": [{"name": "search"}]}


def test_newer_atif_is_read_with_a_warning(put: Put, one: One) -> None:
    bundle = one(put("x.json", atif(schema_version="ATIF-v1.9", novelty=1, subagent_trajectories=[])))
    assert bundle.trajectory.source.unmapped == {"novelty": 1}
    assert len(bundle.trajectory.source.warnings) == 2


def test_counts_of_a_real_pi_session(shared_data: Path, one: One) -> None:
    path, wanted = shared_data / "pi/large-session.jsonl", Counter[str]()
    for text in path.read_text("utf-8").splitlines():
        message = json.loads(text).get("message") or {}
        content = message.get("content") if isinstance(message.get("content"), list) else []
        wanted["tool.call"] += sum(block.get("type") == "toolCall" for block in content)
        wanted["tool.result"] += message.get("role") == "toolResult"
        wanted["message"] += message.get("role") == "user"
    kinds = Counter(step.kind for step in one(path).trajectory.steps)
    assert {kind: kinds[kind] for kind in wanted} == dict(wanted)


def test_counts_of_real_codex_rollouts(shared_data: Path, one: One) -> None:
    for path in sorted((shared_data / "agtrace/codex").glob("*.jsonl")):
        items = [json.loads(text)["payload"].get("type", "") for text in path.read_text("utf-8").splitlines()]
        kinds = Counter(step.kind for step in one(path).trajectory.steps)
        assert kinds["tool.call"] == sum(name.endswith("_call") for name in items)
        assert kinds["tool.result"] == sum(name.endswith("_call_output") for name in items)


def test_codex_rollout_that_ends_in_an_error_is_ungradable(put: Callable[..., Path], one: Callable[..., Any]) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]}
    lines = [
        {"timestamp": "t", "type": "session_meta", "payload": {"id": "s"}},
        {"timestamp": "t", "type": "response_item", "payload": said},
        {"timestamp": "t", "type": "event_msg", "payload": {"type": "error", "message": "stream disconnected"}},
    ]
    trajectory = one(put("x.jsonl", lines=lines)).trajectory
    assert [step.kind for step in trajectory.steps] == ["message", "error"]
    assert trajectory.outcome.fault == "infrastructure"


def test_pi_session_that_ends_in_an_error_is_ungradable(put: Callable[..., Path], one: Callable[..., Any]) -> None:
    message = {"role": "assistant", "content": [], "stopReason": "error", "errorMessage": "529 overloaded"}
    lines = [{"type": "session", "id": "s", "cwd": "/"}, {"type": "message", "message": message}]
    assert one(put("x.jsonl", lines=lines)).trajectory.outcome.status == "ungradable"
