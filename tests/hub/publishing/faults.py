"""Run by test_faults.py in a process of its own: fork children, kill them with SIGKILL at every durable step, look.

A durable step is an fsync, a rename, a deletion, the start of another program or a request to the Hub.
"""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import httpx2
from conftest import Hub, make_bundle, make_hub

from errorhub.hub.outbox import Entry
from errorhub.hub.pull import Mirror, pull
from errorhub.hub.sealed import read_sealed
from errorhub.hub.verify import verify

THREE = [make_bundle(number) for number in (1, 2, 3)]
NAMES = {bundle.bundle_id for bundle in THREE}


def in_child(work: Callable[[], None], *, kill_at: int | None = None) -> int:
    """Do the work in a forked child and return its exit status, minus the signal that ended it."""
    child = fork(work if kill_at is None else lambda: (count_down(kill_at), work())[1])
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def fork(work: Callable[[], Any]) -> int:
    """Do the work in a forked child and return its process id."""
    if child := os.fork():
        return child
    status = 1
    try:
        work()
        status = 0
    finally:
        if status:
            traceback.print_exc()
        os._exit(status)


def count_down(left: int) -> None:
    """Kill this process at its left-th durable step from now."""
    steps = itertools.count()

    def stepping(original: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **options: Any) -> Any:
            result = original(*arguments, **options)
            if next(steps) == left:
                os.kill(os.getpid(), signal.SIGKILL)
            return result

        return step

    for name in ("fsync", "replace", "unlink"):
        setattr(os, name, stepping(getattr(os, name)))
    subprocess.Popen.__init__ = stepping(subprocess.Popen.__init__)  # type: ignore[method-assign]
    httpx2.Client.send = stepping(httpx2.Client.send)  # type: ignore[method-assign]


def publish_kills(kind: str, folder: Path, stride: int) -> int:
    """Kill a publish at every step: the hub is whole before and after the next publish finishes the job."""
    for point in itertools.count(0, stride):
        place = folder / str(point)
        place.mkdir()
        hub = make_hub(kind, place)
        if point // stride % 2:
            hub.publish(make_bundle(0), outbox=place / "other")
        if in_child(lambda hub=hub: hub.publish(*THREE), kill_at=point) == 0:  # type: ignore[misc]
            return point // stride
        found = verify(hub.open("look"))
        assert found.ok, (point, found.problems)
        done = hub.publish(*THREE)
        assert done.published + done.skipped == 3, done
        assert not done.refused
        again = hub.publish(*THREE)
        assert (again.published, again.skipped) == (0, 3)
        sealed = read_sealed(hub.open("look").tree())
        assert sealed is not None
        assert sealed.state.published - {make_bundle(0).bundle_id} == NAMES
        assert sum(entry.rows or 0 for entry in sealed.manifest.of("shard").values()) == len(sealed.state.published)
        assert not list((place / "outbox").glob("*/journal.json"))
        assert verify(hub.open("look")).ok
        shutil.rmtree(place)
    raise AssertionError


STAGES = ("planned", "spooled", "pushed", "verified")


def stage_kills(kind: str, folder: Path, _: int) -> int:
    """Kill a publish before and after it writes down each stage: the next publish settles it in one commit."""
    points = [(stage, late) for stage in STAGES for late in (False, True)]
    for number, (stage, late) in enumerate(points):
        place = folder / str(number)
        place.mkdir()
        hub = make_hub(kind, place)
        hub.publish(make_bundle(0), outbox=place / "other")
        status = in_child(lambda hub=hub, at=stage, late=late: (kill_at_stage(at, late), hub.publish(*THREE))[1])  # type: ignore[misc]
        assert status == -signal.SIGKILL, (stage, late)
        assert verify(hub.open("look")).ok
        landed = points.index((stage, late)) >= points.index(("pushed", False))
        done = hub.publish(*THREE)
        assert (done.published, done.skipped) == ((0, 3) if landed else (3, 0)), (stage, late)
        sealed = read_sealed(hub.open("look").tree())
        assert sealed is not None
        assert len(sealed.manifest.chain) == 1, "one publish is one commit"
        assert sum(entry.rows or 0 for entry in sealed.manifest.of("shard").values()) == 4
        assert not list((place / "outbox").glob("*/journal.json"))
    return len(points)


def kill_at_stage(wanted: str, late: bool) -> None:
    """Kill this process when it writes a stage down: just before, or just after."""
    original = Entry.mark

    def mark(self: Entry, stage: str, **facts: Any) -> None:
        if late:
            original(self, stage, **facts)
        if stage == wanted:
            os.kill(os.getpid(), signal.SIGKILL)
        if not late:
            original(self, stage, **facts)

    Entry.mark = mark  # type: ignore[method-assign]


def pull_kills(kind: str, folder: Path, stride: int) -> int:
    """Kill a pull at every step: the mirror shows the old or the new revision, and the next pull completes it."""
    hub = make_hub(kind, folder)
    hub.publish(*THREE[:1])
    pull(hub.open("warm"), folder / "old")
    hub.publish(*THREE[1:])
    for point in itertools.count(0, stride):
        mirror = folder / f"mirror-{point}"
        shutil.copytree(folder / "old", mirror)
        status = in_child(lambda mirror=mirror: pull(hub.open("warm"), mirror), kill_at=point)  # type: ignore[misc]
        shown = {bundle.bundle_id for bundle in Mirror(mirror).bundles()}
        assert shown in (NAMES, {THREE[0].bundle_id}), point
        assert pull(hub.open("warm"), mirror).bundles == 3
        assert {bundle.bundle_id for bundle in Mirror(mirror).bundles()} == NAMES
        assert not list((mirror / "tree").rglob("*.part"))
        if status == 0:
            return point // stride
    raise AssertionError


def crowd(kind: str, folder: Path, writers: int) -> int:
    """Let writers publish five times each at once: nothing is lost and nothing is there twice."""
    hub = make_hub(kind, folder)

    def write(number: int) -> None:
        for turn in range(5):
            mine = folder / f"{number}"
            bundles = [make_bundle(100 * number + turn), make_bundle(999)]
            Hub(hub.spec, mine).publish(*bundles, outbox=mine / "outbox")

    children = [fork(lambda number=number: write(number)) for number in range(1, writers + 1)]  # type: ignore[misc]
    assert {os.waitpid(child, 0)[1] for child in children} == {0}
    sealed = read_sealed(hub.open("look").tree())
    assert sealed is not None
    wanted = {make_bundle(100 * number + turn).bundle_id for number in range(1, writers + 1) for turn in range(5)}
    assert sealed.state.published == wanted | {make_bundle(999).bundle_id}
    assert sum(entry.rows or 0 for entry in sealed.manifest.of("shard").values()) == len(wanted) + 1
    assert len(sealed.manifest.chain) + 1 == 5 * writers
    assert verify(hub.open("look")).ok
    assert not list(folder.glob("*/outbox/*/journal.json"))
    return 5 * writers


if __name__ == "__main__":
    case, kind, folder, number = sys.argv[1:]
    run = {"publish": publish_kills, "stages": stage_kills, "pull": pull_kills, "crowd": crowd}[case]
    print(run(kind, Path(folder), int(number)))
