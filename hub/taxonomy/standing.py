"""How things stand before a decision: what was answered, what is taken, what can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from errorhub.hub.errors import Blocked, NotFound, UsageError
from errorhub.hub.taxonomy.decision import Answered, Decision, Ref, sorted_ids
from errorhub.hub.taxonomy.ledger import own_decisions
from errorhub.hub.taxonomy.matching import decision_for, same_proposal
from errorhub.hub.taxonomy.modes import Decided, KnownMode, Taxonomy
from errorhub.hub.taxonomy.proposals import Proposal
from errorhub.hub.taxonomy.seed import SCHEME as SEED_SCHEME
from errorhub.hub.workspace import MIN_PREFIX, Workspace


def within(short: str, held: frozenset[str]) -> list[str]:
    """Return the one member whose id begins so. Raise NotFound for none and for several."""
    found = [name for name in held if name.startswith(short)] if len(short) >= MIN_PREFIX else []
    if len(found) != 1:
        raise NotFound(f"{len(found) or 'no'} members have the id {short[:64]}.", hint="errorhub taxonomy show ID")
    return found


def mode_called(text: str, taxonomy: Taxonomy) -> KnownMode:
    """Return the mode with this id or name, or the one that a proposal with this id became. Raise NotFound."""
    if taxonomy.find(text) is None and len(text) >= MIN_PREFIX:
        became = {one.ref for one in taxonomy.decided if one.ref and one.proposal_id.startswith(text)}
        if len(became) == 1:
            return taxonomy.by_ref[became.pop()]
    return taxonomy.mode(text)


def answered_before(prefix: str, taxonomy: Taxonomy) -> Proposal | None:
    """Return a proposal that is listed no more because it was answered."""
    found = {one.proposal_id: one.members for one in taxonomy.decided if one.proposal_id.startswith(prefix)}
    if len(found) != 1 or len(prefix) < MIN_PREFIX:
        return None
    name, members = found.popitem()
    return Proposal(id=name, members=sorted_ids(members))


def answer(one: Proposal, taxonomy: Taxonomy) -> Decided | None:
    """Return how a proposal was answered: itself, or the same seen on other data."""
    itself = [found for found in taxonomy.decided if found.proposal_id == one.id]
    return itself[-1] if itself else decision_for(one.members, taxonomy)


def before(one: Proposal, taxonomy: Taxonomy) -> list[str]:
    """Return rejections of a smaller self that a new answer replaces."""
    members = frozenset(one.members)
    return [found.decision for found in taxonomy.decided if same_proposal(found.members, members)]


def require_found(found: Proposal | None, prefix: str, known: Sequence[Proposal]) -> Proposal:
    """Return the proposal. Raise NotFound when there is none."""
    if found is not None:
        return found
    if not known:
        raise NotFound("there are no proposals here.", hint="errorhub induce")
    if len(prefix) < MIN_PREFIX:
        raise NotFound(f"id too short: {prefix}. Type {MIN_PREFIX} or more characters.", hint="errorhub taxonomy list")
    raise NotFound(f"no proposal has the id {prefix[:64]}.", hint="errorhub taxonomy list")


def require_open(earlier: Decided | None, one: Proposal) -> None:
    """Raise Blocked when a proposal was answered."""
    if earlier is None:
        return
    said = {"accept": "accepted as", "merge": "merged into", "split": "split", "reject": "rejected"}[earlier.action]
    raise Blocked(
        f"proposal {one.id[:12]} was already {said}{' ' + earlier.mode if earlier.mode else ''} by {earlier.by}. "
        "Undo that first.",
        hint=f"errorhub taxonomy undo {earlier.decision[:12]}",
    )


def require_free(name: str, taxonomy: Taxonomy, allowed: Iterable[str] = ()) -> None:
    """Raise UsageError when a mode has this id."""
    taken = {one.id for one in (*taxonomy.modes, *taxonomy.retired)} - set(allowed)
    if name in taken:
        raise UsageError(
            f"a mode has the id {name} already. Merge into it, or choose another --name.",
            hint=f"errorhub taxonomy show {name}",
        )


def require_accepted(mode: KnownMode) -> None:
    """Raise UsageError for a mode of the seed."""
    if mode.scheme == SEED_SCHEME:
        raise UsageError(f"{mode.id} is of the seed, which is never changed. Only accepted modes can be.")


def refs(modes: Iterable[KnownMode]) -> list[Ref]:
    """Return scheme, version and id of modes."""
    return [one.ref for one in modes]


def answered(one: Proposal) -> Answered:
    """Return a proposal as a decision holds it."""
    return Answered(proposal=one.id, members=sorted_ids(one.members))


def to_undo(name: str | None, taxonomy: Taxonomy, workspace: Workspace, *, by: str) -> Decision:
    """Return the decision to take back: without a name the newest that `by` took here. Raise NotFound for none and
    for several.
    """
    live = [one for one in taxonomy.decisions if one.id not in taxonomy.undone]
    if name is None:
        own = {one.id for one in own_decisions(workspace)}
        found = [one for one in live if one.id in own and one.by == by and one.action != "undo"][-1:]
    else:
        found = [one for one in live if len(name) >= MIN_PREFIX and one.id.startswith(name)] or _about(
            name, live, taxonomy
        )
    if len(found) == 1:
        return found[0]
    if name and any(one.id.startswith(name) for one in taxonomy.decisions if len(name) >= MIN_PREFIX):
        raise NotFound(f"decision {name[:64]} was undone already.", hint="errorhub taxonomy list")
    raise NotFound(
        f"{len(found) or 'no'} decisions to undo under {name}." if name else f"no decision by {by} to undo here.",
        hint="errorhub taxonomy list",
    )


def _about(name: str, live: Sequence[Decision], taxonomy: Taxonomy) -> list[Decision]:
    """Return the newest decision about a proposal or mode."""
    mode = taxonomy.find(name)
    found = [
        one for one in live
        if any(answer.proposal.startswith(name) for answer in one.answers if len(name) >= MIN_PREFIX)
        or (mode and (one.id == mode.decision or mode.ref in one.sources or mode.ref == one.into))
    ]  # fmt: skip
    return found[-1:]
