"""Proposals: the same for the same set, counted by runs, never what is known or was answered."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from errorhub.hub.bundle.diagnosis import Mode
from errorhub.hub.taxonomy import Decided, Taxonomy
from errorhub.induction import Finding, Induction, Settings, clustering, propose

Found = Callable[..., list[Finding]]
One = Callable[..., Finding]


def induced(found: list[Finding], taxonomy: Taxonomy, **settings: object) -> Induction:
    return propose(found, taxonomy=taxonomy, settings=Settings.model_validate(settings))


def test_kinds_of_failure_become_proposals_of_their_own(found: Found, seed: Taxonomy) -> None:
    everything = found()
    result = induced(everything, seed)
    kinds = {one.diagnosis_id: number // 12 for number, one in enumerate(everything)}
    for proposal in result.proposals:
        counts = Counter(kinds[name] for name in proposal.members)
        assert counts.most_common(1)[0][1] >= 0.75 * len(proposal.members), proposal.name
    assert len({Counter(kinds[name] for name in one.members).most_common(1)[0][0] for one in result.proposals}) >= 4
    assert result.unclustered <= len(everything) / 3


@pytest.mark.parametrize("shuffle", range(3))
def test_order_changes_nothing(found: Found, seed: Taxonomy, shuffle: int) -> None:
    mixed = found()
    random.Random(shuffle).shuffle(mixed)
    assert induced(mixed, seed) == induced(found(), seed)


def test_the_same_failure_reported_often_in_one_run_supports_once(one: One, seed: Taxonomy) -> None:
    often = [one("The cache was stale.", n, trajectory_id=f"run-{n % 2}") for n in range(20)]
    assert not induced(often, seed).proposals
    (proposal,) = induced(often, seed, min_support=2).proposals
    assert (proposal.support, len(proposal.members)) == (2, 20)


def test_runs_of_one_task_are_no_mode(one: One, seed: Taxonomy) -> None:
    same = [one("The cache was stale.", n, task="the only one") for n in range(9)]
    assert not induced(same, seed).proposals
    assert induced(same, seed, min_tasks=1).proposals


@pytest.mark.parametrize(
    "texts",
    [[], ["alone"], [""] * 9, [" \n"] * 5, ["12 34"] * 5, ["x"] * 4 + [""]],
    ids=["none", "one", "empty", "blank", "numbers", "letter"],
)
def test_odd_input_is_answered(texts: list[str], one: One, seed: Taxonomy) -> None:
    found = [one(text, number) for number, text in enumerate(texts)]
    result = induced(found, seed)
    assert len(result.assignments) == len(found) == result.candidates
    assert not result.proposals


def test_fifty_thousand_findings_end_somewhere_each(
    one: One, found: Found, seed: Taxonomy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clustering, "EXACT", 400)
    monkeypatch.setattr(clustering, "BLOCK", 200)
    said = [f"{each.text} No {number}{number}{number}." for each in found() for number in range(12)]
    many = [one(said[number % len(said)], number) for number in range(50_000)]
    result = induced(many, seed, draws=1)
    assert len(result.assignments) == result.candidates == 50_000
    assert sum(proposal.support for proposal in result.proposals) + result.unclustered == 50_000
    few = many[: len(said)]
    assert induced(few[::-1], seed, draws=1) == induced(few, seed, draws=1)


def test_identical_texts_are_one_stable_proposal(one: One, seed: Taxonomy) -> None:
    (proposal,) = induced([one("The cache was stale.", n) for n in range(50)], seed).proposals
    assert (proposal.support, proposal.stability, len(proposal.examples)) == (50, 1.0, 1)


def test_texts_without_spaces_are_clustered(one: One, seed: Taxonomy) -> None:
    texts = [
        "代理编造了奥斯陆的人口数据",
        "它编造了航班的数据",
        "代理编造了票价的数据",
        "循环直到步数耗尽",
        "一直循环步数耗尽了",
        "陷入循环步数耗尽",
    ]
    result = induced([one(text, number) for number, text in enumerate(texts)], seed)
    assert sorted(len(proposal.members) for proposal in result.proposals) == [3, 3]
    assert all("unnamed" not in proposal.name for proposal in result.proposals)


def test_a_shared_label_groups_whatever_the_text(one: One, found: Found, seed: Taxonomy) -> None:
    labelled = [
        replace(each, label=("Dead lock", "dead-lock")[n % 2]) for n, each in enumerate(found("loop", "code")[::4])
    ]
    result = induced([*labelled, *found("partial")], seed)
    (proposal,) = (each for each in result.proposals if each.named_by == "label")
    assert proposal.members == tuple(sorted(each.diagnosis_id for each in labelled))
    assert (proposal.name, proposal.stability) == ("Dead lock", 1.0)


def test_a_name_nobody_shares_is_read_with_the_text(one: One, seed: Taxonomy) -> None:
    texts = [
        one("The agents wait for each other in a deadlock.", n, label=f"mutual_wait_{'abcd'[n]}") for n in range(4)
    ]
    (proposal,) = induced(texts, seed).proposals
    assert len(proposal.members) == 4


@pytest.mark.parametrize(
    ("parts", "counted"),
    [
        ({"mode": Mode(scheme="agentdebugx", version="0.5.2", id="action.wrong_tool")}, True),
        ({"mode": Mode(scheme="agentdebugx", id="action.wrong_tool")}, True),
        ({"label": "wrong tool"}, True),
        ({"mode": Mode(scheme="agentdebugx", version="0.5.2", id="action.wrong_tool"), "confidence": 0.2}, False),
        ({"mode": Mode(scheme="mast", version="1", id="action.wrong_tool")}, False),
        ({}, False),
    ],
    ids=["seed", "version unsaid", "named", "doubted", "another scheme", "free text"],
)
def test_known_modes_are_counted_not_proposed(
    parts: dict[str, object], counted: bool, one: One, seed: Taxonomy
) -> None:
    result = induced([one("The wrong tool was used.", n, **parts) for n in range(4)], seed)
    assert bool(result.known) is counted
    assert bool(result.proposals) is not counted
    assert all(bool(each.mode) is counted for each in result.assignments)


def test_schemes_and_versions_are_never_merged_by_number(one: One, seed: Taxonomy) -> None:
    schemes = [("mast", "1"), ("mast", "2"), ("trail", "1")]
    found = [
        one("Something failed.", 10 * n + at, mode=Mode(scheme=scheme, version=version, id="1.1"))
        for n, (scheme, version) in enumerate(schemes)
        for at in range(3)
    ]
    assert [len(each.members) for each in induced(found, seed).proposals] == [3, 3, 3]


@pytest.mark.parametrize("action", ["accept", "reject"])
def test_what_was_answered_is_not_proposed_again(action: str, found: Found, seed: Taxonomy) -> None:
    first = induced(found("invention", "code"), seed)
    chosen = first.proposals[0]
    answer = Decided(chosen.id, action, frozenset(chosen.members), None, None, "d" * 64, "ada", "2026-01-01")  # type: ignore[arg-type]
    again = induced(found("invention", "code", "partial"), replace(seed, decided=(answer,)))
    held = {name for proposal in again.proposals for name in proposal.members}
    assert again.proposals
    assert again.decided
    assert len(held & set(chosen.members)) <= len(chosen.members) / 5


def test_ids_stay_when_other_failures_arrive(found: Found, one: One, seed: Taxonomy) -> None:
    stale = [one("The cache was stale and outdated.", 900 + n) for n in range(5)]
    before = {proposal.id for proposal in induced(stale, seed).proposals}
    assert before <= {proposal.id for proposal in induced([*stale, *found("code")], seed).proposals}


def test_best_come_first_and_the_rest_is_counted(found: Found, seed: Taxonomy) -> None:
    result = induced(found(), seed, limit=2)
    assert len(result.proposals) == 2
    assert result.proposals[0].support >= result.proposals[1].support
    assert result.unclustered == sum(each.proposal is None for each in result.assignments)
    assert {each.proposal for each in result.assignments} - {None} == {each.id for each in result.proposals}


def test_who_fails_is_told(found: Found, seed: Taxonomy) -> None:
    named = [
        replace(each, agent=("planner", "coder")[n % 2], harness="swe-agent") for n, each in enumerate(found("code"))
    ]
    proposal = induced(named, seed, agent=0).proposals[0]
    assert sum(proposal.agents.values()) == proposal.support
    assert proposal.harnesses == {"swe-agent": proposal.support}
    assert proposal.nearest is not None
    assert 0 < (proposal.similarity or 0) <= 1
    assert len(proposal.examples) == min(6, len(proposal.members))


def test_refuted_findings_are_set_aside_and_told(one: One, seed: Taxonomy) -> None:
    found = [one("The cache was stale.", n, rejected="quote_not_in_step" if n > 2 else None) for n in range(9)]
    result = induced(found, seed)
    assert result.rejected == {"quote_not_in_step": 6}
    assert result.candidates == len(result.proposals[0].members) == 3
    assert len({each.cluster for each in result.assignments}) == 7
