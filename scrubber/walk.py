"""Visit every string, key and number of a JSON document, also those in JSON that a string holds."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from errorhub.scrubber.canonical import MAX_DEPTH, settle
from errorhub.scrubber.errors import DocumentError
from errorhub.scrubber.opaque import is_mark
from errorhub.scrubber.paths import JSON, KEY, Machine, Place

SMALL_NUMBER = 1_000_000
"""Integers nearer to zero are counts, not cards, phones or ids."""

EMBEDDED_DEPTH = 100
"""Strings that hold JSON are entered above this depth, and only when they are not nested deeper themselves."""

_SENSITIVE = re.compile(
    r"pass|pwd|secret|token|key|auth|cred|cookie|session|bearer|signature|salt|dsn|conn|name|street|address|city|zip|post"
    r"|dob|birth|ssn|social|licen|phone|mobile|tel|fax|mail|iban|card|account|acct|routing|host|mac|user|login|owner|author"
    r"|customer|client|patient|person|contact|pin|sid|csrf|otp|webhook|url|uri",
    re.IGNORECASE,
)
"""Key names that say what their value is. Generous: the detector decides, this only spares it the other keys."""


class Mode:
    """How strings at a place are read; one object per combination, compared by identity."""

    __slots__ = ("context", "generic", "prose", "whole")

    def __init__(self, generic: bool, prose: bool, whole: bool, context: str) -> None:
        self.generic = generic
        self.prose = prose
        self.whole = whole
        self.context = context


class Unit(NamedTuple):
    """A text and how it is read: equal units are detected once and replaced alike."""

    text: str
    mode: Mode


class Visitor(Protocol):
    """What is done at each place; a method returns what stands there afterwards."""

    def text(self, unit: Unit, trail: list[str | int]) -> str:
        """Visit a string, a key (the trail ends in `{key}`) or the digits of a number."""
        ...

    def enter(self, value: Any, place: Place) -> tuple[bool, Any]:
        """Return (True, replacement) to replace a value without visiting what is inside."""
        ...


class Walker:
    """Walk documents under one set of path patterns; visiting order is document order."""

    def __init__(self, machine: Machine, *, every_number: bool = False) -> None:
        self._machine = machine
        self._every_number = every_number
        self._modes: dict[tuple[bool, bool, bool, str], Mode] = {}
        self._contexts: dict[str, str] = {}
        self._key_mode = self._mode(True, False, False, "")
        self._parsed: dict[str, Any] = {}

    def walk(self, document: Any, visitor: Visitor, raw: frozenset[str] = frozenset()) -> Any:
        """Return the document with every place replaced by what the visitor says; strings in `raw` are never parsed."""
        return _Walk(self, visitor, raw).value(document, self._machine.root, "")

    def _mode(self, generic: bool, prose: bool, whole: bool, context: str) -> Mode:
        key = (generic, prose, whole, context)
        mode = self._modes.get(key)
        if mode is None:
            mode = self._modes[key] = Mode(*key)
        return mode

    def mode(self, place: Place, context: str) -> Mode:
        """Return how text at a place is read; identifiers need no key for context."""
        labels = place.labels
        return self._mode(not labels.ids, labels.prose, labels.whole, "" if labels.ids else context)

    def context(self, key: str) -> str:
        """Return the key when its name can say what its value is."""
        context = self._contexts.get(key)
        if context is None:
            named = len(key) <= 80 and _SENSITIVE.search(key)
            context = self._contexts[key] = key if named else ""
        return context

    def parse(self, text: str) -> Any:
        """Return the object or array that a string holds, or None; each text is parsed once."""
        if text not in self._parsed:
            self._parsed[text] = _parse(text)
        return self._parsed[text]


class _Walk:
    def __init__(self, walker: Walker, visitor: Visitor, raw: frozenset[str]) -> None:
        self._walker = walker
        self._visitor = visitor
        self._raw = raw
        self._trail: list[str | int] = []
        self._changes = 0

    def value(self, value: Any, place: Place, context: str) -> Any:
        replaced, new = self._visitor.enter(value, place)
        if replaced:
            self._changes += new is not value
            return new
        if isinstance(value, str):
            return self._string(value, place, context)
        if isinstance(value, dict):
            return value if is_mark(value) else self._object(value, place)
        if isinstance(value, list):
            return self._array(value, place, context)
        if value is None or isinstance(value, bool):
            return value
        return self._number(value, place, context)

    def _object(self, value: dict[str, Any], place: Place) -> dict[str, Any]:
        walker, trail = self._walker, self._trail
        named = _pair_name(value)
        new: dict[str, Any] = {}
        for key, item in value.items():
            trail += (key, KEY)
            safe = self._text(key, walker._key_mode)
            del trail[-2:]
            trail.append(safe)
            context = walker.context(named if named is not None and key == "value" else key)
            new[_free(new, safe, value)] = self.value(item, place.child(key), context)
            trail.pop()
        return new

    def _array(self, value: list[Any], place: Place, context: str) -> list[Any]:
        new: list[Any] = []
        option = ""
        for number, item in enumerate(value):
            self._trail.append(number)
            new.append(self.value(item, place.child(number), option or context))
            self._trail.pop()
            option = self._walker.context(item.lstrip("-")) if isinstance(item, str) and item[:1] == "-" else ""
        return new

    def _string(self, text: str, place: Place, context: str) -> str:
        if text[:1] in ("{", "[", " ", "\n") and text not in self._raw and len(self._trail) < EMBEDDED_DEPTH:
            parsed = self._walker.parse(text)
            if parsed is not None:
                return self._embedded(text, parsed, place, context)
        return self._text(text, self._walker.mode(place, context)) if text else text

    def _embedded(self, text: str, parsed: Any, place: Place, context: str) -> str:
        before = self._changes
        self._trail.append(JSON)
        new = self.value(parsed, place, context)
        self._trail.pop()
        return text if self._changes == before else dump_like(new, text, parsed)

    def _number(self, value: int | float, place: Place, context: str) -> Any:
        whole = isinstance(value, int) or value.is_integer()
        if not context and not self._walker._every_number and (not whole or abs(value) < SMALL_NUMBER):
            return value
        digits = str(int(value)) if whole and abs(value) < 1e18 else repr(value)
        new = self._text(digits, self._walker.mode(place, context))
        return value if new == digits else new

    def _text(self, text: str, mode: Mode) -> str:
        new = self._visitor.text(Unit(text, mode), self._trail)
        self._changes += new is not text and new != text
        return new


def dump_like(value: Any, text: str, parsed: Any) -> str:
    """Write JSON in the layout that the text had, when it is one of the usual ones."""
    for layout in _LAYOUTS:
        if layout(parsed) == text:
            return layout(value)
    return json.dumps(value, ensure_ascii=text.isascii())


def _layout(ascii_only: bool, indent: int | None, separators: tuple[str, str]) -> Callable[[Any], str]:
    return lambda value: json.dumps(value, ensure_ascii=ascii_only, indent=indent, separators=separators)


_LAYOUTS = tuple(
    _layout(ascii_only, indent, separators)
    for indent, separators in ((None, (", ", ": ")), (None, (",", ":")), (2, (",", ": ")), (4, (",", ": ")))
    for ascii_only in (False, True)
)


def _free(new: dict[str, Any], key: str, old: dict[str, Any]) -> str:
    """Number a key that became equal to another one, so that no entry is lost."""
    if key not in new:
        return key
    number = 2
    while f"{key}#{number}" in new or f"{key}#{number}" in old:
        number += 1
    return f"{key}#{number}"


def _pair_name(value: dict[str, Any]) -> str | None:
    """Return the name in `{"name": "DB_PASSWORD", "value": …}`, the way containers and CI write their settings."""
    if "value" not in value:
        return None
    name = value.get("name", value.get("key"))
    return name if isinstance(name, str) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise ValueError("an object key stands twice")
    return entries


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _parse(text: str) -> Any:
    """Parse an object or array; text with doubled keys or too much nesting is left to be read as text."""
    stripped = text.strip()
    if len(stripped) < 2 or stripped[0] + stripped[-1] not in ("{}", "[]"):
        return None
    try:
        value = json.loads(stripped, object_pairs_hook=_unique, parse_constant=_no_constant)
        return settle(value, MAX_DEPTH - EMBEDDED_DEPTH)
    except (ValueError, RecursionError, DocumentError):
        return None
