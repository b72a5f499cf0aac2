"""A private copy of a document in which texts are listed once and replaced wherever they stand."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Collection
from typing import Any

from errorhub.scrubber.canonical import MAX_DEPTH, MAX_INTEGER_BITS, has_exponent, settle_text
from errorhub.scrubber.embedded import parse
from errorhub.scrubber.errors import DocumentError
from errorhub.scrubber.members import digits_of, is_number, members_of, name_beside, rename_members, tells_of_another
from errorhub.scrubber.nodes import Embedded, Entry, Node, Place
from errorhub.scrubber.opaque import OPAQUE_FROM, OPAQUE_STARTS, as_opaque, is_mark
from errorhub.scrubber.paths import KEY
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


class Draft:
    """Copy a document and list its texts, keys and number digits; drop what the plan drops.

    Raises DocumentError for what is no JSON and for nesting beyond `MAX_DEPTH`.
    """

    def __init__(self, document: Any, plan: Plan, vault: Vault, *, every_number: bool = False) -> None:
        self._plan = plan
        self._vault = vault
        self._every_number = every_number
        self._texts: dict[Mode, dict[str, Entry]] = defaultdict(dict)
        self._listed: list[Entry] = []
        self._keys: dict[str, Entry] = {}
        self._renamed: dict[str, str] = {}
        self._nodes: list[Node] = []
        self._spots: dict[tuple[Node, str | int], Spot] = {}
        """What the plan says of places where a name or an option says more than the way to it, or a text is new."""
        self._index: dict[str, list[Node]] = {}
        self._indexed = 0
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
        self.restructured = False
        """A key or a name beside a value changed, so places may read differently now."""
        self._root = Node([None], plan.root, None, 0, None)
        self._nodes.append(self._root)
        self._root.container[0] = self._value(document, self._root, 0, plan.root, 0)

    @property
    def entries(self) -> list[Entry]:
        """All keys and texts that the document has now."""
        return [*dict.fromkeys(self._keys.values()), *[entry for entry in self._listed if not entry.gone]]

    def take_fresh(self) -> list[Entry]:
        """Return the entries that are new since the last call, in document order."""
        fresh, self._fresh = self._fresh, []
        return [entry for entry in fresh if not entry.gone]

    def places(self, entries: Collection[Entry]) -> dict[Entry, list[Place]]:
        """Return where each of some entries stands now."""
        found: dict[Entry, list[Place]] = {}
        texts, numbers = {entry.text for entry in entries}, {entry.text for entry in entries if entry in self._numbers}
        holders = dict.fromkeys(node for entry in entries for node in entry.nodes if not node.dead)
        members = {node: members_of(node.container, texts, numbers) for node in holders}
        for entry in entries:
            places = [
                Place(node, segment, self._spot(node, segment))
                for node in dict.fromkeys(entry.nodes)
                for segment in members.get(node, {}).get(entry.text, ())
            ]
            found[entry] = [place for place in places if place.spot.mode.settings == entry.mode.settings]
            found[entry] += [Place(node, KEY, node.spot) for node in self._holders(entry) if not node.dead]
        return found

    def replace(self, entry: Entry, text: str, places: list[Place]) -> None:
        """Put another text in the places of an entry."""
        entry.gone = True
        if entry.keys:
            self._rename(entry, text, places)
            return
        self._texts[entry.mode].pop(entry.text, None)
        for node, segment, spot in places:
            if not node.dead:
                node.container[segment] = self._string(text, node, segment, spot, node.depth)
                node.mark_dirty()
                self._spots[node, segment] = spot
                self.restructured |= tells_of_another(entry.text, node.container, segment)

    def as_text(self, embedded: Embedded) -> None:
        """Treat a string that holds JSON as plain text from now on."""
        text, spot = embedded.current(), embedded.spot
        embedded.dead = True
        embedded.parent.container[embedded.segment] = self._register(text, embedded.parent, spot.mode)
        self._spots[embedded.parent, embedded.segment] = spot

    def _spot(self, node: Node, segment: str | int) -> Spot:
        """Return what the plan says of a place, as it was when the place was read."""
        return self._spots.get((node, segment)) or (node.spot if node.holds else node.spot.step(segment))

    def finish(self) -> Any:
        """Return the document as it is now; the draft is used up."""
        if self._renamed:
            for node in self._nodes:
                if type(node.container) is dict:
                    rename_members(node.container, self._renamed)
        self.write_strings()
        return self._root.container[0]

    def write_strings(self) -> None:
        """Write the strings that hold changed JSON anew, inner ones first."""
        for embedded in reversed(self.embedded):
            if embedded.dirty and not embedded.dead:
                embedded.parent.container[embedded.segment] = embedded.current()

    def _holders(self, entry: Entry) -> list[Node]:
        """Return the objects that have a member of this name; the index is built when the first one is asked for."""
        for node in self._nodes[self._indexed :] if entry.keys else ():
            for key in node.container if type(node.container) is dict else ():
                self._index.setdefault(key, []).append(node)
            self._indexed += 1
        return [node for key in entry.keys for node in self._index.get(key, ())]

    def _rename(self, entry: Entry, text: str, places: list[Place]) -> None:
        self.restructured = True
        fresh = Entry(text, entry.mode, [], entry.keys)
        for key in entry.keys:
            self._keys[key] = fresh
            self._renamed[key] = text
        for place in places:
            place.node.mark_dirty()
        self._fresh.append(fresh)

    def _value(self, value: Any, node: Node, segment: str | int, spot: Spot, depth: int) -> Any:
        if spot.drop is not None and value is not None:
            self.dropped.append((value if spot.echoes else None, spot.drop))
            return None
        if isinstance(value, str):
            return self._string(str.__str__(value), node, segment, spot, depth)
        if isinstance(value, dict):
            return self._object(value, node, segment, spot, depth)
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
        members: dict[str, Any] = {}
        node = Node(members, spot, parent, segment, parent.within)
        self._nodes.append(node)
        keys, texts, steps = self._keys, self._texts, spot.steps
        named = name_beside(value) if "value" in value else None
        for key, item in value.items():  # the common cases are spelled out: most of a log is read here
            if key not in keys:
                key = self._key(key)
            step = steps.get(key) or spot.step(key)
            if named is not None and key == "value":
                step = self._spots[node, key] = step.named(named)
            kind = type(item)
            if not step.plain:
                members[key] = self._value(item, node, key, step, depth + 1)
            elif kind is str:
                entry = texts[step.mode].get(item)
                if entry is not None:  # seen before, neither JSON nor a payload
                    members[key] = entry.text
                    entry.nodes.append(node)
                else:
                    members[key] = self._string(item, node, key, step, depth + 1)
            elif kind is dict:
                members[key] = self._object(item, node, key, step, depth + 1)
            elif kind in _CONSTANTS:
                members[key] = item
            elif kind in _NUMBERS:
                members[key] = item if self._is_count(item, step.mode) else self._number(item, node, step.mode)
            elif kind is list:
                members[key] = self._array(item, node, key, step, depth + 1)
            else:
                members[key] = self._value(item, node, key, step, depth + 1)
        return members

    def _array(
        self, value: list[Any] | tuple[Any, ...], parent: Node, segment: str | int, spot: Spot, depth: int
    ) -> list[Any]:
        if depth >= MAX_DEPTH:
            raise DocumentError(_TOO_DEEP)
        items: list[Any] = [None] * len(value)
        node = Node(items, spot, parent, segment, parent.within)
        self._nodes.append(node)
        option = ""
        alike = None if self._plan.indices else spot.step(-1)
        for number, item in enumerate(value):
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
                items[number] = item if self._is_count(item, step.mode) else self._number(item, node, step.mode)
            else:
                items[number] = self._value(item, node, number, step, depth + 1)
                option = item.lstrip("-") if isinstance(item, str) and item[:1] == "-" else ""
        return items

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise DocumentError(f"document has an object key of type {type(key).__name__}. JSON keys are strings.")
        settled = settle_text(key)
        entry = Entry(settled, self._plan.keys, [], (settled,))
        self._keys[key] = entry
        self._keys[settled] = entry
        self._fresh.append(entry)
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
        entry = texts.get(text)
        if entry is None:
            entry = texts[text] = Entry(text if text.isascii() else settle_text(text), mode, [node])
            self._listed.append(entry)
            self._fresh.append(entry)
        else:
            entry.nodes.append(node)
        return entry.text

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
        self._numbers.add(self._texts[mode][digits])
        return value
