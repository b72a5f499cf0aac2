"""Grades: located, evidenced, actionable, rejected."""

from collections.abc import Callable
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, Citation, Correction, grounded
from errorhub.hub.bundle.diagnosis import Grounding
from errorhub.hub.bundle.grounding import ground, same_agent

Make = Callable[..., Bundle]


@pytest.mark.parametrize(
    ("parts", "grade", "rule"),
    [
        ({}, "actionable", "actionable"),
        ({"correction": None}, "evidenced", "evidenced"),
        ({"correction": Correction(text="  ")}, "evidenced", "evidenced"),
        ({"correction": Correction(action={"command": "ls"})}, "actionable", "actionable"),
        ({"evidence": ()}, "located", "located"),
        ({"evidence": (), "correction": None}, "located", "located"),
        ({"evidence": (Citation(step=1, quote="<DROPPED>"),)}, "located", "located"),
        ({"agent": "OPS (thought)"}, "actionable", "actionable"),
        ({"step": 3}, "rejected", "step_out_of_range"),
        ({"agent": "user"}, "rejected", "agent_not_at_step"),
        ({"evidence": (Citation(step=1, quote="never said"),)}, "rejected", "quote_not_in_step"),
        ({"evidence": (Citation(step=1, quote="rm"), Citation(step=0, quote="rm -rf"))}, "rejected", "quote_not_in_step"),
        ({"evidence": (Citation(step=9, quote="rm"),)}, "rejected", "quote_step_out_of_range"),
        ({"evidence": (Citation(step=1, quote=" "),)}, "rejected", "quote_empty"),
        ({"evidence": (Citation(step=2, quote="exit  1"),)}, "actionable", "actionable"),
        ({"evidence": (Citation(step=1, quote='{"command":"rm'),)}, "actionable", "actionable"),
    ],
)  # fmt: skip
def test_grades(parts: dict[str, Any], grade: str, rule: str, make: Make) -> None:
    held = make()
    found = ground(held.trajectory, held.diagnoses[0].replace(**parts))
    assert (found.grade, found.rule) == (grade, rule)


def test_detail_never_repeats_the_quote(make: Make) -> None:
    held = make()
    wrong = held.diagnoses[0].replace(evidence=(Citation(step=1, quote="hunter2-secret"),))
    assert "hunter2" not in ground(held.trajectory, wrong).model_dump_json()


def test_grounding_again_changes_nothing_and_keeps_other_judges(make: Make) -> None:
    once = grounded(make())
    assert grounded(once) == once
    other = Grounding(diagnosis_id=once.diagnosis_ids[0], grade="rejected", rule="semantic", by="judge")
    assert other in grounded(once.replace(groundings=(*once.groundings, other))).groundings


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [("WebSurfer", "web_surfer", True), ("Orchestrator (thought)", "orchestrator", True), ("A", "B", False), ("(x)", "(y)", False)],
)  # fmt: skip
def test_agent_names_compare_without_decoration(one: str, other: str, same: bool) -> None:
    assert same_agent(one, other) is same
