"""Bootstrap over source tasks: runs of one task rise and fall together, so tasks are drawn, not runs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DRAWS = 10_000
_CHUNK = 4_000_000


def bootstrap(
    columns: NDArray[np.float64], tasks: Sequence[str], *, draws: int = DRAWS, seed: int = 0
) -> NDArray[np.float64] | None:
    """Return the 95 % percentile interval of each column's mean, shape (2, columns); None with fewer than two tasks.

    Every column sees the same draws, so a column of differences is a paired comparison. Draws tasks with replacement
    and weighs each by its runs (ratio of sums), as a cluster bootstrap does.
    """
    names, cluster = np.unique(np.asarray(tasks), return_inverse=True)
    if len(names) < 2:
        return None
    sums = np.zeros((len(names), columns.shape[1]))
    np.add.at(sums, cluster, columns)
    sizes = np.bincount(cluster).astype(float)
    generator = np.random.default_rng(seed)
    rows = max(1, _CHUNK // len(names))
    even = np.full(len(names), 1 / len(names))
    means = []
    for start in range(0, draws, rows):
        times = generator.multinomial(len(names), even, size=min(rows, draws - start)).astype(float)
        means.append((times @ sums) / (times @ sizes)[:, None])
    return np.asarray(np.percentile(np.concatenate(means), [2.5, 97.5], axis=0))
