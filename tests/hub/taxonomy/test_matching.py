"""Whether a cluster was decided before, while data grows."""

from collections.abc import Iterable

import pytest
from decisions import accepted, decided, ids, rejected

from errorhub.hub.taxonomy import Decision, decision_for, fold

TEN = range(10)
ACCEPT, REJECT = accepted("loop", TEN), rejected(TEN)
LOOP = ACCEPT.ref(ACCEPT.defines[0])
GROWN = decided("assign", 5, assigned=[{"mode": LOOP, "diagnoses": ids(*range(10, 30))}])


@pytest.mark.parametrize(
    ("decisions", "cluster", "action"),
    [
        ([ACCEPT], TEN, "accept"),
        ([ACCEPT], range(5), "accept"),
        ([ACCEPT], range(4), "accept"),
        ([ACCEPT], range(20), "accept"),
        ([ACCEPT], range(40), "accept"),
        ([ACCEPT], range(3, 60), None),
        ([ACCEPT], range(9, 30), None),
        ([ACCEPT, GROWN], range(9, 30), "accept"),
        ([ACCEPT, GROWN], range(25, 60), None),
        ([REJECT], TEN, "reject"),
        ([REJECT], range(14), "reject"),
        ([REJECT], range(15), None),
        ([REJECT], range(40), None),
        ([REJECT], range(5), "reject"),
        ([REJECT], range(4), None),
        ([REJECT], range(20, 30), None),
        ([ACCEPT], [], None),
        ([], TEN, None),
    ],
    ids=str,
)
def test_a_decided_cluster_is_known_again(
    decisions: list[Decision], cluster: Iterable[int], action: str | None
) -> None:
    found = decision_for(ids(*cluster), fold(decisions))
    assert (found.action if found else None) == action


def test_what_was_undone_is_new_again() -> None:
    undo = decided("undo", 9, target=ACCEPT.id)
    assert decision_for(ids(*TEN), fold([ACCEPT, undo])) is None


def test_the_most_alike_of_two_decisions_answers() -> None:
    other = accepted("wait", range(8, 20), 3)
    found = decision_for(ids(*range(8, 21)), fold([ACCEPT, other]))
    assert found and found.mode == "planning.wait"
