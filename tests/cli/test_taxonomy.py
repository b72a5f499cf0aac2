"""A maintainer's session: propose, answer, publish; another workspace pulls, assigns, and proposes only what is new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from decided_cases import case, cases_of
from decisions import accepted, proposal, propose, rejected

from errorhub.hub.bundle import Bundle
from errorhub.hub.taxonomy.ledger import record
from errorhub.hub.workspace import Workspace

BY = ("--by", "ada")


def accept_runs(command: Any, folder: Path, bundles: list[Bundle], workspace: str = "ws") -> None:
    """Bring runs in and accept what scrubbing makes of them."""
    Workspace.open(folder / workspace).raw.put(bundles)
    assert command("scrub", "--policy", "internal", workspace=workspace).code == 0
    assert command("review", "accept", "--all", "--attest", "made up", workspace=workspace).code == 0


def induced(command: Any, workspace: str = "ws") -> dict[str, dict[str, Any]]:
    """Return proposals by the kind of failure their examples tell of."""
    found = command("--json", "induce", workspace=workspace).json["proposals"]
    words = {"wait": "wait", "cache": "stale", "unit": "unit", "login": "login", "logged in": "login"}
    kinds = {}
    for one in found:
        text = " ".join(example["text"] for example in one["examples"]).lower()
        kind = max(words, key=text.count)
        kinds.setdefault(words[kind], []).append(one)
    return kinds


@pytest.mark.slow
def test_a_maintainers_session(command: Any, tmp_path: Path) -> None:
    hub = f"local:{tmp_path / 'hub'}"
    runs = [run for at, kind in enumerate(("wait", "stale", "unit")) for run in cases_of(kind, 100 * at, 8)]
    accept_runs(command, tmp_path, runs)
    kinds = induced(command)
    assert {"wait", "stale", "unit"} <= kinds.keys()

    waiting = kinds["wait"][0]["id"]
    first = command(
        "--json", "taxonomy", "accept", waiting, "--name", "Agents wait for each other", "--family", "multiagent", *BY
    )
    assert first.code == 0 and first.json["touched"][0]["id"] == "multiagent.agents_wait_for_each_other"
    both = [one["id"] for one in kinds["stale"]][:2]
    both += ["multiagent.agents_wait_for_each_other"] if len(both) < 2 else []
    merged = command(
        "--json", "taxonomy", "merge", *both[:2], "--name", "Trusts a stale copy", "--family", "memory", *BY
    )
    assert merged.code == 0
    refused = command(
        "--json", "taxonomy", "reject", kinds["unit"][0]["id"], "--because", "a topic, not a failure", *BY
    )
    assert refused.code == 0 and refused.json["decisions"] == 3
    assert command("taxonomy", "reject", waiting, *BY).code == 1

    assert command("--json", "publish", "--to", hub).json["published"] == len(runs)
    sent = command("--json", "taxonomy", "publish", "--to", hub, *BY)
    assert sent.code == 0 and sent.json["published"] == 3
    assert command("--json", "taxonomy", "publish", "--to", hub, *BY).json["published"] == 0
    assert command("verify", hub).code == 0

    assert command("pull", hub, workspace="other").code == 0
    listed = command("--json", "taxonomy", "list", workspace="other").json
    modes = {one["id"] for one in listed["modes"] if one["status"] == "accepted"}
    assert modes == {one["id"] for one in merged.json["modes"] if one["status"] == "accepted"}
    text = "The planner waits for the coder and both agents wait for each other to answer, a deadlock."
    accept_runs(command, tmp_path, [case(text, 900), *cases_of("login", 400, 5)], workspace="other")

    suggested = command("--json", "taxonomy", "assign", workspace="other").json
    hits = [row for row in suggested["suggestions"] if row["mode"] and row["task"] == "task-900"]
    assert (
        len(hits) == 1 and hits[0]["votes"] and suggested["next_command"].startswith("errorhub taxonomy assign --apply")
    )
    assert not [row for row in suggested["suggestions"] if row["mode"] and row["task"].startswith("task-4")]
    applied = command("--json", "taxonomy", "assign", "--apply", "--by", "bo", workspace="other").json
    assert applied["applied"] == suggested["suggested"] and applied["assigned"]

    news = induced(command, workspace="other")
    assert set(news) == {"login"}
    corrected = command(
        "--json", "taxonomy", "assign", hits[0]["diagnosis_id"][:12], "--mode", "none", "--because", "read it", "--by", "bo",
        workspace="other",
    )  # fmt: skip
    assert corrected.code == 0
    shown = command("--json", "taxonomy", "show", corrected.json["decision"]["id"][:12], workspace="other").json
    assert shown["history"][0]["by"] == "bo" and shown["after"]
    assert not [
        one
        for one in applied["suggestions"]
        if one["mode"] and one["diagnosis_id"] not in json.dumps(applied["assigned"])
    ]
    assert command("--json", "taxonomy", "publish", "--to", hub, "--by", "bo", workspace="other").json["published"] == 2


@pytest.fixture
def proposed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two proposals in the workspace."""
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    return propose(
        Workspace.open(tmp_path / "ws"), proposal("loops", range(6)), proposal("\x1b[2Jwaits", range(10, 16))
    )


