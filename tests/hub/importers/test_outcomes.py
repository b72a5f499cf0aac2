"""Outcomes: explicit results only, and what the infrastructure or the grader broke is nobody's error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.examples import write
from errorhub.hub.bundle import Bundle, Outcome, Step
from errorhub.hub.importers.outcomes import ended_as, ended_in_error
from errorhub.hub.intake import Terms, intake, with_terms

One = Callable[..., Bundle]
Put = Callable[..., Path]


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ("infrastructure", "infrastructure"),
        ("Infrastructure error", "infrastructure"),
        ("timeout", "infrastructure"),
        ("timed out", "infrastructure"),
        ("install_failed", "infrastructure"),
        ("Sandbox.Lost", "infrastructure"),
        ("cancelled", "infrastructure"),
        ("out_of_memory", "infrastructure"),
        ("grader_error", "grader"),
        ("test-parse-failure", "grader"),
        ("completed", None),
        ("submitted", None),
        ("max_steps", None),
        ("agent_error", None),
        ("user_stop", None),
        ("tool_error", None),
        ("", None),
        (None, None),
        (True, None),
    ],
)
def test_how_a_run_ended(said: Any, fault: str | None) -> None:
    outcome = ended_as(said, by="log")
    assert (outcome.fault if outcome else None) == fault
    if outcome:
        assert (outcome.status, outcome.source) == ("ungradable", "rule")
        assert outcome.reason


def fails(text: str, **parts: Any) -> Step:
    return Step(**{"agent": "system", "kind": "error", "error": text, **parts})


SAID = Step(agent="assistant", kind="llm.response", output="done")
NOTE = Step(agent="system", kind="message", input="a hook ran")


@pytest.mark.parametrize(
    ("steps", "ungradable"),
    [
        ([SAID, fails("API Error: 529")], True),
        ([SAID, fails("API Error: 529"), NOTE], True),
        ([fails("overloaded", agent="assistant", kind="llm.response")], True),
        ([fails("API Error: 529"), SAID], False),
        ([SAID], False),
        ([SAID, fails("exit code 1", agent="tool", kind="tool.result")], False),
        ([SAID, fails("Prompt is too long")], False),
        ([SAID, fails("API Error: 400 invalid_request_error")], False),
        ([], False),
    ],
    ids=["last", "before a note", "a reply that failed", "recovered", "no error", "a tool", "own context",
         "own request", "no steps"],
)  # fmt: skip
def test_api_error_as_the_last_thing(steps: list[Step], ungradable: bool) -> None:
    assert (ended_in_error(steps) is not None) == ungradable


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("examples")
    write(folder)
    return folder


FAULTS = [
    ("claude-code/parcel-map", "ended in an API error: API Error: Repeated 529 Overloaded errors"),
    ("agentdebugx/form-audit", "ended by infrastructure"),
]


@pytest.mark.parametrize(("name", "reason"), FAULTS, ids=[row[0] for row in FAULTS])
def test_infrastructure_is_no_agent_error(name: str, reason: str, examples: Path) -> None:
    found = intake([examples / name], None, terms=Terms(outcome="failed"))
    (bundle, _), *others = found.bundles
    assert others == []
    assert bundle.trajectory.outcome == Outcome(
        status="ungradable", fault="infrastructure", source="rule", reason=reason,
        verifier=bundle.trajectory.outcome.verifier,
    )  # fmt: skip


def test_other_examples_stay_open_to_a_verdict(examples: Path) -> None:
    found = intake([examples / "claude-code", examples / "agentdebugx"], None, terms=Terms(outcome="failed"))
    statuses = [bundle.trajectory.outcome.status for bundle, _ in found.bundles]
    assert sorted(set(statuses)) == ["failed", "ungradable"]
    assert statuses.count("ungradable") == 2


def test_a_verdict_keeps_what_cannot_be_graded(put: Put, one: One) -> None:
    event = {"event_type": "run.end", "output": {"termination": "timeout"}}
    bundle = one(put("x.json", {"trace_id": "t", "events": [{"event_type": "agent.step", "output": "x"}, event]}))
    for verdict in ("failed", "passed"):
        assert with_terms(bundle, Terms(outcome=verdict)).trajectory.outcome.fault == "infrastructure"
