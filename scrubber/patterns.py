"""Presidio's pattern recognisers over prose: part of the scrub when names are read, and second reader of the output."""

from __future__ import annotations

import ipaddress
import re
from functools import lru_cache

from errorhub.scrubber.analyzer import PATTERN_ENTITIES, analyzer
from errorhub.scrubber.prose import LONG_WORD, pieces
from errorhub.scrubber.rules.confirm import AFTER, BEFORE
from errorhub.scrubber.rules.personal_checks import email
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.spans import Region

THRESHOLD = 0.4

_KINDS = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CREDIT_CARD": "CARD",
    "IBAN_CODE": "IBAN",
    "IP_ADDRESS": "IP",
    "US_SSN": "SSN",
}
_MAYBE = re.compile(
    r"@|(?<![A-Za-z\d])\+?\(?\d(?:[ .()/:-]*\d){3}|::|[\da-f]{1,4}:[\da-f]{1,4}:|\b[A-Z]{2}\d{2} ?[\dA-Z][\dA-Z ]{7}"
)
"""What every value of those kinds has in it; other lines need not be read."""

_PHONE = re.compile(r"\+\d[\d ().-]{7,}|\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")
"""A number that is written like a phone number."""

_CALLED = re.compile(
    r"(?i)\b(?:tel|phone|call|fax|mobile|cell|contact|dial|text|whatsapp|hotline)\w*\W{0,3}(?:\w+\W{1,3}){0,2}\Z"
)
"""Words before a number that say it is one."""


def personal(text: str) -> list[Region]:
    """Return e-mail addresses, phone, card, account and social security numbers and addresses of machines in a text.

    Lines that are nearly all digits are tables: presidio's phone recogniser takes minutes for them and finds nothing
    real. What it takes for a phone number must be written like one, or be called one: postcodes, coordinates,
    decimals and parts of identifiers are not.
    """
    return [
        region.at(region.start + piece.start, region.end + piece.start)
        for piece in pieces(text)
        if _MAYBE.search(piece.text) and not _is_table(piece.text)
        for region in _in_line(piece.text)
    ]


@lru_cache(maxsize=20_000)
def _in_line(line: str) -> tuple[Region, ...]:
    """Read a line once: traces repeat what was said before, and the output is read again."""
    results = analyzer(patterns=True).analyze(line, "en", entities=list(PATTERN_ENTITIES), score_threshold=THRESHOLD)
    return tuple(
        Region(result.start, result.end, _KINDS[result.entity_type], "presidio", 0)
        for result in results
        if _plausible(line, result.start, result.end, result.entity_type)
    )


def _plausible(line: str, start: int, end: int, entity: str) -> bool:
    value = line[start:end]
    if entity == "EMAIL_ADDRESS":
        return email(Hit(value, line[max(0, start - BEFORE) : start], line[end : end + AFTER]))
    if entity == "PHONE_NUMBER":
        return _stands_alone(line, start, end) and bool(_PHONE.fullmatch(value) or _CALLED.search(line[:start]))
    if entity == "IP_ADDRESS":
        return _stands_alone(line, start, end) and _is_global(value)
    return True


def _stands_alone(line: str, start: int, end: int) -> bool:
    """Whether a value is no part of a longer number, path or identifier."""
    before, after = line[max(0, start - 1) : start], line[end : end + 1]
    return not (before.isalnum() or before in (*"./-_=%", ",")) and not (after.isalnum() or after in (*"/-_%",))


def _is_global(value: str) -> bool:
    try:
        return ipaddress.ip_address(value).is_global
    except ValueError:
        return False


def _is_table(line: str) -> bool:
    if len(line) <= 200:
        return False
    return sum(map(str.isalpha, line)) < len(line) // 10 or (line.count(" ") + 1) * 2 * LONG_WORD < len(line)