def test_the_list_is_for_people_and_scripts(command: Any, proposed: list[str]) -> None:
    document = command("--json", "taxonomy").json
    assert len(document["modes"]) == 23 and document["decisions"] == 0
    assert [one["id"] for one in document["proposals"]] == proposed
    assert document["next_command"].startswith(f"errorhub taxonomy show {proposed[0][:12]}")
    shown = command("taxonomy", "list")
    assert "23 seed modes, 0 accepted" in shown.out and "\x1b" not in shown.out
    assert len(command("-q", "taxonomy", "list").out.splitlines()) == 23


def test_decisions_answer_with_what_they_did(command: Any, proposed: list[str]) -> None:
    made = command("--json", "taxonomy", "accept", proposed[0][:8], "--name", "Loops", *BY).json
    assert (made["decision"]["action"], made["new"], made["decision"]["by"]) == ("accept", True, "ada")
    assert [one["id"] for one in made["modes"] if one["status"] == "accepted"] == ["planning.loops"]
    again = command("taxonomy", "accept", proposed[0], "--name", "Loops", "--by", "bo")
    assert again.code == 0 and "as before" in again.out
    other = command("--json", "taxonomy", "reject", proposed[0])
    assert other.code == 1 and other.json["error"]["hint"].startswith("errorhub taxonomy undo")
    renamed = command("--json", "taxonomy", "rename", "planning.loops", "Runs in circles", *BY).json
    assert renamed["touched"][0]["name"] == "Runs in circles"
    back = command("--json", "taxonomy", "undo", made["decision"]["id"][:10], *BY).json
    assert not [one for one in back["modes"] if one["status"] == "accepted"] and back["decisions"] == 3
    detail = command("--json", "taxonomy", "show", proposed[0][:8]).json
    assert [row["state"] for row in detail["history"]] == ["undone"] and detail["status"] == "proposed"


def test_a_proposal_a_mode_and_a_decision_are_shown_as_text(command: Any, proposed: list[str]) -> None:
    page = command("taxonomy", "show", proposed[0][:8])
    assert proposed[0] in page.out and "taxonomy accept" in page.out and "{" not in page.out
    made = command(
        "--json", "taxonomy", "accept", proposed[0], "--name", "Loops \x1b[31m", "--because", "seen", *BY
    ).json
    mode = command("taxonomy", "show", made["touched"][0]["id"]).out
    assert "accepted" in mode and "seen" in mode and "\x1b" not in mode
    assert "accept by ada" in command("taxonomy", "show", made["decision"]["id"][:10]).out
    assert "accept planning.loops_31m by ada" in command("taxonomy", "show", proposed[0]).out
    assert command("taxonomy", "show", "ab").code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["accept", "12345678"], 2), (["show", "no.mode"], 2), (["undo"], 2), (["merge", "planning.impossible_action"], 2),
        (["split", "planning.impossible_action", "--part", "x"], 2), (["rename", "planning.impossible_action", "x"], 2),
        (["assign", "--apply", "12345678"], 2), (["assign", "12345678"], 2), (["assign", "12345678", "--mode", "none"], 2),
        (["report", "--out", "r", "--form", "gif"], 2), (["publish", "--to", "nowhere"], 2),
    ],
    ids=lambda value: "-".join(value[:3]) if isinstance(value, list) else None,
)  # fmt: skip
def test_what_makes_no_sense_is_one_sentence(
    arguments: list[str], code: int, command: Any, proposed: list[str]
) -> None:
    result = command("--json", "taxonomy", *arguments)
    assert result.code == code and result.json["error"]["message"].endswith((".", "?"))


