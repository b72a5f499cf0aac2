"""The detector: offsets, unions, patterns of the user, id paths, keys, hostile texts, equal engines."""

from __future__ import annotations

import base64
import json
import os
import random
import time
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plants import CLASSES

from errorhub.scrubber.detect import Detector, Pattern, Span, merge
from errorhub.scrubber.rules import confirm

TOKEN = "gh" + "p_" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8vW0xY1zA2"
OTHER = "AK" + "IA" + "QRTZ7XKWPLM3NBVC"
MAIL = "jane.doe" + "@" + "acme-corp.com"


@cache
def detector(engine: str = "auto") -> Detector:
    return Detector(engine=engine)


def found(text: str, **options: object) -> list[tuple[str, str]]:
    return [(s.kind, text[s.start : s.end]) for s in detector().detect(text, **options)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TOKEN, id="alone"),
        pytest.param(f"{TOKEN} x", id="first"),
        pytest.param(f"x {TOKEN}", id="last"),
        pytest.param(f"é{TOKEN}", id="two-byte-letter"),
        pytest.param(f"日本 {TOKEN} 日本", id="three-byte-letters"),
        pytest.param(f"🎉🎉{TOKEN}🎉", id="four-byte-letters"),
        pytest.param(f"\ud800{TOKEN}\udfff", id="lone-surrogates"),
        pytest.param(f"\0\0{TOKEN}\0", id="nul"),
        pytest.param(f"a\r\nb {TOKEN}\r\n", id="crlf"),
        pytest.param(f"e\u0301 {TOKEN}", id="combining"),
    ],
)
def test_offsets_are_code_points(text: str) -> None:
    assert found(text) == [("GITHUB_TOKEN", TOKEN)]


def test_a_value_that_is_cut_inside_a_character_covers_the_character() -> None:
    text = "ß password: " + "é" * 300 + "1 x"
    spans = detector().detect(text)
    assert all(text[s.start : s.end].strip("é1") == "" for s in spans)


def test_several_values_after_unicode_keep_their_places() -> None:
    text = f"ö {TOKEN} ß {OTHER} 日 {MAIL}"
    assert [value for _, value in found(text)] == [TOKEN, OTHER, MAIL]


def test_only_the_value_is_covered() -> None:
    assert found('export DB_PASSWORD="Tr0ub4dor!3" # x') == [("PASSWORD", "Tr0ub4dor!3")]
    assert found("https:" + "//bob:Tr0ub4dor!3@db.acme.io/x")[-1] == ("PASSWORD", "Tr0ub4dor!3")


def test_escapes_map_back_to_the_whole_escape() -> None:
    hidden = "".join(f"\\u{ord(c):04x}" for c in OTHER)
    assert found(f"x {hidden} y") == [("AWS_KEY", hidden)]


def test_a_hit_in_base64_covers_the_whole_blob() -> None:
    blob = base64.b64encode(f"DEBUG=1\nGH={TOKEN}\n".encode()).decode()
    assert found(f"cfg {blob} end") == [("GITHUB_TOKEN", blob)]


def test_overlaps_become_their_union_with_the_kind_of_the_longest() -> None:
    spans = [Span(0, 4, "A", "a"), Span(2, 12, "B", "b"), Span(11, 14, "C", "c"), Span(14, 15, "D", "d")]
    assert merge(spans) == [Span(0, 14, "B", "b"), Span(14, 15, "D", "d")]


def test_a_token_broken_over_lines_takes_no_innocent_line_with_it() -> None:
    assert found(f"{TOKEN}\nfoo bar") == [("GITHUB_TOKEN", TOKEN)]
    assert found(f"{TOKEN}\n{OTHER}\n") == [("GITHUB_TOKEN", TOKEN), ("AWS_KEY", OTHER)]
    sha = "3f786850e387550f" + "dab836ed7e6dc881de23001b"
    assert found(f"{TOKEN}\n{sha}\n") == [("GITHUB_TOKEN", TOKEN)]


def test_id_paths_keep_known_prefixes_only() -> None:
    assert found(f"session-{TOKEN}", generic=False) == [("GITHUB_TOKEN", TOKEN)]
    assert found(f"by {MAIL}", generic=False) == [("EMAIL", MAIL)]
    assert found("password=Tr0ub4dor!3", generic=False) == []
    assert found("415-555-2671 4111 1111 1111 1111", generic=False) == []


@pytest.mark.parametrize(
    ("key", "text", "kind"),
    [
        ("password", "hunter2", "PASSWORD"),
        ("api_key", "q8Zr2LmX0vTbY7wKj4NcPd9s", "API_KEY"),
        ("clientSecret", "q8Zr2LmX0vTbY7wKj4NcPd9s", "SECRET"),
        ("customer_name", "Ada Lovelace", "PERSON"),
        ("dob", "1985-03-12", "DOB"),
        ("phone", "4155552671", "PHONE"),
        ("zip", "94107", "ADDRESS"),
    ],
)
def test_a_telling_key_makes_its_text_a_value(key: str, text: str, kind: str) -> None:
    assert found(text, key=key) == [(kind, text)]
    assert found(text, key="output") == []


def test_kinds_limit_what_is_looked_for() -> None:
    only = Detector(frozenset({"EMAIL"}))
    assert [s.kind for s in only.detect(f"{MAIL} {TOKEN}")] == ["EMAIL"]


