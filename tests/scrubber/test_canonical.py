"""The quick digest is the canonical one wherever it is used."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.scrubber import Policy, Vault, scrub
from errorhub.scrubber.canonical import digest, has_exponent, quick_digest

text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
floats = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    text | st.integers() | floats | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(text, inner, max_size=4),
    max_leaves=12,
)


def containers(value: Any) -> Iterator[Any]:
    """Yield every list and object of a value."""
    if isinstance(value, (dict, list)):
        yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from containers(item)


@settings(max_examples=300, deadline=None)
@given(values)
def test_both_digests_are_one(value: Any) -> None:
    before = repr(value)
    assert quick_digest(value, list(containers(value))) == digest(value)
    assert repr(value) == before


@given(floats | st.sampled_from([1e16, 1e-4]).flatmap(lambda edge: st.floats(edge * (1 - 1e-12), edge * (1 + 1e-12))))
def test_exponents_are_known_without_writing(value: float) -> None:
    assert has_exponent(value) == ("e" in repr(value))
    assert has_exponent(value) or quick_digest(value) == digest(value)


@pytest.mark.parametrize(
    "number",
    [1e16, 1e-5, 0.00001234, 1.5e300, 0.0001, 123456789012345.6, -0.0, 2**70, float("nan"), float("inf")],
    ids=str,
)
def test_every_number_is_certified(number: float, share: Policy, vault: Vault) -> None:
    clean = scrub({"duration": number, "text": "\x7f\u2028\x1f"}, share, vault)
    assert clean.receipt.certifies(clean.document)


@pytest.mark.parametrize(
    "document",
    [{}, {"b": [1, 2.5, None, True], "a": "é\u2028\x00"}, {"n": 10**40, "s": "\\ud800"}, [[], {}, ""]],
    ids=repr,
)
def test_the_record_and_the_receipt_agree_on_the_bytes(document: object) -> None:
    from errorhub.hub.bundle.canonical import digest as record_digest

    assert digest(document) == record_digest(document)
