"""Tell which rules can match a text at all, so that RE2 reads it only for those.

Hyperscan reads all shapes in one pass. Where it has no wheel, Aho-Corasick finds the rules' keywords; rules without
keywords are then always tried. Both answers hold every rule that matches, so what RE2 confirms is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import version
from importlib.util import find_spec
from typing import NamedTuple

BLOCK, SHARED = 1 << 15, 1 << 12
"""Bytes of a long text that are read at once, and those that two blocks share: more than any shape needs to match."""

Place = tuple[int, int, int]
"""Number of a shape, and the part of the text in which its matches begin."""
Fired = Callable[[bytes], dict[int, int]]


class Shape(NamedTuple):
    """What the prefilter knows of a rule: its regex and its keywords."""

    regex: str
    keywords: tuple[str, ...]


class Prefilter(NamedTuple):
    """An engine and its answer: the numbers of the shapes that can match, and where the first match of each ends.

    That is 0 for an engine that cannot tell.
    """

    engine: str
    fired: Fired

    def announce(self, data: bytes) -> list[Place]:
        """Return the shapes that can match and where matches can begin, by number.

        A long text is read in blocks that share `SHARED` bytes, so that RE2 reads a rule's blocks only.
        """
        size = len(data)
        if size <= BLOCK + SHARED:
            fired = self.fired(data)
            return [(number, 0, size) for number in sorted(fired)] if fired else []
        found: dict[int, list[int]] = {}
        for block in range(0, size, BLOCK):
            for number in self.fired(data[block : block + BLOCK + SHARED]):
                found.setdefault(number, []).append(block)
        return [
            (number, start, min(stop, size)) for number in sorted(found) for start, stop in _neighbours(found[number])
        ]


def _neighbours(blocks: list[int]) -> Iterator[tuple[int, int]]:
    start = stop = blocks[0]
    for block in blocks:
        if block > stop:
            yield start, stop
            start = block
        stop = block + BLOCK
    yield start, stop


def build(shapes: tuple[Shape, ...], engine: str = "auto") -> Prefilter:
    """Compile shapes for `hyperscan` or `re2`; `auto` takes Hyperscan when it is installed."""
    fast = engine == "hyperscan" or (engine == "auto" and find_spec("hyperscan") is not None)
    return _compiled(shapes, fast)


@lru_cache(maxsize=8)
def _compiled(shapes: tuple[Shape, ...], fast: bool) -> Prefilter:
    """Keep compiled shapes for the life of the process, since compilation takes a second."""
    if fast:
        return Prefilter(f"hyperscan {version('hyperscan')}", _hyperscan(shapes))
    return Prefilter("ahocorasick+re2", _keywords(shapes))


def _hyperscan(shapes: tuple[Shape, ...]) -> Fired:
    import hyperscan

    database = hyperscan.Database()
    database.compile(
        expressions=[shape.regex.encode("latin-1") for shape in shapes],
        ids=list(range(len(shapes))),
        flags=[hyperscan.HS_FLAG_SINGLEMATCH | hyperscan.HS_FLAG_MULTILINE] * len(shapes),  # lines may be texts
    )
    scan = database.scan

    def fired(data: bytes) -> dict[int, int]:
        found: dict[int, int] = {}

        def note(number: int, _start: int, end: int, _flags: int, _context: object) -> None:
            found[number] = end

        scan(data, note)
        return found

    return fired


def _keywords(shapes: tuple[Shape, ...]) -> Fired:
    from ahocorasick_rs import BytesAhoCorasick

    always = [number for number, shape in enumerate(shapes) if not shape.keywords]
    owners: dict[str, list[int]] = {}
    for number, shape in enumerate(shapes):
        for keyword in shape.keywords:
            owners.setdefault(keyword, []).append(number)
    words = list(owners)
    automaton = BytesAhoCorasick([word.encode() for word in words])

    def fired(data: bytes) -> dict[int, int]:
        hits = {word for word, _, _ in automaton.find_matches_as_indexes(data.lower(), overlapping=True)}
        numbers = {number for word in hits for number in owners[words[word]]}
        return dict.fromkeys((*always, *numbers), 0)

    return fired
