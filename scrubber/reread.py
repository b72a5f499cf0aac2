"""Read the output again with engines that share no rule with the detector: what they find blocks publishing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from importlib.metadata import version
from typing import Any, NamedTuple

from errorhub.scrubber.collector import paused
from errorhub.scrubber.draft import Draft
from errorhub.scrubber.errors import MissingEngine
from errorhub.scrubber.findings import Finding, joined, locate
from errorhub.scrubber.nodes import Entry
from errorhub.scrubber.patterns import personal
from errorhub.scrubber.plan import Plan, plain_plan
from errorhub.scrubber.policy import Policy
from errorhub.scrubber.prose import names_for
from errorhub.scrubber.reading import chunks, reading_for
from errorhub.scrubber.spans import PLACEHOLDER, Region, outside_placeholders
from errorhub.scrubber.vault import Vault

BATCH, SHARED = 1 << 16, 1 << 14
"""Characters given to the second engine at once, since more cost it ever more time, and those that two pieces share: at
least half of these, cut at a line."""


class _Piece(NamedTuple):
    """A part of an entry's text and where it begins in it."""

    entry: Entry
    at: int
    text: str


def engine_name() -> str:
    """Return the second engine as `name version`."""
    return f"kingfisher {version('kingfisher-secret-scanner')}"


@paused()
def reread(document: Any, policy: Policy, vault: Vault) -> list[Finding]:
    """Return credentials that a second engine finds in a clean document, and known values that are left.

    Anything returned means that the document must not leave. The network is never used.
    """
    reading = reading_for(policy, vault)
    draft = Draft(document, plain_plan(), vault, every_number=True)
    entries = draft.entries
    known = reading.known_in(entries)
    found: dict[Entry, list[Region]] = {entry: known.get(entry, []) for entry in entries}
    for batch in _batches(entries):
        for entry, region in _second_engine(batch):
            if not reading.allowed(entry[0][region.start : region.end]):
                found[entry].append(region)
    left = joined(found)
    return locate(draft.places(left), left)


def reread_personal(document: Any, policy: Policy) -> list[Finding]:
    """Return personal data that presidio finds in the prose of a clean document, for a reviewer to look at."""
    plan = Plan({"prose": policy.prose, "ids": policy.ids})
    draft = Draft(document, plan, Vault(bytes(32)))
    entries = [(text, mode) for text, mode in draft.entries if mode.prose]
    texts = list(dict.fromkeys(text for text, _ in entries))
    names = names_for(policy)
    named = names.read(texts) if names is not None else [[] for _ in texts]
    found = {text: [*regions, *personal(text)] for text, regions in zip(texts, named, strict=True)}
    cut = {entry: regions for entry in entries if (regions := outside_placeholders(entry[0], found[entry[0]]))}
    return locate(draft.places(cut), cut)


def _batches(entries: Iterable[Entry]) -> Iterator[list[_Piece]]:
    batch: list[_Piece] = []
    size = 0
    for piece in (_Piece(entry, *part) for entry in entries for part in chunks(entry[0], BATCH, SHARED)):
        if batch and size + len(piece.text) > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += len(piece.text)
    if batch:
        yield batch


def _second_engine(batch: list[_Piece]) -> Iterator[tuple[Entry, Region]]:
    """Scan decoded texts one after the other, each behind its key, because escapes would hide values."""
    parts: list[bytes] = []
    starts: list[int] = []
    at = 0
    for piece in batch:
        key = piece.entry[1].context
        before = f"{key}: ".encode() if key else b""
        data = PLACEHOLDER.sub(_hollow, piece.text).encode()
        starts.append(at + len(before))
        parts += (before, data, b"\n\n")
        at += len(before) + len(data) + 2
    scanned = b"".join(parts)
    plain = scanned.isascii()
    for hit in _scanner().scan(scanned):
        location = hit.location
        last = location["end_offset"]
        number = max(0, bisect_right(starts, last - 1) - 1)
        origin = starts[number]
        start, end = max(location["start_offset"], origin) - origin, last - origin
        if not plain:
            start, end = (len(scanned[origin : origin + size].decode("utf-8", "replace")) for size in (start, end))
        entry, begin, text = batch[number]
        end = min(end, len(text))
        if hit.visible and start < end and not PLACEHOLDER.search(text, start, end):
            yield entry, Region(begin + start, begin + end, "SECRET", hit.rule_id)


def _hollow(placeholder: re.Match[str]) -> str:
    """Return a mark of the same length that no value goes on through: over some that do, the engine takes seconds."""
    return f"<{' ' * (len(placeholder[0]) - 2)}>"


@lru_cache(maxsize=1)
def _scanner() -> Any:
    try:
        from kingfisher_sdk import Rules, Scanner
    except ImportError:
        raise MissingEngine(
            "the second secret engine is not installed.", "Run: pip install kingfisher-secret-scanner"
        ) from None
    return Scanner(Rules(confidence="medium"), base64=True)
