"""The repeat rule of strict: what was dropped must not come back through another string."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.scrubber import Policy, Vault, scrub

VAULT = Vault(b"k" * 32)
STRICT = (
    Policy.load("strict").without_names().with_paths(drop=["steps[*].input"], whole=["goal"], ids=["steps[*].tool"])
)
SAID = "please reconcile the ledger of march before noon"


def run(given: Any, **rest: Any) -> dict[str, Any]:
    clean = scrub({"steps": [{"input": given}], **rest}, STRICT, VAULT).document
    assert isinstance(clean, dict)
    return clean


def test_inputs_become_null_and_are_counted() -> None:
    result = scrub({"steps": [{"input": {"a": 1}, "output": "x"}, {"input": None}]}, STRICT, VAULT)
    assert result.document == {"steps": [{"input": None, "output": "x"}, {"input": None}]}
    assert result.receipt.dropped == {"steps[*].input": 1}


@pytest.mark.parametrize(
    ("output", "left"),
    [
        (f"You said: {SAID}!", "You said: <DROPPED>!"),
        (f"You said: {SAID[:19]}", f"You said: {SAID[:19]}"),
        (f"{SAID[4:30]}|{SAID[21:]}", "<DROPPED>|<DROPPED>"),
        (json.dumps({"echo": SAID}), json.dumps({"echo": "<DROPPED>"})),
        ({SAID: 1}, {"<DROPPED>": 1}),
    ],
)
def test_only_the_repeat_goes(output: Any, left: Any) -> None:
    assert run(SAID, out=output)["out"] == left


def test_goal_goes_as_a_whole() -> None:
    assert run(SAID, goal=f"The user wants: {SAID[:25]}")["goal"] == "<DROPPED>"
    assert run(SAID, goal="Something else altogether")["goal"] == "Something else altogether"


def test_tool_names_and_ids_stay_even_when_inputs_name_them() -> None:
    tool = "mcp__browser__navigate_page"
    clean = scrub({"steps": [{"input": f"use {tool}", "tool": tool, "output": f"{tool} ran"}]}, STRICT, VAULT).document
    assert clean == {"steps": [{"input": None, "tool": tool, "output": "<DROPPED> ran"}]}


@pytest.mark.parametrize(
    "echo",
    [
        lambda value: "ran " + json.dumps(value),
        lambda value: "ran " + json.dumps(value, separators=(",", ":")),
        lambda value: "ran " + repr(value),
        lambda value: "ran " + json.dumps(json.dumps(value)),
        lambda value: json.dumps({"args": json.dumps(value)}),
        lambda value: json.dumps(value),
    ],
    ids=["json", "compact", "python", "json-in-json", "embedded", "itself"],
)
def test_objects_echoed_as_text(echo: Any) -> None:
    value = {"cmd": "ls -la /srv", "cwd": "/srv/app", "env": {"A": "b c d", "Q": 'say "hi"'}, "n": 17}
    out = run(value, out=echo(value))["out"]
    assert '"/srv/app"' not in out and "'/srv/app'" not in out and "/srv" not in out


def test_escaped_text_is_recognised() -> None:
    script = 'import os\nprint("hello from the ledger")\n\tdone = True'
    assert "ledger" not in run(script, out=f"wrote {json.dumps(script)}")["out"]
    assert "ledger" not in run(json.dumps({"content": script}), out=f"file:\n{script}")["out"]


def test_values_of_dropped_text_go_even_when_short() -> None:
    password = "zT4!" + "mq81Lp"
    out = run(f"mysql -p{password} then password={password}", out=f"denied for {password}")["out"]
    assert password not in out


def test_user_names_of_dropped_text_go() -> None:
    assert run("cd /home/mvolkov/src", out="owner: mvolkov")["out"] == "owner: <USER_1>"


def texts_of(value: Any) -> list[str]:
    """List every string and key of a document."""
    if isinstance(value, dict):
        return [*value, *(text for item in value.values() for text in texts_of(item))]
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    return [value] if isinstance(value, str) else []


ALPHABET = st.text(st.sampled_from('abcdefgh \n"\\{}:,.é<>_1A'), max_size=80)


@settings(max_examples=60, deadline=None)
@given(ALPHABET, ALPHABET, ALPHABET, st.integers(0, 60), st.sampled_from([str, json.dumps, repr]))
def test_no_window_survives(dropped: str, before: str, after: str, start: int, write: Any) -> None:
    part = dropped[start : start + 45]
    document = {"steps": [{"input": {"text": dropped}, "output": before + write(part) + after}], "k": {part: [part]}}
    clean = scrub(document, STRICT, VAULT).document
    windows = {dropped[at : at + 20] for at in range(len(dropped) - 19)}
    windows = {window for window in windows if len(set(window)) > 4}
    for text in texts_of(clean):
        assert not [window for window in windows if window in text]
    assert scrub(clean, STRICT, VAULT).document == clean
