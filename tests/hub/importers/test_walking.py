"""Walking: every log once and in order; links, bookkeeping and parts of other logs are none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.importers import read_log, walk

Put = Callable[..., Path]
CHAT = [{"role": "user", "content": "q"}]
TURN = {"type": "user", "uuid": "u", "sessionId": "s-1", "version": "2", "message": {"role": "user", "content": "q"}}
TRACE = {"trace_id": "t-1", "events": [{"event_type": "agent.step", "output": "x"}]}
REPORT = {"report_id": "r", "trace_id": "t-1", "findings": []}


def names(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in walk([folder])]


def test_folders_are_sorted_and_documents_skipped(put: Put, tmp_path: Path) -> None:
    for name in (
        "b/2.json",
        "b/10.json",
        "a.json",
        ".hidden.json",
        ".git/x.json",
        "README.md",
        "b/LICENSE",
        "notes.py",
    ):
        put(name, CHAT)
    put("empty.jsonl", b"")
    put("c.json.gz", b"\x1f\x8b")
    assert names(tmp_path) == ["a.json", "c.json.gz", "b/10.json", "b/2.json"]


def test_links_and_loops_are_not_followed(put: Put, tmp_path: Path) -> None:
    put("a/x.json", CHAT)
    (tmp_path / "a/loop").symlink_to(tmp_path)
    (tmp_path / "a/y.json").symlink_to(tmp_path / "a/x.json")
    assert names(tmp_path) == ["a/x.json"]


def test_named_paths_come_once(put: Put, tmp_path: Path) -> None:
    path = put("a/x.json", CHAT)
    link = tmp_path / "link.json"
    link.symlink_to(path)
    assert list(walk([path, path.parent, link, tmp_path / "a" / ".." / "a" / "x.json"])) == [path]


def test_bookkeeping_sessions_are_skipped_unless_named(put: Put, tmp_path: Path) -> None:
    path = put("s.jsonl", lines=[{"type": "summary", "summary": "x"}, {"type": "file-history-snapshot"}])
    assert names(tmp_path) == []
    assert list(walk([path])) == [path]


@pytest.mark.parametrize(
    "name", ["s-1/subagents/agent-a.jsonl", "s-1/subagents/workflows/w/agent-a.jsonl", "agent-a.jsonl"]
)
def test_subagent_file_is_part_of_its_session(name: str, put: Put, tmp_path: Path) -> None:
    part = put(name, lines=[{**TURN, "isSidechain": True}])
    assert names(tmp_path) == [name]
    assert list(walk([part])) == [part]
    root = put("s-1.jsonl", lines=[TURN])
    assert names(tmp_path) == ["s-1.jsonl"]
    assert list(walk([part, root])) == [root]
    assert list(walk([part])) == [part]


def test_bundle_folder_is_one_log(put: Put, tmp_path: Path) -> None:
    for name, value in (("manifest", {}), ("trajectory", TRACE), ("report", REPORT)):
        put(f"hub/bundle_1/{name}.json", value)
    put("hub/report.json", REPORT)
    put("hub/x.json", CHAT)
    assert names(tmp_path) == ["hub/bundle_1", "hub/x.json"] or names(tmp_path) == ["hub/x.json", "hub/bundle_1"]


@pytest.mark.parametrize(
    ("owner", "part"),
    [("x.json", "x.report.json"), ("trajectory.json", "report.json"), ("traces.jsonl", "traces.reports.jsonl")],
)
def test_report_is_part_of_its_trajectory(owner: str, part: str, put: Put, tmp_path: Path) -> None:
    put(owner, lines=[TRACE])
    path = put(part, lines=[REPORT])
    assert names(tmp_path) == [owner]
    path.write_text('{"report_id": "r", "trace_id": "another", "findings": []}\n', "utf-8")
    assert sorted(names(tmp_path)) == sorted([owner, part])


def test_every_walked_path_is_read_or_refused(put: Put, tmp_path: Path) -> None:
    put("a.json", CHAT)
    put("b.json", {"what": "ever"})
    found: list[Any] = [type(item).__name__ for path in walk([tmp_path]) for item in read_log(path)]
    assert found == ["Imported", "Refused"]
