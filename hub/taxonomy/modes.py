"""What a taxonomy holds: known modes, decided proposals, conflicts. Derived from decisions, never edited."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from errorhub.hub.bundle.diagnosis import Mode
from errorhub.hub.errors import NotFound
from errorhub.hub.taxonomy.decision import Action, Decision, Ref
from errorhub.hub.taxonomy.seed import SCHEME, SEED, VERSION, says

Status = Literal["seed", "accepted", "merged", "split"]


@dataclass(frozen=True)
class KnownMode:
    """A failure mode with a name: of the seed, or accepted by a maintainer."""

    scheme: str
    """agentdebugx for the seed, errorhub for accepted ones."""
    version: str
    """The scheme's version, or the fingerprint of what an accepted mode was made of."""
    id: str
    """`family.mode`."""
    name: str
    """In words."""
    family: str
    """First half of the id, unless it was renamed."""
    description: str = ""
    """When it applies."""
    status: Status = "accepted"
    """Only seed and accepted modes are offered; merged and split ones explain old labels."""
    members: frozenset[str] = frozenset()
    """Diagnoses that maintainers put under it when they answered proposals."""
    merged_from: tuple[str, ...] = ()
    """Proposals and modes that were merged into it."""
    parents: tuple[str, ...] = ()
    """The proposal or mode it was split from."""
    successors: tuple[Ref, ...] = ()
    """Of a merged or split mode: what took its place."""
    aliases: tuple[str, ...] = ()
    """Earlier names, and names of what was merged into it."""
    by: str | None = None
    """Who accepted it."""
    at: str | None = None
    """When."""
    decision: str | None = None
    """Id of the decision that made it."""

    @property
    def ref(self) -> Ref:
        """Scheme, version and id."""
        return Ref(scheme=self.scheme, version=self.version, id=self.id)

    @property
    def mode(self) -> Mode:
        """The label as diagnoses hold it."""
        text = None if self.status == "seed" else self.name
        return Mode(scheme=self.scheme, version=self.version, id=self.id, text=text)


@dataclass(frozen=True)
class Decided:
    """A proposal that a maintainer answered."""

    proposal_id: str
    """As it was proposed."""
    action: Action
    """accept, reject, merge or split."""
    members: frozenset[str]
    """Its diagnoses at that time."""
    mode: str | None
    """Id of the mode it is now, None for a rejected or split one."""
    ref: Ref | None
    """The same with scheme and version."""
    decision: str
    """Id of the decision."""
    by: str
    """Who."""
    at: str
    """When."""


@dataclass(frozen=True)
class Conflict:
    """Decisions that contradict each other and did not know of each other. The first one holds."""

    kind: Literal["answers", "names", "targets", "cycle", "missing", "assignments"]
    """What they disagree about."""
    subject: str
    """The proposal, mode or diagnosis."""
    decisions: tuple[str, ...]
    """Their ids, the one that holds first; in a cycle and for something missing none holds."""


