"""The written logs: complete, readable, and shaped like what the tools really write."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.examples import write

Read = Callable[[Path], list[Any]]
FORMATS = ("agentdebugx", "claude-code", "openai-chat", "who-and-when")


def runs(folder: Path, read: Read) -> dict[str, list[list[Any]]]:
    """The steps of every run, as the format counts them; a rerun belongs to the run it repeats."""
    sessions = [path for name in ("claude-code", "story") for path in folder.glob(f"{name}/**/*.jsonl")]
    return {
        "claude-code": [read(path) for path in sessions if path.parent.name != "subagents"],
        "openai-chat": [
            run if isinstance(run, list) else run["messages"]
            for path in folder.glob("openai-chat/*")
            for run in read(path)
        ],
        "who-and-when": [read(path)[0]["history"] for path in folder.glob("who-and-when/*")],
        "agentdebugx": [read(path)[0]["events"] for path in folder.glob("agentdebugx/**/trajectory.json")],
    }


def test_there_are_enough_runs_of_every_format(folder: Path, records: Read) -> None:
    counts = {name: len(found) for name, found in runs(folder, records).items()}
    assert set(counts) == set(FORMATS)
    assert min(counts.values()) >= 5
    assert sum(counts.values()) >= 24


@pytest.mark.parametrize("name", FORMATS)
def test_runs_are_neither_toys_nor_novels(folder: Path, records: Read, name: str) -> None:
    for steps in runs(folder, records)[name]:
        assert 6 <= len(steps) <= 50


def test_the_logs_stay_small(folder: Path) -> None:
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) < 400_000


def test_write_names_its_files_and_is_repeatable(tmp_path: Path, folder: Path) -> None:
    paths = write(tmp_path)
    assert paths == sorted(path for path in tmp_path.rglob("*") if path.is_file())
    assert write(tmp_path) == paths
    for path in paths:
        assert path.read_bytes() == (folder / path.relative_to(tmp_path)).read_bytes()


def test_claude_code_records_are_linked(folder: Path, records: Read) -> None:
    for path in [*folder.glob("claude-code/**/*.jsonl"), *folder.glob("story/*.jsonl")]:
        linked = [record for record in records(path) if "uuid" in record]
        known = {record["uuid"] for record in linked}
        assert len(known) == len(linked)
        for record in linked:
            assert {"sessionId", "version", "cwd", "timestamp", "isSidechain"} <= set(record)
            assert (record["parentUuid"] or record.get("logicalParentUuid", record["uuid"])) in known
        assert [record["timestamp"] for record in linked] == sorted(record["timestamp"] for record in linked)


def test_claude_code_results_answer_a_call(folder: Path, records: Read) -> None:
    for path in [*folder.glob("claude-code/**/*.jsonl"), *folder.glob("story/*.jsonl")]:
        blocks = [
            block
            for record in records(path)
            if "message" in record and isinstance(record["message"]["content"], list)
            for block in record["message"]["content"]
        ]
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        assert sorted(calls) == sorted(results)
        assert len(set(calls)) == len(calls)


def test_subagent_files_are_named_by_their_session(folder: Path, records: Read) -> None:
    files = list(folder.glob("claude-code/*/*/subagents/agent-*.jsonl"))
    assert len(files) >= 2
    for path in files:
        session = path.parents[1]
        results = [r.get("toolUseResult") for r in records(session.with_suffix(".jsonl"))]
        named = {result["agentId"] for result in results if isinstance(result, dict) and "agentId" in result}
        assert {record["agentId"] for record in records(path)} == {path.stem.removeprefix("agent-")} <= named
        assert {record["sessionId"] for record in records(path)} == {session.name}


@pytest.mark.parametrize(
    "sign",
    [
        pytest.param({"isSidechain": True}, id="inline-sidechain"),
        pytest.param({"subtype": "compact_boundary"}, id="compaction"),
        pytest.param({"isCompactSummary": True}, id="summary-of-a-compaction"),
        pytest.param({"subtype": "api_error"}, id="service-fault"),
        pytest.param({"type": "file-history-snapshot"}, id="bookkeeping"),
    ],
)
def test_claude_code_sessions_show(folder: Path, records: Read, sign: dict[str, Any]) -> None:
    sessions = folder.glob("claude-code/*/*.jsonl")
    assert any(sign.items() <= record.items() for path in sessions for record in records(path))


def test_chat_calls_are_answered_in_order(folder: Path, records: Read) -> None:
    for messages in runs(folder, records)["openai-chat"]:
        open_calls: list[str] = []
        for message in messages:
            if message["role"] == "tool":
                assert message["tool_call_id"] == open_calls.pop(0)
            else:
                assert not open_calls
            for call in message.get("tool_calls", []):
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
                open_calls.append(call["id"])


def test_chat_comes_in_all_three_shapes(folder: Path, records: Read) -> None:
    files = {path: records(path) for path in folder.glob("openai-chat/*")}
    assert any(isinstance(found[0], list) for found in files.values())
    assert any(isinstance(found[0], dict) and "tools" in found[0] for found in files.values())
    assert any(len(found) > 1 for found in files.values())
    messages = [message for steps in runs(folder, records)["openai-chat"] for message in steps]
    assert any(len(message.get("tool_calls", [])) > 1 for message in messages)


def test_labels_name_an_agent_that_acts_there(folder: Path, records: Read) -> None:
    shapes = set()
    for path in folder.glob("who-and-when/*.json"):
        log = records(path)[0]
        assert isinstance(log["mistake_step"], str)
        step = log["history"][int(log["mistake_step"])]
        shapes.add("name" in step)
        actor = step.get("name") or step["role"].split(" (")[0]
        assert actor == log["mistake_agent"]
        assert log["mistake_reason"] and log["ground_truth"] not in {step["content"], ""}
    assert shapes == {True, False}
