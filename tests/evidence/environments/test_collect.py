"""Collecting: natural failures with checkpoints, settings, budget and verdict; nothing that cannot be taken up again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from errorhub.evidence import collect
from errorhub.evidence.environments import policy
from errorhub.evidence.environments.rooms import Rooms
from errorhub.evidence.episode import Conditions, actions_of
from errorhub.evidence.journal import Journal
from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import Blocked
from errorhub.hub.workspace import Workspace

from .conftest import Collects, Runs, batch


def test_failures_are_kept_with_everything_a_replay_needs(collected: Collects, workspace: Workspace) -> None:
    bundles = collected()
    assert 2 <= len(bundles) < 12
    for bundle in bundles:
        run, outcome = bundle.trajectory.run, bundle.trajectory.outcome
        assert (outcome.status, outcome.fault, outcome.verifier) == ("failed", "agent", "rooms")
        assert (run.policy, run.budget, bundle.trajectory.source.format) == ("guide", {"actions": 13}, "environment")
        assert run.metadata["settings_digest"] == Conditions.of(bundle.trajectory).settings_digest
        assert all(step.state_ref for step in bundle.trajectory.steps)
        assert bundle.trajectory.task.family == "rooms/5"
        assert bundle.rights.license == "CC-BY-4.0"
    assert not [one for one in (workspace.folder / "collected").iterdir() if one.is_file()]


def test_a_refused_action_is_an_error_between_equal_checkpoints(collected: Collects) -> None:
    found = 0
    for bundle in collected():
        steps = bundle.trajectory.steps
        for place, _ in actions_of(bundle.trajectory):
            unchanged = steps[place].state_ref == steps[place + 2].state_ref
            if steps[place + 1].error:
                assert unchanged
                found += 1
    assert found


def test_the_oracle_says_who_it_is_and_what_it_knew(collected: Collects) -> None:
    for bundle in collected():
        (found,) = bundle.diagnoses
        assert found.author == "oracle:rooms"
        assert found.conditions
        assert bundle.grades == ("actionable",)
        assert bundle.trajectory.steps[found.step].output != (found.correction and found.correction.action)
    assert not [
        one
        for bundle in collected(oracle=False, seeds=[50, 51, 52, 53])
        if bundle.trajectory.task_id.endswith("/50")
        for one in bundle.diagnoses
    ]


def test_the_same_batch_again_changes_nothing(collected: Collects, workspace: Workspace) -> None:
    before = {one.bundle_id for one in collected()}
    again = collect(batch(), workspace, license="CC-BY-4.0")
    assert (again.taken_in.imported, again.taken_in.unchanged) == (0, len(before))
    assert {one.bundle_id for one in workspace.raw.bundles()} == before


def test_passed_runs_are_counted_and_kept_on_request(workspace: Workspace) -> None:
    result = collect(batch(keep_passed=True), workspace)
    kept = [bundle.trajectory.outcome.status for bundle in workspace.raw.bundles()]
    assert kept.count("passed") == result.ended["passed"] > 0
    assert kept.count("failed") == result.ended["failed"] > 0
    assert result.exit_code == 0


def test_several_runs_of_one_task_share_it(workspace: Workspace) -> None:
    collect(batch(seeds=[1, 2], tries=4, keep_passed=True), workspace)
    bundles = list(workspace.raw.bundles())
    assert {one.trajectory.task_id for one in bundles} == {"rooms/5/1", "rooms/5/2"}
    assert len({one.trajectory.run.seed for one in bundles}) == len(bundles) > 2


def test_an_environment_that_is_not_deterministic_is_refused(workspace: Workspace) -> None:
    result = collect(batch(settings={"rooms": 5, "unsteady": True}, seeds=[1, 2]), workspace)
    assert result.exit_code == 2
    assert not list(workspace.raw.bundles())
    assert "not deterministic" in result.refused[0]["reason"]
    assert result.ended["refused"] == 2


def test_an_environment_that_breaks_down_leaves_runs_nobody_can_grade(workspace: Workspace) -> None:
    result = collect(batch(settings={"rooms": 5, "breaks_at": 3}, seeds=[1, 2]), workspace)
    bundles = list(workspace.raw.bundles())
    assert (result.exit_code, result.ended["ungradable"], len(bundles)) == (3, 2, 2)
    for bundle in bundles:
        assert (bundle.trajectory.outcome.status, bundle.trajectory.outcome.fault) == ("ungradable", "infrastructure")
        assert len(actions_of(bundle.trajectory)) == 3
        assert not bundle.diagnoses


def test_an_environment_that_breaks_down_at_once_leaves_no_run(workspace: Workspace) -> None:
    result = collect(batch(settings={"rooms": 5, "breaks_at": 0}, seeds=[1]), workspace)
    assert (result.exit_code, list(workspace.raw.bundles())) == (2, [])
    assert "broke down" in result.refused[0]["reason"]


def test_a_killed_batch_goes_on_where_it_stopped(tmp_path: Path, workspace: Workspace) -> None:
    """The process is killed while it plays; what was on the disk is not played again and nothing is lost."""
    code = (
        "import sys, time; sys.path.insert(0, sys.argv[2]); from pathlib import Path\n"
        "from errorhub.evidence import Batch, collect\n"
        "from errorhub.evidence.environments import policy\n"
        "from errorhub.hub.workspace import Workspace\n"
        "batch = Batch('rooms', {'rooms': 5}, policy('guide', {'slip': 0.3, 'stubborn': 0.6}), range(12), 13, oracle=True)\n"
        "collect(batch, Workspace.open(Path(sys.argv[1])), license='CC-BY-4.0', progress=lambda _: time.sleep(0.2))\n"
    )
    folder = workspace.folder / "collected"
    process = subprocess.Popen([sys.executable, "-c", code, str(workspace.folder), "."])
    ledger = folder / f"{batch().name}.done"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not (ledger.exists() and ledger.read_text().count("\n") >= 3):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not list(workspace.raw.bundles())
    with ledger.open("ab") as file:
        file.write(b'{"episode": "seed 11, r')
    played: list[int] = []
    result = collect(batch(), workspace, license="CC-BY-4.0", progress=played.append)
    assert len(played) <= 9
    assert result.ended.total() == 12
    alone = Workspace.open(tmp_path / "alone")
    collect(batch(), alone, license="CC-BY-4.0")
    assert _ids(workspace) == _ids(alone)


def test_one_batch_is_played_by_one_process(workspace: Workspace) -> None:
    with Journal(workspace.folder / "collected", batch().name).held() as free:
        assert free
        with pytest.raises(Blocked, match="another process is playing this batch"):
            collect(batch(), workspace)
        assert collect(batch(seeds=[0, 1]), workspace).ended.total() == 2
    assert collect(batch(), workspace).ended.total() == 12


def test_a_line_that_was_cut_off_is_mended(tmp_path: Path, collected: Collects) -> None:
    bundle = collected(seeds=range(6))[0]
    journal = Journal(tmp_path / "j", "b")
    journal.write("one", {"status": "failed"}, bundle)
    with journal.bundles.open("ab") as file:
        file.write(b'{"schema": "errorhub.bun')
    assert set(Journal(tmp_path / "j", "b").done()) == {"one"}
    assert journal.bundles.read_bytes().endswith(b"}\n")
    assert journal.bundles.stat().st_mode & 0o077 == 0


class Outside(Rooms):
    """Rooms that are real."""

    simulated = False


def test_acting_on_the_real_world_needs_a_person(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorhub.evidence.environments.rooms.Rooms", Outside)
    with pytest.raises(Blocked, match="a person must approve"):
        collect(batch(), workspace)
    assert not list(workspace.raw.bundles())
    collect(batch(by="ann", approval="doors only"), workspace)
    approvals = [one.trajectory.run.metadata["approval"] for one in workspace.raw.bundles()]
    assert approvals
    assert all(one == {"by": "ann", "note": "doors only"} for one in approvals)


def test_verb_collect(errorhub: Runs) -> None:
    code, document = errorhub("collect", "--env", "rooms", "--set", "rooms=5", "--seeds", "0-7", "--budget", "13", "--oracle",
                              "--policy-set", "slip=0.3")  # fmt: skip
    assert code == 0
    assert document["failed"] == len(document["bundles"]) == document["diagnosed"] == document["imported"] > 0
    assert document["failed"] + document["passed"] == 8
    assert document["next_command"].startswith("errorhub replay --all --env rooms")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--env", "chess"], "no environment is called chess"),
        (["--env", "rooms", "--policy", "chess"], "no policy is called chess"),
        (["--env", "rooms", "--set", "rooms=99"], "setting rooms of environment rooms"),
        (["--env", "rooms", "--seeds", "x"], "not seeds"),
        (["--env", "rooms", "--license", "NoSuch-1"], "not an SPDX licence"),
        (["--env", "rooms", "--policy", "model"], "setting base_url"),
    ],
    ids=["env", "policy", "setting", "seeds", "licence", "model"],
)
def test_verb_collect_refuses(errorhub: Runs, arguments: list[str], says: str) -> None:
    code, document = errorhub("collect", *arguments)
    assert code == 2
    assert says in document["error"]["message"]


def test_a_script_plays_the_same_everywhere(collected: Collects) -> None:
    (bundle,) = collected(player=policy("script", {"actions": ["go west", "look"]}), seeds=[3], budget=4, oracle=False)
    said: list[Any] = [step.output for _, step in actions_of(bundle.trajectory)]
    assert said == ["go west", "look", "look", "look"]


def _ids(workspace: Workspace) -> set[str]:
    bundles: list[Bundle] = list(workspace.raw.bundles())
    return {one.bundle_id for one in bundles}
