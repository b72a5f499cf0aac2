"""Agreement of maintainers: both said the same, beyond chance."""

from __future__ import annotations

import pytest
from decisions import accepted, decided, ids, rejected

from errorhub.cards.taxonomy import TaxonomyFacts, taxonomy_card
from errorhub.hub.taxonomy import fold
from errorhub.hub.taxonomy.agreement import agreements, kappa

NONE = [{"mode": None, "diagnoses": ids(1, 2, 3)}]


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([], None), ([("a", "a")] * 3, None), ([("a", "b")] * 3, 0.0),
        ([("a", "a"), ("b", "b")], 1.0), ([("a", "b"), ("b", "a")], -1.0),
        ([("a", "a")] * 20 + [("a", "b")] * 5 + [("b", "a")] * 10 + [("b", "b")] * 15, 0.4),
    ],
    ids=["nothing", "one answer only", "never", "always", "the contrary", "textbook"],
)  # fmt: skip
def test_kappa(pairs: list[tuple[str, str]], value: float | None) -> None:
    assert kappa(pairs) == (None if value is None else pytest.approx(value))


def test_two_maintainers_on_the_same_proposals() -> None:
    ada = [accepted("loops", (1, 2)), rejected((3, 4), 1), accepted("waits", (5, 6), 2)]
    bo = [accepted("loops", (1, 2), 3, by="bo"), rejected((3, 4), 4, by="bo"), rejected((5, 6), 5, by="bo")]
    (one,) = agreements(fold([*bo, *ada, accepted("other", (7, 8), 6, by="cy")]))
    assert (one.kind, one.first, one.second, one.both, one.same) == ("proposals", "ada", "bo", 3, 2)
    assert one.kappa == pytest.approx(0.5)


def test_the_last_word_counts_what_was_undone_and_what_programs_say_does_not() -> None:
    first = decided("assign", 1, assigned=NONE)
    loops = accepted("loops", (8, 9), 0)
    mode = loops.ref(loops.defines[0])
    other = decided("assign", 2, by="bo", assigned=[{"mode": mode, "diagnoses": ids(1)}], after=[first.id])
    changed = decided("assign", 3, by="bo", assigned=[{"mode": None, "diagnoses": ids(1)}])
    program = decided("assign", 4, by="bo", assigned=[{"mode": mode, "diagnoses": ids(2)}], method="knn")
    (one,) = agreements(fold([loops, first, other, program]))
    assert (one.kind, one.both, one.same, one.kappa) == ("cases", 1, 0, 0.0)
    (one,) = agreements(fold([loops, first, other, changed, program]))
    assert (one.both, one.same, one.kappa) == (1, 1, None)
    assert not agreements(fold([loops, first, other, decided("undo", 5, target=other.id)]))


def test_the_page_says_it_and_escapes_who_says_it() -> None:
    ada = decided("assign", 1, assigned=NONE)
    bo = decided("assign", 2, by="b|o <i>", assigned=NONE)
    rows = [one.document() for one in agreements(fold([ada, bo]))]
    page = taxonomy_card(TaxonomyFacts(title="Modes", agreement=rows))
    assert r"| ada, b\|o &lt;i&gt; | cases | 3 | 3 | - |" in page
    assert "Maintainers agree" not in taxonomy_card(TaxonomyFacts(title="Modes"))
