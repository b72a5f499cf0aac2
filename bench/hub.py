"""Measure hubs: publish, republish, pull, look up, on every target, and the layout against one folder a bundle.

python bench/hub.py                     1,000 bundles a target; about a minute
python bench/hub.py --size 50000        the sizes the targets are about; about ten minutes, 6 GB of disk
python bench/hub.py --layout 10000      push and clone against one folder a bundle
python bench/hub.py --crowd 8           8 publishers of 5 x 100 bundles at once, on every target
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from errorhub.hub.bundle import Bundle, Citation, Diagnosis, Outcome, Rights, Step, Trajectory
from errorhub.hub.bundle.trajectory import Run, Source, Task
from errorhub.hub.publish import publish
from errorhub.hub.pull import Mirror, pull
from errorhub.hub.sealed import read_sealed
from errorhub.hub.stores import Store, open_store
from errorhub.hub.verify import verify
from errorhub.scrubber import Receipt

WORDS = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("n", "r", "st", "lt", "ck", "nd", "sh")]
TARGETS = ("local", "git", "hf")


def synthetic(start: int, count: int) -> Iterator[Bundle]:
    """Yield scrubbed bundles of about 20 KB; the same numbers give the same bundles."""
    for number in range(start, start + count):
        chance = random.Random(number)
        steps = tuple(
            Step(
                agent=("planner", "coder")[place % 2], kind="llm.response",
                output=" ".join(chance.choices(WORDS, k=180)),
            )
            for place in range(20)
        )  # fmt: skip
        trajectory = Trajectory(
            task=Task(id=f"task-{number % 97}", environment="shop", goal=f"goal {number % 97}"),
            run=Run(harness="bench", policy=f"model-{number % 7}"), steps=steps, outcome=Outcome(status="failed"),
            source=Source(format="bench"),
        )  # fmt: skip
        found = Diagnosis(
            step=3, agent="coder", explanation=" ".join(chance.choices(WORDS, k=20)), author="bench",
            evidence=(Citation(step=3, quote=steps[3].output[:40] if isinstance(steps[3].output, str) else ""),),
        )  # fmt: skip
        bundle = Bundle(trajectory=trajectory, diagnoses=(found,), rights=Rights(license="MIT"))
        receipt = Receipt(policy="strict", policy_digest="0" * 64, scrubber="1", digest=bundle.certified_digest)
        yield bundle.replace(receipt=receipt)


class Took(float):
    """Seconds on the clock, and of all cores together."""

    cores: float = 0.0

    def __str__(self) -> str:
        return f"{float(self):.3f} ({self.cores:.2f})"


def timed(work: Callable[[], Any]) -> tuple[Took, Any]:
    """Return how long something took, and its result. On a busy machine the seconds of the cores say more."""
    before, start = os.times(), time.perf_counter()
    result = work()
    took, after = Took(time.perf_counter() - start), os.times()
    took.cores = sum(after[:4]) - sum(before[:4])
    return took, result


def place_for(target: str, folder: Path, name: str = "hub") -> str:
    """Return the SPEC of an empty place."""
    if target == "local":
        return f"local:{folder / name}"
    if target == "hf":
        return f"hf:ada/{name}-{os.getpid()}-{time.monotonic_ns()}"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder / f"{name}.git")], check=True)
    return f"git:{(folder / f'{name}.git').as_uri()}"


def send(store: Store, folder: Path, bundles: Any) -> Any:
    """Publish with a gate that lets everything pass: scrubbing and scanning are measured elsewhere."""
    return publish(bundles, store, outbox=folder / "outbox", actor="bench", gate=lambda *_: None)


def one_target(target: str, size: int, folder: Path, grown: Path) -> dict[str, Any]:
    """Measure one target; what is there before is copied from a local hub that holds the rest."""
    folder.mkdir(parents=True)
    spec = place_for(target, folder)
    store = open_store(spec, create=True, cache=folder / "cache")
    if size > 1000:
        source = open_store(f"local:{grown}").tree()
        store.commit({path: source.read(path) for path in source.paths()}, [], "grow", None)
    batch = list(synthetic(0, 1000))
    [bundle.bundle_id for bundle in batch]
    row: dict[str, Any] = {"target": target, "bundles": size}
    row["publish 1000"], _ = timed(lambda: send(store, folder, batch))
    row["no-op 1000"], again = timed(lambda: send(store, folder, batch))
    assert again.skipped == 1000
    fresh = open_store(spec, cache=folder / "fresh")
    row["pull"], got = timed(lambda: pull(fresh, folder / "mirror"))
    assert (got.bundles, got.quarantined) == (size, [])
    row["pull again"], _ = timed(lambda: pull(fresh, folder / "mirror"))
    names = [bundle.bundle_id for bundle in batch[::100]]
    looks = [timed(lambda n=n: Mirror(folder / "mirror").get(n))[0] for n in names]  # type: ignore[misc]
    row["look up, median"] = sorted(looks)[len(looks) // 2]
    row["group by"], _ = timed(lambda: len({one["policy"] for one in Mirror(folder / "mirror").rows(("policy",))}))
    return row


def grow(size: int, folder: Path) -> Path:
    """Publish all but the first thousand to a local hub; one of an earlier run is taken as it is."""
    target = folder / f"grown-{size}"
    if size > 1000 and not target.exists():
        store = open_store(f"local:{target}", create=True)
        seconds, _ = timed(lambda: send(store, folder, synthetic(1000, size - 1000)))
        print(f"grew a local hub to {size - 1000} in {seconds} s", file=sys.stderr)
    return target


def layout(size: int, folder: Path) -> list[dict[str, Any]]:
    """Push and clone the same bundles as one folder a bundle and as a hub."""
    return [folders(size, folder / "folders"), shards(size, folder / "shards")]


def folders(size: int, folder: Path) -> dict[str, Any]:
    """One folder a bundle with trajectory, report and manifest, through plain Git."""
    work = folder / "work"
    work.mkdir(parents=True)
    place_for("git", folder)
    run = git_in(work)
    run("init", "-q", "-b", "main")
    for bundle in synthetic(0, size):
        document, place = bundle.document(), work / "bundles" / bundle.bundle_id[:32]
        place.mkdir(parents=True)
        parts = {"trajectory": document.pop("trajectory"), "report": document.pop("diagnoses"), "manifest": document}
        for name, part in parts.items():
            (place / f"{name}.json").write_text(json.dumps(part, indent=2))
    row: dict[str, Any] = {"layout": "one folder a bundle", "bundles": size}
    row["add and commit"], _ = timed(lambda: (run("add", "-A"), run("commit", "-q", "-m", "all")))
    row["push"], _ = timed(lambda: run("push", "-q", (folder / "hub.git").as_uri(), "main"))
    row["clone"], _ = timed(lambda: run("clone", "-q", (folder / "hub.git").as_uri(), str(folder / "clone")))
    return row


def shards(size: int, folder: Path) -> dict[str, Any]:
    """A hub: the whole publish, and of it what a Git client would call commit and push."""
    folder.mkdir(parents=True)
    store = open_store(place_for("git", folder), cache=folder / "cache")
    row: dict[str, Any] = {"layout": "hub", "bundles": size}
    inner: dict[str, Took] = {}
    original = store.commit

    def commit(*arguments: Any, **options: Any) -> str:
        inner["seconds"], result = timed(lambda: original(*arguments, **options))
        return str(result)

    store.commit = commit  # type: ignore[method-assign]
    bundles = list(synthetic(0, size))
    row["publish"], _ = timed(lambda: send(store, folder, bundles))
    row["commit and push"] = inner["seconds"]
    url = (folder / "hub.git").as_uri()
    row["clone"], _ = timed(lambda: git_in(folder)("clone", "-q", url, str(folder / "clone")))
    return row


def git_in(folder: Path) -> Callable[..., None]:
    """Return real Git in a folder."""
    name = ["-c", "user.name=bench", "-c", "user.email=bench@example.invalid"]
    return lambda *arguments: subprocess.run(["git", *name, *arguments], cwd=folder, check=True) and None


def crowd(target: str, writers: int, folder: Path) -> dict[str, Any]:
    """Let writers publish 5 x 100 bundles each at once, and count what is there."""
    folder.mkdir(parents=True)
    spec = place_for(target, folder)
    context = multiprocessing.get_context("spawn")
    crew = [context.Process(target=write, args=(spec, folder / str(n), n)) for n in range(writers)]
    start = time.perf_counter()
    for one in crew:
        one.start()
    for one in crew:
        one.join()
    seconds = round(time.perf_counter() - start, 1)
    sealed = read_sealed(open_store(spec, cache=folder / "look").tree())
    assert sealed is not None
    rows = sum(entry.rows or 0 for entry in sealed.manifest.of("shard").values())
    wanted = writers * 500
    return {
        "target": target, "publishers": writers, "seconds": seconds, "lost": wanted - len(sealed.state.published),
        "doubled": rows - len(sealed.state.published), "failed": sum(one.exitcode != 0 for one in crew),
        "verified": verify(open_store(spec, cache=folder / "look")).ok,
    }  # fmt: skip


def write(spec: str, folder: Path, number: int) -> None:
    """Publish five times; a process of its own."""
    for turn in range(5):
        store = open_store(spec, create=True, cache=folder / "cache")
        send(store, folder, synthetic(1000 * number + 100 * turn, 100))


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table."""
    widths = {name: max(len(name), *(len(str(row[name])) for row in rows)) for name in rows[0]}
    print("seconds (seconds of all cores)")
    print("  ".join(name.ljust(width) for name, width in widths.items()))
    for row in rows:
        print("  ".join(str(row.get(name, "")).ljust(width) for name, width in widths.items()))


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=1000, help="bundles in each hub")
    parser.add_argument("--target", action="append", choices=TARGETS)
    parser.add_argument("--layout", type=int, help="compare the layouts at this size instead")
    parser.add_argument("--crowd", type=int, help="publishers at once instead")
    parser.add_argument("--dir", type=Path, help="where to work [default: a temporary folder]")
    parser.add_argument("--keep", type=Path, help="where grown hubs are kept for the next run")
    asked = parser.parse_args()
    targets = asked.target or list(TARGETS)
    folder = Path(tempfile.mkdtemp(prefix="errorhub-bench-", dir=asked.dir))
    with ExitStack() as held:
        held.callback(shutil.rmtree, folder, ignore_errors=True)
        if "hf" in targets and not asked.layout:
            held.enter_context(loopback_hub())
        if asked.layout:
            for row in layout(asked.layout, folder):
                show([row])
        elif asked.crowd:
            show([crowd(target, asked.crowd, folder / target) for target in targets])
        else:
            grown = grow(asked.size, asked.keep or folder)
            show([one_target(target, asked.size, folder / target, grown) for target in targets])


def loopback_hub() -> Any:
    """Start the test server and lead the client to it."""
    os.environ |= {"HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    from hubserver.server import HubServer

    server = HubServer()
    os.environ |= {"HF_ENDPOINT": server.url, "HF_TOKEN": server.owner_token}
    return server


if __name__ == "__main__":
    main()
