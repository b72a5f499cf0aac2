"""Places on a map: as the induction has them, else by classical scaling of how alike the words of proposals are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from errorhub.hub.memory.words import terms
from errorhub.hub.taxonomy.proposals import Proposal

Spot = tuple[float, float]
Floats = NDArray[np.float64]


def places(proposals: Sequence[Proposal]) -> list[Spot]:
    """Return a place for each proposal; alike ones lie near, and the same proposals always get the same places."""
    given = [one.xy for one in proposals if one.xy is not None and all(np.isfinite(one.xy))]
    if len(given) == len(proposals):
        return given
    return scaled(1 - _alike([_words(one) for one in proposals]))


def scaled(distances: Floats) -> list[Spot]:
    """Return points in the plane whose distances are as near as can be to these (classical scaling, Torgerson 1952)."""
    number = len(distances)
    if number < 2:
        return [(0.0, 0.0)] * number
    centre = np.eye(number) - 1 / number
    values, vectors = np.linalg.eigh(-0.5 * centre @ np.square(distances) @ centre)
    order = np.argsort(-values)[:2]
    axes = vectors[:, order] * np.sqrt(np.clip(values[order], 0, None))
    flips = np.sign(axes[np.abs(axes).argmax(axis=0), range(axes.shape[1])])
    return [(float(x), float(y)) for x, y in axes * np.where(flips == 0, 1, flips)]


def _words(one: Proposal) -> Counter[str]:
    examples = [str(example.get("text", "")) for example in one.examples if isinstance(example, dict)]
    return Counter(terms(" ".join([one.name, one.description, *one.terms, *examples])))


def _alike(words: Sequence[Counter[str]]) -> Floats:
    """Return cosines of word counts."""
    known = sorted({word for one in words for word in one})
    counts: Floats = np.array([[one[word] for word in known] for one in words], float).reshape(len(words), len(known))
    counts /= np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-12)
    alike: Floats = np.clip(counts @ counts.T, 0, 1)
    return alike
