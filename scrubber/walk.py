"""The way through a document: copy it, list its texts once, drop what the plan drops."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from typing import Any

from errorhub.scrubber.canonical import MAX_DEPTH, MAX_INTEGER_BITS, has_exponent, settle_text
from errorhub.scrubber.embedded import parse
from errorhub.scrubber.errors import DocumentError
from errorhub.scrubber.members import digits_of, is_number, name_beside, rename_members
from errorhub.scrubber.nodes import Embedded, Entry, Node
from errorhub.scrubber.opaque import OPAQUE_FROM, OPAQUE_STARTS, as_opaque, is_mark
from errorhub.scrubber.plan import Mode, Plan, Spot
from errorhub.scrubber.vault import Vault

SHORTEST = 3
"""Nothing that is looked for is shorter."""

SMALL_NUMBER = 1_000_000
"""Integers nearer to zero are counts, not cards, phones or ids."""

EMBEDDED_DEPTH = 100
"""Strings that hold JSON are entered above this depth, and only when they are not nested deeper themselves."""

_CONSTANTS, _NUMBERS = frozenset({bool, type(None)}), frozenset({int, float})
_MAYBE_JSON = frozenset("{[ \n\t\r")
_TOO_DEEP = f"document is nested deeper than {MAX_DEPTH} levels. Store the inner part as text."


class Walk:
    """Copy a document and list its texts, keys and number digits; drop what the plan drops.

    Raises DocumentError for what is no JSON and for nesting beyond `MAX_DEPTH`.
    """

    def __init__(self, document: Any, plan: Plan, vault: Vault, *, every_number: bool = False) -> None:
        self._plan = plan
        self._vault = vault
        self._every_number = every_number
        self._texts: dict[Mode, dict[str, list[Node]]] = defaultdict(dict)
        """What holds each text, as it was met; where in there is looked up when the text goes."""
        self._listed: list[Entry] = []
        self._gone: set[Entry] = set()
        """Something else stands in all their places now."""
        self._keys: set[str] = set()
        self._originals: dict[str, list[str]] = {}
        """How the names of members stood before any of them was replaced."""
        self._nodes: list[Node] = []
        self._spots: dict[tuple[Node, str | int], Spot] = {}
        """What the plan says of places where a name or an option says more than the way to it, or a text is new."""
        self._numbers: set[Entry] = set()
        """Entries that are numbers in some of their places."""
        self._parsed: dict[str, Any] = {}
        self._fresh: list[Entry] = []
        self.embedded: list[Embedded] = []
        self.dropped: list[tuple[Any, str]] = []
        """What was dropped, None where its repeats may stay, and the pattern that said so."""
        self.opaque = 0
        """Payloads that nobody can read."""
        self.exponents: dict[Node, None] = {}
        """What holds a float that is written with an exponent or is no number, for which JSON writers differ."""
        self._root = Node([None], plan.root, None, 0, None)
        self._nodes.append(self._root)
        self._root.container[0] = self._value(document, self._root, 0, plan.root, 0)

    def _value(self, value: Any, node: Node, segment: str | int, spot: Spot, depth: int) -> Any:
        if spot.drop is not None and value is not None:
            self.dropped.append((value if spot.echoes else None, spot.drop))
            return None
        if isinstance(value, str):
            return self._string(str.__str__(value), node, segment, spot, depth)
        if isinstance(value, dict):
            plain = value if type(value) is dict else dict(value)  # others may show one thing and hold another
            return self._object(plain, node, segment, spot, depth)
        if isinstance(value, (list, tuple)):
            return self._array(value, node, segment, spot, depth)
        if is_number(value):
            return self._number(value, node, spot.mode)
        if value is None or isinstance(value, bool):
            return value
        raise DocumentError(f"document holds a {type(value).__name__}, which is not JSON. Encode it as text first.")

    def _object(
        self, value: dict[Any, Any], parent: Node, segment: str | int, spot: Spot, depth: int
    ) -> dict[str, Any]:
        if depth >= MAX_DEPTH:
            raise DocumentError(_TOO_DEEP)
        if "dropped" in value and is_mark(value):
            return dict(value)
        members = dict(value)
        node = Node(members, spot, parent, segment, parent.within)
        self._nodes.append(node)
        keys, texts, steps = self._keys, self._texts, spot.steps
        named = name_beside(value) if "value" in value else None
        unsettled: dict[str, str] = {}
        for key, item in value.items():  # the common cases are spelled out: most of a log is read here
            name = key if key in keys else self._key(key, unsettled)
            step = steps.get(name) or spot.step(name)
            if named is not None and name == "value":
                step = self._spots[node, name] = step.named(named)
            kind = type(item)
            if not step.plain:
                members[key] = self._value(item, node, name, step, depth + 1)
            elif kind is str:
                holders = texts[step.mode].get(item)
                if holders is not None:  # seen before, neither JSON nor a payload
                    holders.append(node)
                else:
                    members[key] = self._string(item, node, name, step, depth + 1)
            elif kind is dict:
                members[key] = self._object(item, node, name, step, depth + 1)
            elif kind in _NUMBERS:
                if not self._is_count(item, step.mode):
                    members[key] = self._number(item, node, step.mode)
            elif kind is list:
                members[key] = self._array(item, node, name, step, depth + 1)
            elif kind not in _CONSTANTS:
                members[key] = self._value(item, node, name, step, depth + 1)
        if unsettled:
            rename_members(members, unsettled)
        return members

    def _array(
        self, value: list[Any] | tuple[Any, ...], parent: Node, segment: str | int, spot: Spot, depth: int
    ) -> list[Any]:
        if depth >= MAX_DEPTH:
            raise DocumentError(_TOO_DEEP)
        items = list(value)
        node = Node(items, spot, parent, segment, parent.within)
        self._nodes.append(node)
        option = ""
        alike = None if self._plan.indices else spot.step(-1)
        for number, item in enumerate(items):
            step = alike or spot.step(number)
            if option:
                step = self._spots[node, number] = step.named(option)
                option = ""
            kind = type(item) if step.plain else None
            if kind is dict:
                items[number] = self._object(item, node, number, step, depth + 1)
            elif kind is list:
                items[number] = self._array(item, node, number, step, depth + 1)
            elif kind in _NUMBERS:
                if not self._is_count(item, step.mode):
                    items[number] = self._number(item, node, step.mode)
            else:
                items[number] = self._value(item, node, number, step, depth + 1)
                option = item.lstrip("-") if isinstance(item, str) and item[:1] == "-" else ""
        return items

    def _key(self, key: Any, unsettled: dict[str, str]) -> str:
        """Return the settled name of a member that is new or unsettled."""
        if not isinstance(key, str):
            raise DocumentError(f"document has an object key of type {type(key).__name__}. JSON keys are strings.")
        settled = settle_text(key)
        if settled not in self._keys:
            self._originals[settled] = [settled]
            self._fresh.append((settled, self._plan.keys))
            self._keys.add(settled)
        if settled != key:
            unsettled[key] = settled
        return settled

    def _string(self, text: str, node: Node, segment: str | int, spot: Spot, depth: int) -> Any:
        maybe = len(text) >= OPAQUE_FROM and (spot.opaque or text.startswith(OPAQUE_STARTS))
        mark = as_opaque(text, spot.opaque, self._vault) if maybe else None
        if mark is not None:
            self.opaque += 1
            return mark
        if text[:1] in _MAYBE_JSON and depth < EMBEDDED_DEPTH:
            if text not in self._parsed:
                self._parsed[text] = parse(text, MAX_DEPTH - EMBEDDED_DEPTH)
            if self._parsed[text] is not None:
                return self._take_apart(text, node, segment, spot, depth)
        return self._register(text, node, spot.mode) if len(text) >= SHORTEST else settle_text(text)

    def _register(self, text: str, node: Node, mode: Mode) -> str:
        texts = self._texts[mode]
        if text not in texts and not text.isascii():
            text = settle_text(text)
        holders = texts.get(text)
        if holders is None:
            texts[text] = [node]
            entry = text, mode
            self._listed.append(entry)
            self._fresh.append(entry)
            if self._gone:
                self._gone.discard(entry)  # it was replaced, and is back
        else:
            holders.append(node)
        return text

    def _take_apart(self, text: str, parent: Node, segment: str | int, spot: Spot, depth: int) -> str:
        embedded = Embedded(settle_text(text), spot, parent, segment)
        holder = Node(embedded.container, spot, parent, segment, embedded)
        self.embedded.append(embedded)
        dropped, opaque = len(self.dropped), self.opaque
        holder.container[0] = self._value(self._parsed[text], holder, 0, spot, depth + 1)
        if len(self.dropped) != dropped or self.opaque != opaque:
            holder.mark_dirty()
        return embedded.text

    def _is_count(self, value: int | float, mode: Mode) -> bool:
        """Tell whether a number is so near to zero that it is no card, phone or id, where nothing says otherwise."""
        if not -SMALL_NUMBER < value < SMALL_NUMBER or mode.small or self._every_number:
            return False
        return not -1e-4 < value < 1e-4 or value == 0  # other floats are written with an exponent

    def _number(self, value: int | float, node: Node, mode: Mode) -> Any:
        if isinstance(value, float):
            if has_exponent(value):
                self.exponents[node] = None
            if not math.isfinite(value):
                return self._register(json.dumps(value), node, mode)
        if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
            raise DocumentError("document holds an integer longer than 4,200 digits. Store it as text.")
        whole = isinstance(value, int) or value.is_integer()
        if not mode.small and not self._every_number and (not whole or abs(value) < SMALL_NUMBER):
            return value
        digits = digits_of(value)
        self._register(digits, node, mode)
        self._numbers.add((digits, mode))
        return value
