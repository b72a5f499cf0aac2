"""Typed, numbered placeholders: the same value gets the same one everywhere in a document."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from errorhub.scrubber.spans import DROPPED, PLACEHOLDER

DIGITS_ONLY = frozenset({"PHONE", "CARD", "SSN", "IBAN", "MAC"})
FOLDED = frozenset({"HOST", "USER", "MAC", "IP", "IBAN", "ADDRESS", "LOCATION", "ORGANIZATION", "PERSON"})


class Placeholders:
    """Number values by kind in the order in which they are first asked for."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        """Start above every number that the texts already use, so that old placeholders keep their meaning."""
        self._next: dict[str, int] = {}
        self._by_value: dict[str, str] = {}
        self._by_meaning: dict[tuple[str, str], str] = {}
        for text in texts:
            if "<" in text:
                for kind, number in PLACEHOLDER.findall(text):
                    if kind:
                        self._next[kind] = max(self._next.get(kind, 1), int(number) + 1)

    def get(self, kind: str, value: str) -> str:
        """Return the placeholder of a value; a value keeps the kind under which it was met first."""
        if kind == "DROPPED":
            return DROPPED
        known = self._by_value.get(value)
        if known is None:
            meaning = (kind, normalise(kind, value))
            known = self._by_meaning.get(meaning)
            if known is None:
                number = self._next.get(kind, 1)
                self._next[kind] = number + 1
                known = self._by_meaning[meaning] = f"<{kind}_{number}>"
            self._by_value[value] = known
        return known


def normalise(kind: str, value: str) -> str:
    """Return the form in which two writings of one value are equal."""
    value = unicodedata.normalize("NFC", value).strip()
    if kind in DIGITS_ONLY:
        value = "".join(c for c in value if c.isalnum())
        return value.upper()
    if kind == "EMAIL":
        local, at, domain = value.rpartition("@")
        return f"{local}{at}{domain.lower()}" if at else value.lower()
    return value.casefold() if kind in FOLDED else value
