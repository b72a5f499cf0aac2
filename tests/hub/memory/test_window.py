"""The documents of a case."""

from collections.abc import Callable
from typing import Any

import pytest

from errorhub.hub.bundle import Diagnosis, Step, Trajectory
from errorhub.hub.bundle.diagnosis import Mode
from errorhub.hub.memory.window import STEP_CHARS, diagnosis_text, excerpt, run_windows, step_text, window_text

MakeRun = Callable[..., Trajectory]


def test_diagnosis_text_is_agent_mode_and_explanation() -> None:
    mode = Mode(scheme="x", id="planning.loop", text="goes in circles")
    found = Diagnosis(step=0, agent="planner", explanation="Never left the first page.", mode=mode, author="me")
    assert diagnosis_text(found) == "planner\nplanning.loop goes in circles\nNever left the first page."


def test_window_is_the_step_twice_and_its_neighbours(run: MakeRun) -> None:
    trajectory = run("a: zero", "a: one", "a: two", "a: three", goal="a goal nobody should match")
    assert window_text(trajectory, 2) == "a: one\na: two\na: two\na: three"
    assert window_text(trajectory, 0) == "a: zero\na: zero\na: one"


def test_a_goal_that_a_step_quotes_is_cut_out(run: MakeRun) -> None:
    goal = "count the bridges of Ghent"
    trajectory = run(f"user: {goal}", f"a: Your task: {goal} Go on.", "a: two", goal=goal)
    assert window_text(trajectory, 1).splitlines() == [
        "a: Your task: ",
        " Go on.",
        "a: Your task: ",
        " Go on.",
        "a: two",
    ]
    assert "it" in window_text(run("a: it", goal="it"), 0)


def test_system_prompts_are_left_out(run: MakeRun) -> None:
    assert window_text(run("system: You are helpful.", "a: one"), 1) == "a: one\na: one"


@pytest.mark.parametrize(
    ("step", "wanted"),
    [
        pytest.param({"output": {"stdout": "x", "code": 1, "more": ["y"]}}, "a: x\ny", id="structured output"),
        pytest.param({"input": {"command": "ls"}, "tool": "Bash"}, "a Bash: ls", id="tool input"),
        pytest.param({"error": "boom", "output": "late"}, "a: boom\nlate", id="error first"),
        pytest.param({"kind": "llm.call", "input": "a long prompt", "output": "ok"}, "a: ok", id="prompt left out"),
        pytest.param({}, "", id="nothing"),
    ],
)
def test_step_text(step: dict[str, Any], wanted: str) -> None:
    assert step_text(Step(**({"agent": "a", "kind": "agent.step"} | step))) == wanted


def test_excerpt_keeps_the_error_at_the_end_of_a_long_output() -> None:
    text = "noise\n" * 5_000 + "Traceback (most recent call last):\nValueError: no port\n" + "tail " * 20
    cut = excerpt(text)
    assert "ValueError: no port" in cut and len(cut) <= STEP_CHARS


def test_excerpt_of_a_huge_text_without_an_error_is_its_two_ends() -> None:
    cut = excerpt("a" * 10 + "b" * 1_000_000 + "c" * 10)
    assert cut.startswith("a") and cut.endswith("c") and len(cut) <= STEP_CHARS + 1


@pytest.mark.parametrize(
    "alarm",
    [
        "tool: Traceback (most recent call last):",
        "tool: sh: foo: command not found",
        "tool: npm ERR! missing script: build",
        "tool: process exited with code 2",
        "tool: FAILED tests/test_a.py::test_b",
        "tool: fatal: not a git repository",
        "tool: HTTP/1.1 503 Service Unavailable",
        "Computer_terminal: exitcode: 1 (execution failed)",
        "assistant: I ran it against the wrong database.",
        "user: That is not what I asked, you deleted it!",
    ],
)
def test_windows_find_the_alarming_step(run: MakeRun, alarm: str) -> None:
    calm = [f"assistant: step number {word} is fine" for word in ("one", "two", "three", "four", "five", "six")]
    windows = run_windows(run(*calm[:2], alarm, *calm[2:]))
    assert any(alarm.partition(": ")[2] in window for window in windows)


def test_code_that_handles_errors_is_no_alarm(run: MakeRun) -> None:
    code = "assistant: try:\n    go()\nexcept ValueError:\n    raise KeyError('x')"
    windows = run_windows(run("tool: KeyError: 'real one'", "assistant: a", "assistant: b", code, *["tool: ok"] * 4))
    assert "real one" in windows[0]


def test_a_run_of_one_step_has_one_window(run: MakeRun) -> None:
    assert run_windows(run("a: only")) == ("a: only\na: only",)
