"""What a reviewer reads before letting a document go: half a minute, riskiest first."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from errorhub.scrubber.draft import Draft
from errorhub.scrubber.findings import Finding
from errorhub.scrubber.nodes import Entry, Trails
from errorhub.scrubber.plan import plain_plan
from errorhub.scrubber.receipt import Receipt
from errorhub.scrubber.spans import PLACEHOLDER
from errorhub.scrubber.vault import Vault

SNIPPETS = 10
"""Places shown of one document."""

AROUND = 40
"""Characters shown on each side of a placeholder."""

_RISKIEST = ("PERSON", "ORGANIZATION", "LOCATION", "SECRET", "PASSWORD", "ADDRESS", "USER", "HOST", "CUSTOM")
"""Kinds that were recognised by their surroundings: where one was found, another may have been missed."""


@dataclass(frozen=True)
class Snippet:
    """A place in the clean document where something was replaced."""

    path: str
    kind: str
    text: str


@dataclass(frozen=True)
class Report:
    """Counts, places and what may be left, of one scrubbed document."""

    kinds: dict[str, int]
    """Replaced values by kind."""
    rules: dict[str, int]
    """Replaced values by rule."""
    dropped: dict[str, int]
    """Values dropped wholesale by path pattern."""
    snippets: tuple[Snippet, ...]
    """The riskiest places, as they read now."""
    risks: tuple[str, ...]
    """What may be left, in plain words."""

    def lines(self) -> Iterator[str]:
        """Yield the report as text; control characters are shown as dots."""
        yield "replaced: " + (_counted(self.kinds) or "nothing")
        if self.dropped:
            yield "dropped:  " + _counted(self.dropped)
        if self.rules:
            yield "rules:    " + _counted(self.rules)
        for snippet in self.snippets:
            yield f"  {snippet.path}: {snippet.text}"
        for risk in self.risks:
            yield f"! {risk}"


def report(document: Any, receipt: Receipt, left: Iterable[Finding] = ()) -> Report:
    """Sum up a clean document for a reviewer; `left` is what the second readers found in it."""
    return Report(
        kinds=_ranked(Counter(receipt.counts)),
        rules=_ranked(Counter(receipt.rules)),
        dropped=receipt.dropped,
        snippets=tuple(_snippets(document))[:SNIPPETS],
        risks=tuple(_risks(receipt, list(left))),
    )


def _snippets(document: Any) -> list[Snippet]:
    """Return one snippet a placeholder, in the order of risk and then of the document."""
    draft = Draft(document, plain_plan(), Vault(bytes(32)))
    first: dict[str, tuple[Entry, re.Match[str]]] = {}
    for entry in draft.entries:
        for found in PLACEHOLDER.finditer(entry[0]):
            if found[1]:
                first.setdefault(found.group(), (entry, found))
    places, trails = draft.places([entry for entry, _ in first.values()]), Trails({})
    snippets = [
        Snippet(trails.path(place), found[1], _around(entry[0], found))
        for entry, found in first.values()
        for place in places[entry][:1]
    ]
    return sorted(snippets, key=lambda snippet: _risk(snippet.kind))


def _around(text: str, found: re.Match[str]) -> str:
    start, end = max(0, found.start() - AROUND), found.end() + AROUND
    return "".join(c if c.isprintable() else "·" for c in text[start:end])


def _risk(kind: str) -> int:
    return _RISKIEST.index(kind) if kind in _RISKIEST else len(_RISKIEST)


def _risks(receipt: Receipt, left: list[Finding]) -> Iterator[str]:
    if left:
        yield f"second readers still see {_counted(_ranked(Counter(finding.kind for finding in left)))}"
    if receipt.ner == "none":
        yield "names of people, places and organisations in prose were not read"
    named = sum(receipt.counts.get(kind, 0) for kind in ("PERSON", "ORGANIZATION", "LOCATION"))
    if named:
        yield f"{named} names were found by a model that misses about one in ten: search for those you know"
    if receipt.counts.get("OPAQUE"):
        yield f"{receipt.counts['OPAQUE']} payloads that nobody can read (images, signatures) were removed"
    yield "what gives a person or project away without naming it cannot be found by rules: read the goal and the quotes"


def _ranked(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())
