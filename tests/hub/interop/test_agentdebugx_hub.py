"""The peer's own command on what we export, and our import of what its hubs hold."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from errorhub.cli.app import run as run_command
from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis, Outcome, Rights, Step, Trajectory
from errorhub.hub.bundle.trajectory import Run, Source, Task
from errorhub.hub.exporters import export
from errorhub.scrubber import Receipt

pytest.importorskip("agentdebug.hub")
PEER = Path(sys.executable).parent / "agentdebug"


def git(*arguments: str, cwd: Path | None = None) -> None:
    subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True)


def peer(*arguments: str) -> str:
    """Run the peer's command and return what it prints."""
    done = subprocess.run([str(PEER), "hub", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(autouse=True)
def quiet_git(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "stranger")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "stranger@example.invalid")


@pytest.fixture
def bundles() -> list[Bundle]:
    """Give two scrubbed bundles with a diagnosis each."""
    made = []
    for number in (1, 2):
        steps = (
            Step(agent="planner", kind="llm.response", output=f"buy {number} red boots"),
            Step(agent="shopper", kind="tool.call", tool="search", input={"q": "boots"}, output="no results"),
        )
        trajectory = Trajectory(
            task=Task(id=f"task-{number}", goal="buy boots"), run=Run(harness="shop"), steps=steps,
            outcome=Outcome(status="failed"), source=Source(format="test"),
        )  # fmt: skip
        found = Diagnosis(
            step=1, agent="shopper", explanation="searched too widely", author="ann",
            evidence=(Citation(step=1, quote="no results"),), correction=Correction(text="search for red boots"),
        )  # fmt: skip
        bundle = Bundle(trajectory=trajectory, diagnoses=(found,), rights=Rights(license="MIT"))
        receipt = Receipt(policy="share", policy_digest="0" * 64, scrubber="1", digest=bundle.certified_digest)
        made.append(bundle.replace(receipt=receipt))
    return made


def on_git(folder: Path, remote: Path) -> str:
    """Put exported bundles where the peer looks for them in a remote, and return its spec."""
    work = remote.with_name("work")
    git("init", "-q", "--bare", "-b", "main", str(remote))
    git("clone", "-q", str(remote), str(work))
    folder.rename(work / "bundles")
    git("add", "-A", cwd=work)
    git("commit", "-q", "-m", "bundles", cwd=work)
    git("push", "-q", "origin", "HEAD:main", cwd=work)
    return f"git:{remote.as_uri()}"


@pytest.mark.parametrize("kind", ["local", "git"])
def test_the_peer_lists_and_pulls_what_we_export(kind: str, bundles: list[Bundle], tmp_path: Path) -> None:
    paths = [path for bundle in bundles for path in export(bundle, "agentdebugx", tmp_path / "hub")]
    names = [path.name for path in paths]
    before = {path.name: (path / "trajectory.json").read_bytes() for path in paths}
    spec = f"local:{tmp_path / 'hub'}" if kind == "local" else on_git(tmp_path / "hub", tmp_path / "remote.git")
    assert all(name in peer("list", spec) for name in names)
    for name in names:
        peer("pull", spec, "--bundle", name, "--into", str(tmp_path / "pulled"))
        [pulled] = (tmp_path / "pulled").rglob(f"{name}/trajectory.json")
        assert json.loads(pulled.read_bytes()) == json.loads(before[name])
        report = json.loads((pulled.parent / "report.json").read_bytes())
        assert "searched too widely" in json.dumps(report)


def peers_bundle(number: int) -> Any:
    """Return a bundle as the peer makes one."""
    from agentdebug import AgentTrajectory
    from agentdebug.hub import Bundle as Theirs
    from agentdebug.hub import build_manifest

    event = {
        "trace_id": f"t{number}", "agent_name": "shopper", "event_type": "llm.response", "step_index": 0,
        "input": "boots?", "output": f"none left, try {number}",
    }  # fmt: skip
    document = {"trace_id": f"t{number}", "goal": "buy boots", "framework": "shop", "events": [event]}
    trajectory = AgentTrajectory.model_validate(document)
    return Theirs(manifest=build_manifest(trajectory, license="MIT"), trajectory=trajectory)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["local", "git"])
def test_we_import_what_the_peers_hubs_hold(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from agentdebug.hub import backend_from_spec

    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    place = tmp_path / "theirs"
    spec = f"local:{place}"
    if kind == "git":
        remote = tmp_path / "remote.git"
        on_git(seeded(tmp_path / "start"), remote)
        spec = f"git:{remote.as_uri()}"
    backend = backend_from_spec(spec)
    for number in (1, 2):
        backend.push(peers_bundle(number))
    if kind == "git":
        git("clone", "-q", str(remote), str(place))
    assert len(peer("list", spec).split()) >= 2
    capsys.readouterr()
    code = run_command(["--workspace", str(tmp_path / "ws"), "import", str(place), "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (code, told["imported"]) == (0, 2), told
    assert {one["format"] for one in told["bundles"]} == {"agentdebugx"}
    assert {one["goal"] for one in told["bundles"]} == {"buy boots"}


def seeded(folder: Path) -> Path:
    """Give a folder with something in it: the peer cannot push to an empty remote."""
    folder.mkdir()
    (folder / "README.md").write_text("bundles\n")
    return folder
