"""Runs to make fixtures of, in disguise or mended."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from errorhub.evidence.fixture import make_fixture
from errorhub.evidence.fixture.record import Fixture
from errorhub.hub.bundle import Bundle, Diagnosis, Outcome, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.intake import intake

SHARED = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))


def run_of(*steps: Step, task: str = "t1", goal: str = "Book a refundable flight", **outcome: Any) -> Trajectory:
    """Return a run."""
    return Trajectory(
        task=Task(id=task, goal=goal), steps=steps, outcome=Outcome(**outcome), source=Source(format="test")
    )


def call(tool: str, given: Any, call_id: str = "c1", agent: str = "coder") -> Step:
    """Return a tool call."""
    return Step(agent=agent, kind="tool.call", tool=tool, input=given, call_id=call_id)


def result(tool: str, output: Any, call_id: str = "c1", error: str | None = None) -> Step:
    """Return its result."""
    return Step(agent="tool", kind="tool.result", role="tool", tool=tool, output=output, call_id=call_id, error=error)


def said(text: str, agent: str = "coder") -> Step:
    """Return words of an agent."""
    return Step(agent=agent, kind="llm.response", role="assistant", output=text)


def asked(text: str) -> Step:
    """Return words of a person."""
    return Step(agent="user", kind="message", role="user", input=text)


def blamed(run: Trajectory, *steps: int) -> Bundle:
    """Return a bundle whose diagnoses blame these steps."""
    found = (
        Diagnosis(step=n, agent=run.steps[n].agent, explanation=f"step {n} is wrong", author="test") for n in steps
    )
    return Bundle(trajectory=run, diagnoses=tuple(found))


def fixture_of(run: Trajectory, *steps: int) -> Fixture:
    """Return the fixture of a raw run."""
    return make_fixture(blamed(run, *steps), allow_raw=True)


def disguised(run: Trajectory) -> Trajectory:
    """Return the same run as another day and another machine would log it."""
    return run.replace(steps=tuple(_disguised(step, number) for number, step in enumerate(run.steps)))


def _disguised(step: Step, number: int) -> Step:
    call_id = f"call_{number // 2:02d}x9fQ{step.call_id[::-1]}"[:20] if step.call_id else None
    parts = {name: _other(getattr(step, name)) for name in ("input", "output", "error")}
    return step.replace(**parts, call_id=call_id, at="2031-01-01T00:00:00Z", source_ref=f"s{number}", duration_ms=7.0)


def _other(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _other(held) for name, held in reversed(value.items())}
    if isinstance(value, list):
        return [_other(held) for held in value]
    if not isinstance(value, str):
        return value
    try:
        inner = json.loads(value)
    except ValueError:
        return value.replace("\n", "  \r\n").replace("/home/alice", "/Users/bob") + " \n"
    return json.dumps(_other(inner), indent=2) if isinstance(inner, dict | list) else value


def mended(run: Trajectory, step: int, instead: Any) -> Trajectory:
    """Return the run up to a step, then another action there, and no verdict: what a rerun with a fix begins with."""
    old = run.steps[step]
    name = "input" if old.kind in ("tool.call", "message") else "output"
    return run.replace(steps=(*run.steps[:step], old.replace(**{name: instead, "error": None})), outcome=Outcome())


def shared_runs(name: str) -> list[Bundle]:
    """Read a folder of real logs; skip where they are absent."""
    if not (SHARED / name).is_dir():
        pytest.skip("real logs are not here: ERRORHUB_SHARED_DATA")
    return [bundle for bundle, _ in intake([SHARED / name], None).bundles]
