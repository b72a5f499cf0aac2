from __future__ import annotations

from functools import reduce

import pytest

from errorhub.scrubber.errors import PolicyError
from errorhub.scrubber.paths import KEY, Machine, extended, parse


@pytest.mark.parametrize(
    ("pattern", "place", "holds"),
    [
        pytest.param("steps[*].input", ["steps", 3, "input"], True, id="any-index"),
        pytest.param("steps[*].input", ["steps", 3, "input", "cmd"], False, id="not-below"),
        pytest.param("steps[2].input", ["steps", 2, "input"], True, id="one-index"),
        pytest.param("steps[2].input", ["steps", 3, "input"], False, id="other-index"),
        pytest.param("steps[*].input.**", ["steps", 3, "input", "a", 0], True, id="all-below"),
        pytest.param("steps[*].input.**", ["steps", 3, "input"], True, id="rest-may-be-empty"),
        pytest.param("**.signature", ["a", 0, "b", "signature"], True, id="anywhere"),
        pytest.param("**.signature", ["signature"], True, id="anywhere-at-the-top"),
        pytest.param("**.*_id", ["a", "call_id"], True, id="glob"),
        pytest.param("**.*_id", ["a", "idle"], False, id="glob-miss"),
        pytest.param("a.*.c", ["a", 0, "c"], False, id="star-is-no-index"),
        pytest.param('["a.b"].c', ["a.b", "c"], True, id="quoted"),
        pytest.param("**.a.**.b", ["x", "a", "y", "a", "b"], True, id="two-rests"),
        pytest.param("[*].text", [5, "text"], True, id="list-at-the-top"),
    ],
)
def test_pattern_holds_where_it_says(pattern: str, place: list[str | int], holds: bool) -> None:
    machine = Machine({"ids": (pattern,)})
    state = machine.root
    for segment in place:
        state = state.child(segment if isinstance(segment, str) or segment in machine.indices else -1)
    assert state.labels.ids is holds


def test_labels_name_the_pattern_that_drops() -> None:
    state = Machine({"drop": ("a.b", "**.c"), "prose": ("a.*",)}).root.child("a")
    assert state.child("b").labels.drop == "a.b"
    labels = state.child("c").labels
    assert (labels.drop, labels.opaque, labels.ids, labels.prose, labels.whole) == ("**.c", False, False, True, False)


@pytest.mark.parametrize("pattern", ["", ".a", "a..b", "a[", "a[x]", 'a["b', "a]"])
def test_malformed_pattern_is_named(pattern: str) -> None:
    with pytest.raises(PolicyError, match="pattern"):
        parse(pattern)


@pytest.mark.parametrize(
    ("trail", "text"),
    [
        (["steps", 3, "output", "stdout"], "steps[3].output.stdout"),
        ([0, "a"], "[0].a"),
        (["env", KEY], "env{key}"),
        (["a.b", "c"], '["a.b"].c'),
        (["a", "\x1b[31m"], 'a["�[31m"]'),
        (["a", "<EMAIL_1>"], "a.<EMAIL_1>"),
        (["k" * 100], "[" + '"' + "k" * 59 + "…" + '"]'),
    ],
)
def test_a_path_is_written_for_people(trail: list[str | int], text: str) -> None:
    assert reduce(extended, trail, "") == text
