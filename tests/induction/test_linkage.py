"""Average linkage: what scipy's makes of the same rows, and the same again from what was clustered before."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.metrics import adjusted_rand_score

from errorhub.hub.taxonomy.space import unit
from errorhub.induction.linkage import average_linkage


def directions(number: int, seed: int) -> NDArray[np.float32]:
    rng = np.random.default_rng(seed)
    return unit(np.abs(rng.standard_normal((number, 12))).astype(np.float32))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("least", [0.0, 0.6, 0.8, 0.95, 1.0])
def test_joins_what_scipy_joins(least: float, seed: int) -> None:
    rows = directions(150, seed)
    theirs = fcluster(linkage(rows.astype(np.float64), "average", "cosine"), 1 - least, "distance")
    ours = average_linkage(rows, np.ones(150, np.int64), least)
    assert adjusted_rand_score(theirs, ours) == 1
    assert sorted(set(ours.tolist())) == list(range(int(ours.max()) + 1))


def test_a_mean_with_its_size_stands_for_its_rows() -> None:
    rows = directions(150, 0)
    first = average_linkage(rows, np.ones(150, np.int64), 0.9)
    means = np.stack([rows[first == number].mean(axis=0) for number in range(int(first.max()) + 1)])
    again = average_linkage(means, np.bincount(first), 0.7)[first]
    assert adjusted_rand_score(average_linkage(rows, np.ones(150, np.int64), 0.7), again) == 1


def test_equal_rows_are_one_cluster() -> None:
    assert set(average_linkage(np.ones((50, 1), np.float32), np.ones(50, np.int64), 0.9).tolist()) == {0}
