"""Spans of one string: joining what several readers found, and cutting around placeholders."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from typing import NamedTuple

APART = "\n\0\n"
"""Stands between texts that are read as one."""

DROPPED = "<DROPPED>"
PLACEHOLDER = re.compile(r"<(?:DROPPED|([A-Z][A-Z0-9_]*)_(\d+))>")


class Region(NamedTuple):
    """Part of a string that goes; the rank settles the kind where readers overlap."""

    start: int
    end: int
    kind: str
    rule: str
    rank: int = 1
    """0 for names from a language model, 1 for rules, 2 for known values: longer wins, then higher rank."""
    value: str = ""
    """What the text stands for when that is not the text itself, as for a known value in base64."""

    def at(self, start: int, end: int) -> Region:
        """Return the same find at another place."""
        return Region(start, end, self.kind, self.rule, self.rank, self.value)


def replace(text: str, regions: list[Region], mark: Callable[[Region, str], str]) -> str:
    """Put marks in the place of regions, which are sorted and apart; a mark is told what its region stands for."""
    parts: list[str] = []
    at = 0
    for region in regions:
        start, end, _, _, _, value = region
        parts += (text[at:start], mark(region, value or text[start:end]))
        at = end
    return "".join((*parts, text[at:]))


def union(regions: Iterable[Region]) -> list[Region]:
    """Join overlapping regions; the kind is that of the longest, so no part of a value is ever left behind."""
    joined: list[Region] = []
    best: tuple[int, int] | None = None
    reached = -1
    for region in sorted(regions):
        start, end, kind, _, rank, _ = region
        if start > reached or (start == reached and not (kind == "DROPPED" == joined[-1].kind)):
            joined.append(region)
            best, reached = None, end
            continue  # two dropped parts that touch are one
        last = joined[-1]
        best = best or (last.end - last.start, last.rank)
        weight = (end - start, rank)
        reached = max(reached, end)
        joined[-1] = _stretch(region if weight > best else last, last.start, reached)
        best = max(best, weight)
    return joined


def _stretch(lead: Region, start: int, end: int) -> Region:
    """Widen a region; once it covers more than its own value it stands for what it covers."""
    if (lead.start, lead.end) == (start, end):
        return lead
    return lead._replace(start=start, end=end, value="")


def outside_placeholders(text: str, regions: list[Region]) -> list[Region]:
    """Cut regions around placeholders of an earlier scrub, which stay as they are."""
    if not regions or "<" not in text:
        return regions
    kept = [match.span() for match in PLACEHOLDER.finditer(text)]
    if not kept:
        return regions
    ends = [right for _, right in kept]
    cut: list[Region] = []
    for region in regions:
        start = region.start
        for number in range(bisect_right(ends, start), len(kept)):
            left, right = kept[number]
            if left >= region.end:
                break
            _add(cut, text, region.at(start, left))
            start = right
        _add(cut, text, region.at(start, region.end))
    return cut


def _add(cut: list[Region], text: str, region: Region) -> None:
    """Keep a remainder only when it still holds letters or digits."""
    if region.start < region.end and any(c.isalnum() for c in text[region.start : region.end]):
        cut.append(region)