def test_split_by_words(command: Any, tmp_path: Path) -> None:
    accept_runs(command, tmp_path, [*cases_of("wait", 0, 6), *cases_of("unit", 50, 6)])
    workspace = Workspace.open(tmp_path / "ws")
    members = [name for bundle in workspace.clean.bundles() for name in bundle.diagnosis_ids]
    (one,) = propose(
        workspace, proposal("mixed", []) | {"members": sorted(members), "support": 12, "id": "mixed-cluster"}
    )
    done = command("--json", "taxonomy", "split", one, "--part", "Waits~wait", "--part", "Units~unit", *BY)
    assert done.code == 0
    counts = {mode["id"]: mode["support"] for mode in done.json["modes"] if mode["status"] == "accepted"}
    assert counts == {"planning.waits": 6, "planning.units": 6}
    missing = command("--json", "taxonomy", "split", one, "--part", "X~no such words", "--part", "Y~wait")
    assert missing.code == 2 and "no member" in missing.json["error"]["message"]


def test_accepted_modes_are_used_by_annotate_and_stats(command: Any, tmp_path: Path) -> None:
    accept_runs(command, tmp_path, cases_of("wait", 0, 4))
    workspace = Workspace.open(tmp_path / "ws")
    members = sorted(name for bundle in workspace.clean.bundles() for name in bundle.diagnosis_ids)
    (one,) = propose(workspace, proposal("waits", []) | {"members": members, "id": "waits-cluster"})
    command("taxonomy", "accept", one, *BY)
    workspace.raw.put([case("Something else went wrong.", 77)])
    (fresh,) = [row for row in workspace.raw.rows(("bundle_id", "task")) if row["task"] == "task-77"]
    noted = command(
        "--json", "annotate", fresh["bundle_id"][:12], "--step", 0, "--because", "It waits.", "--mode", "Waits", *BY
    ).json
    assert (noted["mode"]["scheme"], noted["mode"]["id"], noted["mode"]["text"]) == (
        "errorhub",
        "planning.waits",
        "waits",
    )
    assert noted["novel_mode"] is None
    for stage in ("raw", "clean"):
        table = command("--json", "stats", "--by", "mode", "--stage", stage).json["table"]
        assert {row["mode"]: row["runs"] for row in table}["planning.waits"] == 4
    (held,) = [b for b in workspace.clean.bundles() if b.diagnosis_ids[0] == members[0]]
    shown = command("--json", "show", held.bundle_id).json["modes"]
    assert [(row["diagnosis_id"], row["name"]) for row in shown] == [(members[0], "waits")]
    assert "under “waits” (planning.waits)" in command("show", held.bundle_id).out
    command("taxonomy", "assign", members[0], "--mode", "none", *BY)
    assert "under no known mode" in command("show", held.bundle_id).out
    assert command("--json", "show", fresh["bundle_id"]).json["modes"] == []


def test_export_report_and_card(command: Any, proposed: list[str], tmp_path: Path) -> None:
    command("taxonomy", "accept", proposed[0], *BY)
    hub = f"local:{tmp_path / 'hub'}"
    assert command("taxonomy", "publish", "--to", hub, *BY).code == 0
    exported = command("--json", "taxonomy", "export").json
    assert exported["format"] == "errorhub.taxonomy/1" and len(exported["decisions"]) == 1
    assert command("taxonomy", "export", "--out", "t.json").code == 0
    assert json.loads((tmp_path / "t.json").read_text()) == exported
    taken = command("--json", "taxonomy", "import", "t.json", workspace="other").json
    assert (taken["imported"], taken["unchanged"], taken["decisions"]) == (1, 0, 1)
    assert command("taxonomy", "import", "t.json").code == 0
    paths = command("--json", "taxonomy", "report", "--out", "report").json["paths"]
    assert [Path(path).name for path in paths] == ["report.md", "map.svg", "support.svg", "coverage.svg"]
    made = command("--json", "card", hub, "--out", "cards").json["paths"]
    assert [Path(path).name for path in made] == [
        "README.md",
        "croissant.json",
        "TAXONOMY.md",
        "support.svg",
        "coverage.svg",
    ]
    assert str(tmp_path) not in (tmp_path / "cards/TAXONOMY.md").read_text()
    assert command("--json", "card", tmp_path / "hub", "--out", "cards").json["paths"] == made
    assert command("--json", "card", tmp_path / "report").code == 2
    assert command("--json", "card", "nowhere:x").code == 2


def test_conflicts_are_told(command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    record(Workspace.open(tmp_path / "ws"), [accepted("loop", range(6), 1), rejected(range(6), 3, by="bo\x1b")])
    shown = command("taxonomy", "list")
    assert shown.code == 0 and "conflict about" in shown.err and "\x1b" not in shown.err
    document = command("--json", "taxonomy", "list").json
    sides = [one["action"] for one in document["conflicts"][0]["decisions"]]
    assert sides == ["reject", "accept"] and document["next_command"].startswith("errorhub taxonomy undo")
