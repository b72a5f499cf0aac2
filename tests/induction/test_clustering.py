"""Clustering: what is close is joined, beyond the exact size too; what says nothing stands alone."""

import numpy as np
import pytest
from numpy.typing import NDArray

from errorhub.induction.clustering import EXACT, cluster
from errorhub.induction.settings import Settings
from errorhub.induction.space import unit
from errorhub.induction.stability import stabilities


def blobs(kinds: int, each: int, *, noise: float = 0.02) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    kind = np.arange(kinds * each) % kinds
    return unit((np.eye(kinds)[kind] + noise * rng.standard_normal((kinds * each, kinds))).astype(np.float32)), kind


@pytest.mark.parametrize("each", [1, 30, EXACT // 5], ids=["single", "exact", "sampled"])
def test_what_is_close_is_joined(each: int) -> None:
    rows, kind = blobs(8, each)
    numbers = cluster(rows, threshold=0.35, sharpness=3)
    assert len({(a, b) for a, b in zip(numbers.tolist(), kind.tolist(), strict=True)}) == 8
    assert sorted(set(numbers.tolist())) == list(range(8))


def test_what_is_left_is_sampled_again() -> None:
    rows, _ = blobs(2, EXACT)
    late = np.zeros((6, 8), np.float32)
    late[:, 7] = 1
    wide = np.hstack([rows, np.zeros((len(rows), 6), np.float32)])
    numbers = cluster(np.vstack([wide, late]), threshold=0.35, sharpness=3)
    assert len(set(numbers[-6:].tolist())) == 1
    assert len(set(numbers.tolist())) == 3


def test_rows_of_zeros_stand_alone() -> None:
    rows = np.zeros((4, 3), np.float32)
    rows[:2, 0] = 1
    assert cluster(rows, threshold=0.35, sharpness=3).tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("number", [0, 1], ids=["none", "one"])
def test_too_little_to_join(number: int) -> None:
    assert len(cluster(np.ones((number, 3), np.float32), threshold=0.35, sharpness=3)) == number


def test_clear_clusters_are_stable_and_arbitrary_ones_are_not() -> None:
    rows, kind = blobs(4, 20)
    clear = stabilities(rows, kind, [0, 1, 2, 3], Settings())
    arbitrary = stabilities(rows, np.arange(80, dtype=np.int64) // 20, [0, 1], Settings())
    assert all(value == 1 for value in clear.values())
    assert all(value < 0.5 for value in arbitrary.values())


def test_small_clusters_of_large_corpora_are_looked_for() -> None:
    rows, kind = blobs(4, 1_000)
    small = np.zeros((8, 5), np.float32)
    small[:, 4] = 1
    wide = np.vstack([np.hstack([rows, np.zeros((len(rows), 1), np.float32)]), small])
    assert stabilities(wide, np.append(kind, [4] * 8), [4], Settings())[4] == 1
