"""The skill for coding agents."""

import re
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from errorhub.cli.app import app, run
from errorhub.skill import TEXT, write_skill


def test_it_is_one_page_with_a_head() -> None:
    head = yaml.safe_load(TEXT.split("---")[1])
    assert head["name"] == "errorhub" and 50 < len(head["description"]) < 1_024
    assert len(TEXT.splitlines()) < 60


def test_every_command_in_it_exists_with_its_flags() -> None:
    verbs = get_command(app).commands  # type: ignore[attr-defined]
    for verb, rest in re.findall(r"(?m)(?:^ +|`)errorhub (?:--json )?([a-z]+)([^\n`]*)", TEXT):
        known = verbs[verb]
        known = known.commands.get(rest.split()[0], known) if hasattr(known, "commands") else known
        flags = {flag for parameter in known.params for flag in parameter.opts}
        assert set(re.findall(r" (--[a-z]+)", rest)) <= flags, (verb, rest)


def test_it_is_written_once_and_replaces_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_skill(tmp_path)
    assert path == write_skill(tmp_path) and path.read_text(encoding="utf-8") == TEXT
    path.write_text("mine")
    assert run(["skill", "--out", str(tmp_path)]) == 2
    assert path.read_text() == "mine" and "another skill" in capsys.readouterr().err


def test_it_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["skill"]) == 0
    assert capsys.readouterr().out.strip() == TEXT.strip()
