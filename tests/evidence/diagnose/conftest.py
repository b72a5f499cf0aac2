"""Fixtures: a workspace, the command beside it, a model on loopback."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from chatserver import Model, serving
from diagnose_cases import Command, judged

from errorhub.cli.app import run as run_command
from errorhub.hub.workspace import Workspace


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """The workspace that the command works in."""
    return Workspace.open(tmp_path / ".errorhub")


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `errorhub --json …` beside the workspace and return (exit code, document)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.delenv("ERRORHUB_WORKSPACE", raising=False)

    def run(*arguments: object) -> tuple[int, Any]:
        capsys.readouterr()
        code = run_command(["--json", *map(str, arguments)])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[Model]:
    """A model on loopback; nothing waits for it, and no key is known."""
    monkeypatch.setattr("errorhub.evidence.chat.LONGEST_WAIT", 0.0)
    for name in ("ERRORHUB_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    with serving(lambda *_: (200, "")) as held:
        held.answer = lambda body: (200, judged(body))
        yield held
