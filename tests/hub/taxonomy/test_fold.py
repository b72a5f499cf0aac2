"""The fold: any order, any number of places, the same taxonomy; what contradicts is shown and settled."""

import random
from collections.abc import Callable

import pytest
from decisions import accepted, decided, ids, proposal, rejected, undone
from hypothesis import given
from hypothesis import strategies as st

from errorhub.hub.taxonomy import SEED, Decision, Taxonomy, fold

LOOP, WAIT = accepted("loop", range(6), 1), accepted("wait", range(10, 16), 2)
LOOP_REF, WAIT_REF = LOOP.ref(LOOP.defines[0]), WAIT.ref(WAIT.defines[0])
INTO_LOOP = decided("merge", 5, sources=[WAIT_REF], into=LOOP_REF)
INTO_WAIT = decided("merge", 6, sources=[LOOP_REF], into=WAIT_REF)


def words(mode: str, name: str) -> dict[str, str]:
    return {"id": mode, "name": name, "family": "planning"}


def accepted_ids(taxonomy: Taxonomy) -> list[str]:
    return [one.id for one in taxonomy.accepted]


def test_nothing_decided_is_the_seed() -> None:
    taxonomy = fold([])
    assert tuple(one.id for one in taxonomy.modes) == SEED
    assert taxonomy.mode("planning.impossible_action").mode.scheme == "agentdebugx"
    assert all(one.description for one in taxonomy.modes)


def test_an_accepted_mode_stands_beside_the_seed() -> None:
    taxonomy = fold([LOOP])
    (mode,) = taxonomy.accepted
    assert (mode.scheme, mode.id, mode.name, len(mode.members)) == ("errorhub", "planning.loop", "loop", 6)
    assert taxonomy.mode("loop") == taxonomy.mode(str(mode.ref)) == mode
    assert mode.mode.text == "loop" and mode.mode.version == mode.version
    assert {taxonomy.under[name] for name in ids(*range(6))} == {mode}


def test_merging_modes_leads_old_labels_on() -> None:
    taxonomy = fold([LOOP, WAIT, INTO_LOOP])
    (mode,) = taxonomy.accepted
    assert len(mode.members) == 12 and "wait" in mode.aliases and str(WAIT_REF) in mode.merged_from
    assert taxonomy.by_ref[WAIT_REF] == mode and taxonomy.mode("planning.wait") == mode
    assert {one.mode for one in taxonomy.decided} == {"planning.loop"}
    assert taxonomy.retired[0].status == "merged"


def test_merging_into_the_seed_leaves_the_seed_as_it_is() -> None:
    seed = fold([]).mode("planning.inefficient_plan")
    answers = [{"proposal": "p" * 12, "members": ids(81, 82, 83)}]
    taxonomy = fold([LOOP, decided("merge", 4, answers=answers, sources=[LOOP_REF], into=seed.ref)])
    assert taxonomy.mode("planning.inefficient_plan") == seed
    assert not taxonomy.accepted and taxonomy.by_ref[LOOP_REF] == seed
    assert taxonomy.under[ids(2)[0]] == seed and taxonomy.under[ids(82)[0]] == seed


def test_a_split_makes_parts_and_retires_the_whole() -> None:
    parts = [words("planning.a", "a") | {"members": ids(0, 1, 2)}, words("planning.b", "b") | {"members": ids(3, 4)}]
    taxonomy = fold([LOOP, decided("split", 3, sources=[LOOP_REF], defines=parts)])
    assert accepted_ids(taxonomy) == ["planning.a", "planning.b"]
    assert [one.id for one in taxonomy.retired[0].successors] == ["planning.a", "planning.b"]
    assert taxonomy.mode("planning.a").parents == (str(LOOP_REF),)
    assert taxonomy.by_ref[LOOP_REF].status == "split"


def test_an_undo_and_its_undo() -> None:
    undo = undone(LOOP)
    assert not fold([LOOP, undo]).accepted
    assert fold([LOOP, undo, undone(undo, 60)]).accepted == fold([LOOP]).accepted
    assert undo.id in fold([LOOP, undo, undone(undo, 60)]).undone


@pytest.mark.parametrize(
    ("decisions", "kind", "modes"),
    [
        ([LOOP, rejected(range(6), 3)], "answers", []),
        ([LOOP, rejected(range(6), 0)], "answers", ["planning.loop"]),
        ([LOOP, accepted("circle", range(6), 3)], "answers", ["planning.circle"]),
        ([LOOP, accepted("circle", range(1, 8), 3)], "answers", ["planning.circle"]),
        ([LOOP, WAIT, INTO_LOOP, INTO_WAIT], "cycle", ["planning.loop"]),
        ([LOOP, INTO_LOOP], "missing", ["planning.loop"]),
        ([LOOP, decided("rename", 3, sources=[LOOP_REF], defines=[words("planning.loop", "round")]),
          decided("rename", 4, sources=[LOOP_REF], defines=[words("planning.loop", "again")])], "names", ["planning.loop"]),
        ([LOOP, WAIT, INTO_LOOP, decided("merge", 7, sources=[WAIT_REF], into=fold([]).modes[0].ref)], "targets",
         ["planning.loop"]),
        ([LOOP, WAIT, *(decided("assign", n, assigned=[{"mode": ref, "diagnoses": ids(90)}])
                        for n, ref in ((3, LOOP_REF), (4, WAIT_REF)))], "assignments", ["planning.loop", "planning.wait"]),
    ],
    ids=["accept-reject", "reject-accept", "two-names", "two-names-other-data", "circle", "missing", "renames", "targets",
         "assignments"],
)  # fmt: skip
def test_what_contradicts_is_a_conflict_with_one_winner(decisions: list[Decision], kind: str, modes: list[str]) -> None:
    taxonomy = fold(decisions)
    assert [one.kind for one in taxonomy.conflicts] == [kind]
    assert accepted_ids(taxonomy) == modes
    assert fold(decisions[::-1]) == taxonomy


