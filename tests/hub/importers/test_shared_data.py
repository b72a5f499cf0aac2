"""Real logs: every file imports or is refused for the right reason, with the counts an independent script finds.

The counting below uses the standard library only and nothing of ours.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers import Imported, read_log, walk

EXPECTED: dict[str, Counter[str]] = {
    "agent-prism": Counter({"langfuse": 1, "otlp": 2}),
    "agentpile/corpora": Counter({"adp": 14, "agentdojo": 3, "tau2-bench": 5, "Parquet": 10, "claude-code": 2,
                                  "who-and-when": 3, "not a known format.": 14}),
    "agentpile/fixtures": Counter({"claude-code": 11, "openai-chat": 1, "atif": 3, "otlp": 5,
                                   "not a known format.": 11}),
    "agentrx": Counter({"tau-bench": 2, "not a known format.": 24}),
    "agtrace": Counter({"claude-code": 2, "codex": 4, "gemini": 1}),
    "autogen": Counter({"autogen": 2}),
    "aworld": Counter({"Python literal": 1, "not a known format.": 2}),
    "bioagent": Counter({"openai-chat": 3, "Python literal": 1}),
    "claude-code-log": Counter({"claude-code": 4, "no record": 1}),
    "claude-code-transcripts": Counter({"claude-code": 1}),
    "claude-code-viewer": Counter({"claude-code": 3}),
    "docent": Counter({"tau-bench": 1}),
    "fireact": Counter({"not a known format.": 3}),
    "inspect": Counter({"inspect": 5, "zip": 4}),
    "langsmith": Counter({"langsmith": 8, "not a known format.": 3}),
    "mini-swe-agent": Counter({"mini-swe-agent": 40, "not a known format.": 40}),
    "openhands": Counter({"openhands": 4, "not a known format.": 1}),
    "openinference": Counter({"not a known format.": 10}),
    "pi": Counter({"pi": 1}),
    "reflexion": Counter({"not a known format.": 5, "not JSON": 1}),
    "swe-agent": Counter({"swe-agent": 17, "not a known format.": 1}),
    "tau-bench": Counter({"tau-bench": 1}),
    "toolbench": Counter({"not a known format.": 1}),
    "who-and-when": Counter({"who-and-when": 130, "not a known format.": 1}),
}  # fmt: skip


@pytest.mark.parametrize("folder", EXPECTED)
def test_folder_imports_or_is_refused_for_the_right_reason(folder: str, shared_data: Path) -> None:
    seen: Counter[str] = Counter()
    for path in walk([shared_data / folder]):
        for found in read_log(path):
            if isinstance(found, Imported):
                seen[found.bundle.trajectory.source.format] += 1
            else:
                seen[_reason(found.reason, EXPECTED[folder])] += 1
    assert seen == EXPECTED[folder]


def _reason(text: str, expected: Counter[str]) -> str:
    keys = sorted(expected, key=lambda key: key != "not a known format.")
    return next((key for key in keys if key in text), text)


def test_every_folder_is_listed(shared_data: Path) -> None:
    listed = {name.split("/")[0] for name in EXPECTED}
    assert {path.name for path in shared_data.iterdir() if path.is_dir()} == listed


SESSIONS = [
    "agentpile/corpora/trace_commons/sessions/claude_code", "agentpile/fixtures/claude_code", "agtrace/claude",
    "claude-code-log", "claude-code-transcripts", "claude-code-viewer/sample-project",
]  # fmt: skip


@pytest.mark.parametrize("folder", SESSIONS)
def test_calls_and_results_of_sessions(folder: str, shared_data: Path) -> None:
    for path in sorted((shared_data / folder).glob("*.jsonl")):
        bundle = next(found.bundle for found in read_log(path) if isinstance(found, Imported))
        wanted = _count(path)
        kinds = Counter(step.kind for step in bundle.trajectory.steps)
        assert (kinds["tool.call"], kinds["tool.result"]) == wanted, path.name


def _count(path: Path) -> tuple[int, int]:
    """Count calls and results of a session and of the subagents its results name."""
    calls = results = 0
    todo, done = [path], set()
    while todo:
        file = todo.pop()
        done.add(file)
        uuids = set()
        for text in file.read_text("utf-8").splitlines():
            record = json.loads(text)
            message = record.get("message") if isinstance(record, dict) else None
            content = message.get("content") if isinstance(message, dict) else None
            if not isinstance(content, list) or record.get("uuid") in uuids:
                continue
            uuids.add(record["uuid"])
            types = [block.get("type") for block in content if isinstance(block, dict)]
            calls += types.count("tool_use")
            results += types.count("tool_result")
            named = record.get("toolUseResult")
            for part in path.with_suffix("").rglob("agent-*.jsonl") if isinstance(named, dict) else ():
                if part.stem == f"agent-{named.get('agentId')}" or part.parent.name == named.get("runId"):
                    todo += [part] if part not in done else []
    return calls, results


FIXTURES = [
    ("api_error", 3, 0, {"user", "assistant", "system"}),
    ("attachment_beside_result", 3, 0, {"user", "assistant", "tool"}),
    ("compaction", 4, 0, {"user", "assistant", "system"}),
    ("duplicates", 4, 2, {"user", "assistant", "tool"}),
    ("early_result", 4, 0, {"user", "assistant", "tool"}),
    ("edit_branch", 3, 1, {"user", "assistant"}),
    ("images", 3, 0, {"user", "assistant", "tool"}),
    ("split_interleaved", 6, 0, {"user", "assistant", "tool"}),
    ("unknown", 2, 0, {"user", "assistant"}),
    ("unpaired", 4, 1, {"user", "assistant", "tool"}),
]


@pytest.mark.parametrize(("name", "steps", "warnings", "agents"), FIXTURES, ids=[row[0] for row in FIXTURES])
def test_session_edge_cases(
    name: str, steps: int, warnings: int, agents: set[str], shared_data: Path, one: Any
) -> None:
    trajectory = one(shared_data / "agentpile/fixtures/claude_code" / f"{name}.jsonl").trajectory
    assert (len(trajectory.steps), len(trajectory.source.warnings), set(trajectory.agents)) == (steps, warnings, agents)


def test_chat_counts(shared_data: Path, one: Callable[..., Bundle]) -> None:
    for path in sorted((shared_data / "bioagent").glob("[ekp]*.json")):
        messages = json.loads(path.read_text("utf-8"))
        steps = one(path).trajectory.steps
        assert len(steps) == len(messages)
        assert [step.agent for step in steps] == [message["name"] for message in messages]
        for step, message in zip(steps, messages, strict=True):
            if isinstance(message["content"], str):
                assert (step.output if step.output is not None else step.input) == message["content"]


def test_ids_do_not_depend_on_where_a_log_lies(shared_data: Path, tmp_path: Path, one: Callable[..., Bundle]) -> None:
    path = shared_data / "who-and-when/Hand-Crafted/20.json"
    if not path.is_file():
        path = next((shared_data / "who-and-when/Hand-Crafted").glob("*.json"))
    copy = tmp_path / "elsewhere.json"
    copy.write_bytes(path.read_bytes())
    assert one(copy).bundle_id == one(path).bundle_id
