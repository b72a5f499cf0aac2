"""Which answers to proposals, merges and splits hold, and which contradict each other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

from errorhub.hub.taxonomy.decision import Decision
from errorhub.hub.taxonomy.matching import same_proposal
from errorhub.hub.taxonomy.modes import Conflict

ANSWERING = ("accept", "reject", "merge", "split")


def settle_answers(live: Sequence[Decision]) -> tuple[list[Decision], list[Conflict], frozenset[str]]:
    """Return the answers that hold by time, the conflicts, and the ids of answers that do not hold.

    Two answers are about the same when they name the same proposal, share half of their members, or merge or split
    the same mode.
    """
    answers = [one for one in live if one.action in ANSWERING]
    lost: set[str] = set()
    conflicts: list[Conflict] = []
    replaced = {name for one in answers for name in one.after}
    for later, earlier in _pairs_about_the_same(answers):
        if earlier.id in later.after or later.id in earlier.after or outcome(later) == outcome(earlier):
            continue
        if replaced.isdisjoint((later.id, earlier.id)):
            kind = "answers" if later.answers and earlier.answers else "targets"
            conflicts.append(Conflict(kind, subject(later, earlier), (later.id, earlier.id)))  # type: ignore[arg-type]
            lost.add(earlier.id)
    gone = frozenset(lost | (replaced & {one.id for one in answers}))
    return [one for one in answers if one.id not in gone], conflicts, gone


def subject(one: Decision, other: Decision) -> str:
    """Return what two decisions are both about."""
    names = {answer.proposal for answer in one.answers}
    shared = sorted(answer.proposal for answer in other.answers if answer.proposal in names)
    if shared or one.answers:
        return shared[0] if shared else one.answers[0].proposal
    return str(next((ref for ref in one.sources if ref in other.sources), one.sources[0]))


def outcome(one: Decision) -> Hashable:
    """Return what an answer makes of its proposals; equal outcomes do not contradict."""
    if one.action == "reject":
        return "reject"
    if one.into is not None:
        return (one.into.scheme, one.into.id)
    names = tuple(sorted(defined.id for defined in one.defines))
    return names if one.action == "split" else ("errorhub", names[0])


def _pairs_about_the_same(answers: Sequence[Decision]) -> Iterable[tuple[Decision, Decision]]:
    """Yield (later, earlier) for answers that touch; only those that share a member or mode are compared."""
    seen: dict[Hashable, list[int]] = {}
    for place, one in enumerate(answers):
        keys: list[Hashable] = [*one.members, *(("mode", ref) for ref in one.sources)]
        touching = sorted({other for key in keys for other in seen.get(key, ())})
        for key in keys:
            seen.setdefault(key, []).append(place)
        yield from ((one, answers[other]) for other in touching if _about_the_same(one, answers[other]))


def _about_the_same(one: Decision, other: Decision) -> bool:
    if set(one.sources) & set(other.sources):
        return True
    return any(
        mine.proposal == theirs.proposal or same_proposal(frozenset(mine.members), frozenset(theirs.members))
        for mine in one.answers
        for theirs in other.answers
    )
