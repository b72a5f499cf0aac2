from __future__ import annotations

import base64
import json
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorhub.scrubber import KnownValue
from errorhub.scrubber.literals import Literals, every_form, lower

VALUE = "Müller & Söhne/7"
INDEX = Literals(every_form([KnownValue(VALUE, "CUSTOMER")]))


@pytest.mark.parametrize(
    "written",
    [
        VALUE,
        VALUE.upper(),
        VALUE.lower(),
        quote(VALUE, safe=""),
        quote(VALUE).lower(),
        json.dumps(VALUE)[1:-1],
        json.dumps(json.dumps(VALUE))[3:-3],
        VALUE.encode().hex(),
        VALUE.encode().hex().upper(),
        unicodedata.normalize("NFD", VALUE),
    ],
)
def test_every_form_is_found(written: str) -> None:
    text = f"äöü {written} end"
    hits = INDEX.find(text)
    assert any(text[hit.start : hit.end] == written and hit.value == VALUE for hit in hits)


@given(st.binary(max_size=7), st.binary(max_size=7), st.sampled_from([base64.b64encode, base64.urlsafe_b64encode]))
def test_base64_at_any_offset(before: bytes, after: bytes, encode: object) -> None:
    assert callable(encode)
    blob = encode(before + b"secret>>>value???" + after).decode()
    assert Literals(every_form([KnownValue("secret>>>value???")])).find(f"x {blob} y")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ask Acme now", True),
        ("ACME_KEY=1", True),
        ("see AcmeClient", True),
        ("myAcme", True),
        ("acmeology", False),
        ("pacme", False),
        ("macmeter", False),
    ],
)
def test_short_words_stand_alone(text: str, found: bool) -> None:
    assert bool(Literals(every_form([KnownValue("Acme")])).find(text)) is found


@given(st.text())
def test_lower_keeps_length(text: str) -> None:
    assert len(lower(text)) == len(text)


def test_nothing_known_finds_nothing() -> None:
    assert Literals([]).find("text") == []
