"""Path patterns, and the automaton that follows a walk and says which of them hold at each place.

Grammar: `steps[*].input`, `steps[0].input`, `**.signature`, `**.*_id`, `usage.**`. `[*]` is any list index, `*` inside
a name any characters, `**` any number of keys and indices, also none. Names with dots or brackets: `["a.b"]`.
"""

from __future__ import annotations

import re
from fnmatch import translate
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
    """What the policy says about one place: the pattern that drops it, and whether its repeats go too (`echoes`)."""

    drop: str | None = None
    echoes: bool = True
    opaque: bool = False
    ids: bool = False
    prose: bool = False
    whole: bool = False


Position = tuple[int, int]
"""Number of a pattern, and how many of its segments are behind."""


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

    __slots__ = ("_any_glob", "_by_hits", "_globs", "_indices", "_machine", "_names", "_rest", "labels")

    def __init__(self, machine: Machine, positions: frozenset[Position]) -> None:
        self._machine = machine
        self._rest: set[Position] = set()
        self._names: dict[str, tuple[Position, ...]] = {}
        self._globs: list[tuple[re.Pattern[str], Position]] = []
        self._indices: dict[int, tuple[Position, ...]] = {}
        self._by_hits: dict[tuple[Position, ...], Place] = {}
        self.labels = machine.labels(positions)
        for number, at in sorted(positions):
            segment = machine.segment(number, at)
            after = (number, at + 1)
            if segment == "**":
                self._rest.add((number, at))
            elif isinstance(segment, int):
                self._indices[segment] = (*self._indices.get(segment, ()), after)
            elif segment is not None and "*" in segment:
                self._globs.append((re.compile(translate(segment)), after))
            elif segment is not None:
                self._names[segment] = (*self._names.get(segment, ()), after)

        globs = "|".join(glob.pattern for glob, _ in self._globs)
        self._any_glob = re.compile(globs) if globs else None

    def child(self, step: str | int) -> Place:
        """Follow one key or index; -1 stands for an index that no pattern names."""
        if isinstance(step, str):
            hits = self._names.get(step, ())
            if self._any_glob is not None and self._any_glob.match(step):
                hits += tuple(after for glob, after in self._globs if glob.match(step))
        else:
            hits = self._indices.get(-1, ()) + (self._indices.get(step, ()) if step >= 0 else ())
        place = self._by_hits.get(hits)
        if place is None:
            place = self._by_hits[hits] = self._machine.place({*self._rest, *hits})
        return place


class Machine:
    """Compile the path patterns of a policy; states are built as a walk reaches them."""

    def __init__(self, roles: dict[str, tuple[str, ...]]) -> None:
        self._patterns = [(role, text, parse(text)) for role, texts in roles.items() for text in texts]
        self.indices = {s for *_, segments in self._patterns for s in segments if isinstance(s, int) and s >= 0}
        """List positions that a pattern names."""
        self._places: dict[frozenset[Position], Place] = {}
        self.root = self.place({(number, 0) for number in range(len(self._patterns))})

    def place(self, positions: set[Position]) -> Place:
        """Return the one state for these positions; `**` may also match nothing, so what follows it holds as well."""
        pending = list(positions)
        while pending:
            number, at = pending.pop()
            if self.segment(number, at) == "**" and (number, at + 1) not in positions:
                positions.add((number, at + 1))
                pending.append((number, at + 1))
        key = frozenset(positions)
        if key not in self._places:
            self._places[key] = Place(self, key)
        return self._places[key]

    def segment(self, number: int, at: int) -> str | int | None:
        """Return the segment of a pattern at a position, or None at its end."""
        segments = self._patterns[number][2]
        return segments[at] if at < len(segments) else None

    def labels(self, positions: frozenset[Position]) -> Labels:
        """Collect the roles whose patterns end here."""
        ended = sorted(number for number, at in positions if self.segment(number, at) is None)
        roles = {self._patterns[number][0] for number in ended}
        gone = [self._patterns[number] for number in ended if self._patterns[number][0] in ("drop", "omit")]
        drop = gone[0][1] if gone else None
        return Labels(drop, "omit" not in roles, "opaque" in roles, "ids" in roles, "prose" in roles, "whole" in roles)


def extended(path: str, segment: str | int) -> str:
    """Write one more segment of a path for people; names with unusual characters are quoted and long ones cut."""
    if isinstance(segment, int):
        return f"{path}[{segment}]"
    return path + (segment if segment in (KEY, JSON) else _name(segment, first=not path))


def _name(key: str, *, first: bool) -> str:
    if len(key) > _LONGEST_KEY:
        key = key[: _LONGEST_KEY - 1] + "…"
    if _PLAIN.fullmatch(key) or _PLACEHOLDER_KEY.fullmatch(key):
        return key if first else f".{key}"
    shown = "".join(c if c.isprintable() and c not in '"\\' else "�" for c in key)
    return f'["{shown}"]'
