"""Scrub a document: prune, read, number, replace, and again until nothing changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from errorhub.scrubber.canonical import fingerprint, quick_digest
from errorhub.scrubber.collector import paused
from errorhub.scrubber.draft import Draft
from errorhub.scrubber.echo import Echo
from errorhub.scrubber.errors import DocumentDenied, ScrubError
from errorhub.scrubber.findings import Finding, joined, locate
from errorhub.scrubber.identity import spread
from errorhub.scrubber.literals import Literal, Literals
from errorhub.scrubber.nodes import Entry
from errorhub.scrubber.patterns import personal
from errorhub.scrubber.placeholders import Placeholders
from errorhub.scrubber.plan import Mode, plain_plan, plan_for
from errorhub.scrubber.policy import Policy, compile_pattern
from errorhub.scrubber.prose import names_for
from errorhub.scrubber.reading import reading_for
from errorhub.scrubber.receipt import Receipt
from errorhub.scrubber.spans import Region, replace
from errorhub.scrubber.vault import Vault

MAX_ROUNDS = 50
"""Rounds until a document must have settled; two are the rule, and each one leaves less to replace."""
ENOUGH = 5
"""Rounds after which a text that still uncovers values, as tokens glued to each other do, goes as a whole."""


@dataclass(frozen=True)
class Scrubbed:
    """A clean document, the proof and the places that changed."""

    document: Any
    receipt: Receipt
    findings: tuple[Finding, ...]


@paused()
def scrub(document: Any, policy: Policy, vault: Vault) -> Scrubbed:
    """Return a clean copy of any JSON document; scrubbing the result again changes nothing.

    Raises ScrubError, and returns nothing, when any part of the document could not be read.
    """
    run = _Run(policy, vault)
    clean = run.clean(document)
    return Scrubbed(clean, run.receipt(document, clean), tuple(run.findings))


@paused()
def find(document: Any, policy: Policy, vault: Vault | None = None) -> list[Finding]:
    """Return what `scrub` would replace, without changing or dropping anything."""
    run = _Run(policy.model_copy(update={"drop": (), "omit": ()}), vault or Vault(bytes(32)), quick=True)
    return run.find(document)


def source_key(document: Any, policy: Policy, vault: Vault) -> str:
    """Return the keyed hash of everything that decides the outcome: equal means a scrub would give the same again."""
    return _Run(policy, vault).source_key(document)


class _Run:
    """One scrub: the engines, and what has been seen so far."""

    def __init__(self, policy: Policy, vault: Vault, *, quick: bool = False) -> None:
        self._policy = policy
        self._vault = vault
        self._plan = plan_for(policy)
        self._reading = reading_for(policy, vault, quick=quick)
        self._names = names_for(policy) if policy.names else None
        self._named: dict[str, list[Region]] = {}
        self._values: dict[Literal, None] = {}
        self._echo = Echo(policy.repeat)
        self._shown: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        self._drop_counts: Counter[str] = Counter()
        self._exponents: list[Any] = []
        self.findings: list[Finding] = []

    def clean(self, document: Any) -> Any:
        """Scrub until nothing changes, so that a second scrub has nothing to do."""
        for _ in range(MAX_ROUNDS):
            draft = self._draft(document)
            self._exponents = [node.container for node in draft.exponents]
            self._settle(draft)
            document = draft.finish()
            if not draft.restructured:
                return document
        raise ScrubError(_UNSETTLED, "Please report this.")

    def find(self, document: Any) -> list[Finding]:
        """Write down what would go; keys that would be replaced are masked in the paths."""
        draft = self._draft(document)
        regions = self._regions(draft, draft.take_fresh())
        return locate(draft.places(regions), regions)

    def source_key(self, document: Any) -> str:
        """Return the keyed hash of document, policy, known values and versions."""
        return self._key_of(fingerprint(document)[0])

    def _key_of(self, hashed: str) -> str:
        parts = (self._policy.digest, self._vault.known_key, *self._versions(), hashed)
        return self._vault.hmac("source", "\0".join(parts))

    def receipt(self, document: Any, clean: Any) -> Receipt:
        """Certify the clean document."""
        version, names = self._versions()
        hashed, quick = fingerprint(document)
        same = quick and not (self.findings or self._counts or self._drop_counts or self._exponents)
        return Receipt(
            policy=self._policy.name,
            policy_digest=self._policy.digest,
            scrubber=version,
            engines=(self._reading.engine, *(() if self._names is None else (names,))),
            counts=dict(sorted(self._counts.items())),
            rules=dict(sorted(Counter(finding.rule for finding in self.findings).items())),
            dropped=dict(sorted(self._drop_counts.items())),
            ner=names,
            source_key=self._key_of(hashed),
            digest=hashed if same else quick_digest(clean, self._exponents),
        )

    def _versions(self) -> tuple[str, str]:
        return self._reading.version, "none" if self._names is None else self._names.name

    def _draft(self, document: Any) -> Draft:
        numbers = any(not value.isalpha() and value.upper() == value.lower() for value, _ in self._vault.known)
        draft = Draft(document, self._plan, self._vault, every_number=numbers)
        self._drop_counts.update(pattern for _, pattern in draft.dropped)
        if draft.opaque:
            self._counts["OPAQUE"] += draft.opaque
        self._refuse_denied(draft)
        self._read_dropped([value for value, _ in draft.dropped if value is not None])
        return draft

    def _read_dropped(self, dropped: list[Any]) -> None:
        """Read dropped text too: a password that stood in an input must go where an output repeats it."""
        if not dropped:
            return
        draft = Draft(dropped, plain_plan(), self._vault)
        self._refuse_denied(draft)
        entries = draft.entries
        found = self._reading.regions(entries)
        self._values |= dict.fromkeys(spread((text, regions) for (text, _), regions in found.items()))
        self._echo.add(dropped, [text for text, _ in entries])

    def _settle(self, draft: Draft) -> None:
        placeholders = None
        for number in range(MAX_ROUNDS):
            if number:
                self._echo.open_json(draft)
            fresh = draft.take_fresh()
            if not fresh:
                return
            regions = self._regions(draft, fresh)
            if number >= ENOUGH:
                regions = {entry: [Region(0, len(entry[0]), "BLOB", "unsettled")] for entry in regions}
            if regions:
                placeholders = placeholders or Placeholders(text for text, _ in draft.entries)
                self._replace_in(draft, regions, placeholders)
        raise ScrubError(_UNSETTLED, "Please report this.")

    def _replace_in(self, draft: Draft, regions: dict[Entry, list[Region]], placeholders: Placeholders) -> None:
        texts = {
            entry: replace(entry[0], found, lambda region, value: placeholders.get(region.kind, value))
            for entry, found in regions.items()
        }
        self._shown |= {key: text for entry, text in texts.items() for key in draft.originals(entry)}
        places = draft.places(regions)
        found = locate(places, regions, self._shown)
        self.findings += found
        self._counts.update(finding.kind for finding in found)
        for entry, text in texts.items():
            draft.replace(entry, text, places[entry])

    def _regions(self, draft: Draft, fresh: list[Entry]) -> dict[Entry, list[Region]]:
        """Read the fresh entries; a value that is new in them is looked for in all entries."""
        found = self._reading.regions(fresh)
        for entry, names in self._read_names(fresh):
            found.setdefault(entry, []).extend(names)
        for entry in fresh if self._policy.names else ():
            found.setdefault(entry, []).extend(self._read_personal(*entry))
        new = spread((text, regions) for (text, _), regions in found.items() if regions)
        targets = fresh if self._values.keys() >= set(new) else draft.entries
        self._values |= dict.fromkeys(new)
        for entry, regions in self._elsewhere(targets):
            found.setdefault(entry, []).extend(regions)
        for entry, regions in self._echo.regions(fresh):
            found.setdefault(entry, []).extend(regions)
        return joined(found)

    def _elsewhere(self, entries: list[Entry]) -> Iterator[tuple[Entry, list[Region]]]:
        """Identifiers are only searched for user names: a value that some key makes secret may be an id here."""
        if not self._values:
            return
        for number, hits in Literals(self._values).find_in([text for text, _ in entries]).items():
            mode = entries[number][1]
            regions = [
                Region(start, end, kind, "seen-elsewhere", 1, value)
                for start, end, kind, value in hits
                if (mode.generic or kind == "USER") and not self._reading.allowed(value)
            ]
            if regions:
                yield entries[number], regions

    def _read_names(self, entries: list[Entry]) -> Iterator[tuple[Entry, list[Region]]]:
        if self._names is None:
            return
        prose = [(text, mode) for text, mode in entries if mode.prose]
        unread = list(dict.fromkeys(text for text, _ in prose if text not in self._named))
        self._named |= zip(unread, self._names.read(unread), strict=True)
        for text, mode in prose:
            names = self._named[text]
            yield (text, mode), [name for name in names if not self._reading.allowed(text[name.start : name.end])]

    def _read_personal(self, text: str, mode: Mode) -> list[Region]:
        regions = personal(text) if mode.prose else []
        wanted = [one for one in regions if one.kind not in self._policy.off]
        return [one for one in wanted if not self._reading.allowed(text[one.start : one.end])]

    def _refuse_denied(self, draft: Draft) -> None:
        for denied in self._policy.deny_case:
            pattern = compile_pattern(denied.regex, denied.name)
            if any(pattern.search(text) for text, _ in draft.entries):
                raise DocumentDenied(f"document matches the deny pattern {denied.name!r} and is refused as a whole.")


_UNSETTLED = "document does not settle: replacing keeps uncovering new values."