@dataclass(frozen=True)
class Taxonomy:
    """Everything that decisions fold into."""

    modes: tuple[KnownMode, ...]
    """Seed first, then accepted ones by id."""
    retired: tuple[KnownMode, ...] = ()
    """Modes that were merged or split: old labels still name them."""
    decided: tuple[Decided, ...] = ()
    """Answered proposals."""
    conflicts: tuple[Conflict, ...] = ()
    """What maintainers still have to agree on."""
    assigned: Mapping[str, tuple[Ref | None, str]] = field(default_factory=dict)
    """diagnosis id -> mode, or None for none of them, and the decision that says so."""
    decisions: tuple[Decision, ...] = ()
    """Every decision, by time."""
    undone: frozenset[str] = frozenset()
    """Ids of decisions that were undone."""
    replaced: frozenset[str] = frozenset()
    """Ids of decisions that a later one knowingly replaced, or that lost a conflict."""

    twins: Mapping[Ref, Ref] = field(default_factory=dict)
    """Modes that two maintainers made of the same proposal under one id -> the one that stands for both."""

    @property
    def accepted(self) -> tuple[KnownMode, ...]:
        """The modes beyond the seed."""
        return tuple(one for one in self.modes if one.status == "accepted")

    @cached_property
    def by_ref(self) -> Mapping[Ref, KnownMode]:
        """Scheme, version and id -> mode; a merged one leads to what it was merged into."""
        known = {one.ref: one for one in self.modes}
        known |= {one.ref: self._successor(one, known) for one in self.retired}
        return known | {twin: known[ref] for twin, ref in self.twins.items()}

    @cached_property
    def under(self) -> Mapping[str, KnownMode]:
        """diagnosis id -> the mode maintainers put it under: as member of an answered proposal, or by assignment."""
        found = {name: mode for mode in self.modes for name in mode.members}
        for one in self.decided:
            if one.ref is not None and one.action in ("accept", "merge"):
                found |= {name: self.by_ref[one.ref] for name in one.members if name not in found}
        for name, (ref, _) in self.assigned.items():
            found.pop(name, None)
            if ref is not None and ref in self.by_ref:
                found[name] = self.by_ref[ref]
        return {name: mode for name, mode in found.items() if mode.status in ("seed", "accepted")}

    @cached_property
    def named(self) -> Mapping[str, tuple[KnownMode, ...]]:
        """Id, `id@version`, name or alias in settled form -> the modes on offer; what was merged leads on."""
        found: dict[str, dict[Ref, KnownMode]] = {}
        for one in (*self.modes, *self.retired):
            now = self.by_ref[one.ref]
            if now.status == "split":
                continue
            words = [one.id, str(one.ref), one.name, *one.aliases]
            for key in {settle_name(word) for word in words}:
                found.setdefault(key, {})[now.ref] = now
        return {key: tuple(modes.values()) for key, modes in found.items()}

    def called(self, text: str) -> tuple[KnownMode, ...]:
        """Return every mode with this id, `id@version`, name or alias."""
        return self.named.get(settle_name(text), ())

    def find(self, text: str) -> KnownMode | None:
        """Return the mode with this id, `id@version`, name or alias; None when none, or several, have it."""
        found = self.called(text)
        exact = [one for one in found if one.id == text]
        return found[0] if len(found) == 1 else exact[0] if len(exact) == 1 else None

    def mode(self, text: str) -> KnownMode:
        """Return the mode with this id, `id@version`, name or alias. Raise NotFound for none and for several."""
        if (one := self.find(text)) is not None:
            return one
        if several := self.called(text):
            choices = ", ".join(str(one.ref) for one in several[:5])
            raise NotFound(f"{len(several)} modes are called {text[:80]!r}: {choices}. Type one of these.")
        if parts := [str(ref) for one in self.retired if text in (one.id, one.name) for ref in one.successors]:
            raise NotFound(f"mode {text[:80]!r} was split. Type one of its parts: {', '.join(parts[:5])}.")
        raise NotFound(f"no mode is called {text[:80]!r}.", hint="errorhub taxonomy list")

    def _successor(self, one: KnownMode, known: Mapping[Ref, KnownMode]) -> KnownMode:
        return known.get(one.successors[0], one) if one.status == "merged" and one.successors else one


def settle_name(text: str) -> str:
    """Return the form in which names are compared: NFKC, lower case, runs of non-word characters as one space."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return " ".join("".join(c if c.isalnum() or c in ".@" else " " for c in plain).split())


def _seed() -> tuple[KnownMode, ...]:
    return tuple(
        KnownMode(
            scheme=SCHEME, version=VERSION, id=name, name=name.partition(".")[2].replace("_", " "),
            family=name.partition(".")[0], description=says(name), status="seed",
        )
        for name in SEED
    )  # fmt: skip


SEED_MODES = _seed()
"""The seed as known modes."""
