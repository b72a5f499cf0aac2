"""Whether a cluster was decided before: decisions are about what they saw, and data grows."""

from __future__ import annotations

from collections.abc import Iterable

from errorhub.hub.taxonomy.modes import Decided, Taxonomy

SAME = 0.5
"""Members two clusters must share, as Jaccard, to be the same proposal."""
GROWTH = 1.5
"""A rejected proposal comes back when it has this many times the members it was rejected with."""
KEPT = 0.8
"""Share of a decided mode's members that make any larger cluster around them the same mode, grown."""


def decision_for(members: Iterable[str], taxonomy: Taxonomy) -> Decided | None:
    """Return the decision that already answers a cluster of diagnoses, or None when it is new.

    Accepted, merged and split: when they share half of their members (Jaccard), when half of the cluster stands under
    the mode by now, or when the cluster holds nearly all that was decided. Rejected: when they share half and the
    cluster has not grown by half since.
    """
    cluster = frozenset(members)
    if not cluster:
        return None
    found = [one for one in taxonomy.decided if _answers(one, cluster)]
    if found:
        return max(found, key=lambda one: (jaccard(one.members, cluster), one.at, one.decision))
    return _grown_under(cluster, taxonomy)


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return what two sets share, 0 to 1."""
    shared = len(one & other)
    return shared / (len(one) + len(other) - shared) if shared else 0.0


def same_proposal(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two clusters are the same proposal, seen on different data."""
    return jaccard(one, other) >= SAME


def _answers(one: Decided, cluster: frozenset[str]) -> bool:
    same = same_proposal(one.members, cluster)
    if one.action == "reject":
        return same and len(cluster) < GROWTH * len(one.members)
    return same or len(one.members & cluster) >= KEPT * len(one.members)


def _grown_under(cluster: frozenset[str], taxonomy: Taxonomy) -> Decided | None:
    """Return the decision behind the mode under which half of a cluster stands by assignment or decision."""
    counts: dict[str, int] = {}
    for name in cluster:
        if (mode := taxonomy.under.get(name)) is not None:
            counts[str(mode.ref)] = counts.get(str(mode.ref), 0) + 1
    top = max(counts, key=lambda key: (counts[key], key), default=None)
    if top is None or 2 * counts[top] < len(cluster):
        return None
    behind = [one for one in taxonomy.decided if one.ref is not None and str(taxonomy.by_ref[one.ref].ref) == top]
    return max(behind, key=lambda one: (one.at, one.decision), default=None)
