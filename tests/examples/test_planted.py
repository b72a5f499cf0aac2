"""Planted values: all there once written, none in the repository."""

import json
from collections import Counter
from pathlib import Path

import pytest

import errorhub.examples
from errorhub.examples import planted, write
from errorhub.examples.logbook import SLOT, fill
from errorhub.examples.values import Planted

SOURCE = Path(errorhub.examples.__file__).parent


def test_every_value_occurs_and_every_slot_is_known(folder: Path) -> None:
    values = planted()
    templates = [path.read_text(encoding="utf-8") for path in (SOURCE / "logs").rglob("*.json*")]
    assert {slot for text in templates for slot in SLOT.findall(text)} == set(values)
    written = "\n".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.json*"))
    assert not SLOT.search(written)
    for slot, row in values.items():
        assert json.dumps(row.value, ensure_ascii=False)[1:-1] in written, slot


def test_values_are_many_and_apart() -> None:
    rows = planted().values()
    assert len({row.value for row in rows}) == len(rows)
    assert len({row.kind for row in rows}) >= 25
    assert planted() == planted()
    assert {row.kind for row in rows if row.known} == {"ADDRESS", "DOB", "ORG", "PERSON", "PROJECT"}


def test_an_unknown_slot_is_an_error() -> None:
    with pytest.raises(KeyError, match="NOBODY"):
        fill('{"a": "@@NOBODY@@"}', {})


def test_values_are_escaped_for_json() -> None:
    value = Planted(value='a "quoted"\nline', kind="X", known=False)
    assert json.loads(fill('["@@X@@"]', {"X": value})) == [value.value]


def luhn(number: str) -> int:
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(number))]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10


def test_numbers_carry_valid_check_digits() -> None:
    rows = planted().values()
    for card in (row.value for row in rows if row.kind == "CARD"):
        assert len(card) == 16 and luhn(card) == 0
    for iban in (row.value for row in rows if row.kind == "IBAN"):
        assert int("".join(str(int(sign, 36)) for sign in iban[4:] + iban[:4])) % 97 == 1


def test_a_scanner_is_silent_on_the_sources_and_loud_on_the_logs(tmp_path: Path) -> None:
    from kingfisher_sdk import Scanner

    scanner = Scanner()
    for path in SOURCE.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            assert [found.rule_id for found in scanner.scan(path.read_bytes())] == [], path.name
    rules = Counter(found.rule_id for path in write(tmp_path) for found in scanner.scan(path.read_bytes()))
    assert len(rules) >= 12
