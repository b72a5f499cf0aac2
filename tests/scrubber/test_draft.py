"""A draft finds again where its texts stand, also behind names, options, numbers and parsed strings."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.scrubber import Policy, Vault, scrub
from errorhub.scrubber.draft import Draft
from errorhub.scrubber.nodes import Trails
from errorhub.scrubber.paths import KEY
from errorhub.scrubber.plan import plan_for
from errorhub.scrubber.policy import PatternEntry

SHARE = Policy.load("share").without_names()
VAULT = Vault(b"k" * 32)
words = st.sampled_from(["value", "name", "password", "--token", "text", "step_id", "twice", "4111111111111111"])
documents = st.recursive(
    words | st.sampled_from([4111111111111111, 17, 2.5, None, True]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(words, inner, max_size=4)
        | st.dictionaries(words, inner, max_size=3).map(json.dumps)
    ),
    max_leaves=20,
)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and text of every text and every long number."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{path}.{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from leaves(item, f"{path}[{number}]")
    elif isinstance(value, str) and value[:1] == "{":
        yield from leaves(json.loads(value), path)
    elif isinstance(value, str) or (isinstance(value, int) and value > 1_000_000):
        yield path, str(value)


@settings(max_examples=200, deadline=None)
@given(documents)
def test_every_text_is_found_where_it_stands(document: Any) -> None:
    draft = Draft(document, plan_for(SHARE), VAULT)
    places, trails = draft.places(draft.entries), Trails({})
    found = Counter(
        (trails.path(place).replace("(json)", "").lstrip("."), entry[0])
        for entry, stands in places.items()
        for place in stands
        if place.segment != KEY and entry[0] not in ("17", "2.5")
    )
    assert found == Counter((path.lstrip("."), text) for path, text in leaves(document))


def test_a_small_number_that_reads_like_a_text_stays(share: Policy, vault: Vault) -> None:
    policy = share.with_rules(pattern=[PatternEntry(name="ticket", regex=r"\b(47\d{3})\b", kind="TICKET")])
    document = {"a": ["47110", 47110, 4111111111111111]}
    assert scrub(document, policy, vault).document == {"a": ["<TICKET_1>", 47110, "<CARD_1>"]}


def test_names_of_members_that_utf8_cannot_hold_are_settled_wherever_they_stand(share: Policy, vault: Vault) -> None:
    document = [{"a\ud800": 1, "b": 2}, {"a\ud800": {"c\udfff": 3}}]
    assert scrub(document, share, vault).document == [{"a\\ud800": 1, "b": 2}, {"a\\ud800": {"c\\udfff": 3}}]


def test_names_that_settle_alike_lose_no_member(share: Policy, vault: Vault) -> None:
    document = {"a\ud800": 1, "a\\ud800": 2, "b": 3}
    clean = scrub(document, share, vault)
    assert list(clean.document.items()) == [("a\\ud800", 1), ("a\\ud800#2", 2), ("b", 3)]
    assert scrub(clean.document, share, vault).document == clean.document


class Lazy(dict[str, Any]):
    """Holds more than it shows."""

    def items(self) -> Any:
        return [("shown", 1)]


class Empty(list[Any]):
    """Shows less than it holds."""

    def __iter__(self) -> Iterator[Any]:
        return iter(())


def test_objects_that_show_less_than_they_hold_hide_nothing(share: Policy, vault: Vault) -> None:
    token = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
    clean = scrub({"a": Lazy(shown=1, hidden=token), "b": Empty([token])}, share, vault)
    assert token not in repr(clean.document)
    assert scrub(clean.document, share, vault).document == clean.document
