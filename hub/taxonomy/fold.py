"""Decisions fold into a taxonomy: the same set of decisions, in any order, from any number of places, gives the same.

An undone decision counts as never made, unless the undo is undone. Of two that contradict, the one that names the
other in `after` holds; when neither does they are a conflict, and the later one by (`at`, id) holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from errorhub.hub.taxonomy.answers import settle_answers
from errorhub.hub.taxonomy.assigned import settle_assignments
from errorhub.hub.taxonomy.decision import SCHEME, Decision, Defined, Ref
from errorhub.hub.taxonomy.modes import SEED_MODES, Conflict, Decided, KnownMode, Taxonomy

Modes = dict[Ref, KnownMode]


def fold(decisions: Iterable[Decision]) -> Taxonomy:
    """Return the taxonomy after these decisions."""
    everything = in_order(decisions)
    undone = undone_of(everything)
    live = [one for one in everything if one.id not in undone]
    answers, conflicts, replaced = settle_answers(live)
    modes = _made(answers)
    twins = _twins(answers, modes)
    names = {ref: ref for ref in modes} | twins
    conflicts += _rename(modes, names, live)
    retired, troubles = _lead_on(modes, names, answers)
    assigned, unsettled = settle_assignments(live)
    return Taxonomy(
        modes=(*SEED_MODES, *sorted((one for one in modes.values() if one.ref not in retired), key=_place)),
        retired=tuple(sorted(retired.values(), key=_place)),
        decided=tuple(_decided(answers, names, modes)),
        conflicts=tuple(sorted([*conflicts, *troubles, *unsettled], key=lambda one: (one.kind, one.subject))),
        assigned=assigned, decisions=tuple(everything), undone=undone, replaced=replaced,
        twins={ref: names[ref] for ref in twins},
    )  # fmt: skip


def in_order(decisions: Iterable[Decision]) -> list[Decision]:
    """Return each decision once, by time; ids settle what was decided at the same moment."""
    return sorted({one.id: one for one in decisions}.values(), key=lambda one: (one.at, one.id))


def undone_of(decisions: Iterable[Decision]) -> frozenset[str]:
    """Return the ids that some undo, itself not undone, names. Digests cannot form a circle."""
    undoes: dict[str, list[str]] = {}
    for one in decisions:
        if one.target is not None:
            undoes.setdefault(one.target, []).append(one.id)
    gone: dict[str, bool] = {}
    for start in undoes:
        stack = [start]
        while stack:
            name = stack[-1]
            waiting = [undo for undo in undoes.get(name, ()) if undo not in gone]
            if waiting:
                stack += waiting
            else:
                gone[stack.pop()] = any(not gone[undo] for undo in undoes.get(name, ()))
    return frozenset(name for name, dead in gone.items() if dead)


def _made(answers: Iterable[Decision]) -> Modes:
    """Return the modes that answers define; the earliest words stand."""
    modes: Modes = {}
    for one in answers:
        for defined in one.defines:
            ref = one.ref(defined)
            if ref not in modes:
                modes[ref] = _mode(one, defined, ref)
            else:
                modes[ref] = replace(modes[ref], members=modes[ref].members | _members(one, defined))
    return modes


def _mode(one: Decision, defined: Defined, ref: Ref) -> KnownMode:
    origins = tuple(answer.proposal for answer in one.answers) + tuple(str(source) for source in one.sources)
    return KnownMode(
        scheme=SCHEME, version=ref.version, id=ref.id, name=defined.name, family=defined.family,
        description=defined.description, members=_members(one, defined),
        merged_from=origins if one.action == "merge" else (), parents=origins if one.action == "split" else (),
        by=one.by, at=one.at, decision=one.id,
    )  # fmt: skip


def _members(one: Decision, defined: Defined) -> frozenset[str]:
    return frozenset(defined.members) if one.action == "split" else one.members


def _twins(answers: Iterable[Decision], modes: Modes) -> dict[Ref, Ref]:
    """Join modes that two maintainers made under one id from the same proposal seen on different data."""
    from errorhub.hub.taxonomy.matching import same_proposal

    names: dict[Ref, Ref] = {}
    by_id: dict[str, list[KnownMode]] = {}
    for mode in sorted(modes.values(), key=lambda one: (one.at or "", one.decision or "")):
        first = next((one for one in by_id.get(mode.id, ()) if same_proposal(one.members, mode.members)), None)
        if first is None:
            by_id.setdefault(mode.id, []).append(mode)
            continue
        names[mode.ref] = first.ref
        held = modes[first.ref]
        modes[first.ref] = replace(held, members=held.members | mode.members)
        del modes[mode.ref]
    return names


def _rename(modes: Modes, names: Mapping[Ref, Ref], live: Iterable[Decision]) -> list[Conflict]:
    """Give modes their newest words; names that do not know of each other are a conflict."""
    renames: dict[Ref, list[Decision]] = {}
    for one in live:
        if one.action == "rename" and (ref := names.get(one.sources[0], one.sources[0])) in modes:
            renames.setdefault(ref, []).append(one)
    conflicts = []
    for ref, asked in renames.items():
        known = {name for one in asked for name in one.after}
        heads = [one for one in asked if one.id not in known] or asked
        new, before = heads[-1].defines[0], modes[ref]
        if len({one.defines[0].name for one in heads}) > 1:
            conflicts.append(Conflict("names", str(ref), tuple(one.id for one in reversed(heads))))
        earlier = (before.name, *(one.defines[0].name for one in asked if one.id in known))
        modes[ref] = replace(
            before, name=new.name, family=new.family, description=new.description,
            aliases=tuple(dict.fromkeys(name for name in earlier if name != new.name)),
        )  # fmt: skip
    return conflicts


def _lead_on(modes: Modes, names: dict[Ref, Ref], answers: Iterable[Decision]) -> tuple[Modes, list[Conflict]]:
    """Follow merges and splits of modes; return the retired ones, and what could not be followed.

    `names` is extended so that every merged mode leads to where it ended. A merge that would close a circle, goes into
    a mode that is not there, or into two different ones, is a conflict.
    """
    known = modes.keys() | {one.ref for one in SEED_MODES}
    goes: dict[Ref, Ref] = {}
    split: dict[Ref, tuple[Ref, ...]] = {}
    conflicts: list[Conflict] = []
    for one in answers:
        made = tuple(names.get(ref, ref) for ref in map(one.ref, one.defines))
        target = names.get(one.into, one.into) if one.into else next(iter(made), None)
        sources = [names.get(ref, ref) for ref in one.sources]
        lost = [ref for ref in (*sources, *([target] if target else [])) if ref not in known]
        conflicts += [Conflict("missing", str(ref), (one.id,)) for ref in lost]
        for source in sources if not lost else ():
            if one.action == "split":
                split[source] = made
            elif target is not None and source in _path(target, goes):
                conflicts.append(Conflict("cycle", str(source), (one.id,)))
            elif target is not None:
                goes[source] = target
    retired: Modes = {}
    for ref in [ref for ref in modes if ref in goes or ref in split]:
        status, next_ = ("merged", (_path(ref, goes)[-1],)) if ref in goes else ("split", split[ref])
        retired[ref] = replace(modes[ref], status=status, successors=next_)  # type: ignore[arg-type]
    for ref in [ref for ref in goes if ref in modes]:
        _give(modes, modes[ref], _path(ref, goes)[-1])
    for one in answers:
        if one.into and (end := _path(names.get(one.into, one.into), goes)[-1]) in modes:
            extra = tuple(answer.proposal for answer in one.answers)
            held = modes[end]
            modes[end] = replace(held, members=held.members | one.members, merged_from=(*held.merged_from, *extra))
    names |= {ref: _path(names[ref], goes)[-1] for ref in [*names]}
    return retired, conflicts


def _give(modes: Modes, source: KnownMode, end: Ref) -> None:
    """Put a merged mode's members and names under the mode where it ended; the seed is left as it is."""
    if end in modes:
        held = modes[end]
        aliases = dict.fromkeys((*held.aliases, source.name, *source.aliases))
        modes[end] = replace(
            held, members=held.members | source.members, aliases=tuple(aliases),
            merged_from=tuple(dict.fromkeys((*held.merged_from, str(source.ref)))),
        )  # fmt: skip


def _path(ref: Ref, goes: Mapping[Ref, Ref]) -> list[Ref]:
    path = [ref]
    while path[-1] in goes:
        path.append(goes[path[-1]])
    return path


def _decided(answers: Iterable[Decision], names: Mapping[Ref, Ref], modes: Modes) -> Iterable[Decided]:
    """Yield what each proposal is now; one that was merged into a mode that is not there is open again."""
    known = modes.keys() | {one.ref for one in SEED_MODES}
    for one in answers:
        target = one.into or (one.ref(one.defines[0]) if one.action in ("accept", "merge") and one.defines else None)
        ref = names.get(target, target) if target else None
        if ref is not None and ref not in known:
            continue
        for answer in one.answers:
            yield Decided(
                proposal_id=answer.proposal, action=one.action, members=frozenset(answer.members),
                mode=ref.id if ref else None, ref=ref, decision=one.id, by=one.by, at=one.at,
            )  # fmt: skip


def _place(one: KnownMode) -> tuple[str, str]:
    return one.id, one.version
