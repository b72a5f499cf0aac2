"""raw → clean: the same with several processes, and nothing half done when one is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub import scrub as scrubbing
from errorhub.hub.bundle import Bundle, Provenance, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source
from errorhub.hub.hands import Died, hands
from errorhub.hub.scrub import clean
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy, Vault

VAULT = Vault(b"k" * 32)
SHARE = Policy.load("share").without_names()


def fill(folder: Path, count: int) -> Workspace:
    """Make a workspace of raw bundles, each with a mail address of its own."""
    workspace = Workspace.open(folder)
    bundles = [
        Bundle(
            trajectory=Trajectory(
                steps=(Step(agent="a", kind="agent.step", output=f"wrote to maria{n}" + "@northwind.dev"),),
                source=Source(format="test"),
            ),
            provenance=Provenance(origin_key=f"{n:064x}"),
        )
        for n in range(count)
    ]
    workspace.raw.put(bundles)
    return workspace


@pytest.mark.slow
def test_processes_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = fill(tmp_path / "one", 12), fill(tmp_path / "two", 12)
    clean(one, SHARE, VAULT)
    monkeypatch.setattr(scrubbing, "_PAYS", -1.0)
    result = clean(two, SHARE, VAULT, processes=2)
    assert (result.scrubbed, result.refused) == (12, [])
    assert [b.document() for b in two.clean.bundles()] == [b.document() for b in one.clean.bundles()]
    assert clean(two, SHARE, VAULT, processes=2).unchanged == 12


def _die_at(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def test_a_killed_process_fails_the_whole() -> None:
    with pytest.raises(Died, match="process died"), hands(2) as apply:
        list(apply(_die_at, range(6)))


def test_hands_keep_the_order() -> None:
    with hands(2) as apply:
        assert list(apply(abs, range(-9, 0))) == list(range(9, 0, -1))


def test_work_that_is_interrupted_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, attempt, done = fill(tmp_path / "ws", 6), scrubbing._attempt, []

    def interrupted(*arguments: Any, **named: Any) -> Any:
        if len(done) == 4:
            raise KeyboardInterrupt
        done.append(attempt(*arguments, **named))
        return done[-1]

    monkeypatch.setattr(scrubbing, "_attempt", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clean(workspace, SHARE, VAULT)
    assert len(list(workspace.clean.bundles())) == 4
    monkeypatch.setattr(scrubbing, "_attempt", attempt)
    assert (result := clean(workspace, SHARE, VAULT)).unchanged == 4
    assert result.scrubbed == 2


def test_long_work_is_written_as_it_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = fill(tmp_path / "ws", 3)
    monkeypatch.setattr(scrubbing, "_SAVED", 0.0)
    clean(workspace, SHARE, VAULT)
    assert len(workspace.clean.shards()) == 3


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_kill_leaves_whole_bundles_only(tmp_path: Path) -> None:
    """Killed at any moment, every clean bundle is whole and certified, and running again finishes the rest."""
    workspace = fill(tmp_path / "ws", 300)
    script = tmp_path / "run.py"
    script.write_text(
        "from pathlib import Path\n"
        "from errorhub.hub.scrub import clean\nfrom errorhub.hub.workspace import Workspace\n"
        "from errorhub.scrubber import Policy, Vault\n"
        f"print('go', flush=True)\nclean(Workspace.open(Path({str(tmp_path / 'ws')!r})), Policy.load('share').without_names(), Vault(b'k' * 32))\n"
    )
    for wait in (2.5, 3.5):
        child = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE)
        assert child.stdout is not None and child.stdout.readline()
        time.sleep(wait)
        child.kill()
        child.wait()
        child.stdout.close()
        for bundle in Workspace.open(tmp_path / "ws").clean.bundles():
            document = bundle.document()
            assert bundle.receipt is not None and bundle.receipt.certifies(document)
            assert "@northwind.dev" not in json.dumps(document)
    result = clean(workspace, SHARE, VAULT)
    assert result.scrubbed + result.unchanged == 300
    assert len(list(workspace.clean.bundles())) == 300
