"""Order-independent clustering: average linkage on texts seen together with their neighbours.

Two texts say the same when their neighbourhoods do: to each is added the mean direction of all others, weighted by a
power of their similarity, which draws synonyms together. A text and a full neighbourhood count alike; a lonely text
has none, so how much is seen does not grow with the corpus. Beyond EXACT texts a sample is clustered, and every other
text joins the cluster it is on average nearest to if average linkage would let it; what is left is sampled again. Rows
come in an order that depends on their content alone, so samples are random and repeatable.
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from errorhub.hub.extras import extra
from errorhub.induction.space import Floats, unit

Ints = NDArray[np.int64]

EXACT: Final = 4_000
"""Texts that are clustered pair by pair."""
ROUNDS: Final = 4
"""Samples at most; texts left after the last one stand alone."""
_CHUNK: Final = 4_000
_INSTALLED: Final = partial(extra, feature="induce", name="induce")


def cluster(rows: Floats, *, threshold: float, sharpness: float) -> Ints:
    """Return the number of each row's cluster; rows of zeros stand alone."""
    numbers = np.arange(len(rows), dtype=np.int64) + len(rows)
    left = np.flatnonzero(np.square(rows).sum(axis=1) > 1e-9)
    made = 0
    for _ in range(ROUNDS):
        taken, left = left[:EXACT], left[EXACT:]
        if not len(taken):
            break
        found, means = _agglomerate(rows[taken], threshold, sharpness)
        numbers[taken] = found + made
        nearest = _joining(rows[left], rows[taken], means, threshold, sharpness)
        numbers[left[nearest >= 0]] = nearest[nearest >= 0] + made
        left, made = left[nearest < 0], made + len(means)
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _agglomerate(rows: Floats, threshold: float, sharpness: float) -> tuple[Ints, Floats]:
    """Return the cluster of each row and the mean of each cluster."""
    seen = _seen(rows, rows, sharpness, itself=1.0)
    numbers = np.zeros(len(rows), np.int64)
    if len(rows) > 1:
        hierarchy, distance = map(_INSTALLED, ("scipy.cluster.hierarchy", "scipy.spatial.distance"))
        apart = np.clip(1 - seen @ seen.T, 0, 2)
        np.fill_diagonal(apart, 0)
        tree = hierarchy.linkage(distance.squareform(apart, checks=False), "average")
        numbers = hierarchy.fcluster(tree, threshold, "distance").astype(np.int64) - 1
    means = np.zeros((int(numbers.max()) + 1, rows.shape[1]), np.float32)
    np.add.at(means, numbers, seen)
    means /= np.bincount(numbers)[:, None].astype(np.float32)
    return numbers, means


def _joining(rows: Floats, sample: Floats, means: Floats, threshold: float, sharpness: float) -> Ints:
    """Return the cluster that each row joins, -1 for none."""
    nearest = np.full(len(rows), -1, np.int64)
    for start in range(0, len(rows), _CHUNK):
        some = rows[start : start + _CHUNK]
        seen = _seen(some, sample, sharpness)
        likeness = seen @ means.T
        best = likeness.argmax(axis=1)
        near = likeness[np.arange(len(some)), best] >= 1 - threshold
        nearest[start : start + _CHUNK][near] = best[near]
    return nearest


def _seen(rows: Floats, sample: Floats, sharpness: float, *, itself: float = 0.0) -> Floats:
    """Return rows with their neighbours among a sample; `itself` is the weight of a row that is in the sample."""
    weights: Floats = np.clip(rows @ sample.T, 0, 1) ** np.float32(sharpness)
    total = np.clip(weights.sum(axis=1, keepdims=True) - itself, 0, None)
    around = weights @ sample - np.float32(itself) * rows
    return unit(rows + total / (1 + total) * unit(around))
