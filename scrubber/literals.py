"""Match literal values in a text, in every case and in the encodings that tools print them in."""

from __future__ import annotations

import base64
import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple
from urllib.parse import quote, quote_plus

from errorhub.scrubber.spans import APART
from errorhub.scrubber.vault import KnownValue

BOUNDED_BELOW = 6
"""Values of letters and digits shorter than this only match as a word of their own."""

ENCODED_FROM = 6
"""Shortest value that is looked for in base64 and hex, where short ones would match by chance."""


NUMBER_FROM = 7
"""Shortest number, such as that of a phone, that is also looked for without its separators."""

MOST_PARTS = 5
"""Names of more words than this are only looked for as they stand."""

BLOCK = 1 << 20
"""Characters of texts that are searched together."""

EXACT = frozenset({"PASSWORD", "SECRET", "EMAIL"})
"""Kinds whose values are no names: another spelling is another value."""


class Literal(NamedTuple):
    """One form of one value."""

    text: str
    """Lower-case form that is searched."""
    exact: str | None
    """The form as it must stand when its case carries meaning (base64)."""
    kind: str
    bounded: bool
    """Only counts as a word of its own."""
    value: str
    """The value that this form stands for; all its forms share one placeholder."""


Hit = tuple[int, int, str, str]
"""One occurrence of a literal: where it begins and ends, its kind and its value."""


class Literals:
    """An index over literals; `find` costs one pass over the text, however many there are."""

    def __init__(self, literals: Iterable[Literal]) -> None:
        from ahocorasick_rs import AhoCorasick, Implementation, MatchKind

        self._literals = list(dict.fromkeys(literals))
        self._cased = all(literal.exact is not None for literal in self._literals)
        texts = [literal.exact if literal.exact and self._cased else literal.text for literal in self._literals]
        kind = Implementation.ContiguousNFA  # a DFA takes the square of the length of a literal that repeats itself
        self._automaton = AhoCorasick(texts, MatchKind.Standard, implementation=kind) if texts else None

    def __bool__(self) -> bool:
        return self._automaton is not None

    def find(self, text: str) -> list[Hit]:
        """Return every occurrence, sorted; occurrences may overlap."""
        return self._hits(text, self._searched(text))

    def _searched(self, text: str) -> str:
        """Return the form of a text that is searched: in lower case, unless all literals keep their case."""
        return text if self._cased else text.lower() if text.isascii() else lower(text)

    def _hits(self, text: str, searched: str) -> list[Hit]:
        if self._automaton is None:
            return []
        found: list[Hit] = []
        literals = self._literals
        for number, start, end in self._automaton.find_matches_as_indexes(searched, overlapping=True):
            _, exact, kind, bounded, value = literals[number]
            if (exact is None or text[start:end] == exact) and not (bounded and not _is_word(text, start, end)):
                found.append((start, end, kind, value))
        return sorted(found)

    def find_in(self, texts: Sequence[str]) -> dict[int, list[Hit]]:
        """Return the occurrences in each of many texts by its number, if it has any; many are searched at once."""
        found: dict[int, list[Hit]] = {}
        for run in _together(texts):
            begins = list(accumulate((len(texts[number]) + len(APART) for number in run), initial=0))
            these = texts[run.start : run.stop]
            together = APART.join(these)
            searched = together if self._cased else APART.join(map(self._searched, these))
            for start, end, kind, value in self._hits(together, searched):
                at = bisect_right(begins, start) - 1
                found.setdefault(run.start + at, []).append((start - begins[at], end - begins[at], kind, value))
        return found


def _together(texts: Sequence[str]) -> Iterator[range]:
    """Yield runs of texts whose characters fill a block; a longer text stands alone."""
    if sum(map(len, texts)) <= BLOCK:
        yield range(len(texts))
        return
    first = size = 0
    for number, text in enumerate(texts):
        if size and size + len(text) > BLOCK:
            yield range(first, number)
            first, size = number, 0
        size += len(text) + len(APART)
    yield range(first, len(texts))


