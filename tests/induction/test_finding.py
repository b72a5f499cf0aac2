"""Findings of bundles: each diagnosis once, and which of them grounding refutes."""

import pytest
from decided_cases import case

from errorhub.hub.bundle import Bundle, Citation, grounded
from errorhub.induction import findings


def changed(bundle: Bundle, **parts: object) -> Bundle:
    """Return the bundle with another diagnosis, checked again."""
    return grounded(bundle.replace(diagnoses=(bundle.diagnoses[0].replace(**parts),), groundings=()))


def test_the_same_diagnosis_in_two_bundles_counts_once() -> None:
    assert len(list(findings([case("It waits.", 1), case("It waits.", 1), case("It waits.", 2)]))) == 2


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({}, None),
        ({"step": 99}, "step_out_of_range"),
        ({"agent": "nobody"}, None),
        ({"agent": "nobody", "evidence": (Citation(step=0, quote="I begin"),)}, "agent_not_at_step"),
        ({"evidence": (Citation(step=0, quote="never said"),)}, "quote_not_in_step"),
    ],
    ids=["holds", "no such step", "another agent, free text", "another agent, quoted", "invented quote"],
)
def test_what_is_refuted(parts: dict[str, object], rule: str | None) -> None:
    (found,) = findings([changed(case("It waits.", 1), **parts)])
    assert found.rejected == rule


def test_a_finding_knows_its_run() -> None:
    (found,) = findings([case("It waits.", 7, harness="swe-agent")])
    assert (found.task, found.harness, found.environment, found.goal) == ("task-7", "swe-agent", "office", "Do job 7.")
    assert found.agents == ("planner",)
