"""How well clusters agree with labels: AMI, ARI, BCubed, and what a maintainer sees of the twelve largest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
TOP = 12
SUPPORT = 3


@dataclass(frozen=True)
class Scores:
    """One clustering beside the labels."""

    ami: float
    ari: float
    bcubed: float
    clusters: int
    coverage: float
    """Share of the items in the twelve clusters with most runs, three at least."""
    purity: float
    """Share of those that carry their cluster's commonest label."""
    modes: int
    """Distinct commonest labels."""

    def __str__(self) -> str:
        return (
            f"AMI {self.ami:.3f}  ARI {self.ari:.3f}  BCubed {self.bcubed:.3f}  clusters {self.clusters:>3}"
            f"   top 12: coverage {self.coverage:.2f} purity {self.purity:.2f} modes {self.modes}"
        )


def scores(clusters: Ints, labels: Sequence[str], groups: Sequence[str]) -> Scores:
    """Compare clusters with labels; support counts groups (runs)."""
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    runs = {number: len({g for g, c in zip(groups, clusters, strict=True) if c == number}) for number in set(clusters)}
    top = sorted((n for n in runs if runs[n] >= SUPPORT), key=lambda n: (-runs[n], n))[:TOP]
    held = {n: Counter(one for one, c in zip(labels, clusters, strict=True) if c == n) for n in top}
    covered = sum(one.total() for one in held.values())
    best = [one.most_common(1)[0] for one in held.values()]
    return Scores(
        ami=adjusted_mutual_info_score(labels, clusters), ari=adjusted_rand_score(labels, clusters),
        bcubed=bcubed(clusters, labels), clusters=len(runs), coverage=covered / max(1, len(labels)),
        purity=sum(count for _, count in best) / max(1, covered), modes=len({name for name, _ in best}),
    )  # fmt: skip


def bcubed(clusters: Ints, labels: Sequence[str]) -> float:
    """Return the BCubed F of clusters: the mean over items of how pure and how complete their cluster is."""
    both = Counter(zip(clusters.tolist(), labels, strict=True))
    sizes, totals = Counter(clusters.tolist()), Counter(labels)
    precision = sum(n * n / sizes[cluster] for (cluster, _), n in both.items()) / len(labels)
    recall = sum(n * n / totals[label] for (_, label), n in both.items()) / len(labels)
    return 2 * precision * recall / (precision + recall)


def intervals(
    methods: Mapping[str, Ints], ours: Ints, labels: Sequence[str], groups: Sequence[str]
) -> tuple[tuple[float, float], dict[str, tuple[float, float]]]:
    """Return the 95 % interval of our AMI, and of its difference to that of each method.

    Jackknife over runs: a bootstrap draws runs twice, and two copies of a finding agree by themselves.
    """
    from sklearn.metrics import adjusted_mutual_info_score

    said, names = np.array(labels), np.array(groups)

    def differences(kept: NDArray[np.bool_]) -> list[float]:
        mine = adjusted_mutual_info_score(said[kept], ours[kept])
        return [mine, *(mine - adjusted_mutual_info_score(said[kept], one[kept]) for one in methods.values())]

    whole = np.array(differences(np.ones(len(said), bool)))
    parts = np.array([differences(names != name) for name in sorted(set(groups))])
    error = 1.96 * np.sqrt((len(parts) - 1) / len(parts) * np.square(parts - parts.mean(axis=0)).sum(axis=0))
    spans = [(float(at - by), float(at + by)) for at, by in zip(whole, error, strict=True)]
    return spans[0], dict(zip(methods, spans[1:], strict=True))
