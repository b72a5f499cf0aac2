"""Labels of AgentRx: several failures a run, counted from 1, beside the diagnoses of other people of the same run."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, cases
from errorhub.hub.bundle.grounding import ground, same_agent
from errorhub.hub.errors import FormatError
from errorhub.hub.intake import intake
from errorhub.hub.labels import read_labels
from errorhub.hub.workspace import Workspace

GOLDEN = Path(__file__).parent / "golden"


def failure(number: Any, step: int, agent: str, category: str = "Intent Not Supported") -> dict[str, Any]:
    return {"failure_id": number, "step_number": step, "step_reason": f"reason {number}", "category_reason": "why",
            "failure_category": category, "failed_agent": agent}  # fmt: skip


def labels(tmp_path: Path, run: Any, *failures: dict[str, Any], root: Any = 2) -> Path:
    cause = {"failure_id": root, "reason_for_root_cause": "first that cannot be undone"}
    row = {"trajectory_id": run, "failures": list(failures), "root_cause": cause, "failure_summary": "s"}
    path = tmp_path / "labels.json"
    path.write_text(json.dumps([row]), "utf-8")
    return path


def imported(log: Path, notes: Path) -> tuple[Bundle, list[str]]:
    found = intake([log], None, labels=notes)
    assert len(found.bundles) == 1
    return found.bundles[0][0], [one.reason for one in found.refused]


def test_root_cause_comes_first_and_nothing_is_merged(tmp_path: Path) -> None:
    notes = labels(tmp_path, "log", failure(1, 2, "orchestrator"), failure("2", 4, "Websurfer", "intent not supported"))
    bundle, refused = imported(GOLDEN / "agentrx/log.json", notes)
    first, second = bundle.diagnoses
    assert refused == []
    assert (first.step, second.step) == (3, 1)
    assert (first.conditions, second.conditions) == ({"root_cause": True}, {"root_cause": False})
    assert first.explanation == "reason 2\nwhy\nfirst that cannot be undone"
    assert first.mode is not None and second.mode is not None
    assert (
        (first.mode.scheme, first.mode.id)
        == ("agentrx", "intent_not_supported")
        == (second.mode.scheme, second.mode.id)
    )
    assert first.source is not None and (first.source.step_as_written, first.source.base) == (4, 1)
    assert [ground(bundle.trajectory, each).grade for each in bundle.diagnoses] == ["located", "located"]


@pytest.mark.parametrize(
    ("number", "step"), [(1, 0), (3, 2), (4, 4), (5, 5)], ids=["system", "text and call", "result", "last"]
)
def test_messages_of_tau_runs_are_found_by_their_number(number: int, step: int, tmp_path: Path) -> None:
    agent = {1: "system", 4: "read_file"}.get(number, "Assistant")
    bundle, refused = imported(GOLDEN / "tau-bench/log.json", labels(tmp_path, 3, failure(2, number, agent)))
    assert refused == []
    assert bundle.diagnoses[0].step == step
    assert same_agent(bundle.trajectory.steps[step].agent, agent)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [(failure(2, 9, "WebSurfer"), "message 9 is outside"), (failure(2, 0, "WebSurfer"), "message 0 is outside"),
     (failure(2, 2, "Nobody"), "agent never acts")],
    ids=["past the end", "before the first", "absent agent"],
)  # fmt: skip
def test_label_that_does_not_fit_is_refused_and_the_run_stays(
    wrong: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    bundle, refused = imported(GOLDEN / "agentrx/log.json", labels(tmp_path, "log", wrong, failure(1, 4, "WebSurfer")))
    assert len(bundle.diagnoses) == 1
    assert len(refused) == 1 and reason in refused[0]


@pytest.mark.parametrize("form", ["jsonl", "agentrx"])
def test_label_without_a_run_is_told_once_a_record(form: str, tmp_path: Path) -> None:
    """Several labels of one run all land, in either form; those of a run that was not read are listed."""
    path = tmp_path / "labels.json"
    if form == "agentrx":
        cause = {"failure_id": 1}
        told = [failure(1, 2, "orchestrator"), failure(2, 4, "WebSurfer")]
        rows = [{"trajectory_id": run, "failures": told, "root_cause": cause} for run in ("away", "log")]
        rows.append({"trajectory_id": "nothing", "failures": [], "root_cause": cause})
        unused = [0]
    else:
        label = {"agent": "WebSurfer", "explanation": "x", "step": 3}
        other = {**label, "agent": "orchestrator", "step": 1}
        runs = ("away", "log", "log.json", "away")
        rows = [{**each, "run": run} for run, each in zip(runs, (label, label, other, other), strict=True)]
        unused = [0, 3]
    path.write_text(json.dumps(rows), "utf-8")
    found = intake([GOLDEN / "agentrx/log.json"], None, labels=path)
    assert [len(bundle.diagnoses) for bundle, _ in found.bundles] == [2]
    assert [(one.source, one.record, one.exit) for one in found.refused] == [(path, number, 3) for number in unused]
    assert all(one.reason.startswith(f"label {one.record} names no run that was read") for one in found.refused)
    assert found.exit_code == 3


@pytest.mark.parametrize(
    "row",
    [{"trajectory_id": 1, "failures": {}, "root_cause": {}}, {"trajectory_id": 1, "failures": [3], "root_cause": {}},
     {"trajectory_id": 1, "failures": [{"failure_id": 1}], "root_cause": {}}],
    ids=["no list", "no object", "no step"],
)  # fmt: skip
def test_damaged_label_file_is_refused(row: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text(json.dumps([row]), "utf-8")
    with pytest.raises(FormatError, match=r"label 0 of labels\.json"):
        read_labels(path)


@pytest.mark.parametrize(
    ("part", "runs", "failures", "elsewhere"),
    [("magentic", 22, 170, {"08cae58d": 28, "14569e28": 1}), ("tau_retail", 20, 25, {"failed_r": 1})],
)
def test_every_label_lands_where_its_agent_acts(
    part: str, runs: int, failures: int, elsewhere: dict[str, int], shared_data: Path
) -> None:
    """One Magentic run is labelled one step too low throughout; it is kept as written and grounding rejects it."""
    folder = shared_data / "agentrx" / part
    logs = [folder / "failed_runs.json"] if part == "tau_retail" else sorted(folder.glob("*[0-9a-f].json"))
    found = intake(logs, None, labels=folder / "ground_truth.json")
    labelled = [bundle for bundle, _ in found.bundles if bundle.diagnoses]
    assert (len(labelled), sum(len(bundle.diagnoses) for bundle in labelled)) == (runs, failures)
    rows = {str(row["trajectory_id"]): row for row in json.loads((folder / "ground_truth.json").read_text("utf-8"))}
    off = Counter[str]()
    for bundle in labelled:
        own = {(bundle.provenance.file or "").removesuffix(".json"), *bundle.trajectory.task.aliases}
        row = next(rows[name] for name in own if name in rows)
        root = next(f for f in row["failures"] if str(f["failure_id"]) == str(row["root_cause"]["failure_id"]))
        source = bundle.diagnoses[0].source
        assert source is not None and source.step_as_written == root["step_number"]
        for each in bundle.diagnoses:
            acts = same_agent(bundle.trajectory.steps[each.step].agent, each.agent)
            off.update([] if acts else [(bundle.provenance.file or "")[:8]])
    assert off == elsewhere


def test_same_run_from_two_sources_is_one_case(shared_data: Path) -> None:
    runs = shared_data / "agentrx/magentic"
    theirs = intake(sorted(runs.glob("*[0-9a-f].json")), None, labels=runs / "ground_truth.json")
    ours = intake([shared_data / "who-and-when/Hand-Crafted"], None)
    grouped = cases(bundle for bundle, _ in [*theirs.bundles, *ours.bundles])
    both = [case for case in grouped if len(case.bundles) == 2]
    assert len(both) == 22
    for case in both:
        assert {found.author for found in case.diagnoses} == {"agentrx", "who-and-when"}
        assert {found.source.base for found in case.diagnoses if found.source} == {0, 1}
    assert sum(found.author == "agentrx" for case in both for found in case.diagnoses) == 170


def test_same_run_from_two_sources_is_one_bundle_of_a_workspace(
    shared_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    workspace = Workspace.open(tmp_path / "workspace")
    runs = shared_data / "agentrx/magentic"
    intake(sorted(runs.glob("*[0-9a-f].json")), workspace, labels=runs / "ground_truth.json")
    intake([shared_data / "who-and-when/Hand-Crafted"], workspace)
    held = list(workspace.raw.bundles())
    both = [bundle for bundle in held if {one.author for one in bundle.diagnoses} == {"agentrx", "who-and-when"}]
    assert (len(held), len(both)) == (40, 22)
