"""The pieces of a draft: containers on the way to a text, texts with their places, JSON taken out of strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from errorhub.scrubber.embedded import dump_like
from errorhub.scrubber.paths import JSON, extended
from errorhub.scrubber.plan import Mode, Spot

Entry = tuple[str, Mode]
"""A text and how it is read: equal ones are one, wherever they stand. Plain tuples, for there are very many."""


class Node:
    """A container of the draft, and the way to it."""

    __slots__ = ("container", "parent", "segment", "spot", "within")

    def __init__(
        self, container: Any, spot: Spot, parent: Node | None, segment: str | int, within: Embedded | None
    ) -> None:
        self.container = container
        self.spot = spot
        self.parent = parent
        self.segment = segment
        self.within = within
        """The innermost parsed string that this node is in."""

    @property
    def holds(self) -> bool:
        """The only item of this node stands where the node does: it holds the document or a parsed string."""
        return self.parent is None or (self.within is not None and self.within.container is self.container)

    @property
    def depth(self) -> int:
        """Number of containers around and including this one; only texts that are replaced ask for it."""
        depth, node = 1, self.parent
        while node is not None:
            depth, node = depth + 1, node.parent
        return depth

    def strings(self) -> Iterator[Embedded]:
        """Yield the parsed strings that hold this node, inner ones first."""
        string = self.within
        while string is not None:
            yield string
            string = string.parent.within

    @property
    def dead(self) -> bool:
        """The string that this node was parsed from is read as plain text now."""
        return any(string.dead for string in self.strings())

    def mark_dirty(self) -> None:
        """Say that the strings which hold this node must be written anew."""
        for string in self.strings():
            string.dirty = True


class Place(NamedTuple):
    """Where a text stands: a container, the key or index in it, and what the plan says of that place."""

    node: Node
    segment: str | int
    spot: Spot


class Trails:
    """Write the paths of many places; `shown` says what stands for keys that are not shown."""

    def __init__(self, shown: dict[str, str]) -> None:
        self._shown = shown
        self._of: dict[Node, str] = {}

    def path(self, place: Place) -> str:
        """Return the path of a place."""
        return self._child(place.node, place.segment) or "."

    def _child(self, node: Node, segment: str | int) -> str:
        if node.parent is None:
            return ""  # the holder of the root has no name
        if node not in self._of:
            self._of[node] = self._child(node.parent, node.segment)
        if node.holds:
            segment = JSON  # instead of the position in the holder of the parsed value
        return extended(self._of[node], self._shown.get(segment, segment) if isinstance(segment, str) else segment)


class Embedded:
    """A string that holds JSON, taken apart."""

    __slots__ = ("container", "dead", "dirty", "parent", "segment", "spot", "text")

    def __init__(self, text: str, spot: Spot, parent: Node, segment: str | int) -> None:
        self.text = text
        self.parent = parent
        self.segment = segment
        self.spot = spot
        self.container: list[Any] = [None]
        """Holds what is parsed now."""
        self.dirty = False
        """The parsed value changed."""
        self.dead = False
        """The string is read as plain text."""

    def current(self) -> str:
        """Return the string as it reads now, in the layout that it had."""
        return dump_like(self.container[0], self.text) if self.dirty else self.text
