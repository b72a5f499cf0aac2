"""Average linkage: the nearest-neighbour chain, in place on one square of similarities.

The mean similarity of two clusters is the product of their means. So a cluster is its mean and its size, what was
clustered before can be clustered on, and the square is all that is held: 400 MB for 10,000 rows. Average linkage is
reducible (Murtagh 1983): chains find the joins of the hierarchy in any order, and what has nothing near enough, never
will. Libraries take no sizes, and hold twice as much in twice the width.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from errorhub.hub.taxonomy.space import Floats, Ints

_GONE: Final = np.float32(-2)


def average_linkage(means: Floats, sizes: Ints, least: float) -> Ints:
    """Return the number of each row's cluster; clusters are joined while they are on average `least` alike, 0 to 1."""
    alike: Floats = means @ means.T
    np.fill_diagonal(alike, _GONE)
    weights, within = sizes.astype(np.float32), np.arange(len(means), dtype=np.int64)
    for start in range(len(means)):
        chain = [start] if within[start] == start and alike[start].max() >= least else []
        while chain:
            last = chain[-1]
            near = int(alike[last].argmax())
            if alike[last, near] < least:
                alike[last] = alike[:, last] = _GONE
                chain.pop()
            elif len(chain) > 1 and alike[last, chain[-2]] >= alike[last, near]:
                kept, lost = sorted((chain.pop(), chain.pop()))
                _join(alike, weights, kept, lost)
                within[lost] = kept
                chain = chain or [kept]
            else:
                chain.append(near)
    return _numbered(within)


def _join(alike: Floats, weights: Floats, kept: int, lost: int) -> None:
    """Put one cluster into another (Lance and Williams 1967)."""
    weights[kept] += weights[lost]
    share = weights[lost] / weights[kept]
    joined = (1 - share) * alike[kept] + share * alike[lost]
    joined[kept] = _GONE
    alike[kept] = alike[:, kept] = joined
    alike[lost] = alike[:, lost] = _GONE


def _numbered(within: Ints) -> Ints:
    """Return clusters by number, given the row that each row was put into: an earlier one, or itself."""
    for row, into in enumerate(within):
        within[row] = within[into]
    return np.unique(within, return_inverse=True)[1].astype(np.int64)
