"""The pieces of a draft: containers on the way to a text, texts with their places, JSON taken out of strings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errorhub.scrubber.embedded import dump_like
from errorhub.scrubber.paths import JSON, render
from errorhub.scrubber.plan import Mode, Spot


class Node:
    """A container of the draft, and the way to it."""

    __slots__ = ("container", "embedded", "parent", "segment", "spot")

    def __init__(self, container: Any, spot: Spot, parent: Node | None, segment: str | int) -> None:
        self.container = container
        self.spot = spot
        self.parent = parent
        self.segment = segment
        self.embedded: Embedded | None = None
        """For the holder of a parsed string: the string."""

    def up(self) -> Iterator[Node]:
        """Yield this node and all around it."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent

    @property
    def depth(self) -> int:
        """Number of containers around and including this one."""
        return sum(1 for _ in self.up())

    @property
    def dead(self) -> bool:
        """The string that this node was parsed from is read as plain text now."""
        return any(node.embedded is not None and node.embedded.dead for node in self.up())

    def mark_dirty(self) -> None:
        """Say that the strings which hold this node must be written anew."""
        for node in self.up():
            if node.embedded is not None:
                node.embedded.dirty = True

    def path(self, segment: str | int, shown: dict[str, str]) -> str:
        """Return the path of a child; `shown` says what stands for keys that are not shown."""
        trail: list[str | int] = [segment]
        for node in self.up():
            if node.embedded is not None:
                trail[-1] = JSON  # instead of the position in the holder of the parsed value
            trail.append(node.segment)
        trail = trail[:-2]  # the holder of the root has no name
        return render([shown.get(part, part) if isinstance(part, str) else part for part in reversed(trail)])


Place = tuple[Node, str | int]
"""Where a text stands: a container and the key or index in it."""


class Entry:
    """A text and how it is read, with all its places."""

    __slots__ = ("keys", "mode", "places", "text")

    def __init__(self, text: str, mode: Mode, keys: tuple[str, ...] = ()) -> None:
        self.text = text
        self.mode = mode
        self.keys = keys
        """For the name of members: how it stood in the original."""
        self.places: list[Place] = []


class Embedded:
    """A string that holds JSON, taken apart."""

    __slots__ = ("dead", "dirty", "holder", "text")

    def __init__(self, text: str, holder: Node) -> None:
        self.text = text
        self.holder = holder
        self.dirty = False
        """The parsed value changed."""
        self.dead = False
        """The string is read as plain text."""

    @property
    def place(self) -> Place:
        """Where the string stands."""
        assert self.holder.parent is not None
        return self.holder.parent, self.holder.segment

    def current(self) -> str:
        """Return the string as it reads now, in the layout that it had."""
        return dump_like(self.holder.container[0], self.text) if self.dirty else self.text
