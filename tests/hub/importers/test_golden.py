"""Golden logs: one small log a format and the bundle it becomes, byte for byte."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


def _regolden() -> ModuleType:
    spec = importlib.util.spec_from_file_location("importers_regolden", HERE / "regolden.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["agentdebugx", "claude-code", "openai-chat", "who-and-when"])
def test_golden_log_becomes_its_bundle(name: str) -> None:
    expected = (HERE / "golden" / f"{name}.expected.json").read_text("utf-8")
    assert _regolden().rendered(name) == expected
