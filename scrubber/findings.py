"""Where something was found, told without repeating it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from errorhub.scrubber.nodes import Entry, Place, Trails
from errorhub.scrubber.paths import KEY
from errorhub.scrubber.spans import Region, outside_placeholders, replace, union

MASK_FROM = 16
"""Shortest value of which the first and the last character are shown."""


class Finding(NamedTuple):
    """Point at one value in a document; safe to print, log and store."""

    path: str
    """Where: `steps[3].output.stdout`, a key as `env{key}`, JSON inside a string as `arguments(json).path`."""
    kind: str
    """What it is, in the upper-case words of placeholders."""
    start: int
    """First code point of the value in its string."""
    end: int
    """One past the last code point."""
    masked: str
    """Kind, length and at most two outer characters."""
    rule: str
    """Name of the rule that matched."""


def mask(kind: str, value: str) -> str:
    """Describe a value by kind and length; show its outer characters only when it is long."""
    if len(value) < MASK_FROM or not (value[0].isalnum() and value[-1].isalnum()):
        return f"{kind}[{len(value)}]"
    return f"{kind}[{len(value)}] {value[0]}…{value[-1]}"


def joined(found: Mapping[Entry, list[Region]]) -> dict[Entry, list[Region]]:
    """Join what several readers found in each text, outside placeholders; texts that hold nothing are left out."""
    cut = {entry: outside_placeholders(entry[0], regions) for entry, regions in found.items() if regions}
    return {entry: union(regions) for entry, regions in cut.items() if regions}


def locate(
    places: Mapping[Entry, list[Place]], regions: Mapping[Entry, list[Region]], shown: dict[str, str] | None = None
) -> list[Finding]:
    """Return a finding for each region at each of its places.

    `shown` says what stands in the paths for keys; without it, keys that hold something are masked.
    """
    if shown is None:
        shown = {
            entry[0]: replace(entry[0], found, lambda region, _: f"<{region.kind}>")
            for entry, found in regions.items()
            if any(place.segment == KEY for place in places[entry])
        }
    masked, trails = lru_cache(maxsize=1024)(mask), Trails(shown)
    return [
        Finding(path, kind, start, end, masked(kind, text[start:end]), rule)
        for entry, found in regions.items()
        if found
        for text in entry[:1]
        for place in places[entry]
        for path in [trails.path(place)]
        for start, end, kind, rule, _, _ in found
    ]
