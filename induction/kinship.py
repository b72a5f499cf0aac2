"""Kinship: the known mode a cluster is most like, and clusters that are like each other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errorhub.hub.taxonomy import KnownMode
from errorhub.hub.taxonomy.space import Floats, Space, unit
from errorhub.hub.taxonomy.vocabulary import read

ALIKE = 0.7
"""Similarity of two clusters from which they may be one."""


class Kinship:
    """Known modes as texts in the space of an induction."""

    def __init__(self, space: Space, modes: Sequence[KnownMode], width: int) -> None:
        self.modes = tuple(sorted(modes, key=lambda one: (one.scheme, one.id, one.version)))
        said = [read(f"{one.name.replace('_', ' ')}. {one.description}") for one in self.modes]
        texts = space.texts(said)
        self.rows = np.hstack([texts, np.zeros((len(said), width - texts.shape[1]), np.float32)])

    def nearest(self, rows: Floats) -> tuple[KnownMode, float] | None:
        """Return the mode most like a cluster and its similarity; None when they share nothing."""
        if not len(self.rows) or not len(rows):
            return None
        likeness = self.rows @ unit(rows.mean(axis=0, keepdims=True))[0]
        best = int(likeness.argmax())
        return (self.modes[best], float(likeness[best])) if likeness[best] > 0.005 else None


def alike(centres: Floats) -> list[list[int]]:
    """Return for each cluster the others that may be one with it."""
    likeness = unit(centres) @ unit(centres).T
    np.fill_diagonal(likeness, 0)
    return [[int(other) for other in np.flatnonzero(row >= ALIKE)] for row in likeness]


def places(centres: Floats) -> list[tuple[float, float]]:
    """Return a place on a map for each cluster: the first two principal components, signs fixed."""
    apart = unit(centres) - unit(centres).mean(axis=0)
    left, lengths, _ = np.linalg.svd(apart, full_matrices=False)
    flat = np.zeros((len(centres), 2))
    flat[:, : min(2, len(lengths))] = (left * lengths)[:, :2]
    for column in range(2):
        if flat[np.abs(flat[:, column]).argmax(), column] < 0:
            flat[:, column] *= -1
    return [(round(float(x), 4), round(float(y), 4)) for x, y in flat]
