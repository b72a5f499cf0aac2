"""Assignments: votes of decided cases, a measured floor, and abstention."""

from __future__ import annotations

from dataclasses import replace

import pytest
from decided_cases import SAID, case, cases_of
from decisions import decided
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.hub.bundle import Citation, grounded
from errorhub.hub.bundle.diagnosis import Mode
from errorhub.hub.taxonomy import Decision, Taxonomy, fold
from errorhub.hub.taxonomy.assigning import Settings, Suggestion, suggest
from errorhub.hub.taxonomy.cases import Case, cases, mode_of

ALL = {kind: list(cases(cases_of(kind, 100 * at))) for at, kind in enumerate(SAID)}
WAIT = "The planner waits for the coder and the coder waits for the planner, so nobody answers: a deadlock."
STRAY = "The button was clicked twice by mistake."


def accept(kind: str, found: list[Case]) -> Decision:
    members = sorted(one.diagnosis_id for one in found)
    defined = {"id": f"planning.{kind}", "name": kind, "family": "planning"}
    return decided("accept", 1, answers=[{"proposal": kind, "members": members}], defines=[defined])


TWO = fold([accept(kind, ALL[kind]) for kind in ("wait", "stale")])
DECIDED = [*ALL["wait"], *ALL["stale"]]


def new(text: str, number: int = 900) -> Case:
    return next(iter(cases([case(text, number)])))


def asked(text: str, taxonomy: Taxonomy = TWO, others: list[Case] | None = None) -> Suggestion:
    one = new(text)
    found = suggest([*(DECIDED if others is None else others), one], taxonomy)
    return next(row for row in found.rows if row.case == one)


def test_a_case_that_reads_like_a_mode_gets_it_with_votes() -> None:
    row = asked(WAIT)
    assert row.mode and row.mode.id == "planning.wait" and row.reason == ""
    assert sum(row.votes.values()) == len(row.voters) == 5 and row.score > 0.3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (STRAY, "anything like it"), ("", "anything like it"), ("死锁死锁", "anything like it"),
    ], ids=["stray", "empty", "other-script"],
)  # fmt: skip
def test_it_abstains_and_says_why(text: str, says: str) -> None:
    row = asked(text)
    assert row.mode is None and row.reason
    assert says in row.reason or "floor" in row.reason


def test_what_is_open_by_no_rule_is_left_alone() -> None:
    found = suggest([*DECIDED, new(WAIT)], TWO)
    assert [row.case.task for row in found.rows] == ["task-900"]
    assert found.held_out == len(DECIDED) and found.precision and found.precision >= 0.8
    assert Settings().floor <= found.floor < 1


def test_labels_of_other_schemes_vote_for_themselves() -> None:
    foreign = [replace(one, mode=Mode(scheme="agentrx", id="system")) for one in ALL["login"]]
    row = asked("The session token had expired and the login failed.", others=[*DECIDED, *foreign])
    assert row.mode is None and "agentrx:system" in row.reason


def test_cases_put_under_none_vote_for_none() -> None:
    none = decided("assign", 5, assigned=[{"mode": None, "diagnoses": sorted(c.diagnosis_id for c in ALL["login"])}])
    taxonomy = fold([*TWO.decisions, none])
    row = asked("The session token had expired and the login failed.", taxonomy, [*DECIDED, *ALL["login"]])
    assert row.mode is None and row.votes.get("none")
    assert mode_of(ALL["login"][0], taxonomy) is None


def test_its_own_run_and_copies_do_not_vote_twice() -> None:
    copies = [replace(ALL["wait"][0], diagnosis_id=f"{n:064x}", trajectory_id=f"run{n}") for n in range(20)]
    taxonomy = fold([accept("wait", [*ALL["wait"], *copies]), accept("stale", ALL["stale"])])
    row = asked(ALL["wait"][0].text + " Again.", taxonomy, [*DECIDED, *copies])
    texts = {one.diagnosis_id: one.text for one in [*DECIDED, *copies]}
    assert len({texts[name] for name in row.voters}) == len(row.voters)
    sibling = replace(new(WAIT), trajectory_id=ALL["wait"][0].trajectory_id)
    found = suggest([*DECIDED, sibling], TWO)
    assert ALL["wait"][0].diagnosis_id not in found.rows[0].voters


@pytest.mark.parametrize("taxonomy", [fold([]), fold([accept("x", [new("unheard of", 7)])])], ids=["none", "not-here"])
def test_without_decided_cases_nothing_is_suggested(taxonomy: Taxonomy) -> None:
    found = suggest(ALL["wait"], taxonomy)
    assert len(found.rows) == 12 and all(row.mode is None for row in found.rows)
    assert suggest([], taxonomy).rows == ()


def test_too_little_to_measure_leaves_the_floor() -> None:
    found = suggest([*ALL["wait"][:4], new(WAIT)], fold([accept("wait", ALL["wait"][:4])]))
    assert found.floor == Settings().floor and found.precision is None


def test_decided_cases_may_ask_for_more_than_the_floor() -> None:
    texts = [
        f"The planner waits for the coder in round {word}, a deadlock."
        for word in ["one", "two", "three", "four", "five", "six", "seven", "eight"]
    ]
    mixed = [next(iter(cases([case(text, 500 + n)]))) for n, text in enumerate(texts)]
    torn = fold([accept("wait", mixed[::2]), accept("stale", mixed[1::2])])
    found = suggest([*mixed, new("The planner waits for the coder in round nine, a deadlock.")], torn)
    assert found.floor > 1 and found.rows[0].mode is None


@settings(max_examples=15, deadline=None)
@given(st.permutations([*DECIDED[::3], *ALL["unit"][:3], new(WAIT), new(STRAY, 901)]))
def test_the_order_of_cases_does_not_matter(found: list[Case]) -> None:
    assert suggest(found, TWO) == suggest(sorted(found, key=lambda one: one.diagnosis_id), TWO)


def test_many_cases_are_answered_in_seconds() -> None:
    crowd = [
        replace(one, diagnosis_id=f"{n:05d}{one.diagnosis_id[5:]}", trajectory_id=f"{n}", text=f"{one.text} Case number x{n}.")
        for n in range(80) for one in [*ALL["unit"], *ALL["wait"]]
    ]  # fmt: skip
    assert len(suggest([*DECIDED, *crowd], TWO).rows) == len(crowd)


def test_a_refuted_diagnosis_is_no_case_and_a_misplaced_one_is() -> None:
    bundle = case("The planner waits.", 1)
    quoted = bundle.diagnoses[0].replace(evidence=(Citation(step=0, quote="never said"),))
    misplaced = bundle.diagnoses[0].replace(agent="nobody")
    both = grounded(bundle.replace(diagnoses=(quoted, misplaced), groundings=()))
    assert both.grades == ("rejected", "rejected")
    assert [one.diagnosis_id for one in cases([both])] == [both.diagnosis_ids[1]]
