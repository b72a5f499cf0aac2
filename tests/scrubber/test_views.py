"""Decoded views: what they show and where each part of it came from."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.scrubber import views

BLOB = re.compile(views.BASE64.encode())
HEX = re.compile(views.HEX.encode())


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        pytest.param(b"a\\nb\\tc", b"a\nb\tc", id="white-space"),
        pytest.param(b'say \\"hi\\"', b'say "hi"', id="quotes"),
        pytest.param(b"a\\\\nb", b"a\\nb", id="one-layer-only"),
        pytest.param(b"\\u0041\\u00e9\\x42", "AéB".encode(), id="code-points"),
        pytest.param(b"\\u{1F389}", "🎉".encode(), id="braced"),
        pytest.param(b"%41%c3%a9%20x", "Aé x".encode(), id="percent"),
        pytest.param(b"a&amp;b&#64;c&#x40;d&lt;", b"a&b@c@d<", id="entities"),
        pytest.param(b"\x1b[1;31mred\x1b[0m", b"red", id="colours"),
        pytest.param(b"\\u001b[31mred\\x1b[0m\\033[1mx\\e[0m", b"redx", id="escaped-colours"),
        pytest.param(b"\x1b]0;title\x07text", b"text", id="window-title"),
        pytest.param(b"[32mgreen[0m", b"green", id="colours-without-escape"),
        pytest.param(b"50% of 3 & 4 \\q", b"50% of 3 & 4 \\q", id="nothing-to-decode"),
    ],
)
def test_one_layer_is_decoded(written: bytes, plain: bytes) -> None:
    assert views.unescaped(written).data == plain


def test_spans_map_to_the_escapes_they_came_from() -> None:
    written = b"x \\u0041BC\\u0044 y"
    view = views.unescaped(written)
    start = view.data.index(b"ABCD")
    assert written[slice(*view.span(start, start + 4))] == b"\\u0041BC\\u0044"
    assert written[slice(*view.span(start + 1, start + 3))] == b"BC"


def test_what_vanished_inside_a_span_is_covered_but_not_what_stands_outside() -> None:
    written = b"\x1b[32mAB\x1b[0mCD\x1b[0m"
    view = views.unescaped(written)
    assert view.data == b"ABCD"
    assert written[slice(*view.span(0, 4))] == b"AB\x1b[0mCD"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80))
def test_every_byte_of_a_view_maps_into_the_original(data: bytes) -> None:
    view = views.unescaped(data)
    spans = [view.span(i, i + 1) for i in range(len(view.data))]
    assert all(0 <= start < end <= len(data) for start, end in spans)
    assert spans == sorted(spans)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([b"\\n", b"\n", b"%41", b"word ", b"x" * 400, b"y" * 1200]), max_size=12))
def test_views_around_units_hold_what_stands_around_each(pieces: list[bytes]) -> None:
    data, covered = b"".join(pieces), bytearray(b"".join(pieces))
    for at, view in views.around_units(data):
        whole = views.unescaped(data).data
        assert view.data in whole
        start, end = at + view.span(0, 1)[0], at + view.span(len(view.data) - 1, len(view.data))[1]
        assert data[start - 1 : start] in (b"", b"\n") or data[start : start + 1] == b"\n"
        covered[start:end] = bytes(end - start)
    for unit in views.UNIT.finditer(data):
        assert not any(covered[max(0, unit.start() - views.MARGIN) : unit.end() + views.MARGIN])


def test_lines_far_from_what_is_escaped_are_left_out() -> None:
    data = b"a\\nb\n" + b"far away\n" * 1000 + b"c%41d"
    parts = list(views.around_units(data))
    assert [view.data[:2] for _, view in parts] == [b"a\n", b"\nf"]
    assert sum(len(view.data) for _, view in parts) < 3 * views.MARGIN


@pytest.mark.parametrize(
    "plain",
    [
        pytest.param(b"password=hunter2", id="line"),
        pytest.param(b"a=1\nb=2\r\n\tc=3\n", id="lines"),
        pytest.param("prefix jürgen@müller.de and more text".encode(), id="unicode"),
    ],
)
@pytest.mark.parametrize("encode", [base64.b64encode, base64.urlsafe_b64encode], ids=["standard", "url-safe"])
@pytest.mark.parametrize("padded", [True, False], ids=["padded", "bare"])
def test_base64_of_text_is_recognised_and_read(plain: bytes, encode: object, padded: bool) -> None:
    blob = encode(plain)  # type: ignore[operator]
    blob = blob if padded else blob.rstrip(b"=")
    data = b'{"x": "' + blob + b'"}'
    match = BLOB.search(data)
    assert match is not None
    start, end, read = views.base64_text(data, *match.span())
    assert (data[start:end], read) == (blob, plain)


@pytest.mark.parametrize(
    "word",
    [
        pytest.param("get_user_by_token_id", id="snake"),
        pytest.param("CustomerAccountRepository", id="camel"),
        pytest.param("src/components/LoginForm", id="path"),
        pytest.param("da39a3ee5e6b4b0d3255bfef95601890afd80709", id="digest"),
        pytest.param("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ", id="image"),
    ],
)
def test_other_words_do_not_look_like_base64_of_text(word: str) -> None:
    match = BLOB.search(word.encode())
    assert match is None or len(match.group()) < len(word) // 2


def test_hex_of_text_is_recognised_and_read() -> None:
    data = b"x=" + b"password=hunter2".hex().encode() + b";"
    match = HEX.search(data)
    assert match is not None
    start, end, read = views.hex_text(data, *match.span())
    assert (data[start:end], read) == (data[2:-1], b"password=hunter2")


def test_a_broken_token_is_joined_with_the_lines_that_it_fills() -> None:
    data = b"key abcdef\n    ghijkl\nfoo"
    view = views.joined(data, 4, 10)
    assert view is not None
    assert view.data == b" abcdefghijkl"
    assert data[slice(*view.span(1, 13))] == b"abcdef\n    ghijkl"


def test_a_line_that_is_no_token_joins_nothing() -> None:
    assert views.joined(b"key abcdef\n(x)", 4, 10) is None


@pytest.mark.parametrize(
    ("tail", "goes_on"),
    [
        (b"aB3dE5fG7h", True),
        (b"function", False),
        (b"1234567890", False),
        (b"3f786850e387550fdab836ed7e6dc881de23001b", False),
    ],
)
def test_only_random_lines_continue_a_complete_token(tail: bytes, goes_on: bool) -> None:
    assert views.goes_on(b"head", tail) is goes_on
    assert views.goes_on(b"unfinished-", tail)
