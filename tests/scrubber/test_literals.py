from __future__ import annotations

import base64
import json
import unicodedata
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorhub.scrubber import KnownValue
from errorhub.scrubber.decoded import find_decoded
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
        repr(VALUE.encode())[2:-1],
        repr(VALUE.upper().encode())[2:-1],
        unicodedata.normalize("NFD", VALUE),
    ],
)
def test_every_form_is_found(written: str) -> None:
    text = f"äöü {written} end"
    hits = INDEX.find(text)
    assert any((text[start:end], value) == (written, VALUE) for start, end, _, value in hits)


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


@pytest.mark.parametrize(
    "hidden",
    [
        pytest.param("Nor\x1b[31mthwind", id="colour-inside"),
        pytest.param("\\u004e\\u006frthwind", id="unicode-escapes"),
        pytest.param("%4eorth%57ind", id="percent"),
        pytest.param("&#78;orthwind", id="entity"),
        pytest.param(base64.b64encode(b"the customer is nORTHWIND, again").decode(), id="base64-other-case"),
        pytest.param(base64.b64encode(base64.b64encode(b"key=1;name=NorthWind;x")).decode(), id="base64-twice"),
        pytest.param(base64.urlsafe_b64encode(b"???>>>northwind>>>???").decode().rstrip("="), id="url-safe-no-padding"),
        pytest.param(base64.encodebytes(b"x" * 50 + b"northwind" + b"y" * 40).decode().strip(), id="wrapped-lines"),
    ],
)
def test_values_are_found_through_encodings(hidden: str) -> None:
    index = Literals(every_form([KnownValue("Northwind", "CUSTOMER")]))
    text = f"é {hidden} end"
    hits = list(find_decoded(index, text))
    assert hits
    first, last = min(start for start, *_ in hits), max(end for _, end, *_ in hits)
    assert text.index(hidden) <= first < last <= text.index(" end")


def test_plain_words_open_nothing() -> None:
    index = Literals(every_form([KnownValue("Northwind", "CUSTOMER")]))
    assert list(find_decoded(index, "C:\\temp\\new 100% src/components/navigation/Header.tsx &amp; more")) == []


@pytest.mark.parametrize(
    ("value", "kind", "written", "found"),
    [
        ("Northwind Traders", "CUSTOMER", "northwind-traders", True),
        ("Northwind Traders", "CUSTOMER", "the NORTHWIND_TRADERS_KEY", True),
        ("Northwind Traders", "CUSTOMER", "class NorthwindTradersClient", True),
        ("Northwind Traders", "CUSTOMER", "Northwind\nTraders", True),
        ("zephyr-ledger", "PROJECT", "Zephyr Ledger", True),
        ("+1 (415) 555-0132", "PHONE", "call 14155550132", True),
        ("+1 (415) 555-0132", "PHONE", "id 9141555501327", False),
        ("a-b c_d", "PASSWORD", "a b c d", False),
        ("Größe Übersee", "CUSTOMER", "an GRÖSSE ÜBERSEE", True),
    ],
)
def test_names_are_found_as_code_spells_them(value: str, kind: str, written: str, found: bool) -> None:
    hits = Literals(every_form([KnownValue(value, kind)])).find(written)
    assert bool(hits) is found
    assert {hit[3] for hit in hits} <= {value}


@given(st.lists(st.sampled_from(["", "x", VALUE, f"a {VALUE}", f"{VALUE}b", "İ", "mül", "ler & söhne/7"]), max_size=9))
def test_many_texts_hold_what_each_holds(texts: list[str]) -> None:
    each = {number: hits for number, text in enumerate(texts) if (hits := INDEX.find(text))}
    assert INDEX.find_in(texts) == each


def test_texts_longer_than_a_block_are_searched_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorhub.scrubber.literals.BLOCK", 40)
    texts = [VALUE * 9, "", "x" * 39, VALUE, "y" * 50, f"{VALUE} {VALUE}"]
    assert {number: len(hits) for number, hits in INDEX.find_in(texts).items()} == {
        number: len(INDEX.find(text)) for number, text in enumerate(texts) if VALUE in text
    }