def test_taking_the_loser_back_ends_a_conflict() -> None:
    loser, winner = LOOP, rejected(range(6), 3)
    assert fold([loser, winner]).conflicts
    assert not fold([loser, winner, undone(loser)]).conflicts
    assert accepted_ids(fold([loser, winner, undone(winner)])) == ["planning.loop"]


def test_what_knows_of_the_other_is_no_conflict() -> None:
    grown = accepted("loop", range(9), 9, after=[rejected(range(6), 3).id])
    taxonomy = fold([rejected(range(6), 3), grown])
    assert not taxonomy.conflicts and accepted_ids(taxonomy) == ["planning.loop"]
    late = decided("rename", 3, sources=[LOOP_REF], defines=[words("planning.loop", "round")])
    early = decided("rename", 2, sources=[LOOP_REF], defines=[words("planning.loop", "again")], after=[late.id])
    assert fold([LOOP, late, early]).mode("again").name == "again"
    assert fold([LOOP, late, early]).mode("round").aliases == ("loop", "round")


def test_the_same_answer_of_two_maintainers_is_one_mode() -> None:
    again = accepted("loop", range(6), 4, by="bo")
    other = accepted("loop", range(1, 8), 5, by="cy")
    taxonomy = fold([LOOP, again, other])
    (mode,) = taxonomy.accepted
    assert not taxonomy.conflicts and mode.ref == LOOP_REF and mode.members == set(ids(*range(8)))
    assert taxonomy.by_ref[other.ref(other.defines[0])] == mode


def test_one_id_for_different_failures_is_two_modes() -> None:
    taxonomy = fold([LOOP, accepted("loop", range(50, 56), 4)])
    assert accepted_ids(taxonomy) == ["planning.loop", "planning.loop"]
    assert taxonomy.find("planning.loop") is None
    assert len({one.version for one in taxonomy.accepted}) == 2


def test_a_person_goes_before_a_program_whatever_the_time() -> None:
    person = decided("assign", 3, assigned=[{"mode": None, "diagnoses": ids(90)}])
    program = decided("assign", 9, assigned=[{"mode": LOOP_REF, "diagnoses": ids(90, 91)}], method="tfidf-knn k=5")
    taxonomy = fold([LOOP, person, program])
    assert ids(90)[0] not in taxonomy.under and taxonomy.under[ids(91)[0]].id == "planning.loop"
    assert not taxonomy.conflicts


POOL = [
    LOOP, WAIT, INTO_LOOP, INTO_WAIT, rejected(range(6), 3), rejected(range(10, 16), 0), accepted("circle", range(5), 3),
    accepted("loop", range(1, 8), 8), undone(LOOP), undone(undone(LOOP), 51), undone(INTO_LOOP, 52),
    decided("rename", 3, sources=[LOOP_REF], defines=[words("planning.loop", "round")]),
    decided("rename", 4, sources=[LOOP_REF], defines=[words("planning.loop", "again")]),
    decided("split", 3, sources=[LOOP_REF], defines=[words("planning.a", "a") | {"members": ids(0, 1)},
                                                     words("planning.b", "b") | {"members": ids(3)}]),
    decided("assign", 3, assigned=[{"mode": LOOP_REF, "diagnoses": ids(90, 91)}]),
    decided("assign", 4, assigned=[{"mode": WAIT_REF, "diagnoses": ids(90)}, {"mode": None, "diagnoses": ids(91)}]),
    decided("merge", 6, answers=[{"proposal": "p" * 9, "members": ids(70, 71)}], into=WAIT_REF),
]  # fmt: skip
SOME = st.lists(st.sampled_from(POOL), max_size=len(POOL))


@given(SOME, SOME, st.integers(0, 1000))
def test_the_fold_is_commutative_associative_and_idempotent(
    one: list[Decision], two: list[Decision], seed: int
) -> None:
    together = fold([*one, *two])
    shuffled = [*two, *one, *one]
    random.Random(seed).shuffle(shuffled)
    assert fold(shuffled) == together
    assert fold(together.decisions) == together
    for mode in (*together.modes, *together.retired):
        assert together.by_ref[mode.ref]
    assert all(name not in together.under or together.under[name] in together.modes for name in ids(*range(100)))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: accepted("loop", []), "member"),
        (lambda: decided("accept", 1), "accept"),
        (lambda: decided("undo", 1), "undo"),
        (lambda: decided("assign", 1), "assign"),
        (lambda: decided("merge", 1, sources=[LOOP_REF]), "merge"),
        (lambda: decided("rename", 1, sources=[LOOP_REF], defines=[words("planning.other", "x")]), "rename"),
        (
            lambda: decided("split", 1, sources=[LOOP_REF], defines=[words("planning.a", "a") | {"members": ids(1)}]),
            "split",
        ),
        (lambda: decided("reject", 1, answers=[{"proposal": "p", "members": ids(1, 2)[::-1]}]), "sorted"),
        (lambda: accepted("Loop", range(3)), "pattern"),
        (lambda: decided("undo", 1, target="0" * 64, by=" "), "least"),
    ],
    ids=["no-members", "accept", "undo", "assign", "merge", "rename", "split", "unsorted", "id", "nobody"],
)
def test_a_decision_that_does_not_carry_what_it_needs_is_none(make: Callable[[], Decision], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make()


def test_proposals_have_stable_ids() -> None:
    assert proposal("a", [1, 2])["id"] == proposal("b", [2, 1])["id"]
