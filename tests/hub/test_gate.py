"""Names that nobody read do not leave unnoticed, under whatever policy; what is said to a hub is scrubbed too."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from errorhub.hub.bundle import Bundle, Outcome, Rights, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.release import desk, release
from errorhub.hub.scrub import clean
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy, Vault

TOKEN = "ghp_" + "a8Kd02mZqLw7RtYx5VbN" + "c3HfJ6sPe9UgT1Wd"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    return Workspace.open(tmp_path / "ws")


@pytest.fixture
def remote(tmp_path: Path) -> str:
    folder = tmp_path / "hub.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    return f"git:file://{folder}"


def prepare(workspace: Workspace, policy: Policy) -> None:
    """Bring one accepted bundle to the point where it may leave."""
    run = Trajectory(
        task=Task(id="t1", goal="list the files"),
        steps=(Step(agent="coder", kind="agent.step", output="nothing there"),),
        outcome=Outcome(status="failed"),
        source=Source(format="test"),
    )
    workspace.raw.put([Bundle(trajectory=run, rights=Rights(license="MIT"))])
    assert clean(workspace, policy, Vault.open()).scrubbed == 1
    desk(workspace).decide(workspace.clean.bundles(), "accept", by="ada")


def policies(folder: Path) -> dict[str, Policy]:
    own = folder / "team.toml"
    own.write_text('extends = "share"\nname = "team"\nnames = false\n')
    return {name: Policy.load(name).without_names() for name in ("share", "internal", "strict")} | {
        "team": Policy.load(own)
    }


@pytest.mark.parametrize(("name", "refused"), [("share", 1), ("team", 1), ("internal", 1), ("strict", 0)])
def test_unread_names_go_nowhere_far(
    workspace: Workspace, remote: str, tmp_path: Path, name: str, refused: int
) -> None:
    prepare(workspace, policies(tmp_path)[name])
    done = release(workspace, remote, by="ada", create=True).published
    assert (len(done.refused), done.published) == (refused, 1 - refused)
    assert all(one.reason.startswith("no_ner") for one in done.refused)
    assert release(workspace, f"local:{tmp_path / 'near'}", by="ada").published.published == 1


def test_going_without_is_written_down_first(workspace: Workspace, remote: str, tmp_path: Path) -> None:
    prepare(workspace, policies(tmp_path)["team"])
    assert release(workspace, remote, by="Ada L.", create=True, no_ner=True).published.published == 1
    events = [json.loads(path.read_text()) for path in workspace.log.glob("*.json")]
    (event,) = [one for one in events if one["type"] == "no-ner"]
    assert event["digests"] == [bundle.digest for bundle in workspace.clean.bundles()]
    assert (event["spec"], event["by"]) == (remote, "ada-l")
    assert desk(workspace).verdict(next(workspace.clean.bundles())) == "accepted"


def test_a_commit_message_is_scrubbed(workspace: Workspace, remote: str, tmp_path: Path) -> None:
    prepare(workspace, policies(tmp_path)["strict"])
    release(workspace, remote, by="ada", create=True, message=f"Publish runs of ops@example.corp with {TOKEN}")
    folder = remote.removeprefix("git:file://")
    told = subprocess.run(["git", "-C", folder, "log", "--all", "-p"], capture_output=True, check=True).stdout.decode(
        "utf-8", "replace"
    )
    assert "Publish runs of" in told
    assert TOKEN not in told
