"""Golden logs: one small log a format, the bundle it becomes byte for byte, and what strict leaves of it."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.importers import Imported, formats, read_log
from errorhub.scrubber import Policy, Vault, scrub

HERE = Path(__file__).parent

COMMON = ("keep the lighthouse log in order", "lamps burned out in the winter", "/logbook/winter-1911.txt")
INPUTS = {
    "agentdebugx": ('"n": 200',),
    "agentrx": COMMON,
    "anthropic-messages": COMMON,
    "atif": COMMON,
    "autogen": COMMON,
    "claude-code": ("moths in the trap list", "/repo/moths.txt", "list of protected moths", "*law*"),
    "codex": (*COMMON, "lighthouse-north"),
    "gemini-cli": COMMON,
    "inspect": COMMON,
    "langfuse": COMMON,
    "langsmith": COMMON,
    "mini-swe-agent": COMMON,
    "openai-chat": ("You plan walks over the mud", "Can we leave at noon", '"day": "2026-03-01"', "day=1"),
    "openai-responses": COMMON,
    "openhands": COMMON,
    "otlp": COMMON,
    "pi": COMMON,
    "sts": COMMON,
    "swe-agent": COMMON,
    "tau-bench": COMMON,
    "tau2-bench": COMMON,
    "who-and-when": ("You are given a task", "You read maps"),
}
"""Words of prompts and of tool arguments in each golden log."""


def _regolden() -> ModuleType:
    spec = importlib.util.spec_from_file_location("importers_regolden", HERE / "regolden.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", INPUTS)
def test_golden_log_becomes_its_bundle(name: str) -> None:
    expected = (HERE / "golden" / f"{name}.expected.json").read_text("utf-8")
    assert _regolden().rendered(name) == expected


@pytest.mark.parametrize("name", INPUTS)
def test_strict_leaves_no_prompt_and_no_argument(name: str) -> None:
    policy = Policy.load("strict").without_names().with_paths(**PATHS)
    found = next(iter(read_log(_regolden().LOGS[name])))
    assert isinstance(found, Imported)
    document = found.bundle.document()
    clean = json.dumps(scrub(document, policy, Vault(b"k" * 32)).document)
    for words in INPUTS[name]:
        assert words in json.dumps(document), "the canary is not in the log"
        assert words not in clean


@pytest.mark.parametrize("name", INPUTS)
def test_strict_leaves_nothing_long_of_any_input(name: str) -> None:
    policy = Policy.load("strict").without_names().with_paths(**PATHS)
    checked = 0
    for found in read_log(_regolden().LOGS[name]):
        assert isinstance(found, Imported)
        document = found.bundle.document()
        clean = json.dumps(scrub(document, policy, Vault(b"k" * 32)).document, ensure_ascii=False)
        hidden = [step["input"] for step in document["trajectory"]["steps"]]
        hidden.append(document["trajectory"]["construction_only"])
        for text in _texts(hidden):
            if len(text) >= 20:
                checked += 1
                assert json.dumps(text, ensure_ascii=False)[1:-1] not in clean
    assert checked or name == "agentdebugx"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(inner)


def test_every_format_has_a_golden_log() -> None:
    assert {each.name for each in formats()} - {"errorhub"} == set(INPUTS)
