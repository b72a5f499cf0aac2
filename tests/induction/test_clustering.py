"""Clustering: what is close is joined, beyond the exact size too; what says nothing stands alone."""

import numpy as np
import pytest
from numpy.typing import NDArray

from errorhub.hub.taxonomy.space import unit
from errorhub.induction import clustering
from errorhub.induction.clustering import cluster
from errorhub.induction.settings import Settings
from errorhub.induction.stability import stabilities


def blobs(kinds: int, each: int, *, noise: float = 0.02) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    rng = np.random.default_rng(0)
    kind = np.arange(kinds * each) % kinds
    return unit((np.eye(kinds)[kind] + noise * rng.standard_normal((kinds * each, kinds))).astype(np.float32)), kind


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make blocks of sixty texts, beyond 350."""
    monkeypatch.setattr(clustering, "EXACT", 350)
    monkeypatch.setattr(clustering, "BLOCK", 60)


@pytest.mark.parametrize("each", [1, 30, 300], ids=["single", "pairwise", "micro-clusters"])
@pytest.mark.usefixtures("small")
def test_what_is_close_is_joined(each: int) -> None:
    rows, kind = blobs(8, each)
    numbers = cluster(rows, threshold=0.35, sharpness=3)
    assert len({(a, b) for a, b in zip(numbers.tolist(), kind.tolist(), strict=True)}) == 8
    assert sorted(set(numbers.tolist())) == list(range(8))


@pytest.mark.usefixtures("small")
def test_texts_of_several_blocks_meet() -> None:
    rows = np.hstack([blobs(2, 300)[0], np.zeros((600, 6), np.float32)])
    rare = np.arange(0, 600, 100)
    rows[rare] = np.eye(8, dtype=np.float32)[7]
    numbers = cluster(rows, threshold=0.35, sharpness=3)
    assert len(set(numbers[rare].tolist())) == 1
    assert len(set(numbers.tolist())) == 3


@pytest.mark.usefixtures("small")
def test_of_too_many_micro_clusters_the_smallest_stay_alone() -> None:
    rows = np.vstack([np.eye(400, dtype=np.float32), np.eye(1, 400, dtype=np.float32).repeat(30, axis=0)])
    numbers = cluster(rows, threshold=0.35, sharpness=3)
    assert len(set(numbers[400:].tolist())) == 1
    assert len(set(numbers.tolist())) == 400


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
