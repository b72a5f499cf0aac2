"""Scrub a document: prune, read, number, replace, and again until nothing changes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from errorhub.scrubber.canonical import digest, settle
from errorhub.scrubber.errors import DocumentDenied, ScrubError
from errorhub.scrubber.findings import Finding, mask
from errorhub.scrubber.identity import spread
from errorhub.scrubber.literals import Literals
from errorhub.scrubber.opaque import as_opaque
from errorhub.scrubber.paths import KEY, Machine, Place, render
from errorhub.scrubber.placeholders import Placeholders
from errorhub.scrubber.policy import Policy, compile_pattern
from errorhub.scrubber.prose import Names, names_for
from errorhub.scrubber.reading import Reading
from errorhub.scrubber.receipt import Receipt
from errorhub.scrubber.repeat import forms, repeats
from errorhub.scrubber.spans import Region, outside_placeholders, union
from errorhub.scrubber.vault import Vault
from errorhub.scrubber.walk import Unit, Walker

MAX_ROUNDS = 12
"""Rounds until a document must have settled; two are the rule."""


@dataclass(frozen=True)
class Scrubbed:
    """A clean document, the proof and the places that changed."""

    document: Any
    receipt: Receipt
    findings: tuple[Finding, ...]


def scrub(document: Any, policy: Policy, vault: Vault) -> Scrubbed:
    """Return a clean copy of any JSON document; scrubbing the result again changes nothing.

    Raises ScrubError, and returns nothing, when any part of the document could not be read.
    """
    run = _Run(policy, vault)
    settled = settle(document)
    clean = run.prune(settled)
    for number in range(MAX_ROUNDS):
        changed = run.round(clean, number)
        if changed == clean and (number or not run.dropped):
            break
        clean = changed
    else:
        raise ScrubError("document does not settle: replacing keeps uncovering new values.", "Please report this.")
    return Scrubbed(clean, run.receipt(document, clean), tuple(run.findings))


def find(document: Any, policy: Policy, vault: Vault | None = None) -> list[Finding]:
    """Return what `scrub` would replace, without changing or dropping anything."""
    run = _Run(policy.model_copy(update={"drop": ()}), vault or Vault(bytes(32)), masked=True)
    run.round(run.prune(settle(document)), 0)
    return run.findings


def source_key(document: Any, policy: Policy, vault: Vault) -> str:
    """Return the keyed hash of everything that decides the outcome: equal means a scrub would give the same again."""
    run = _Run(policy, vault)
    return run.source_key(document)


class _Run:
    """One scrub: the engines, and what has been seen so far."""

    def __init__(self, policy: Policy, vault: Vault, *, masked: bool = False) -> None:
        self._policy = policy
        self._vault = vault
        self._masked = masked
        self._reading = Reading(policy, vault)
        self._names: Names | None = names_for(policy) if policy.names else None
        roles = {role: getattr(policy, role) for role in ("drop", "opaque", "ids", "prose", "whole")}
        digits = any(value.isdigit() for value, _ in vault.known)
        self._walker = Walker(Machine(roles), every_number=digits)
        self.dropped: list[Any] = []
        self._drop_counts: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._dropped_units: list[tuple[str, list[Region]]] = []
        self._dropped_forms: list[str] = []
        self.findings: list[Finding] = []

    def prune(self, document: Any) -> Any:
        """Drop what the policy drops, and payloads that cannot be read."""
        pruner = _Pruner(self._vault)
        clean = self._walker.walk(document, pruner)
        self.dropped = [value for value, _ in pruner.dropped]
        self._drop_counts.update(pattern for _, pattern in pruner.dropped)
        self._counts.update({"OPAQUE": pruner.opaque} if pruner.opaque else {})
        self._read_dropped()
        return clean

    def _read_dropped(self) -> None:
        """Read dropped text too: a password that stood in an input must go where an output repeats it."""
        if not self.dropped:
            return
        collector = _Collector()
        plain = Walker(Machine({}))
        for value in self.dropped:
            plain.walk(value, collector)
        self._deny(collector)
        self._dropped_units = [(unit.text, self._reading.regions(unit)) for unit in collector.units]
        texts = dict.fromkeys(unit.text for unit in collector.units if len(unit.text) >= self._policy.repeat)
        values = [*texts, *(value for value in self.dropped if not isinstance(value, str) or value not in texts)]
        self._dropped_forms = list(dict.fromkeys(form for value in values for form in forms(value)))

    def round(self, document: Any, number: int) -> Any:
        """Read the whole document once and replace what must go."""
        collector = _Collector()
        raw = self._unsafe_as_json(document) if number else frozenset[str]()
        self._walker.walk(document, collector, raw)
        if number == 0:
            self._deny(collector)
        regions = self._regions(list(collector.units))
        replacer = _Replacer(regions, self._placeholders(collector), self._masked)
        replacer.prepare(collector.units)
        changed = self._walker.walk(document, replacer, raw)
        self.findings += replacer.findings
        self._counts.update(finding.kind for finding in replacer.findings)
        return changed

    def _placeholders(self, collector: _Collector) -> Placeholders:
        return Placeholders(unit.text for unit in collector.units)

    def _regions(self, units: list[Unit]) -> dict[Unit, list[Region]]:
        found = {unit: self._reading.regions(unit) for unit in units}
        prose = self._read_names(units)
        known = [*self._dropped_units, *((unit.text, regions) for unit, regions in found.items() if regions)]
        elsewhere = Literals(spread([*known, *((unit.text, names) for unit, names in prose.items())]))
        again = self._repeated(units)
        regions: dict[Unit, list[Region]] = {}
        for unit in units:
            parts = list(found[unit])
            extra = [*prose.get(unit, ()), *again.get(unit, ())]
            extra += self._elsewhere(unit, elsewhere)
            if extra:
                parts = union(outside_placeholders(unit.text, parts + extra))
            if parts:
                regions[unit] = parts
        return regions

    def _elsewhere(self, unit: Unit, literals: Any) -> list[Region]:
        """Identifiers are only searched for user names: a value that some key makes secret may be an id here."""
        return [
            Region(hit.start, hit.end, hit.kind, "seen-elsewhere", 1, hit.value)
            for hit in literals.find(unit.text)
            if (unit.mode.generic or hit.kind == "USER") and not self._reading.allowed(hit.value)
        ]

    def _read_names(self, units: list[Unit]) -> dict[Unit, list[Region]]:
        if self._names is None:
            return {}
        prose = [unit for unit in units if unit.mode.prose]
        found = self._names.read([unit.text for unit in prose])
        return {
            unit: [region for region in regions if not self._reading.allowed(unit.text[region.start : region.end])]
            for unit, regions in zip(prose, found, strict=True)
            if regions
        }

    def _repeated(self, units: list[Unit]) -> dict[Unit, list[Region]]:
        if not self._dropped_forms:
            return {}
        texts = [unit.text if unit.mode.generic or not _is_identifier(unit.text) else "" for unit in units]
        spans = repeats(self._dropped_forms, texts, self._policy.repeat)
        result: dict[Unit, list[Region]] = {}
        for unit, found in zip(units, spans, strict=True):
            if found and unit.mode.whole:
                found = [(0, len(unit.text))]
            if found:
                result[unit] = [Region(start, end, "DROPPED", "repeats-dropped") for start, end in found]
        return result

    def _unsafe_as_json(self, document: Any) -> frozenset[str]:
        """Find JSON strings that repeat dropped text across their own leaves: they are read as plain text."""
        if not self._dropped_forms:
            return frozenset()
        collector = _Collector()
        self._walker.walk(document, collector, _EVERYTHING)
        texts = [
            unit.text for unit in collector.units if unit.mode.generic and self._walker.parse(unit.text) is not None
        ]
        spans = repeats(self._dropped_forms, texts, self._policy.repeat)
        return frozenset(text for text, found in zip(texts, spans, strict=True) if found)

    def _deny(self, collector: _Collector) -> None:
        for entry in self._policy.deny_case:
            pattern = compile_pattern(entry.regex, entry.name)
            if any(pattern.search(unit.text) for unit in collector.units):
                raise DocumentDenied(f"document matches the deny pattern {entry.name!r} and is refused as a whole.")

    def source_key(self, document: Any) -> str:
        parts = (digest(settle(document)), self._policy.digest, self._vault.known_key, *self._versions())
        return self._vault.hmac("source", "\0".join(parts))

    def _versions(self) -> tuple[str, str]:
        return self._reading.detector.version, "none" if self._names is None else self._names.name

    def receipt(self, document: Any, clean: Any) -> Receipt:
        version, names = self._versions()
        return Receipt(
            policy=self._policy.name,
            policy_digest=self._policy.digest,
            scrubber=version,
            engines=(self._reading.detector.engine, *(() if self._names is None else (names,))),
            counts=dict(sorted(self._counts.items())),
            dropped=dict(sorted(self._drop_counts.items())),
            ner=names,
            source_key=self.source_key(document),
            digest=digest(clean),
        )


class _Everything(frozenset[str]):
    def __contains__(self, text: object) -> bool:
        return True


_EVERYTHING = _Everything()


def _is_identifier(text: str) -> bool:
    return len(text) <= 200 and not any(c.isspace() for c in text)


class _Pruner:
    """Visitor that drops and marks, and keeps what it dropped."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self.dropped: list[tuple[Any, str]] = []
        self.opaque = 0

    def text(self, unit: Unit, trail: list[str | int]) -> str:
        return unit.text

    def enter(self, value: Any, place: Place) -> tuple[bool, Any]:
        labels = place.labels
        if labels.drop is not None and value is not None:
            self.dropped.append((value, labels.drop))
            return True, None
        if isinstance(value, str):
            mark = as_opaque(value, labels.opaque, self._vault)
            if mark is not None:
                self.opaque += 1
                return True, mark
        return False, value


