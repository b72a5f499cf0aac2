"""Formats of benchmarks, frameworks and trace stores: outcomes, pairing, hidden knowledge, damage."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers import walk

One = Callable[..., Bundle]
Put = Callable[..., Path]
Read = Callable[..., Any]

SAID = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]


def tau(**changes: Any) -> list[dict[str, Any]]:
    return [{"task_id": 3, "trial": 0, "reward": 1.0, "info": {"task": {"instruction": "i"}}, "traj": SAID, **changes}]


def tau2(**changes: Any) -> dict[str, Any]:
    run = {
        "id": "s",
        "task_id": "1",
        "termination_reason": "user_stop",
        "reward_info": {"reward": 1.0},
        "messages": SAID,
    }
    return {"tasks": [], "simulations": [run | changes]}


def row2(score: Any, verdict: Any, **meta: Any) -> dict[str, Any]:
    return {"messages": SAID, "eval_result": {"score": score}, "meta": {"id": "1", "is_correct": verdict, **meta}}


def inspect(**changes: Any) -> dict[str, Any]:
    sample = {"id": 1, "epoch": 1, "input": "q", "target": "t", "messages": SAID, "scores": {"s": {"value": "C"}}}
    return {"version": 2, "status": "success", "eval": {"task": "t"}, "samples": [sample | changes]}


def openhands(**changes: Any) -> dict[str, Any]:
    event = {"source": "user", "action": "message", "args": {"content": "q"}}
    return {"instance_id": "i", "instruction": "q", "history": [event], **changes}


OUTCOMES: list[tuple[str, Any, str, str]] = [
    ("tau passed", tau(), "passed", "unknown"),
    ("tau failed", tau(reward=0.0), "failed", "unknown"),
    ("tau partial", tau(reward=0.5), "failed", "unknown"),
    ("tau null", tau(reward=None), "ungradable", "grader"),
    ("tau words", tau(reward="good"), "unknown", "unknown"),
    ("tau exception", tau(reward=0.0, info={"error": "boom", "traceback": "t"}), "ungradable", "infrastructure"),
    ("tau2 passed", tau2(), "passed", "unknown"),
    ("tau2 null", tau2(reward_info=None), "ungradable", "grader"),
    ("tau2 infrastructure", tau2(termination_reason="infrastructure_error"), "ungradable", "infrastructure"),
    ("tau2 timeout", tau2(termination_reason="timeout", reward_info={"reward": 0.0}), "ungradable", "infrastructure"),
    ("tau2 too many steps", tau2(termination_reason="max_steps", reward_info={"reward": 0.0}), "failed", "unknown"),
    ("row passed", row2(1.0, True), "passed", "unknown"),
    ("row in doubt", row2(1.0, False), "unknown", "unknown"),
    ("inspect correct", inspect(), "passed", "unknown"),
    ("inspect incorrect", inspect(scores={"s": {"value": "I"}}), "failed", "unknown"),
    ("inspect partial", inspect(scores={"s": {"value": "P"}}), "failed", "unknown"),
    ("inspect half", inspect(scores={"s": {"value": 0.5}}), "failed", "unknown"),
    ("inspect several", inspect(scores={"s": {"value": {"a": 1}}}), "unknown", "unknown"),
    ("inspect null", inspect(scores={"s": {"value": None}}), "ungradable", "grader"),
    ("inspect unscored", inspect(scores=None), "unknown", "unknown"),
    ("inspect error", inspect(error={"message": "sandbox"}), "ungradable", "infrastructure"),
    ("inspect limit", inspect(limit={"type": "time", "limit": 5}), "ungradable", "infrastructure"),
    ("openhands success", openhands(success=True), "passed", "unknown"),
    ("openhands tests", openhands(success=True, test_result={"report": {"resolved": False}}), "failed", "unknown"),
    ("openhands timeout", openhands(error="Agent runtime timed out"), "ungradable", "infrastructure"),
    ("openhands loop", openhands(error="AgentStuckInLoopError"), "unknown", "unknown"),
    ("openhands patch alone", openhands(test_result={"git_patch": "diff"}), "unknown", "unknown"),
]


@pytest.mark.parametrize(("value", "status", "fault"), [row[1:] for row in OUTCOMES], ids=[row[0] for row in OUTCOMES])
def test_outcome(value: Any, status: str, fault: str, put: Put, one: One) -> None:
    outcome = one(put("x.json", value)).trajectory.outcome
    assert (outcome.status, outcome.fault) == (status, fault)
    assert outcome.reason or status in ("passed", "failed", "unknown")


def test_unusual_end_is_told_without_its_words(put: Put, one: One) -> None:
    warnings = one(put("x.json", tau2(termination_reason="max_steps"))).trajectory.source.warnings
    assert warnings == ("ended by max_steps: look before it counts as an agent's error.",)
    other = one(put("y.json", tau2(termination_reason="the key is 4711"))).trajectory.source.warnings
    assert "4711" not in str(other)


def test_scorers_that_disagree_are_told(put: Put, one: One) -> None:
    trajectory = one(put("x.json", inspect(scores={"a": {"value": "C"}, "b": {"value": "I"}}))).trajectory
    assert (trajectory.outcome.status, trajectory.outcome.verifier) == ("passed", "a")
    assert trajectory.source.warnings == ("scorers disagree; a was used.",)


def test_tasks_of_two_domains_are_two(put: Put, one: One) -> None:
    first, second = (one(put(f"{n}.json", tau(info={"task": {"instruction": n}}))).trajectory.task for n in ("a", "b"))
    assert first.id != second.id
    assert first.aliases == second.aliases == ("3",)


def test_voice_run_is_refused(put: Put, read: Read) -> None:
    _, refused = read(put("x.json", tau2(messages=None, ticks=[{}])))
    assert "voice" in refused[0].reason


TRAJ = {"trajectory_format": "mini-swe-agent-1", "info": {"exit_status": "Submitted"}, "messages": SAID}


@pytest.mark.parametrize(
    ("report", "status", "fault"),
    [({"resolved": True}, "passed", "unknown"), ({"resolved": False}, "failed", "unknown"),
     ({"resolved": None}, "ungradable", "grader"), ({"resolved": False, "test_timeout": True}, "ungradable", "infrastructure"),
     ({"run": {"resolved": True}}, "passed", "unknown"), ({"patch_exists": True}, "unknown", "unknown"),
     ([1], "unknown", "unknown")],
    ids=["resolved", "not resolved", "null", "timeout", "by instance", "no verdict", "no report"],
)  # fmt: skip
@pytest.mark.parametrize("name", ["run.traj.json", "run.traj"])
def test_report_beside_a_run(name: str, report: Any, status: str, fault: str, put: Put, one: One) -> None:
    put("report.json", report)
    value = (
        TRAJ
        if name.endswith("json")
        else {"trajectory": [{"action": "ls", "observation": "a"}], "history": [], "info": {}}
    )
    outcome = one(put(name, value)).trajectory.outcome
    assert (outcome.status, outcome.fault) == (status, fault)


def test_report_is_part_of_its_run_only(put: Put, tmp_path: Path) -> None:
    put("a/report.json", {"resolved": True})
    put("b/report.json", {"resolved": True})
    put("a/run.traj.json", TRAJ)
    assert [str(path.relative_to(tmp_path)) for path in walk([tmp_path])] == ["a/run.traj.json", "b/report.json"]


def test_damaged_line_of_a_team_refuses_itself(put: Put, read: Read) -> None:
    said = {"source": "user", "type": "TextMessage", "content": "q"}
    bundles, refused = read(put("x.jsonl", lines=[said, '{"source":', {**said, "source": "a"}]))
    assert [len(bundle.trajectory.steps) for bundle in bundles] == [2]
    assert [item.record for item in refused] == [1]


TRIAL = {"schema_version": "ATIF-v1.7", "agent": {"name": "a", "version": "1"},
         "steps": [{"step_id": 1, "source": "user", "message": "q"}]}  # fmt: skip


@pytest.mark.parametrize(
    ("result", "status", "fault"),
    [({"verifier_result": {"rewards": {"reward": 1}}, "exception_info": None}, "passed", "unknown"),
     ({"verifier_result": {"rewards": {"reward": 0.0}}}, "failed", "unknown"),
     ({"verifier_result": {"rewards": {}}}, "ungradable", "grader"),
     ({"verifier_result": None, "exception_info": {"exception_type": "AgentTimeoutError"}}, "ungradable", "infrastructure"),
     ({"verifier_result": {"rewards": {"reward": 1}}, "reward_valid": False}, "ungradable", "infrastructure"),
     ({"something": "else"}, "unknown", "unknown")],
    ids=["passed", "failed", "no reward", "exception", "void", "no result"],
)  # fmt: skip
def test_result_of_a_harbor_trial(result: Any, status: str, fault: str, put: Put, one: One, tmp_path: Path) -> None:
    put("trial/result.json", result)
    path = put("trial/agent/trajectory.json", TRIAL)
    outcome = one(path).trajectory.outcome
    assert (outcome.status, outcome.fault) == (status, fault)
    alone = {tmp_path / "trial/result.json"} if status == "unknown" else set()
    assert set(walk([tmp_path])) == {path} | alone


def test_submitted_is_no_verdict_and_limits_of_the_machine_are_no_error(put: Put, one: One) -> None:
    assert one(put("a.json", TRAJ)).trajectory.outcome.status == "unknown"
    lost = {**TRAJ, "info": {"exit_status": "container_error"}}
    assert one(put("b.json", lost)).trajectory.outcome.fault == "infrastructure"


def test_version_two_of_mini_swe_agent(put: Put, one: One) -> None:
    call = {"id": "c", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    messages = [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "look", "tool_calls": [call], "extra": {"actions": [{"command": "ls"}]}},
        {"role": "tool", "tool_call_id": "c", "content": "a"},
        {"role": "exit", "content": "done", "extra": {"exit_status": "Submitted", "submission": "diff"}},
    ]
    trajectory = one(
        put("x.json", {**TRAJ, "trajectory_format": "mini-swe-agent-1.1", "messages": messages})
    ).trajectory
    assert [step.kind for step in trajectory.steps] == ["message", "message", "llm.response", "tool.call", "tool.result",
                                                        "run.end"]  # fmt: skip
    assert (trajectory.source.version, trajectory.source.warnings) == ("1.1", ())


@pytest.mark.parametrize("blocks", [0, 2])
def test_what_is_not_one_block_is_no_call(blocks: int, put: Put, one: One) -> None:
    text = "t" + "\n```bash\nls\n```" * blocks
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": text},
        {"role": "user", "content": "no"},
    ]
    steps = one(put("x.json", {**TRAJ, "messages": messages})).trajectory.steps
    assert [step.kind for step in steps] == ["message", "llm.response", "observation"]
    assert steps[1].output == text


def test_openhands_pairs_by_cause_only(put: Put, one: One) -> None:
    events = [
        {"id": 4, "source": "agent", "action": "run", "args": {"command": "ls", "thought": ""}},
        {"id": 5, "source": "agent", "action": "run", "args": {"command": "pwd", "thought": ""}},
        {"id": 6, "source": "agent", "observation": "run", "cause": 5, "content": "/"},
        {"id": 7, "source": "agent", "observation": "run", "cause": 4, "content": "a"},
        {"id": 9, "source": "agent", "observation": "run", "cause": 8, "content": "?"},
    ]
    trajectory = one(put("x.json", events)).trajectory
    assert [step.call_id for step in trajectory.steps] == ["event-4", "event-5", "event-5", "event-4", "event-8"]
    assert trajectory.source.warnings == ("1 tool result without a call of the same id, kept.",)


def test_openhands_sdk_events(put: Put, one: One) -> None:
    events = [
        {"kind": "SystemPromptEvent", "source": "agent", "system_prompt": {"text": "s"}, "tools": []},
        {"kind": "MessageEvent", "source": "user", "llm_message": {"role": "user", "content": [{"type": "text", "text": "q"}]}},
        {"kind": "ActionEvent", "source": "agent", "thought": [{"type": "text", "text": "t"}], "tool_name": "bash",
         "tool_call_id": "c", "action": {"kind": "Run", "command": "ls"}},
        {"kind": "ObservationEvent", "source": "environment", "tool_name": "bash", "tool_call_id": "c",
         "observation": {"content": [{"type": "text", "text": "no"}], "is_error": True}},
        {"kind": "ConversationErrorEvent", "source": "environment", "detail": "lost"},
        {"kind": "PauseEvent", "source": "user"},
    ]  # fmt: skip
    trajectory = one(put("x.jsonl", lines=events)).trajectory
    kinds = ["message", "message", "llm.response", "tool.call", "tool.result", "error"]
    assert [step.kind for step in trajectory.steps] == kinds
    assert (trajectory.steps[3].input, trajectory.steps[4].error) == ({"command": "ls"}, "no")
    assert trajectory.source.unmapped == {"event.PauseEvent": 1}


def test_multi_agent_forks_of_swe_agent_keep_their_names(put: Put, one: One) -> None:
    turns = [{"role": "assistant", "content": "x", "agent": name} for name in ("Manager", "Debugger")]
    steps = [{"thought": "t", "action": "a", "observation": "o"}] * 2
    trajectory = one(put("x.traj", {"trajectory": steps, "history": turns, "info": {}})).trajectory
    assert trajectory.agents == ("Manager", "environment", "Debugger")


def span(name: str, parent: str | None, **changes: Any) -> dict[str, Any]:
    return {"id": name, "traceId": "t", "type": "GENERATION", "parentObservationId": parent, "startTime": f"2026-01-04T08:00:0{name}Z",
            "input": '[{"role": "user", "content": "q"}]', "output": '"a"', "level": "DEFAULT", **changes}  # fmt: skip


def test_cycles_among_parents_are_cut(put: Put, one: One) -> None:
    value = {"trace": {"id": "t"}, "observations": [span("1", "2"), span("2", "1"), span("3", "3")]}
    assert len(one(put("x.json", value)).trajectory.steps) >= 2


def test_error_of_an_observation(put: Put, one: One) -> None:
    value = {"trace": {"id": "t"}, "observations": [span("1", None, output=None, level="ERROR", statusMessage="429")]}
    assert one(put("x.json", value)).trajectory.steps[-1].error == "429"


def test_patch_completes_its_post(put: Put, one: One) -> None:
    post = {"id": "r", "trace_id": "r", "dotted_order": "1Zr", "run_type": "llm", "name": "x", "start_time": 1767513600000,
            "inputs": {"messages": [[{"type": "human", "data": {"content": "q"}}]]}}  # fmt: skip
    patch = {"dotted_order": "1Zr", "trace_id": "r", "end_time": 1767513601500, "error": "429",
             "outputs": {"generations": [[{"text": "a"}]]}}  # fmt: skip
    first, second = one(put("x.json", {"post": [post], "patch": [patch]})).trajectory.steps
    assert (first.input, second.output, second.error, second.duration_ms) == ("q", "a", "429", 1500.0)
    assert second.at == "2026-01-04T08:00:00.000000000Z"


def archive(path: Path, members: dict[str, Any], method: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", method) as file:
        for name, value in members.items():
            file.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


HEADER = {"version": 2, "status": "success", "eval": {"task": "t"}}
SAMPLE = inspect()["samples"][0]


def test_archive_reads_its_samples_and_refuses_the_damaged(tmp_path: Path, read: Read) -> None:
    members = {"header.json": HEADER, "samples/1_epoch_1.json": SAMPLE, "samples/2_epoch_1.json": b'{"id":',
               "samples/../../3.json": SAMPLE, "summaries.json": []}  # fmt: skip
    bundles, refused = read(archive(tmp_path / "x.eval", members))
    assert [bundle.trajectory.outcome.status for bundle in bundles] == ["passed", "passed"]
    assert [item.reason for item in refused] == ["sample 2: truncated at byte 6."]
    assert sorted(path.name for path in tmp_path.parent.iterdir() if path.name == "3.json") == []


def test_archive_that_expands_too_far_refuses_that_sample(tmp_path: Path, read: Read) -> None:
    bomb = b'{"id": "' + b" " * (1 << 27) + b'"}'
    bundles, refused = read(
        archive(tmp_path / "x.eval", {"header.json": HEADER, "samples/1.json": SAMPLE, "samples/2.json": bomb})
    )
    assert len(bundles) == 1
    assert "more than is read" in refused[0].reason


@pytest.mark.parametrize(
    ("members", "reason"),
    [({"header.json": HEADER}, "without samples"), ({"other.txt": b"x"}, "not a known format")],
    ids=["empty evaluation", "some other archive"],
)
def test_archive_without_runs(members: dict[str, Any], reason: str, tmp_path: Path, read: Read) -> None:
    bundles, refused = read(archive(tmp_path / "x.eval", members))
    assert bundles == []
    assert reason in refused[0].reason


def test_truncated_archive_is_refused(tmp_path: Path, read: Read) -> None:
    path = archive(tmp_path / "x.eval", {"header.json": HEADER, "samples/1.json": SAMPLE})
    path.write_bytes(path.read_bytes()[:-40])
    assert "not a known format" in read(path)[1][0].reason


def test_archive_packed_with_zstd(tmp_path: Path, one: One) -> None:
    """Python 3.11 writes no zstd archives: store the packed bytes, then name the method in both headers."""
    packed = {name: bytes(pa.compress(json.dumps(value).encode(), "zstd"))
              for name, value in {"header.json": HEADER, "samples/1.json": SAMPLE}.items()}  # fmt: skip
    path = archive(tmp_path / "x.eval", packed, zipfile.ZIP_STORED)
    data = bytearray(path.read_bytes())
    sizes = {"header.json": len(json.dumps(HEADER)), "samples/1.json": len(json.dumps(SAMPLE))}
    for mark, method, size, name_at in ((b"PK\x03\x04", 8, 22, 30), (b"PK\x01\x02", 10, 24, 46)):
        at = data.find(mark)
        while at >= 0:
            name = next(name for name in sizes if data[at + name_at :].startswith(name.encode()))
            struct.pack_into("<H", data, at + method, 93)
            struct.pack_into("<I", data, at + size, sizes[name])
            at = data.find(mark, at + 4)
    path.write_bytes(data)
    assert one(path).trajectory.outcome.status == "passed"


def test_names_of_what_is_lost_hold_no_text(put: Put, one: One) -> None:
    value = {"messages": SAID, "a field": 1, "please keep the key <4711> to yourself": 2, "x" * 90: 3}
    assert one(put("x.json", value)).trajectory.source.unmapped == {"a field": 1, "unusual name": 2}
