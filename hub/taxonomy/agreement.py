"""Agreement: how far two maintainers say the same where both answered, beyond chance (Cohen 1960)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from errorhub.hub.taxonomy.answers import ANSWERING, outcome
from errorhub.hub.taxonomy.modes import Taxonomy

Said = dict[str, Hashable]


@dataclass(frozen=True)
class Agreement:
    """Two maintainers on the same proposals, or on the same cases."""

    kind: str
    """proposals or cases."""
    first: str
    """One of them."""
    second: str
    """The other."""
    both: int
    """What both answered."""
    same: int
    """What both answered alike."""
    kappa: float | None
    """Agreement beyond chance; None when both only ever gave one and the same answer."""

    def document(self) -> dict[str, object]:
        """Return it as JSON."""
        return {
            "kind": self.kind, "by": [self.first, self.second], "both": self.both, "same": self.same,
            "kappa": None if self.kappa is None else round(self.kappa, 4),
        }  # fmt: skip


def agreements(taxonomy: Taxonomy) -> tuple[Agreement, ...]:
    """Compare every two maintainers by the last word of each that was not undone; programs have no say.

    A proposal is answered alike when it became the same mode, or none. A label is a person's own word: one that a
    colleague later replaced still counts.
    """
    said = {"proposals": _answers(taxonomy), "cases": _cases(taxonomy)}
    return tuple(
        made for kind, by in said.items() for one, other in combinations(sorted(by), 2)
        if (made := _compared(kind, (one, by[one]), (other, by[other]))) is not None
    )  # fmt: skip


def kappa(pairs: Sequence[tuple[Hashable, Hashable]]) -> float | None:
    """Return (observed - expected) / (1 - expected) agreement; None when chance alone explains all of it."""
    size = len(pairs)
    first, second = Counter(one for one, _ in pairs), Counter(other for _, other in pairs)
    expected = sum(count * second[name] for name, count in first.items())
    if not size or expected == size * size:
        return None
    same = sum(one == other for one, other in pairs)
    return (same * size - expected) / (size * size - expected)


def _compared(kind: str, one: tuple[str, Said], other: tuple[str, Said]) -> Agreement | None:
    shared = sorted(one[1].keys() & other[1].keys())
    if not shared:
        return None
    pairs = [(one[1][name], other[1][name]) for name in shared]
    same = sum(mine == theirs for mine, theirs in pairs)
    return Agreement(kind, one[0], other[0], len(shared), same, kappa(pairs))


def _answers(taxonomy: Taxonomy) -> Mapping[str, Said]:
    said: dict[str, Said] = {}
    for one in taxonomy.decisions:
        if one.action in ANSWERING and one.id not in taxonomy.undone:
            said.setdefault(one.by, {}).update({answer.proposal: outcome(one) for answer in one.answers})
    return said


def _cases(taxonomy: Taxonomy) -> Mapping[str, Said]:
    said: dict[str, Said] = {}
    for one in taxonomy.decisions:
        if one.assigned and not one.method and one.id not in taxonomy.undone:
            said.setdefault(one.by, {}).update(
                {name: str(group.mode) for group in one.assigned for name in group.diagnoses}
            )
    return said