class _Collector:
    """Visitor that lists the units of a document in its order."""

    def __init__(self) -> None:
        self.units: dict[Unit, None] = {}

    def text(self, unit: Unit, trail: list[str | int]) -> str:
        self.units[unit] = None
        return unit.text

    def enter(self, value: Any, place: Place) -> tuple[bool, Any]:
        return False, value


class _Replacer:
    """Visitor that puts placeholders in and writes findings down."""

    def __init__(self, regions: dict[Unit, list[Region]], placeholders: Placeholders, masked: bool) -> None:
        self._regions = regions
        self._placeholders = placeholders
        self._masked = masked
        self._replaced: dict[Unit, str] = {}
        self.findings: list[Finding] = []

    def prepare(self, units: dict[Unit, None]) -> None:
        """Number the values in document order."""
        for unit in units:
            regions = self._regions.get(unit)
            if regions:
                self._replaced[unit] = self._replace(unit.text, regions)

    def text(self, unit: Unit, trail: list[str | int]) -> str:
        new = self._replaced.get(unit)
        if new is None:
            return unit.text
        shown = [*trail[:-2], KEY] if trail[-1:] == [KEY] else trail
        path = render(shown)
        for region in self._regions[unit]:
            value = unit.text[region.start : region.end]
            self.findings.append(
                Finding(path, region.kind, region.start, region.end, mask(region.kind, value), region.rule)
            )
        return new

    def enter(self, value: Any, place: Place) -> tuple[bool, Any]:
        return False, value

    def _replace(self, text: str, regions: list[Region]) -> str:
        parts: list[str] = []
        at = 0
        for region in regions:
            value = region.value or text[region.start : region.end]
            mark = f"<{region.kind}>" if self._masked else self._placeholders.get(region.kind, value)
            parts += (text[at : region.start], mark)
            at = region.end
        return "".join((*parts, text[at:]))
