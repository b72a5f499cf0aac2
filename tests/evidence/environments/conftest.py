"""Worlds, players and collected runs for the tests of environments and replays."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.evidence import Batch, collect
from errorhub.evidence.environments import policy
from errorhub.hub.bundle import Bundle
from errorhub.hub.workspace import Workspace

Collects = Callable[..., list[Bundle]]
Runs = Callable[..., tuple[int, Any]]

CARELESS = {"slip": 0.3, "stubborn": 0.6}


@pytest.fixture(scope="session")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache of compiled games: one a session."""
    return tmp_path_factory.mktemp("games")


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, games: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the keys that name origins and the compiled games out of the user's folders."""
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(games))


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "ws")


def batch(**parts: Any) -> Batch:
    """A batch of rooms with a careless guide, whose walkthrough is the oracle."""
    given: dict[str, Any] = {
        "environment": "rooms", "settings": {"rooms": 5}, "player": policy("guide", CARELESS), "seeds": range(12),
        "budget": 13, "oracle": True,
    }  # fmt: skip
    return Batch(**given | parts)


@pytest.fixture
def collected(workspace: Workspace) -> Collects:
    """Collect runs into the workspace and return the raw bundles."""

    def make(**parts: Any) -> list[Bundle]:
        collect(batch(**parts), workspace, license="CC-BY-4.0")
        return sorted(workspace.raw.bundles(), key=lambda one: one.trajectory.task_id)

    return make


@pytest.fixture
def errorhub(workspace: Workspace, capsys: pytest.CaptureFixture[str]) -> Runs:
    """Run the command with --json and return its exit code and document."""
    from errorhub.cli.app import run

    def call(*arguments: str) -> tuple[int, Any]:
        code = run(["--json", "--workspace", str(workspace.folder), *arguments])
        return code, json.loads(capsys.readouterr().out)

    return call