def test_patterns_of_the_user_cover_their_group() -> None:
    custom = Detector(
        frozenset(), [Pattern("ticket", "TICKET", r"ticket (ACME-\d+)"), Pattern("name", "CODE", "Blaubär")]
    )
    text = "é ticket ACME-42, Blaubär"
    assert [(s.kind, text[s.start : s.end]) for s in custom.detect(text)] == [
        ("TICKET", "ACME-42"),
        ("CODE", "Blaubär"),
    ]


def test_patterns_of_the_user_see_decoded_text() -> None:
    custom = Detector(frozenset(), [Pattern("project", "PROJECT", "Nachtigall")])
    hidden = (
        "Nacht\x1b[1migall",
        "".join(f"\\u{ord(c):04x}" for c in "Nachtigall"),
        base64.b64encode(b"at Nachtigall").decode(),
    )
    for text in hidden:
        assert [s.kind for s in custom.detect(f"x {text} y")] == ["PROJECT"], text


@pytest.mark.parametrize("regex", ["(", r"(a)\1", "(?=a)", "a{2000}"])
def test_a_pattern_that_re2_refuses_is_named(regex: str) -> None:
    with pytest.raises(ValueError, match="'broken-one'"):
        Detector(extra=[Pattern("broken-one", "X", regex)])


def test_version_and_engine_are_named() -> None:
    assert detector().version == Detector().version
    assert detector("re2").engine == "ahocorasick+re2"
    assert detector("hyperscan").engine.startswith("hyperscan ")


@settings(max_examples=150, deadline=None)
@given(before=st.text(max_size=40), after=st.text(max_size=40))
def test_a_token_is_found_between_any_texts(before: str, after: str) -> None:
    text = f"{before} {TOKEN} {after}"
    start = len(before) + 1
    assert any(s.start <= start and s.end >= start + len(TOKEN) for s in detector().detect(text))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_spans_are_sorted_apart_and_inside_the_text(text: str) -> None:
    spans = detector().detect(text)
    assert all(0 <= s.start < s.end <= len(text) for s in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def hostile() -> dict[str, str]:
    """Return lines of 200 kB that make careless expressions slow."""
    size, rng = 200_000, random.Random(1)
    pieces = {
        "dots": "a.", "at": "@", "at-words": "a@", "keys": "key=", "passwords": "password=", "tokens": "token: ",
        "spaces": " ", "scheme": "://", "urls": "a://b:", "escaped-quotes": '\\\\\\"', "hex-colons": "ab:",
        "prefixes": "ghp_", "pem": "-----BEGIN PRIVATE" + " KEY-----", "jwt": "eyJhbGciOi.", "digits": "4111 ",
        "addresses": "1.2.3.", "phones": "415-555-", "headers": "authorization: bearer ", "cookies": "cookie: a=b",
        "percent": "%25", "colours": "\x1b[31m", "new-lines": "ghp_\n", "keys-by-line": "sk-" + "a1B2" * 10 + "\n",
        "iban": "DE89 3704 ", "prompts": "a@b:~", "quotes": "password='", "headers-x": "x-api-key: ", "wide": "日本@",
    }  # fmt: skip
    texts = {name: piece * (size // len(piece)) for name, piece in pieces.items()}
    texts["base64"] = base64.b64encode(rng.randbytes(size * 3 // 4)).decode()
    texts["hex"] = rng.randbytes(size // 2).hex()
    return texts


@pytest.mark.parametrize("text", hostile().values(), ids=hostile())
def test_no_line_is_slow(text: str) -> None:
    """Allow five times the target of a second for a megabyte, since machines differ."""
    detector()
    start = time.process_time()
    detector().detect(text)
    assert time.process_time() - start < 1.0


def leaves(node: object, key: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(node, dict):
        for name, value in node.items():
            yield name, ""
            yield from leaves(value, name)
    elif isinstance(node, list):
        for value in node:
            yield from leaves(value, key)
    elif isinstance(node, str):
        yield node, key


def parsed(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def test_engines_agree_on_planted_values() -> None:
    fast, plain = detector("hyperscan"), detector("re2")
    for kinds in CLASSES.values():
        for kind, (carrier, make) in kinds.items():
            text = carrier % make(random.Random(kind))
            for variant in (text, json.dumps({"a": text}), base64.b64encode(text.encode()).decode(), f"\x1b[1m{text}"):
                assert fast.detect(variant) == plain.detect(variant), kind


@pytest.mark.shared
def test_engines_agree_and_little_changes_on_real_logs() -> None:
    root = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not root.is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    fast, plain = detector("hyperscan"), detector("re2")
    seen: set[tuple[str, str]] = set()
    for path in sorted(root.rglob("*.json*")):
        for text in path.read_text(errors="replace").splitlines() if path.suffix == ".jsonl" else [path.read_text()]:
            seen.update(leaves(parsed(text)))
    changed = 0
    for text, key in seen:
        spans = fast.detect(text, key=key)
        changed += sum(s.end - s.start for s in spans)
        assert spans == plain.detect(text, key=key)
    assert changed <= 0.003 * sum(len(text) for text, _ in seen)


PIECES = [
    "password=",
    "pw: ",
    "hunter2Kx9",
    "(",
    " ",
    "\n",
    '"',
    "<EMAIL_1>",
    "x" * 40,
    "é",
    "45.13.22.7",
    "version ",
    "v",
    TOKEN,
    MAIL,
]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_was_read_before_does_not_change_what_is_found(text: str) -> None:
    found_now, kept = detector().detect(text), dict(confirm._verdicts)
    confirm._verdicts.clear()
    assert detector().detect(text) == found_now
    confirm._verdicts.update(kept)
