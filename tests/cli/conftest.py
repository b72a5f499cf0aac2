"""The command as a person or script meets it, run in this process with a workspace of its own."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from errorhub.cli.app import run as run_command
from errorhub.examples import write


@dataclass
class Result:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one document on standard output."""
        return json.loads(self.out)


Command = Callable[..., Result]


@pytest.fixture(scope="session")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example logs, slots filled."""
    folder = tmp_path_factory.mktemp("logs")
    write(folder)
    return folder


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Command]:
    """Run `errorhub …` in an empty folder; `workspace=` names another workspace than `ws`."""
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object, workspace: str = "ws") -> Result:
        capsys.readouterr()
        code = run_command(["--workspace", str(tmp_path / workspace), *map(str, arguments)])
        out, err = capsys.readouterr()
        return Result(code, out, err)

    yield run


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """One small failed run with a secret, as an OpenAI chat log."""
    key = "AKIA" + "QX7RT2ZLMP4WNB6K"
    messages = [
        {"role": "user", "content": "Copy the invoices of Otterly Foods to the archive bucket."},
        {"role": "assistant", "content": None, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": '{"command": "aws s3 ls"}'}}]},
        {"role": "tool", "tool_call_id": "c1", "content": f"Unable to locate credentials for {key}"},
        {"role": "assistant", "content": "Nothing is in the bucket of Otterly Foods, so nothing needs to be copied."},
    ]  # fmt: skip
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": messages}))
    return path
