"""Path patterns, and the automaton that follows a walk and says which of them hold at each place.

Grammar: `steps[*].input`, `steps[0].input`, `**.signature`, `**.*_id`, `usage.**`. `[*]` is any list index, `*` inside
a name any characters, `**` any number of keys and indices, also none. Names with dots or brackets: `["a.b"]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from errorhub.scrubber.errors import PolicyError

_SEGMENT = re.compile(r'\.?(?:(?P<rest>\*\*)|\[(?P<index>\*|\d+)\]|\["(?P<quoted>[^"]+)"\]|(?P<name>[^.\[\]"]+))')
_PLAIN = re.compile(r"[\w$@#/ -]+")
_PLACEHOLDER_KEY = re.compile(r"<[A-Z0-9_]+>")
_LONGEST_KEY = 60


KEY = "{key}"
"""Last segment of a trail that points at an object key."""

JSON = "(json)"
"""Segment that enters a string which holds JSON."""


class Labels(NamedTuple):
    """What the policy says about one place; `drop` is the pattern that drops it."""

    drop: str | None = None
    opaque: bool = False
    ids: bool = False
    prose: bool = False
    whole: bool = False


def parse(pattern: str) -> tuple[str | int, ...]:
    """Split a path pattern into segments: names, `**`, and -1 for `[*]`; raise PolicyError naming the pattern."""
    segments: list[str | int] = []
    at = 0
    while at < len(pattern):
        found = _SEGMENT.match(pattern, at)
        if found is None or (at == 0 and pattern.startswith(".")):
            raise PolicyError(f"path pattern {pattern!r} is not understood at character {at + 1}.", _HINT)
        index = found["index"]
        if index is not None:
            segments.append(-1 if index == "*" else int(index))
        else:
            segments.append(found["rest"] or found["quoted"] or found["name"])
        at = found.end()
    if not segments:
        raise PolicyError("a path pattern is empty.", _HINT)
    return tuple(segments)


_HINT = "Patterns look like steps[*].input, **.signature or **.*_id."


class Place:
    """A state of the automaton: the patterns that may still match from here, and the labels that hold here."""

    __slots__ = ("_children", "_machine", "_positions", "labels")

    def __init__(self, machine: Machine, positions: frozenset[tuple[int, int]]) -> None:
        self._machine = machine
        self._positions = positions
        self._children: dict[str | int, Place] = {}
        self.labels = machine.labels(positions)

    def child(self, segment: str | int) -> Place:
        """Follow one key or index; indices without a pattern of their own share one state."""
        step = segment if isinstance(segment, str) or segment in self._machine.indices else -1
        place = self._children.get(step)
        if place is None:
            place = self._children[step] = self._machine.place(self._machine.follow(self._positions, step))
        return place


class Machine:
    """Compile the path patterns of a policy; states are built as a walk reaches them."""

    def __init__(self, roles: dict[str, tuple[str, ...]]) -> None:
        self._patterns = [(role, text, parse(text)) for role, texts in roles.items() for text in texts]
        self.indices = {s for *_, segments in self._patterns for s in segments if isinstance(s, int) and s >= 0}
        self._places: dict[frozenset[tuple[int, int]], Place] = {}
        self.root = self.place(self._close({(number, 0) for number in range(len(self._patterns))}))

    def place(self, positions: frozenset[tuple[int, int]]) -> Place:
        """Return the one state for these positions."""
        if positions not in self._places:
            self._places[positions] = Place(self, positions)
        return self._places[positions]

    def follow(self, positions: frozenset[tuple[int, int]], step: str | int) -> frozenset[tuple[int, int]]:
        """Return the positions after one key or index; -1 stands for an index that no pattern names."""
        reached: set[tuple[int, int]] = set()
        for number, at in positions:
            segments = self._patterns[number][2]
            if at == len(segments):
                continue
            if segments[at] == "**":
                reached.add((number, at))
            elif _matches(segments[at], step):
                reached.add((number, at + 1))
        return self._close(reached)

    def labels(self, positions: frozenset[tuple[int, int]]) -> Labels:
        """Collect the roles whose patterns end here."""
        ended = sorted(number for number, at in positions if at == len(self._patterns[number][2]))
        roles = {self._patterns[number][0] for number in ended}
        drop = next((self._patterns[number][1] for number in ended if self._patterns[number][0] == "drop"), None)
        return Labels(drop, "opaque" in roles, "ids" in roles, "prose" in roles, "whole" in roles)

    def _close(self, positions: set[tuple[int, int]]) -> frozenset[tuple[int, int]]:
        pending = list(positions)
        while pending:
            number, at = pending.pop()
            segments = self._patterns[number][2]
            if at < len(segments) and segments[at] == "**" and (number, at + 1) not in positions:
                positions.add((number, at + 1))
                pending.append((number, at + 1))
        return frozenset(positions)


def _matches(segment: str | int, step: str | int) -> bool:
    if isinstance(segment, int):
        return isinstance(step, int) and segment in (-1, step)
    return isinstance(step, str) and (segment == step or ("*" in segment and fnmatchcase(step, segment)))


def render(trail: Sequence[str | int]) -> str:
    """Write a path for people; names with unusual characters are quoted and long ones cut."""
    text = ""
    for segment in trail:
        if isinstance(segment, int):
            text += f"[{segment}]"
        elif segment in (KEY, JSON):
            text += segment
        else:
            text += _name(segment, first=not text)
    return text or "."


def _name(key: str, *, first: bool) -> str:
    if len(key) > _LONGEST_KEY:
        key = key[: _LONGEST_KEY - 1] + "…"
    if _PLAIN.fullmatch(key) or _PLACEHOLDER_KEY.fullmatch(key):
        return key if first else f".{key}"
    shown = "".join(c if c.isprintable() and c not in '"\\' else "�" for c in key)
    return f'["{shown}"]'
