"""Order-independent clustering: average linkage on texts seen together with their neighbours.

Two texts say the same when their neighbourhoods do: to each is added the mean direction of all others, weighted by a
power of their similarity, which draws synonyms together. A text and a full neighbourhood count alike; a lonely text
has none, so how much is seen does not grow with the corpus. Up to EXACT texts are compared pair by pair. More are
clustered in blocks into micro-clusters, and average linkage goes on from those, by mean and size. Rows come in an
order that depends on their content alone, so blocks are random samples, and repeatable.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from errorhub.hub.taxonomy.space import Floats, Ints, unit
from errorhub.induction.linkage import average_linkage

EXACT: Final = 10_000
"""Texts that are compared pair by pair, and micro-clusters at most: of more, the smallest stay as they are."""
BLOCK: Final = 5_000
"""Texts of a block, when there are more."""


def cluster(rows: Floats, *, threshold: float, sharpness: int) -> Ints:
    """Return the number of each row's cluster; rows of zeros stand alone."""
    numbers = np.arange(len(rows), dtype=np.int64) + len(rows)
    said = np.flatnonzero(np.square(rows).sum(axis=1) > 1e-9)
    rows = rows[:, rows.any(axis=0)]
    parts = 1 if len(said) <= EXACT else -(-len(said) // BLOCK)
    means: list[Floats] = []
    made = 0
    for block in np.array_split(said, parts) if len(said) else ():
        seen = _seen(rows[block], sharpness)
        numbers[block] = average_linkage(seen, np.ones(len(block), np.int64), 1 - threshold) + made
        means.append(_means(seen, numbers[block] - made))
        made += len(means[-1])
    if parts > 1:
        numbers[said] = _joined(np.concatenate(means), numbers[said], threshold)
    return np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def _joined(means: Floats, numbers: Ints, threshold: float) -> Ints:
    """Return clusters of micro-clusters, given the micro-cluster of each text."""
    sizes = np.bincount(numbers)
    largest = np.sort(np.argsort(-sizes, kind="stable")[:EXACT])
    into = np.arange(len(means), dtype=np.int64)
    into[largest] = largest[average_linkage(means[largest], sizes[largest], 1 - threshold)]
    return into[numbers]


def _means(rows: Floats, numbers: Ints) -> Floats:
    means = np.zeros((int(numbers.max()) + 1, rows.shape[1]), np.float32)
    np.add.at(means, numbers, rows)
    means /= np.bincount(numbers)[:, None].astype(np.float32)
    return means


def _seen(rows: Floats, sharpness: int) -> Floats:
    """Return rows with their neighbours."""
    weights: Floats = rows @ rows.T
    np.maximum(weights, 0, out=weights)
    if sharpness > 1:
        np.power(weights, sharpness, out=weights)
    total = np.maximum(weights.sum(axis=1, keepdims=True) - 1, 0)
    return unit(rows + total / (1 + total) * unit(weights @ rows - rows))
