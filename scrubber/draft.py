"""A private copy of a document in which texts are listed once and replaced wherever they stand."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

from errorhub.scrubber.canonical import MAX_DEPTH, MAX_INTEGER_BITS, settle_text
from errorhub.scrubber.embedded import dump_like, parse
from errorhub.scrubber.errors import DocumentError
from errorhub.scrubber.opaque import as_opaque, is_mark
from errorhub.scrubber.paths import JSON, KEY, render
from errorhub.scrubber.plan import Mode, Plan, Spot
from errorhub.scrubber.vault import Vault

SHORTEST = 3
"""Nothing that is looked for is shorter."""

SMALL_NUMBER = 1_000_000
"""Integers nearer to zero are counts, not cards, phones or ids."""

EMBEDDED_DEPTH = 100
"""Strings that hold JSON are entered above this depth, and only when they are not nested deeper themselves."""

_MAYBE_JSON = frozenset("{[ \n\t\r")


class Node(NamedTuple):
    """The way to a container: the container around it, the segment it stands at, the JSON string it was parsed from."""

    parent: Node | None
    segment: str | int
    embedded: Embedded | None = None


class Slot(NamedTuple):
    """One occurrence of a text."""

    container: Any
    segment: str | int
    spot: Spot
    node: Node | None


class Entry:
    """A text and how it is read, with all its occurrences."""

    __slots__ = ("keys", "mode", "slots", "text")

    def __init__(self, text: str, mode: Mode, keys: tuple[str, ...] = ()) -> None:
        self.text = text
        self.mode = mode
        self.keys = keys
        """For the name of members: how it stood in the original."""
        self.slots: list[Slot] = []


class Embedded:
    """A string that holds JSON, taken apart."""

    __slots__ = ("dead", "dirty", "holder", "slot", "text")

    def __init__(self, text: str, slot: Slot) -> None:
        self.text = text
        self.slot = slot
        self.holder: list[Any] = []
        self.dirty = False
        self.dead = False

    def current(self) -> str:
        """Return the string as it reads now, in the layout that it had."""
        return dump_like(self.holder[0], self.text) if self.dirty else self.text


class Draft:
    """Copy a document and list its texts, keys and number digits; drop what the plan drops.

    Raises DocumentError for what is no JSON and for nesting beyond `MAX_DEPTH`.
    """

    def __init__(self, document: Any, plan: Plan, vault: Vault, *, every_number: bool = False) -> None:
        self._plan = plan
        self._vault = vault
        self._every_number = every_number
        self._entries: dict[tuple[str, Mode], Entry] = {}
        self._keys: dict[str, Entry] = {}
        self._renamed: dict[str, str] = {}
        self._objects: list[tuple[dict[str, Any], Node | None]] = []
        self._fresh: list[Entry] = []
        self._parsed: dict[str, Any] = {}
        self._index: dict[str, list[Node | None]] = {}
        self._indexed = 0
        self.embedded: list[Embedded] = []
        self.dropped: list[tuple[Any, str]] = []
        self.opaque = 0
        self.restructured = False
        """A key or a name beside a value changed, so places may read differently now."""
        self._root: list[Any] = [None]
        self._root[0] = self._value(document, Slot(self._root, 0, plan.root, None), 0)

    @property
    def entries(self) -> list[Entry]:
        """All keys and texts that the document has now."""
        return [*dict.fromkeys(self._keys.values()), *self._entries.values()]

    def take_fresh(self) -> list[Entry]:
        """Return the entries that are new since the last call, in document order."""
        fresh, self._fresh = self._fresh, []
        return [entry for entry in fresh if entry.slots or entry.keys]

    def replace(self, entry: Entry, text: str) -> None:
        """Put another text wherever an entry stands."""
        if entry.keys:
            self._rename(entry, text)
            return
        self._entries.pop((entry.text, entry.mode), None)
        slots, entry.slots = entry.slots, []
        for slot in slots:
            if _is_dead(slot.node):
                continue
            slot.container[slot.segment] = self._string(text, slot, _depth(slot.node))
            _mark_dirty(slot.node)
            self.restructured |= slot.segment in ("name", "key") or entry.text.startswith("-")

    def as_text(self, embedded: Embedded) -> None:
        """Treat a string that holds JSON as plain text from now on."""
        text = embedded.current()
        embedded.dead = True
        slot = embedded.slot
        slot.container[slot.segment] = text
        self._register(text, slot)

    def paths(self, entry: Entry, shown: dict[str, str]) -> list[str]:
        """Return the path of every occurrence; `shown` says what stands for keys that are not shown."""
        if entry.keys:
            return [self._path(node, KEY, shown) for node in self._holders(entry) if not _is_dead(node)]
        return [self._path(slot.node, slot.segment, shown) for slot in entry.slots if not _is_dead(slot.node)]

    def finish(self) -> Any:
        """Return the document as it is now; the draft is used up."""
        if self._renamed:
            for members, _ in self._objects:
                _rename_members(members, self._renamed)
        for embedded in reversed(self.embedded):
            if embedded.dirty and not embedded.dead:
                embedded.slot.container[embedded.slot.segment] = embedded.current()
        return self._root[0]

    def _holders(self, entry: Entry) -> list[Node | None]:
        """Return the objects that have a member of this name; the index is built when the first one is asked for."""
        for members, node in self._objects[self._indexed :]:
            for key in members:
                self._index.setdefault(key, []).append(node)
        self._indexed = len(self._objects)
        return [node for key in entry.keys for node in self._index.get(key, ())]

    def _path(self, node: Node | None, segment: str | int, shown: dict[str, str]) -> str:
        trail: list[str | int] = [segment]
        while node is not None:
            if node.embedded is not None:
                trail[-1] = JSON  # instead of the position in the holder of the parsed value
            else:
                trail.append(node.segment)
            node = node.parent
        return render([shown.get(part, part) if isinstance(part, str) else part for part in reversed(trail[:-1])])

    def _rename(self, entry: Entry, text: str) -> None:
        self.restructured = True
        fresh = Entry(text, entry.mode, entry.keys)
        for key in entry.keys:
            self._keys[key] = fresh
            self._renamed[key] = text
        for node in self._holders(fresh):
            _mark_dirty(node)
        self._fresh.append(fresh)

    def _value(self, value: Any, slot: Slot, depth: int) -> Any:
        spot = slot.spot
        if spot.drop is not None and value is not None:
            self.dropped.append((value, spot.drop))
            return None
        if isinstance(value, str):
            return self._string(value, slot, depth)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return self._number(value, slot)
        if depth >= MAX_DEPTH:
            raise DocumentError(f"document is nested deeper than {MAX_DEPTH} levels. Store the inner part as text.")
        if isinstance(value, dict):
            return dict(value) if is_mark(value) else self._object(value, slot, depth + 1)
        if isinstance(value, list | tuple):
            return self._array(value, slot, depth + 1)
        raise DocumentError(f"document holds a {type(value).__name__}, which is not JSON. Encode it as text first.")

    def _object(self, value: dict[Any, Any], slot: Slot, depth: int) -> dict[str, Any]:
        node = Node(slot.node, slot.segment)
        members: dict[str, Any] = {}
        self._objects.append((members, node))
        spot, keys, entries = slot.spot, self._keys, self._entries
        steps = spot.steps
        named = _name_beside(value)
        for key, item in value.items():
            if key not in keys:
                key = self._key(key)
            step = steps.get(key) or spot.step(key)
            if named is not None and key == "value":
                step = step.named(named)
            if type(item) is str and step.plain:
                entry = entries.get((item, step.mode))
                if entry is not None:  # the common case: seen before, neither JSON nor a payload
                    entry.slots.append(Slot(members, key, step, node))
                    members[key] = entry.text
                    continue
            members[key] = self._value(item, Slot(members, key, step, node), depth)
        return members

    def _array(self, value: list[Any] | tuple[Any, ...], slot: Slot, depth: int) -> list[Any]:
        node = Node(slot.node, slot.segment)
        items: list[Any] = [None] * len(value)
        option = ""
        for number, item in enumerate(value):
            spot = slot.spot.steps.get(number) or slot.spot.step(number)
            if option:
                spot = spot.named(option)
            items[number] = self._value(item, Slot(items, number, spot, node), depth)
            option = item.lstrip("-") if isinstance(item, str) and item[:1] == "-" else ""
        return items

    def _key(self, key: Any) -> str:
        if not isinstance(key, str):
            raise DocumentError(f"document has an object key of type {type(key).__name__}. JSON keys are strings.")
        settled = settle_text(key)
        entry = Entry(settled, self._plan.keys, (settled,))
        self._keys[key] = entry
        self._keys[settled] = entry
        self._fresh.append(entry)
        return settled

    def _string(self, text: str, slot: Slot, depth: int) -> Any:
        mark = as_opaque(text, slot.spot.opaque, self._vault)
        if mark is not None:
            self.opaque += 1
            return mark
        if text[:1] in _MAYBE_JSON and depth < EMBEDDED_DEPTH:
            if text not in self._parsed:
                self._parsed[text] = parse(text, MAX_DEPTH - EMBEDDED_DEPTH)
            parsed = self._parsed[text]
            if parsed is not None:
                return self._take_apart(text, parsed, slot, depth)
        return self._register(text, slot) if len(text) >= SHORTEST else settle_text(text)

    def _register(self, text: str, slot: Slot) -> str:
        key = (text, slot.spot.mode)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._entries[key] = Entry(settle_text(text), slot.spot.mode)
            self._fresh.append(entry)
        entry.slots.append(slot)
        return entry.text

    def _take_apart(self, text: str, parsed: Any, slot: Slot, depth: int) -> str:
        embedded = Embedded(settle_text(text), slot)
        self.embedded.append(embedded)
        around = Node(Node(slot.node, slot.segment), 0, embedded)
        dropped, opaque = len(self.dropped), self.opaque
        embedded.holder.append(self._value(parsed, Slot(embedded.holder, 0, slot.spot, around), depth + 1))
        if len(self.dropped) != dropped or self.opaque != opaque:
            _mark_dirty(around)
        return embedded.text

    def _number(self, value: int | float, slot: Slot) -> Any:
        if isinstance(value, float) and not math.isfinite(value):
            return json.dumps(value)
        if isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
            raise DocumentError("document holds an integer longer than 4,200 digits. Store it as text.")
        whole = isinstance(value, int) or value.is_integer()
        if not slot.spot.mode.context and not self._every_number and (not whole or abs(value) < SMALL_NUMBER):
            return value
        self._register(str(int(value)) if whole and abs(value) < 1e18 else repr(value), slot)
        return value


def _name_beside(value: dict[Any, Any]) -> str | None:
    """Return the name in `{"name": "DB_PASSWORD", "value": …}`, the way containers and CI write their settings."""
    if "value" not in value:
        return None
    name = value.get("name", value.get("key"))
    return name if isinstance(name, str) else None


def _rename_members(members: dict[str, Any], renamed: dict[str, str]) -> None:
    """Rename keys in place and in order; keys that became equal are numbered, so that no member is lost."""
    if renamed.keys().isdisjoint(members):
        return
    old = list(members.items())
    members.clear()
    for key, value in old:
        name = key = renamed.get(key, key)
        number = 1
        while name in members:
            number += 1
            name = f"{key}#{number}"
        members[name] = value


def _depth(node: Node | None) -> int:
    depth = 0
    while node is not None:
        node, depth = node.parent, depth + 1
    return depth


def _mark_dirty(node: Node | None) -> None:
    while node is not None:
        if node.embedded is not None:
            node.embedded.dirty = True
        node = node.parent


def _is_dead(node: Node | None) -> bool:
    while node is not None:
        if node.embedded is not None and node.embedded.dead:
            return True
        node = node.parent
    return False
