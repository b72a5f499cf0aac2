from __future__ import annotations

import pytest

from errorhub.scrubber.placeholders import Placeholders
from errorhub.scrubber.spans import Region, outside_placeholders, union


@pytest.mark.parametrize(
    ("kind", "one", "other", "same"),
    [
        ("EMAIL", "bob@Example.ORG", "bob@example.org", True),
        ("EMAIL", "Bob@example.org", "bob@example.org", False),
        ("PHONE", "+1 (415) 555-0132", "+14155550132", True),
        ("CARD", "4111 1111 1111 1111", "4111-1111-1111-1111", True),
        ("PERSON", "Renée", "Rene\u0301e", True),
        ("PASSWORD", "Abc", "abc", False),
    ],
)
def test_same_value_same_number(kind: str, one: str, other: str, same: bool) -> None:
    table = Placeholders()
    assert (table.get(kind, one) == table.get(kind, other)) is same


def test_numbers_start_above_those_in_the_text() -> None:
    table = Placeholders(["see <EMAIL_4> and <USER_1>", "<EMAIL_2>"])
    assert table.get("EMAIL", "a@b.c") == "<EMAIL_5>"
    assert table.get("USER", "maria") == "<USER_2>"
    assert table.get("PHONE", "1") == "<PHONE_1>"


def test_a_value_keeps_its_first_kind() -> None:
    table = Placeholders()
    assert table.get("PASSWORD", "hunter2") == table.get("SECRET", "hunter2") == "<PASSWORD_1>"


def region(start: int, end: int, kind: str, rank: int = 1) -> Region:
    return Region(start, end, kind, "r", rank)


@pytest.mark.parametrize(
    ("given", "joined"),
    [
        ([(0, 3, "A"), (5, 7, "B")], [(0, 3, "A"), (5, 7, "B")]),
        ([(0, 5, "A"), (3, 12, "B")], [(0, 12, "B")]),
        ([(0, 9, "A"), (2, 4, "B")], [(0, 9, "A")]),
        ([(0, 3, "A"), (3, 6, "A")], [(0, 3, "A"), (3, 6, "A")]),
        ([(0, 3, "DROPPED"), (3, 6, "DROPPED")], [(0, 6, "DROPPED")]),
        ([(0, 4, "A"), (2, 9, "B"), (8, 10, "C")], [(0, 10, "B")]),
    ],
)
def test_union_leaves_nothing_behind(given: list[tuple[int, int, str]], joined: list[tuple[int, int, str]]) -> None:
    assert [tuple(part[:3]) for part in union(region(*part) for part in given)] == joined


def test_known_values_win_a_tie() -> None:
    assert union([region(0, 4, "USER"), region(0, 4, "CUSTOMER", 2)])[0].kind == "CUSTOMER"


@pytest.mark.parametrize(
    ("text", "span", "left"),
    [
        ("password=<PASSWORD_1>", (9, 21), []),
        ("<A_1>rest<B_2>", (0, 14), [(5, 9)]),
        ("x <DROPPED>.", (0, 12), [(0, 2)]),
        ("<NOT A MARK>", (0, 12), [(0, 12)]),
    ],
)
def test_placeholders_are_cut_out(text: str, span: tuple[int, int], left: list[tuple[int, int]]) -> None:
    assert [part[:2] for part in outside_placeholders(text, [region(*span, "X")])] == left