def lower(text: str) -> str:
    """Lower the case of every character without changing the length."""
    if text.isascii():
        return text.lower()
    lowered = text.lower().replace("ς", "σ")
    if len(lowered) == len(text):
        return lowered
    return "".join(c if len(c.lower()) != 1 else c.lower() for c in text)


def every_form(known: Iterable[KnownValue]) -> list[Literal]:
    """Expand known values: raw, composed, decomposed, as identifiers, URL, JSON, bytes, hex, base64 at its offsets."""
    literals: list[Literal] = []
    for value, kind in known:
        value = value.strip()
        bounded = value.isalnum() and len(value) < BOUNDED_BELOW
        spelled = {value} if lower(value.upper()) == lower(value) else {value, value.upper()}  # ß and SS
        forms = {unicodedata.normalize(form, one) for form in ("NFC", "NFD") for one in spelled} | spelled
        for form in sorted(forms):
            quoted = {quote(form, safe=""), quote(form), quote_plus(form)}
            for text in sorted({form, *quoted, *_json_forms(form), *_bytes_forms(form)}):
                literals.append(Literal(lower(text), None, kind, bounded, value))
            if len(form) >= ENCODED_FROM:
                literals += [Literal(text.lower(), text, kind, False, value) for text in sorted(_base64_forms(form))]
                literals.append(Literal(form.encode().hex(), None, kind, False, value))
        literals += [Literal(lower(text), None, kind, True, value) for text in sorted(_spellings(value, kind))]
    return literals


def _spellings(value: str, kind: str) -> set[str]:
    """Return how names turn up in code and numbers without their separators: `acme-corp`, `AcmeCorp`, `4155550132`."""
    digits = "".join(c for c in value if c.isdigit())
    if len(digits) >= NUMBER_FROM and not any(c.isalpha() for c in value):
        return {digits}
    parts = [part for part in re.split(r"[\s_.-]+", value) if part]
    if kind in EXACT or not 2 <= len(parts) <= MOST_PARTS or not all(part.isalnum() for part in parts):
        return set()
    return {joint.join(parts) for joint in ("", " ", "-", "_", ".", "/", "\n", "  ")} - {value}


def words(values: Iterable[KnownValue], *, fold: frozenset[str]) -> list[Literal]:
    """Prepare values that only count as whole words; kinds outside `fold` must keep their case."""
    return [Literal(lower(value), None if kind in fold else value, kind, True, value) for value, kind in values]


def _json_forms(value: str) -> set[str]:
    once = {json.dumps(value, ensure_ascii=ascii_only)[1:-1] for ascii_only in (True, False)}
    return once | {json.dumps(form)[1:-1] for form in once}


def _bytes_forms(value: str) -> set[str]:
    """Return how Python writes the bytes of a value, in which the case of other letters than ASCII shows."""
    return {repr(cased.encode())[2:-1] for cased in {value, value.lower(), value.upper()}}


def _base64_forms(value: str) -> set[str]:
    """Return the characters of base64 that a value fixes at each of the three offsets it can stand at."""
    forms: set[str] = set()
    for cased in {value, value.lower(), value.upper()}:
        data = cased.encode()
        for offset in range(3):
            bits_before = 8 * offset
            encoded = base64.b64encode(b"\0" * offset + data).decode().rstrip("=")
            first = -(-bits_before // 6)
            last = (bits_before + 8 * len(data)) // 6
            stable = encoded[first:last]
            forms |= {stable, stable.replace("+", "-").replace("/", "_")}
    return forms


def _is_word(text: str, start: int, end: int) -> bool:
    """Tell whether a match stands alone; a change from lower to upper case counts as a border."""
    before, after = text[start - 1 : start], text[end : end + 1]
    left = not before.isalnum() or (before.islower() and text[start].isupper())
    right = not after.isalnum() or (text[end - 1].islower() and after.isupper())
    return left and right
