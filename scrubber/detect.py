"""Find secrets and personal data in one text: which code points hold what.

Hyperscan says which rules can match, RE2 says where, checks refuse look-alikes. The same is done on decoded views of
the text, and every span found there is mapped back. Overlapping spans become one span of the longest one's kind.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from errorhub.scrubber.caseless import Caseless
from errorhub.scrubber.rules import RULES, digest
from errorhub.scrubber.rules.rule import Pattern, Span
from errorhub.scrubber.rules.scan import DEPTH, Scanner

__all__ = ["Detector", "Pattern", "Span", "merge"]

SHORTEST = 6
"""No shape of the rules fits fewer characters."""
LONGEST_NAMED = 1024
"""Bytes up to which a text can be the value that its key names."""
TELLING = Caseless(
    r"pass|geburt|naiss|nacim|nasci|pwd|pswd|pw$|secret|token|key|auth|cred|bearer|salt|cookie|session|csrf|xsrf|sid|signature|name|addr"
    r"|street|zip|post|dob|birth|born|phone|tel|mobile|cell|fax|whatsapp|msisdn|ssn|social|tax|tin|passport|licen"
    r"|national|medical|mrn|nhs|user|login|holder|host|node|machine|server|computer|account|routing|sort|cvv|cvc|card"
    r"|pin|webhook|wallet|mnemonic|code|otp|travel|patient|passenger|payee|beneficiary|signatory|tenant|claimant|employee"
    r"|attendee|line_?\d|wort|contrase|senha|wachtw|parola|heslo|hasło|senord|adgangs|salasana|psk|пароль"
)
"""Key names that can make their text a value."""


class Detector:
    """Find values of the given kinds (all by default) and of the user's own patterns in texts.

    Raises ValueError for a pattern that RE2 refuses; the message names the pattern. `engine` is `hyperscan`, `re2`
    (Aho-Corasick keywords before RE2) or `auto`, the faster one that is installed; both find the same.
    """

    def __init__(
        self, kinds: frozenset[str] | None = None, extra: Sequence[Pattern] = (), *, engine: str = "auto"
    ) -> None:
        rules = tuple(rule for rule in RULES if kinds is None or rule.kind in kinds)
        self._scanner = Scanner(rules, extra, engine)
        self._shortest = 1 if extra else SHORTEST

    @property
    def engine(self) -> str:
        """Name and version of the multi-pattern engine."""
        return self._scanner.engine

    @property
    def version(self) -> str:
        """Version of the rules: changes with every row of the tables and every line of their checks."""
        return f"rules-{digest()}"

    def met(self, texts: Sequence[str], keys: Iterable[tuple[int, str]]) -> set[int]:
        """Return the numbers of those of some short texts that a rule may match first; one pass reads them all.

        No number means that none holds anything; beside those returned, others may, too. `keys` gives the number and
        the key of each text that has one.
        """
        named = [(number, key) for number, key in keys if _named(texts[number], key)]
        framed = [texts[number].join(_frame(key, texts[number])) for number, key in named]
        met = self._scanner.met([*texts, *framed])
        return {part if part < len(texts) else named[part - len(texts)][0] for part in met}

    def detect(self, text: str, *, generic: bool = True, key: str = "") -> list[Span]:
        """Return the spans of values in a text, sorted and apart from each other.

        `generic=False` is for id paths: entropy, assignment and plain-number rules are left out. `key` is the name
        under which the text stands in its document; a telling one (`password`, `customer_name`) makes it a value.
        """
        named = _named(text, key)
        if len(text) < self._shortest and not named:
            return []
        data = text.encode("utf-8", "surrogatepass")
        found = list(self._scanner.scan(data, generic))
        if named:
            found += self._under_key(key, text, data, generic)
        return _code_points(text, data, merge(found)) if found else []

    def _under_key(self, key: str, text: str, data: bytes, generic: bool) -> Iterator[Span]:
        lead, quote = (part.encode("utf-8", "surrogatepass") for part in _frame(key, text))
        for span in self._scanner.scan(lead + data + quote, generic, DEPTH):
            start, end = max(0, span.start - len(lead)), min(len(data), span.end - len(lead))
            if start < end:
                yield span.at(start, end)


def _named(text: str, key: str) -> bool:
    """Tell whether a text can be the value that its key names."""
    return bool(key) and len(text) <= LONGEST_NAMED and _telling(key)


def _frame(key: str, text: str) -> tuple[str, str]:
    """Return what makes a text the value of an assignment to its key: what stands before it and after it."""
    quote = '"' if '"' not in text else "'"
    return f'"{key[-200:]}": {quote}', quote


@lru_cache(maxsize=8192)
def _telling(key: str) -> bool:
    return TELLING.search(key)


def merge(spans: Iterable[Span]) -> list[Span]:
    """Join overlapping spans into their union, with kind and rule of the longest; the more telling rule wins a tie."""
    ranks = _ranks()
    merged: list[Span] = []
    longest = reached = 0
    for span in sorted(spans, key=lambda span: (span.start, -span.end, ranks.get(span.rule, -1))):
        start, end, kind, rule = span
        if merged and start < reached:
            if end - start > longest:
                longest = end - start
                merged[-1] = Span(merged[-1].start, merged[-1].end, kind, rule)
            if end > reached:
                reached = end
                merged[-1] = merged[-1].at(merged[-1].start, end)
        else:
            merged.append(span)
            longest, reached = end - start, end
    return merged


@cache
def _ranks() -> dict[str, int]:
    return {rule.name: number for number, rule in enumerate(RULES)}


def _code_points(text: str, data: bytes, spans: list[Span]) -> list[Span]:
    """Count code points instead of bytes; a span that cuts a character takes all of it."""
    if not spans or len(text) == len(data):
        return spans
    result: list[Span] = []
    at_byte = at_point = 0
    for span in spans:
        first, last = max(at_byte, _character(data, span.start, -1)), _character(data, span.end, 1)
        start = at_point + _points(data, at_byte, first)
        end = start + _points(data, first, last)
        result.append(span.at(start, end))
        at_byte, at_point = last, end
    return result


def _character(data: bytes, position: int, step: int) -> int:
    while 0 < position < len(data) and data[position] & 0xC0 == 0x80:
        position += step
    return position


def _points(data: bytes, start: int, end: int) -> int:
    return len(data[start:end].decode("utf-8", "surrogatepass"))
