"""Real logs: every file is read with the counts that an independent script finds, or refused for the right reason.

`count_logs.py` uses the standard library only and runs in a process that cannot see our packages.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers import Imported, Refused, read_log, walk

REFUSED: list[tuple[str, str]] = [
    ("agentpile/corpora/**/*.parquet", "a Parquet table"),
    ("agentpile/corpora/adp/**/*.jsonl", "it looks like adp"),
    ("agentpile/corpora/agent_reward_bench/**/*.json", "not a known format."),
    ("agentpile/corpora/agentdojo/**/*.json", "it looks like agentdojo"),
    ("agentpile/corpora/catchbench_pre/**/*.json", "not a known format."),
    ("agentpile/corpora/mast/*.json", "it looks like mast"),
    ("agentpile/corpora/swe_rebench_openhands/tools.json", "not a known format."),
    ("agentpile/corpora/trace_commons/sessions/cursor/*.jsonl", "not a known format."),
    ("agentpile/fixtures/*.json", "not a known format."),
    ("agentpile/fixtures/grade/*", "not a known format."),
    ("agentpile/fixtures/otlp/versions.json", "not a known format."),
    ("agentpile/fixtures/tools/*.json", "not a known format."),
    ("agentrx/*/ground_truth.json", "not a log but AgentRx labels. Give them with --labels."),
    ("aworld/labels.json", "not a known format."),
    ("aworld/cases.jsonl", "not a known format."),
    ("aworld/*.log", "a Python literal"),
    ("bioagent/coder_issue*", "a Python literal"),
    ("fireact/*.json", "it looks like fireact"),
    ("langsmith/anthropic_*.jsonl", "not a known format."),
    ("openhands/swe_bench/*.json", "not a known format."),
    ("openinference/*/*.json", "not a known format."),
    ("reflexion/*/*.json*", "not a known format."),
    ("reflexion/hotpotqa/*.txt", "not JSON at byte"),
    ("toolbench/*.json", "it looks like toolbench"),
    ("who-and-when/files.json", "not a known format."),
]  # fmt: skip
"""Files that are no logs, or logs of formats that are not read: what their refusal says."""


@pytest.fixture(scope="session")
def counts(shared_data: Path) -> dict[str, list[dict[str, Any]]]:
    """Run the counting script apart from us, without our packages on its path."""
    script = Path(__file__).with_name("count_logs.py")
    done = subprocess.run([sys.executable, "-I", "-S", str(script), str(shared_data)], capture_output=True, check=True)
    found: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return found


FOLDERS = sorted({
    "agent-prism", "agentpile", "agentrx", "agtrace", "autogen", "aworld", "bioagent", "claude-code-log",
    "claude-code-transcripts", "claude-code-viewer", "docent", "fireact", "inspect", "langsmith", "mini-swe-agent",
    "openhands", "openinference", "pi", "reflexion", "swe-agent", "tau-bench", "toolbench", "who-and-when",
})  # fmt: skip


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_file_is_read_with_the_right_counts_or_refused_for_the_right_reason(
    folder: str, shared_data: Path, counts: dict[str, list[dict[str, Any]]]
) -> None:
    refused = {path: reason for pattern, reason in REFUSED for path in shared_data.glob(pattern)}
    logs = list(walk([shared_data / folder]))
    assert logs
    for path in logs:
        name = str(path.relative_to(shared_data))
        found = list(read_log(path))
        runs = [_count(item.bundle) for item in found if isinstance(item, Imported)]
        wanted = counts.get(name)
        if wanted is None:
            assert runs == [], f"{name} is in neither table"
            assert [refused[path] in item.reason for item in found if isinstance(item, Refused)] == [True], name
        else:
            assert runs == wanted, name
    read = {str(path.relative_to(shared_data)) for path in logs}
    missed = {name for name in counts if name.startswith(f"{folder}/")} - read
    assert missed == set()


def _count(bundle: Bundle) -> dict[str, Any]:
    trajectory = bundle.trajectory
    kinds = Counter(step.kind for step in trajectory.steps)
    return {"steps": len(trajectory.steps), "calls": kinds["tool.call"], "results": kinds["tool.result"],
            "agents": sorted(trajectory.agents), "outcome": trajectory.outcome.status}  # fmt: skip


def test_damaged_lines_are_told(shared_data: Path) -> None:
    reasons = [item.reason for item in read_log(shared_data / "claude-code-log/edge_cases.jsonl")
               if isinstance(item, Refused)]  # fmt: skip
    assert reasons == ["lines 13, 15, 16: no record (not an object); the rest was read."]


def test_every_folder_is_listed(shared_data: Path) -> None:
    assert {path.name for path in shared_data.iterdir() if path.is_dir()} == set(FOLDERS)


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
