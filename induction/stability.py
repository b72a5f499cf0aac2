"""Stability: how well each cluster is found again in part of the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from errorhub.hub.taxonomy.space import Floats, Ints
from errorhub.induction.clustering import cluster
from errorhub.induction.settings import Settings

SHARE: Final = 0.8
"""Part of the data in one draw."""
POOL: Final = 1_250
"""Most texts that are drawn from; of large corpora the clusters in question come first."""


def stabilities(rows: Floats, numbers: Ints, wanted: Sequence[int], settings: Settings) -> dict[int, float]:
    """Return the mean best-match Jaccard of each wanted cluster over draws of 80 % of the texts.

    A cluster counts in the draws that hold any of it; 0 when none does.
    """
    pool = _pool(numbers, wanted)
    found: dict[int, list[float]] = {number: [] for number in wanted}
    generator = np.random.default_rng(settings.seed)
    for _ in range(settings.draws):
        drawn = np.sort(generator.choice(pool, max(1, round(SHARE * len(pool))), replace=False)) if len(pool) else pool
        again = cluster(rows[drawn], threshold=settings.threshold, sharpness=settings.sharpness)
        sizes = np.bincount(again) if len(again) else np.zeros(0, np.int64)
        before = numbers[drawn]
        for number in wanted:
            mine = before == number
            if total := int(mine.sum()):
                shared = np.bincount(again[mine], minlength=len(sizes))
                found[number].append(float((shared / (sizes + total - shared)).max()))
    return {number: float(np.mean(each)) if each else 0.0 for number, each in found.items()}


def _pool(numbers: Ints, wanted: Sequence[int]) -> Ints:
    """Return the rows to draw from: all of a small corpus, else some of each wanted cluster and of the rest."""
    if len(numbers) <= POOL:
        return np.arange(len(numbers), dtype=np.int64)
    share = POOL // (2 * max(1, len(wanted)))
    picked = np.concatenate([np.flatnonzero(numbers == number)[:share] for number in wanted] or [np.zeros(0, np.int64)])
    rest = np.setdiff1d(np.arange(len(numbers)), np.flatnonzero(np.isin(numbers, list(wanted))))
    return np.sort(np.concatenate([picked, rest[: POOL - len(picked)]])).astype(np.int64)
