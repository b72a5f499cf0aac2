"""Many shards are checked by one process a core, with the same result as by one alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub import checking
from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.shards import shard_bytes
from errorhub.hub.checking import Job, check_all
from errorhub.hub.manifest import entry_of
from errorhub.hub.pull import Mirror, pull

Make = Callable[..., Bundle]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "MANY", 1)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)


@pytest.mark.parametrize("hub", ["local"], indirect=True)
def test_a_pull_by_several_processes_is_the_same(hub: Any, make: Make, tmp_path: Path) -> None:
    for number in range(6):
        hub.publish(make(number))
    victim = hub.checkout() / hub.open().tree().paths("inbox/")[2]
    victim.write_bytes(victim.read_bytes()[:-1] + b"?")
    steps: list[int] = []
    got = pull(hub.open(), tmp_path / "mirror", progress=steps.append)
    assert (got.bundles, sum(steps), len(got.quarantined)) == (5, 5, 1)
    assert len(list(Mirror(tmp_path / "mirror").bundles())) == 5
    assert not (tmp_path / "mirror" / "incoming").exists()


def test_answers_come_in_order_with_the_reason(make: Make, tmp_path: Path) -> None:
    jobs = []
    for number in range(12):
        data = b"no shard" if number % 3 == 0 else shard_bytes([make(number)])
        (tmp_path / str(number)).write_bytes(data)
        jobs.append(Job(f"{number}.parquet", entry_of(data, rows=1), tmp_path / str(number)))
    found = list(check_all(iter(jobs), len(jobs)))
    assert [one.job for one in found] == jobs
    assert [one.reason is None for one in found] == [False] * 12, "no counts in these entries"
    assert all("cannot be read" in str(one.reason) for one in found[::3])
    assert all("manifest counts" in str(one.reason) for one in found[1::3])


def test_a_shard_that_ends_its_checker_ends_nothing_else(
    make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        checking, "_PROGRAM",
        "import os, sys\nfrom errorhub.hub import checking\nold = checking._check\n"
        "def check(job):\n    if job.path == 'bomb': os.kill(os.getpid(), 9)\n    return old(job)\n"
        "checking._check = check\nchecking.serve()",
    )  # fmt: skip
    data = shard_bytes([make(1)])
    (tmp_path / "x").write_bytes(data)
    jobs = [Job(name, entry_of(data, rows=1), tmp_path / "x") for name in ("a", "bomb", "b", "c", "d")]
    reasons = {one.job.path: one.reason for one in check_all(jobs, len(jobs))}
    assert reasons["bomb"] == "decoding it ended the program that checks it"
    assert all("manifest counts" in str(reasons[name]) for name in "abcd")
