"""Candidates: which findings may belong to a mode that is missing, and which of them carry the same label."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

from errorhub.hub.bundle.diagnosis import Mode
from errorhub.hub.taxonomy import KnownMode, Taxonomy
from errorhub.hub.taxonomy.modes import settle_name
from errorhub.induction.finding import Finding
from errorhub.induction.settings import Settings

Group = tuple[Finding, ...]


@dataclass(frozen=True)
class Candidates:
    """Findings sorted out, each exactly once, in order of diagnosis id."""

    known: Mapping[str, KnownMode] = field(default_factory=dict)
    """diagnosis id -> the mode it falls under."""
    counted: Group = ()
    """Findings with a known mode."""
    labelled: tuple[Group, ...] = ()
    """Findings whose authors gave them the same label, in more than one run."""
    texts: Group = ()
    """The rest: what they say decides."""
    rejected: Group = ()
    """Findings that failed grounding."""


def sort_out(found: Iterable[Finding], taxonomy: Taxonomy, settings: Settings) -> Candidates:
    """Return which findings are counted, which share a label and which are left to be clustered.

    A label of another scheme is that scheme's, by scheme, version and id. A name that nobody else uses is no group: it
    is read with the text.
    """
    schemes = _Schemes(taxonomy)
    known: dict[str, KnownMode] = {}
    counted, texts, groups = [], [], dict[tuple[str, ...], list[Finding]]()
    ordered = sorted(found, key=lambda one: one.diagnosis_id)
    for one in (one for one in ordered if one.rejected is None):
        mode = schemes.known(one, settings.doubt)
        label = None if mode else schemes.label(one)
        if mode is not None:
            known[one.diagnosis_id] = mode
            counted.append(one)
        elif label is not None:
            groups.setdefault(label, []).append(one)
        else:
            texts.append(one)
    shared = {label: group for label, group in groups.items() if len({one.trajectory_id for one in group}) > 1}
    lonely = [_spoken(one) for label, group in groups.items() if label not in shared for one in group]
    return Candidates(
        known=known, counted=tuple(counted), labelled=tuple(tuple(shared[label]) for label in sorted(shared)),
        texts=tuple(sorted([*texts, *lonely], key=lambda one: one.diagnosis_id)),
        rejected=tuple(one for one in ordered if one.rejected is not None),
    )  # fmt: skip


class _Schemes:
    """The known modes by scheme and id."""

    def __init__(self, taxonomy: Taxonomy) -> None:
        self.taxonomy = taxonomy
        self.modes: dict[tuple[str, str], list[tuple[str, KnownMode]]] = {}
        for ref, mode in taxonomy.by_ref.items():
            self.modes.setdefault((ref.scheme, ref.id), []).append((ref.version, mode))
        self.names = {scheme for scheme, _ in self.modes}

    def known(self, one: Finding, doubt: float) -> KnownMode | None:
        """Return the mode a finding falls under: by a maintainer, by its author, or by the name its author suggests."""
        if one.diagnosis_id in self.taxonomy.assigned or one.diagnosis_id in self.taxonomy.under:
            return self.taxonomy.under.get(one.diagnosis_id)
        if one.mode is not None:
            doubted = one.confidence is not None and one.confidence < doubt
            return None if doubted else self._of_scheme(one.mode)
        return self.taxonomy.find(one.label) if one.label else None

    def label(self, one: Finding) -> tuple[str, ...] | None:
        """Return what a finding's author calls it, in a form that equal names share; None for free text."""
        if one.mode is not None:
            foreign = one.mode.scheme not in self.names
            return ("mode", one.mode.scheme, one.mode.version or "", one.mode.id) if foreign else None
        name = settle_name(one.label or "")
        return ("name", name) if name else None

    def _of_scheme(self, mode: Mode) -> KnownMode | None:
        """Return the mode of that version; a seed mode also when the label says another version or none."""
        found = self.modes.get((mode.scheme, mode.id), [])
        exact = [known for version, known in found if version == mode.version]
        seed = [known for _, known in found if known.status == "seed"]
        return next(iter(exact or seed), None)


def _spoken(one: Finding) -> Finding:
    """Return a finding whose label is part of what it says."""
    return one if one.mode is None else replace(one, label=one.mode.text or one.mode.id)


def label_of(group: Group) -> str | None:
    """Return the label of a group in its most usual spelling; None for texts."""
    spelled = sorted(one.mode.text or one.mode.id if one.mode else one.label or "" for one in group)
    return max(dict.fromkeys(spelled), key=spelled.count, default=None)


def representatives(found: Iterable[Finding]) -> list[Group]:
    """Group findings that say the same of the same agent, in an order that content decides; empty ones stay alone."""
    groups: dict[str, list[Finding]] = {}
    for one in found:
        said = f"{one.plain or one.diagnosis_id}\n{one.agent.casefold()}\n{one.label or ''}"
        groups.setdefault(sha256(said.encode(errors="replace")).hexdigest(), []).append(one)
    return [tuple(groups[name]) for name in sorted(groups)]
