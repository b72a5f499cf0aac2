"""Verdicts are bound to bytes; a search sees everything that would leave."""

from pathlib import Path

import pytest

from errorhub.hub.bundle import Bundle, Rights, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.errors import RecordError, UsageError
from errorhub.hub.review import Desk, diff, grep
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Finding


def bundle(text: str = "plain", **parts: object) -> Bundle:
    steps = (Step(agent="a", kind="tool.result", output={"Acme-key": text, "n": [1, 4711]}),)
    trajectory = Trajectory(
        task=Task(goal=text), steps=steps, source=Source(format="t", unmapped=parts.pop("unmapped", {}))
    )
    return Bundle(trajectory=trajectory, **parts)


def nothing(_: Bundle) -> list[Finding]:
    return []


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def test_one_changed_byte_needs_a_new_verdict(workspace: Workspace) -> None:
    desk = Desk(workspace, nothing)
    desk.decide([bundle()], "accept", by="ada")
    assert desk.verdict(bundle()) == "accepted"
    assert desk.verdict(bundle(rights=Rights(license="MIT"))) == "pending"
    assert desk.verdict(bundle("plain.")) == "pending"
    assert Desk(workspace, nothing).verdict(bundle()) == "accepted"


def test_the_last_verdict_counts(workspace: Workspace) -> None:
    desk = Desk(workspace, nothing)
    for word in ("accept", "reject", "accept", "reject"):
        desk.decide([bundle()], word, by="ada", note="why")  # type: ignore[arg-type]
    assert Desk(workspace, nothing).verdict(bundle()) == "rejected"
    with pytest.raises(UsageError, match="no such verdict"):
        desk.decide([bundle()], "maybe", by="ada")  # type: ignore[arg-type]


def test_riskiest_come_first_and_pending_before_decided(workspace: Workspace) -> None:
    plain, unmapped, named = bundle(), bundle("two", unmapped={"field": 5}), bundle("three")
    workspace.clean.put([plain, unmapped, named])
    seen = Finding(path="x", kind="PERSON", start=0, end=3, masked="<PERSON, 3 characters>", rule="presidio")
    desk = Desk(workspace, lambda one: [seen] if one == named else [])
    assert [item.bundle for item in desk.items()] == [named, unmapped, plain]
    desk.decide([named], "accept", by="ada")
    assert [item.bundle for item in desk.items()] == [unmapped, plain, named]


def test_the_second_reader_reads_the_same_bytes_once(workspace: Workspace) -> None:
    calls: list[str] = []
    desk = Desk(workspace, lambda one: calls.append(one.digest) or [])  # type: ignore[func-returns-value]
    for _ in range(3):
        desk.residue(bundle())
        Desk(workspace, desk._reader).residue(bundle())
    assert len(calls) == 1


@pytest.mark.parametrize(
    ("term", "places"),
    [("PLAIN", 2), ("acme", 1), ("4711", 1), ("card word", 1), ("absent", 0)],
    ids=lambda value: str(value),
)
def test_grep_sees_values_keys_numbers_and_files(term: str, places: int) -> None:
    files = {"README.md": b"a Card Word here"}
    assert len(list(grep(term, [bundle()], files))) == places


def test_diff_shows_what_changed_and_nothing_else() -> None:
    lines = diff(bundle("secret"), bundle("<SECRET_1>"))
    assert any(line.startswith("-") and "secret" in line for line in lines)
    assert not any("4711" in line for line in lines)


def test_a_damaged_log_is_named(workspace: Workspace) -> None:
    (workspace.log / "1.json").write_text("{")
    with pytest.raises(RecordError, match="damaged"):
        Desk(workspace, nothing)
