"""A maintainer at work: answers to proposals, checked against what was answered before, then written down."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pydantic import ValidationError

from errorhub.hub.errors import NotFound, UsageError
from errorhub.hub.log import stamp
from errorhub.hub.taxonomy.decision import Assigned, Decision, Defined, Ref, mode_id, settled, sorted_ids
from errorhub.hub.taxonomy.ledger import deciding, load_taxonomy, record
from errorhub.hub.taxonomy.modes import Decided, KnownMode, Taxonomy
from errorhub.hub.taxonomy.proposals import Proposal, load_proposals, pick
from errorhub.hub.taxonomy.standing import (
    answer,
    answered,
    answered_before,
    before,
    mode_called,
    refs,
    require_accepted,
    require_found,
    require_free,
    require_open,
    to_undo,
    within,
)  # fmt: skip
from errorhub.hub.taxonomy.words import slug
from errorhub.hub.workspace import Workspace

Scrub = Callable[[Mapping[str, str]], dict[str, str]]
"""Takes secrets, personal data and known values out of the texts of a decision."""


@dataclass(frozen=True)
class Made:
    """A decision and what it led to."""

    decision: Decision
    taxonomy: Taxonomy
    """After it."""
    new: bool = True
    """False when the same was decided before, so that nothing was written."""

    @property
    def modes(self) -> tuple[KnownMode, ...]:
        """The modes that the decision made, changed or went into."""
        refs = [self.decision.ref(one) for one in self.decision.defines if self.decision.action != "rename"]
        refs += [*self.decision.sources, *([self.decision.into] if self.decision.into else [])]
        found = (self.taxonomy.by_ref.get(ref) for ref in refs)
        return tuple(dict.fromkeys(one for one in found if one is not None))


@dataclass(frozen=True)
class Wording:
    """How a maintainer words a mode; what is left out comes from the proposal."""

    name: str | None = None
    family: str | None = None
    description: str | None = None


@dataclass(frozen=True)
class Maintainer:
    """One person who decides in one workspace."""

    workspace: Workspace
    by: str
    note: str
    scrub: Scrub
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)

    def accept(self, proposal: str, wording: Wording = Wording()) -> Made:
        """Make a proposal a mode. Raise Blocked when it was answered otherwise, UsageError when the id is taken."""
        with deciding(self.workspace):
            taxonomy, one = self._proposal(proposal)
            defined = self._worded(wording, one)
            earlier = answer(one, taxonomy)
            if earlier and earlier.action == "accept" and (wording.name is None or earlier.mode == defined.id):
                return self._again(earlier, taxonomy)
            require_open(earlier, one)
            require_free(defined.id, taxonomy)
            return self._made(action="accept", answers=[answered(one)], defines=[defined], after=before(one, taxonomy))

    def reject(self, proposals: Sequence[str]) -> Made:
        """Answer that proposals are no modes. Raise Blocked when one was answered otherwise."""
        with deciding(self.workspace):
            taxonomy, chosen = self._proposals(proposals)
            earlier = [answer(one, taxonomy) for one in chosen]
            if all(found and found.action == "reject" for found in earlier):
                return self._again(earlier[0], taxonomy)
            for found, one in zip(earlier, chosen, strict=True):
                if not found or found.action != "reject":
                    require_open(found, one)
            after = [name for one in chosen for name in before(one, taxonomy)]
            return self._made(action="reject", answers=[answered(one) for one in chosen], after=after)

    def merge(self, items: Sequence[str], into: str | None = None, wording: Wording = Wording()) -> Made:
        """Put proposals and accepted modes together: into a known mode, or into a new one.

        A single mode among the items is what the others go into. Raise UsageError when that is not clear.
        """
        with deciding(self.workspace):
            taxonomy = load_taxonomy(self.workspace)
            chosen, sources = self._items(items, taxonomy)
            target = mode_called(into, taxonomy) if into else sources.pop() if len(sources) == 1 and chosen else None
            sources = [one for one in sources if target is None or one.ref != target.ref]
            if target and not chosen and not sources:
                raise UsageError(f"nothing to merge: all of these are {target.id} already.")
            if len(chosen) + len(sources) < (1 if target else 2):
                raise UsageError("nothing to merge: name two proposals or modes, or one and --into MODE.")
            for mode in sources:
                require_accepted(mode)
            earlier = [answer(one, taxonomy) for one in chosen]
            if target and not sources and all(one and one.ref == target.ref for one in earlier):
                return self._again(earlier[0], taxonomy)
            for found, one in zip(earlier, chosen, strict=True):
                require_open(found, one)
            after = [name for one in chosen for name in before(one, taxonomy)]
            facts: dict[str, Any] = {"answers": [answered(one) for one in chosen], "sources": refs(sources)}
            if target:
                return self._made(action="merge", into=target.ref, after=after, **facts)
            defined = self._worded(_filled(wording, chosen, sources))
            require_free(defined.id, taxonomy, allowed={one.id for one in sources})
            return self._made(action="merge", defines=[defined], after=after, **facts)

    def split(self, item: str, parts: Mapping[str, Iterable[str]], wording: Wording = Wording()) -> Made:
        """Make two or more modes of one proposal or accepted mode; `parts` are names and their diagnoses."""
        with deciding(self.workspace):
            taxonomy = load_taxonomy(self.workspace)
            chosen, sources = self._items([item], taxonomy)
            held = frozenset(chosen[0].members) if chosen else sources[0].members
            family = wording.family or (chosen[0].family if chosen else sources[0].family)
            defines = [self._part(name, family, names, held) for name, names in parts.items()]
            if len(defines) < 2:
                raise UsageError("a split needs two parts or more. Name each with --part 'NAME=ID,ID'.")
            for one in chosen:
                require_open(answer(one, taxonomy), one)
            for mode in sources:
                require_accepted(mode)
            for part in defines:
                require_free(part.id, taxonomy)
            after = [name for one in chosen for name in before(one, taxonomy)]
            answers = [answered(one) for one in chosen]
            return self._made(action="split", answers=answers, sources=refs(sources), defines=defines, after=after)

    def rename(self, mode: str, wording: Wording) -> Made:
        """Give an accepted mode other words; its id, and every label with it, stays."""
        with deciding(self.workspace):
            taxonomy = load_taxonomy(self.workspace)
            one = mode_called(mode, taxonomy)
            require_accepted(one)
            if wording.name is not None and not settled(wording.name):
                raise UsageError("a mode needs a name; this one is empty.")
            texts = {
                "name": wording.name or one.name, "family": wording.family or one.family,
                "description": one.description if wording.description is None else wording.description,
            }  # fmt: skip
            texts = self.scrub(texts) | {"family": slug(texts["family"])}
            if all(getattr(one, name) == settled(text) for name, text in texts.items()):
                return Made(next(d for d in taxonomy.decisions if d.id == one.decision), taxonomy, new=False)
            dead = taxonomy.undone
            after = [
                d.id for d in taxonomy.decisions if d.action == "rename" and d.id not in dead and one.ref in d.sources
            ]
            return self._made(action="rename", sources=[one.ref], defines=[{"id": one.id, **texts}], after=after)

    def undo(self, name: str | None) -> Made:
        """Take a decision back, found by its id, its proposal or its mode; one's own newest by default."""
        with deciding(self.workspace):
            taxonomy = load_taxonomy(self.workspace)
            by = self.scrub({"by": self.by})["by"]
            return self._made(action="undo", target=to_undo(name, taxonomy, self.workspace, by=by).id)

    def assign(self, groups: Mapping[Ref | None, Iterable[str]], *, method: str = "") -> Made:
        """Put diagnoses under modes, or under none. `method` says how a program found them."""
        with deciding(self.workspace):
            taxonomy = load_taxonomy(self.workspace)
            assigned = [Assigned(mode=ref, diagnoses=sorted_ids(names)) for ref, names in groups.items()]
            touched = {name for one in assigned for name in one.diagnoses}
            after = {taxonomy.assigned[name][1] for name in touched if name in taxonomy.assigned}
            if not method and all(
                taxonomy.assigned.get(name, (0, 0))[0] == one.mode for one in assigned for name in one.diagnoses
            ):
                held = next(d for d in taxonomy.decisions if d.id in after)
                return Made(held, taxonomy, new=False)
            return self._made(action="assign", assigned=assigned, method=method, after=[] if method else after)

    def _made(self, *, after: Iterable[str] = (), **facts: Any) -> Made:
        texts: dict[str, Any] = self.scrub({"by": self.by, "note": self.note})
        try:
            decision = Decision(at=stamp(self.clock()), after=sorted_ids(after), **texts, **facts)
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise UsageError(f"cannot be decided: {place or 'decision'}: {first['msg'].rstrip('.')}.") from None
        record(self.workspace, [decision])
        return Made(decision, load_taxonomy(self.workspace))

    def _again(self, earlier: Decided | None, taxonomy: Taxonomy) -> Made:
        found = next(one for one in taxonomy.decisions if earlier and one.id == earlier.decision)
        return Made(found, taxonomy, new=False)

    def _proposal(self, prefix: str) -> tuple[Taxonomy, Proposal]:
        taxonomy, chosen = self._proposals([prefix])
        return taxonomy, chosen[0]

    def _proposals(self, prefixes: Sequence[str]) -> tuple[Taxonomy, list[Proposal]]:
        taxonomy = load_taxonomy(self.workspace)
        known = load_proposals(self.workspace)
        found = {one: pick(known, one) or answered_before(one, taxonomy) for one in dict.fromkeys(prefixes)}
        return taxonomy, [require_found(one, prefix, known) for prefix, one in found.items()]

    def _items(self, names: Sequence[str], taxonomy: Taxonomy) -> tuple[list[Proposal], list[KnownMode]]:
        known = load_proposals(self.workspace)
        chosen: dict[str, Proposal] = {}
        modes: dict[Ref, KnownMode] = {}
        for name in names:
            if (one := pick(known, name)) is not None:
                chosen[one.id] = one
            elif (mode := taxonomy.find(name)) is not None:
                modes[mode.ref] = mode
            else:
                raise NotFound(f"no proposal and no mode is called {name[:80]!r}.", hint="errorhub taxonomy list")
        return list(chosen.values()), list(modes.values())

    def _worded(self, wording: Wording, proposal: Proposal | None = None) -> Defined:
        name = wording.name or (proposal.title if proposal else "")
        family = slug(wording.family or (proposal.family if proposal else ""))
        description = wording.description or (proposal.summary if proposal else "")
        said = "description" if wording.description or (proposal and proposal.worded) else "terms"
        texts = self.scrub({"name": name, said: description})
        return _defined(family, texts["name"], texts[said])

    def _part(self, name: str, family: str, members: Iterable[str], held: frozenset[str]) -> Defined:
        chosen = sorted_ids(full for short in members for full in within(short, held))
        worded = _defined(slug(family), self.scrub({"name": name})["name"], "")
        return worded.model_copy(update={"members": chosen})


def _defined(family: str, name: str, description: str) -> Defined:
    short = str(settled(name))[:80].strip()
    if not short:
        raise UsageError("a mode needs a name. Say it with --name.")
    return Defined(id=mode_id(family, short), name=short, family=family, description=str(settled(description))[:2000])


def _filled(wording: Wording, chosen: Sequence[Proposal], sources: Sequence[KnownMode]) -> Wording:
    """Take what was not said from the largest of what is merged."""
    modes = sorted(sources, key=lambda one: (-len(one.members), one.id))
    largest = sorted(chosen, key=lambda one: (-one.support, one.id))
    words = [
        *((m.name, m.family, m.description) for m in modes),
        *((p.title, p.family, p.summary) for p in largest),
    ]
    name, family, description = words[0]
    return Wording(wording.name or name, wording.family or family, wording.description or description)
