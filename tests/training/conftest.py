"""Factories: cases, files of gold and of predictions."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from errorhub.cli.app import run as run_command

Lines = Callable[[str, Iterable[Any]], Path]


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """Write objects, or text as it is, one a line."""

    def write(name: str, objects: Iterable[Any]) -> Path:
        path = tmp_path / name
        path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in objects))
        return path

    return write


@pytest.fixture
def gold() -> list[dict[str, Any]]:
    """Twelve runs of six tasks and two families; the gold step is the third of six, in one run the last."""
    agents = ["user", "planner", "coder", "coder", "critic", "coder"]
    return [
        {
            "id": f"run{i}", "task": f"task{i // 2}", "family": "easy" if i < 4 else "hard", "n_steps": 6, "agents": agents,
            "step": 5 if i == 11 else 2, "agent": "coder",
        }
        for i in range(12)
    ]  # fmt: skip


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run `errorhub --json …` in an empty folder and return (exit code, document)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))

    def run(*arguments: object) -> tuple[int, Any]:
        capsys.readouterr()
        code = run_command(["--json", *map(str, arguments)])
        return code, json.loads(capsys.readouterr().out)

    return run
