"""The paths handed to the scrubber: what strict drops, where ids are left alone, where prose is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from errorhub.hub.bundle import Attempt, Bundle, Diagnosis, Repair, Step, Trajectory
from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.bundle.trajectory import Run, Source
from errorhub.scrubber import Policy, Vault, scrub

CANARY = "the heron left the reed bed at dawn"
ID = "q7Zk2mVx9LpR4tYw8NsB3cHd"


def cleaned(policy: str = "strict", **parts: Any) -> str:
    step = Step(agent="a", kind="agent.step", output={"text": "fine"}, metadata=parts.pop("metadata", {}))
    trajectory = Trajectory(
        steps=(step,), source=Source(format="x"), run=Run(metadata=parts.pop("run", {}))
    )  # fmt: skip
    document = Bundle(trajectory=trajectory, **parts).document()
    assert CANARY in json.dumps(document) or ID in json.dumps(document)
    rules = Policy.load(policy).without_names().with_paths(**PATHS)
    return json.dumps(scrub(document, rules, Vault(b"k" * 32)).document)


DROPPED: list[tuple[str, dict[str, Any]]] = [
    ("native form of a step", {"metadata": {"native": {"prompt": [CANARY]}}}),
    ("inputs of a step", {"metadata": {"inputs": [CANARY]}}),
    ("inputs of a run", {"run": {"inputs": {"tools": CANARY}}}),
    ("what AgentDebugX saw", {"diagnoses": (Diagnosis(step=0, agent="a", explanation="e", author="x",
                                            metadata={"agentdebugx": {"report": {"audit": CANARY}}}),)}),
    ("native form in an attempt", {"repairs": (Repair(kind="directive", attempts=(Attempt(arm="corrected", steps=(
        Step(agent="a", kind="agent.step", metadata={"native": CANARY}),)),)),)}),
]  # fmt: skip


@pytest.mark.parametrize("parts", [row[1] for row in DROPPED], ids=[row[0] for row in DROPPED])
def test_strict_drops(parts: dict[str, Any]) -> None:
    assert CANARY not in cleaned(**parts)


@pytest.mark.parametrize("name", ["message_id", "trace_id", "id", "sessionId"])
def test_ids_of_runs_and_steps_stay(name: str) -> None:
    assert ID in cleaned(metadata={name: ID})
    assert ID in cleaned(run={name: ID})


def test_prose_is_read_inside_objects() -> None:
    assert {"trajectory.steps[*].output.**", "trajectory.steps[*].input.**"} <= set(PATHS["prose"])
