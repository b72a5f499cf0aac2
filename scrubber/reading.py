"""Read one text for everything that must go: known values, rules, the user's own patterns."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from errorhub.scrubber.decoded import find_decoded, may_hide
from errorhub.scrubber.literals import Literals, every_form
from errorhub.scrubber.nodes import Entry
from errorhub.scrubber.opaque import inline
from errorhub.scrubber.plan import Mode
from errorhub.scrubber.policy import Policy, compile_pattern
from errorhub.scrubber.spans import APART, Region, outside_placeholders, union
from errorhub.scrubber.vault import KnownValue, Vault

if TYPE_CHECKING:
    from errorhub.scrubber.detect import Detector

FRAME = "6"
"""Version of everything around the rules; raise it when a change outside them gives other results."""

CHUNK = 1 << 20
"""Characters given to the detector at once."""

OVERLAP = 1 << 15
"""Characters that two chunks share: more than the longest value (a private key of 9 kB) needs."""


PLAIN_WORD, PLAIN_NUMBER = 15, 6
"""Longest word of letters, digits and underscores, and longest number, that fits no rule without its key."""


SHORT, BATCH, FEW = 256, 24, 1
"""Characters up to which a text is read together with others, how many are read at once, and how many are few."""


REMEMBERED = 1 << 24
"""Characters of texts whose reading is remembered: traces of one harness repeat prompts, answers and file contents."""


QUICK = 1 << 21
"""Characters that a quick reading reads with RE2, which finds the same and is ready at once: Hyperscan compiles for two
seconds."""


class Reading:
    """Read texts under one policy and vault; a text is read once in each mode, from one document to the next."""

    def __init__(self, policy: Policy, vault: Vault, *, quick: bool = False) -> None:
        self._rules = policy.off, policy.pattern
        self._detector, self.engine, self.version = detector_for(*self._rules, "re2" if quick else "auto")
        self._quick = QUICK if quick else 0
        self._has_patterns = bool(policy.pattern)
        self._known = _known_index(vault.known) if vault.known else None
        self._exact = frozenset(entry.exact for entry in policy.allow if entry.exact is not None)
        self._patterns = [
            compile_pattern(entry.pattern, "allow") for entry in policy.allow if entry.pattern is not None
        ]
        self._memos: defaultdict[Mode, dict[str, Sequence[Region]]] = defaultdict(dict)
        self._remembered = 0

    def regions(self, entries: Sequence[Entry]) -> dict[Entry, list[Region]]:
        """Return what must go, sorted and joined, for each text that holds something."""
        loud = {*self._loud([entry for entry in entries if len(entry[0]) <= SHORT])}
        read = [entry for entry in entries if len(entry[0]) > SHORT or entry in loud]
        return {entry: list(found) for entry in read if (found := self._remember(*entry))}

    def _remember(self, text: str, mode: Mode) -> Sequence[Region]:
        """Return what a text holds, also if it was read before."""
        found = self._memos[mode].get(text)
        if found is None:
            if self._remembered > REMEMBERED:
                self._memos.clear()
                self._remembered = 0
            found = self._memos[mode][text] = self._read(text, mode)
            self._remembered += len(text)
        return found

    def _loud(self, entries: Sequence[Entry]) -> Iterator[Entry]:
        """Yield those of short texts that may hold something; most do not."""
        for batch in _batches(entries):
            yield from self._loud_among(batch) if len(batch) > FEW else batch

    def _loud_among(self, batch: Sequence[Entry]) -> Iterator[Entry]:
        """Yield what stands out when short texts are read in one pass, and then in each half of the others."""
        texts = [text for text, _ in batch]
        keys = [(number, mode.context) for number, (_, mode) in enumerate(batch) if mode.context]
        met = self._detector.met(texts, keys)
        if ";base64," in (together := APART.join(texts)):
            met |= {number for number, text in enumerate(texts) if ";base64," in text}
        if not met:
            yield from self._known_together(batch, together)
            return
        yield from (batch[number] for number in met)
        others = [entry for number, entry in enumerate(batch) if number not in met]
        half = len(others) // 2
        for part in (others[:half], others[half:]) if half else (others,):
            yield from self._loud_among(part) if len(part) > FEW else part

    def known_in(self, entries: Sequence[Entry]) -> dict[Entry, list[Region]]:
        """Return the known values in those of many texts that hold any."""
        found: dict[Entry, list[Region]] = {}
        for batch in _batches([entry for entry in entries if len(entry[0]) <= SHORT]):
            found |= self._known_together(batch, APART.join([text for text, _ in batch]))
        for entry in entries:
            if len(entry[0]) > SHORT and (regions := self.known(entry[0])):
                found[entry] = regions
        return found

    def _known_together(self, batch: Sequence[Entry], together: str) -> dict[Entry, list[Region]]:
        """Search short texts as one, as most of them hold nothing, and each alone only when that finds something."""
        if not self._known or not (may_hide(together) or self._known.find(together)):
            return {}
        return {entry: regions for entry in batch if (regions := self.known(entry[0]))}

    def known(self, text: str) -> list[Region]:
        """Return only the known values in a text, in every form and encoding."""
        if not self._known:
            return []
        hits = self._known.find(text)
        if not _is_plain(text):
            hits += find_decoded(self._known, text)
        return [Region(start, end, kind, "known-value", 2, value) for start, end, kind, value in hits]

    def allowed(self, value: str) -> bool:
        """Tell whether the policy lets a value stay."""
        return value in self._exact or any(pattern.fullmatch(value) for pattern in self._patterns)

    def _read(self, text: str, mode: Mode) -> Sequence[Region]:
        found: list[Region] = []
        if mode.context or self._has_patterns or not _is_plain(text):
            found = self._detected(text, mode.generic, mode.context)
        if ";base64," in text:
            found += [Region(start, end, "BLOB", "data-uri") for start, end in inline(text)]
        if found and (self._exact or self._patterns):
            found = [region for region in found if not self.allowed(text[region.start : region.end])]
        if self._known:
            found += self.known(text)
        return union(outside_placeholders(text, found)) if found else ()

    def _detected(self, text: str, generic: bool, key: str) -> list[Region]:
        if self._quick:
            self._quick = max(0, self._quick - len(text))
            if not self._quick:
                self._detector = detector_for(*self._rules)[0]
        if len(text) <= CHUNK:
            return [Region(*span) for span in self._detector.detect(text, generic=generic, key=key)]
        return [
            Region(span.start + at, span.end + at, span.kind, span.rule)
            for at, chunk in chunks(text)
            for span in self._detector.detect(chunk, generic=generic, key=key)
        ]


def _batches(entries: Sequence[Entry]) -> Iterator[Sequence[Entry]]:
    """Yield many short texts as they are read at once."""
    for first in range(0, len(entries), BATCH):
        yield entries[first : first + BATCH]


def _is_plain(text: str) -> bool:
    return len(text) <= PLAIN_WORD and (text.isidentifier() or (len(text) <= PLAIN_NUMBER and text.isdecimal()))


@lru_cache(maxsize=4)
def reading_for(policy: Policy, vault: Vault, *, quick: bool = False) -> Reading:
    """Return the reading of a policy and a vault; it remembers what it has read. `quick` is ready at once."""
    return Reading(policy, vault, quick=quick)


@lru_cache(maxsize=8)
def detector_for(off: tuple[str, ...], patterns: tuple[Any, ...], engine: str = "auto") -> tuple[Detector, str, str]:
    """Build the detector of a policy once a process, because its rules take a while; return engine and version too."""
    from errorhub.scrubber.detect import Detector, Pattern
    from errorhub.scrubber.rules import RULES

    kinds = None if not off else frozenset(rule.kind for rule in RULES) - frozenset(off)
    extra = [Pattern(entry.name, entry.kind, entry.regex) for entry in patterns]
    detector = Detector(kinds, extra, engine=engine)
    return detector, detector.engine, f"{FRAME}+{detector.version}"


@lru_cache(maxsize=4)
def _known_index(known: tuple[KnownValue, ...]) -> Literals:
    return Literals(every_form(known))


def chunks(text: str, size: int = CHUNK, overlap: int = OVERLAP) -> Iterator[tuple[int, str]]:
    """Cut a long text into overlapping pieces, at line ends where there are any; yield (offset, piece)."""
    start = 0
    while True:
        end = min(len(text), start + size)
        if end < len(text):
            line = text.rfind("\n", end - overlap // 2, end)
            end = line + 1 if line > 0 else end
        yield start, text[start:end]
        if end == len(text):
            return
        back = end - overlap
        line = text.find("\n", back, end - overlap // 2)
        start = line + 1 if line >= 0 else back
