"""Read the output again with engines that share no rule with the detector: what they find blocks publishing."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from importlib.metadata import version
from typing import Any

from errorhub.scrubber.analyzer import PATTERN_ENTITIES, analyzer, model_name
from errorhub.scrubber.canonical import settle
from errorhub.scrubber.errors import MissingEngine
from errorhub.scrubber.findings import Finding, mask
from errorhub.scrubber.paths import KEY, Machine, Place, render
from errorhub.scrubber.policy import Policy
from errorhub.scrubber.prose import names_for, prose
from errorhub.scrubber.reading import Reading
from errorhub.scrubber.spans import PLACEHOLDER
from errorhub.scrubber.vault import Vault
from errorhub.scrubber.walk import Unit, Walker

BATCH = 8 << 20
"""Characters given to the second engine at once."""

_KINDS = {
    "EMAIL_ADDRESS": "EMAIL",
    "PHONE_NUMBER": "PHONE",
    "CREDIT_CARD": "CARD",
    "IBAN_CODE": "IBAN",
    "IP_ADDRESS": "IP",
    "US_SSN": "SSN",
}


def engine_name() -> str:
    """Return the second engine as `name version`."""
    return f"kingfisher {version('kingfisher-secret-scanner')}"


def reread(document: Any, policy: Policy, vault: Vault) -> list[Finding]:
    """Return credentials that a second engine finds in a clean document, and known values that are left.

    Anything returned means that the document must not leave. The network is never used.
    """
    reading = Reading(policy, vault)
    texts = _Texts()
    walker = Walker(Machine({}), every_number=True)
    walker.walk(settle(document), texts)
    found = [
        Finding(
            path,
            region.kind,
            region.start,
            region.end,
            mask(region.kind, text[region.start : region.end]),
            "known-value",
        )
        for text, path, _ in texts.seen
        for region in reading.known(text)
    ]
    for batch in _batches(texts.seen):
        found += _second_engine(batch, reading)
    return found


def reread_personal(document: Any, policy: Policy) -> list[Finding]:
    """Return personal data that presidio finds in the prose of a clean document, for a reviewer to look at."""
    texts = _Texts()
    roles = {"prose": policy.prose, "ids": policy.ids}
    Walker(Machine(roles)).walk(settle(document), texts)
    found: list[Finding] = []
    engine = analyzer(patterns=True)
    names = names_for(policy)
    for text, path, mode in texts.seen:
        if not mode.prose:
            continue
        for passage in prose(text):
            for result in engine.analyze(passage.text, "en", entities=list(PATTERN_ENTITIES), score_threshold=0.4):
                start, end = result.start + passage.start, result.end + passage.start
                value = text[start:end]
                if not PLACEHOLDER.search(value):
                    kind = _KINDS[result.entity_type]
                    found.append(Finding(path, kind, start, end, mask(kind, value), "presidio"))
    if names is not None:
        prose_texts = [(text, path) for text, path, mode in texts.seen if mode.prose]
        for (text, path), regions in zip(prose_texts, names.read([text for text, _ in prose_texts]), strict=True):
            for region in regions:
                value = text[region.start : region.end]
                found.append(Finding(path, region.kind, region.start, region.end, mask(region.kind, value), "presidio"))
    return found


class _Texts:
    """Visitor that lists texts with their paths."""

    def __init__(self) -> None:
        self._units: set[Unit] = set()
        self.seen: list[tuple[str, str, Any]] = []

    def text(self, unit: Unit, trail: list[str | int]) -> str:
        if unit not in self._units and len(unit.text) >= 3:
            self._units.add(unit)
            shown = [*trail[:-2], KEY] if trail[-1:] == [KEY] else trail
            self.seen.append((unit.text, render(shown), unit.mode))
        return unit.text

    def enter(self, value: Any, place: Place) -> tuple[bool, Any]:
        return False, value


def _batches(texts: list[tuple[str, str, Any]]) -> Iterator[list[tuple[str, str, Any]]]:
    batch: list[tuple[str, str, Any]] = []
    size = 0
    for entry in texts:
        batch.append(entry)
        size += len(entry[0])
        if size >= BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _second_engine(batch: list[tuple[str, str, Any]], reading: Reading) -> list[Finding]:
    """Scan decoded texts one after the other, each behind its key, because escapes would hide values."""
    parts: list[bytes] = []
    starts: list[int] = []
    at = 0
    for text, _, mode in batch:
        line = f"{mode.context}: {text}\n\n" if mode.context else f"{text}\n\n"
        data = line.encode("utf-8")
        starts.append(at)
        parts.append(data)
        at += len(data)
    found: list[Finding] = []
    for hit in _scanner().scan(b"".join(parts)):
        value = hit.secret
        if not hit.visible or PLACEHOLDER.search(value) or reading.allowed(value):
            continue
        text, path, _ = batch[bisect_right(starts, hit.location["start"]) - 1]
        start = max(text.find(value), 0)
        found.append(Finding(path, "SECRET", start, start + len(value), mask("SECRET", value), hit.rule_id))
    return found


@lru_cache(maxsize=1)
def _scanner() -> Any:
    try:
        from kingfisher_sdk import Rules, Scanner
    except ImportError:
        raise MissingEngine(
            "the second secret engine is not installed.", "Run: pip install kingfisher-secret-scanner"
        ) from None
    return Scanner(Rules(confidence="medium"), base64=True)


def personal_reader() -> str:
    """Return which reader `reread_personal` uses, as receipts name it."""
    return model_name() or "none"
