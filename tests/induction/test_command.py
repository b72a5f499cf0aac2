"""`induce` over a workspace: accepted runs in, proposals and assignments out, answers remembered."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from chatserver import serving
from decided_cases import cases_of

from errorhub.cli.app import run as run_command
from errorhub.hub.bundle import Bundle
from errorhub.hub.review import Desk
from errorhub.hub.taxonomy.proposals import load_proposals
from errorhub.hub.workspace import Workspace

Command = Callable[..., tuple[int, Any]]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """An empty workspace."""
    return Workspace.open(tmp_path / "work")


@pytest.fixture
def command(workspace: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `errorhub --json …` over the workspace and return (exit code, document)."""
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(workspace.folder.parent / "config"))
    monkeypatch.setenv("ERRORHUB_WORKSPACE", str(workspace.folder))

    def run(*arguments: object) -> tuple[int, Any]:
        capsys.readouterr()
        code = run_command(["--json", *map(str, arguments)])
        return code, json.loads(capsys.readouterr().out)

    return run


def accept(workspace: Workspace, bundles: list[Bundle]) -> None:
    """Put clean runs into a workspace and accept them."""
    workspace.clean.put(bundles)
    Desk(workspace, lambda _: []).decide(bundles, "accept", by="ada")


def test_proposals_are_shown_saved_and_assigned(workspace: Workspace, command: Command, tmp_path: Path) -> None:
    accept(workspace, [*cases_of("wait", 0), *cases_of("unit", 100)])
    code, document = command("induce", "--assignments", tmp_path / "out.jsonl")
    assert code == 0
    assert {"id", "name", "family", "support", "trajectories", "examples", "nearest", "similarity", "stability",
            "status"} <= document["proposals"][0].keys()  # fmt: skip
    assert [one.id for one in load_proposals(workspace)] == [one["id"] for one in document["proposals"]]
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert len(lines) == document["candidates"] == 24
    assert {"diagnosis_id", "trajectory_id", "cluster", "proposal", "label"} <= lines[0].keys()
    assert document["unclustered"] == sum(line["proposal"] is None for line in lines)
    assert document["next_command"] == f"errorhub taxonomy show {document['proposals'][0]['id']}"


def test_answered_proposals_stay_away_when_data_grows(workspace: Workspace, command: Command) -> None:
    accept(workspace, [*cases_of("wait", 0), *cases_of("unit", 100)])
    first = command("induce")[1]["proposals"]
    for one in first:
        assert command("taxonomy", "accept", one["id"], "--name", one["name"])[0] == 0
    assert command("induce")[1]["proposals"] == []
    accept(workspace, cases_of("stale", 200))
    grown = command("induce")[1]
    texts = {example["text"] for one in grown["proposals"] for example in one["examples"]}
    assert texts
    assert all("cache" in text.lower() or "stale" in text or "file" in text for text in texts)


def test_pending_runs_are_read_only_when_asked_for(workspace: Workspace, command: Command) -> None:
    workspace.clean.put(cases_of("wait", 0))
    code, document = command("induce")
    assert (code, document["error"]["hint"]) == (2, "errorhub review list")
    assert command("induce", "--include-pending")[1]["candidates"] == 12


def test_a_model_names_proposals_and_failing_to_is_partial(workspace: Workspace, command: Command) -> None:
    accept(workspace, cases_of("wait", 0))
    good = json.dumps({"name": "Mutual waiting", "family": "multiagent", "description": "Agents wait for each other."})
    with serving(lambda _, __: (200, good)) as model:
        code, document = command("induce", "--base-url", model.url, "--model", "tiny")
    assert (code, document["unnamed"], document["proposals"][0]["name"]) == (0, [], "Mutual waiting")
    with serving(lambda _, __: (200, "no")) as model:
        code, document = command("induce", "--base-url", model.url, "--model", "other")
    assert (code, len(document["unnamed"])) == (3, len(document["proposals"]))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [(("--model", "tiny"), "--base-url"), (("--embed", "nowhere"), "embedding")],
    ids=["half a model", "no encoder"],
)
def test_what_cannot_be_done_is_said(
    arguments: tuple[str, ...], said: str, workspace: Workspace, command: Command
) -> None:
    accept(workspace, cases_of("wait", 0))
    code, document = command("induce", *arguments)
    assert code == 2
    assert said in document["error"]["message"]
