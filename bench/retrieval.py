"""How well the memory finds cases of the same failure mode, and how well it keeps silent.

    python bench/retrieval.py --data ../shared/data [--speed 50000] [--labels FILE.jsonl]

Relevant = same AgentRx category. Candidates of the query's own trajectory are left out; repeated texts go first (equal
terms, then Jaccard .9). Intervals: 95 %, bootstrap over queries; differences are paired. Abstention is judged on sets
that carry no category. The bars stand in `retrieval.toml`.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from labelled import Labelled, agentrx, docstrings, foreign_logs, from_file, pairs, unrelated, who_and_when
from numpy.typing import NDArray
from peer import Peer

from errorhub.hub.bundle import Bundle, Trajectory
from errorhub.hub.bundle.trajectory import Task
from errorhub.hub.memory import Memory, Pile, Place, Query
from errorhub.hub.memory.dense import Vectors
from errorhub.hub.memory.search import Search
from errorhub.hub.memory.window import flatten, step_text
from errorhub.hub.memory.words import terms

DEPTH = 10
HERE = Path(__file__).parent
SHARED = HERE.parents[1] / "shared" / "data"
T = TypeVar("T")
Floats = NDArray[np.float32]
Scorer = Callable[[int], Floats]


def open_memory(bundles: Iterable[Bundle], folder: Path) -> Memory:
    """Index bundles as one's own."""
    return Memory.open(folder, Pile((one, Place(True, True, "mine", "bench")) for one in bundles), "bench")


def without_repeats(items: Sequence[Labelled]) -> list[Labelled]:
    """Keep the first of each set of near-duplicate explanations."""
    kept: list[tuple[set[str], Labelled]] = []
    for item in items:
        words = set(terms(item.bundle.diagnoses[0].explanation))
        if all(len(words & other) < 0.9 * max(1, len(words | other)) for other, _ in kept):
            kept.append((words, item))
    return [item for _, item in kept]


def measure(name: str, items: Sequence[Labelled], scorer: Scorer) -> Floats:
    """Print nDCG@10, recall@10 and MRR of one way to score, and return nDCG@10 of each query."""
    rows = []
    for at, item in enumerate(items):
        candidates = [other for other, one in enumerate(items) if one.group != item.group]
        relevant = {other for other in candidates if items[other].mode == item.mode}
        if relevant:
            scores = scorer(at)
            ranked = sorted(candidates, key=lambda other: (-scores[other], items[other].bundle.bundle_id))
            rows.append(_metrics([other in relevant for other in ranked], len(relevant)))
    values = np.array(rows)
    spans = [interval(values[:, at]) for at in range(3)]
    parts = zip(("nDCG@10", "recall@10", "MRR"), values.mean(axis=0), spans, strict=True)
    print(f"  {name:<18}" + "   ".join(f"{what} {mean:.3f} [{a:.3f}, {b:.3f}]" for what, mean, (a, b) in parts))
    return np.asarray(values[:, 0])


def interval(values: Floats) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a mean over queries."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(0, len(values), (1_000, len(values)))].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def _metrics(hits: Sequence[bool], relevant: int) -> tuple[float, float, float]:
    gains = 1 / np.log2(np.arange(2, DEPTH + 2))
    top = np.array(hits[:DEPTH], float)
    first = hits.index(True) if True in hits else len(hits)
    ideal = gains[: min(DEPTH, relevant)].sum()
    return float((top * gains[: len(top)]).sum() / ideal), float(top.sum() / relevant), 1 / (first + 1)


def compare(title: str, items: Sequence[Labelled], folder: Path, bars: Bars) -> None:
    """Measure the memory beside its baselines; each must be reached."""
    print(f"{title}: {len(items)} diagnoses, {len({item.group for item in items})} runs")
    memory = open_memory([item.bundle for item in items], folder)
    runs, found = [item.bundle.trajectory for item in items], [item.bundle.diagnoses[0] for item in items]
    random, zeros = np.random.default_rng(1), np.zeros(len(items), np.float32)
    whole = ["\n".join(flatten(step.output) for step in run.steps) for run in runs]
    peer = Peer([item.bundle for item in items], folder.with_name(f"{folder.name}-peer"))

    def by_peer(at: int) -> Floats:
        scores = zeros.copy()
        for place, score in peer.find(at).items():
            scores[place] = score
        return scores

    baselines: dict[str, Scorer] = {
        "random": lambda at: random.random(len(items), np.float32),
        "goal": plain([run.task.goal or "" for run in runs]),
        "whole trajectory": plain(whole),
        "peer": by_peer,
        "plain BM25": plain([f"{one.agent} {one.explanation}" for one in found]),
    }
    reached = {name: measure(name, items, scorer) for name, scorer in baselines.items()}
    queries = [Query.from_bundle(item.bundle) for item in items]
    traces = [Query("log", query.traced, query.traced) for query in queries]
    ours = measure("memory, bundle", items, lambda at: Search(memory.corpus, queries[at]).scores)
    measure("memory, window", items, lambda at: Search(memory.corpus, traces[at]).scores)
    for name, values in reached.items():
        low, high = interval(ours - values)
        bars.check(
            f"{title}, less {name} [{low:+.3f}, {high:+.3f}]", float((ours - values).mean()), "quality", "at_least"
        )


def plain(texts: Sequence[str]) -> Scorer:
    """Score by bm25s as it comes, over these texts."""
    import bm25s

    tokens = [terms(text[:20_000]) or [""] for text in texts]
    model = bm25s.BM25()
    model.index(tokens, show_progress=False)
    return lambda at: model.get_scores(sorted(set(tokens[at])))


def abstention(data: Path, folder: Path, bars: Bars) -> None:
    """Print how often related and unrelated queries are answered, over corpora of three sizes."""
    runs, (cases, logs), (fresh, held_out) = who_and_when(data / "who-and-when"), pairs(), pairs("held_out")
    texts, strange = unrelated()
    other = {f"{name} logs": list(map(Query.from_log, found)) for name, found in foreign_logs(data).items()}
    unlike = {"prose": list(map(Query.from_text, texts)), "docstrings": list(map(Query.from_text, docstrings()))}
    unlike |= {"logs": list(map(Query.from_log, strange)), **other}
    for corpus in (cases[:1], [*cases, *fresh], [*runs, *cases, *fresh]):
        memory = open_memory([one.bundle for one in corpus], folder / str(len(corpus)))
        known = logs[:1] if len(corpus) == 1 else logs
        like = {"failing logs": list(map(Query.from_log, known)), "the same as text": list(map(_as_text, known))}
        if len(corpus) > 1:
            like |= {"held-out logs": list(map(Query.from_log, held_out)), "and as text": list(map(_as_text, held_out))}
        if len(corpus) > 100:
            like["Who&When diagnoses"] = [Query.from_bundle(one.bundle) for one in runs]
        print(f"answered, of {len(corpus)} cases")
        shares = {kind: _answered(memory, kind, sets) for kind, sets in (("related", like), ("unrelated", unlike))}
    bars.check("related queries answered", shares["related"], "abstention", "related_answered")
    bars.check("unrelated queries answered", shares["unrelated"], "abstention", "unrelated_answered", most=True)


def _as_text(run: Trajectory) -> Query:
    return Query.from_text("\n".join(map(step_text, run.steps[-3:])))


def _answered(memory: Memory, kind: str, sets: dict[str, list[Query]]) -> float:
    total = 0
    for name, queries in sets.items():
        number = sum(not memory.similar(query).abstained for query in queries)
        total += number
        print(f"  {kind:<10} {name:<20} {number:>4} of {len(queries):<4} {number / len(queries):>6.1%}")
    return total / sum(map(len, sets.values()))


def speed(number: int, data: Path, folder: Path, bars: Bars) -> None:
    """Print build, addition and query times over copies of real cases in which every third word is another one."""
    runs = who_and_when(data / "who-and-when")
    place = Place(True, True, "mine", "bench")
    shelf = Pile((bundle, place) for bundle in copies(runs, number + 100))
    names, later = [bundle.bundle_id for bundle, _ in shelf.held], shelf.held[number:]
    shelf.held = shelf.held[:number]
    memory, seconds = _timed(lambda: Memory.open(folder / "speed", shelf, "one"))
    print(f"{len(names)} cases, {memory.documents} documents, indexed in {seconds:.1f} s of CPU")
    shelf.held += later
    memory, seconds = _timed(lambda: Memory.open(folder / "speed", shelf, "two"))
    bars.check("adding 100 cases, s", seconds, "speed", "add_100", most=True)
    texts = [Query.from_text(one.bundle.diagnoses[0].explanation) for one in runs]
    for form, queries in (("text", texts), ("bundle", [Query.from_bundle(one.bundle) for one in runs])):
        spent = [_timed(lambda query=query: memory.similar(query))[1] * 1_000 for query in queries]  # type: ignore[misc]
        bars.check(f"{form}, p50 ms", float(np.median(spent)), "speed", "p50", most=True)
        bars.check(f"{form}, p99 ms", float(np.quantile(spent, 0.99)), "speed", "p99", most=True)
    peer = Peer([bundle for bundle, _ in shelf.held[:300]], folder / "peer-speed")
    spent = [_timed(lambda at=at: peer.find(at, 5))[1] * 1_000 for at in range(40)]  # type: ignore[misc]
    print(f"  peer over its newest 200: p50 {np.median(spent):.1f} ms   p99 {np.quantile(spent, 0.99):.1f} ms of CPU")


def dense_speed(number: int, bars: Bars) -> None:
    """Print the time of an exact search over so many vectors of 384 dimensions."""
    rng = np.random.default_rng(3)
    vectors = Vectors(rng.standard_normal((number, 384), np.float32))
    queries = rng.standard_normal((30, 384), np.float32)
    spent = [_timed(lambda query=query: vectors.similar(query))[1] * 1_000 for query in queries]  # type: ignore[misc]
    bars.check(f"exact over {number} vectors, p50 ms", float(np.median(spent)), "speed", "exact_dense_500k", most=True)


def copies(runs: Sequence[Labelled], number: int) -> Iterator[Bundle]:
    """Yield so many different bundles."""
    rng = np.random.default_rng(2)
    words = np.array(" ".join(step_text(step) for one in runs for step in one.bundle.trajectory.steps).split())

    def mixed(text: str) -> str:
        parts = np.array(text.split() or ["nothing"], object)
        parts[rng.random(len(parts)) < 1 / 3] = rng.choice(words)
        return " ".join(parts)

    for at in range(number):
        bundle = runs[at % len(runs)].bundle
        found, steps = bundle.diagnoses[0], bundle.trajectory.steps
        near = tuple(
            step.model_copy(update={"output": mixed(step_text(step))}) for step in steps[max(0, found.step - 1) :][:3]
        )
        told = found.model_copy(update={"step": 0, "explanation": mixed(found.explanation)})
        run = bundle.trajectory.model_copy(update={"steps": near, "task": Task(id=str(at))})
        yield Bundle(trajectory=run, diagnoses=(told,))


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    """Return what work returns, and the seconds of CPU it took."""
    started = time.process_time()
    done = work()
    return done, time.process_time() - started


class Bars:
    """The bars of `retrieval.toml`, and which were missed."""

    def __init__(self) -> None:
        self.bars: dict[str, dict[str, float]] = tomllib.loads((HERE / "retrieval.toml").read_text())
        self.missed = 0
        for path in ("bench/retrieval.toml", "bench/held_out.jsonl", "hub/memory/floor.py"):
            commit, changed = _git("log", "-1", "--format=%h %cI", "--", path), _git("status", "--short", "--", path)
            print(f"{path}: {commit or 'no commit'}{', changed since' if changed else ''}")

    def check(self, what: str, value: float, table: str, name: str, *, most: bool = False) -> None:
        """Print a number beside its bar."""
        bar = self.bars[table][name]
        reached = value <= bar if most else value >= bar
        self.missed += not reached
        print(f"  {'ok    ' if reached else 'MISSED'} {what}: {value:.3f} ({'at most' if most else 'at least'} {bar})")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=HERE.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def main() -> None:
    """Run the benchmark; exit 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with agentrx, who-and-when and other logs")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="JSON Lines of labelled runs, measured as well")
    parser.add_argument("--speed", type=int, metavar="CASES", help="also time so many cases, and 500,000 vectors")
    options = parser.parse_args()
    bars = Bars()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        failures, roots = agentrx(options.data / "agentrx")
        compare("AgentRx failures", without_repeats(failures), folder / "failures", bars)
        compare("AgentRx root causes", roots, folder / "roots", bars)
        if options.labels:
            compare(options.labels.name, without_repeats(from_file(options.labels)), folder / "labels", bars)
        abstention(options.data, folder, bars)
        if options.speed:
            speed(options.speed, options.data, folder, bars)
            dense_speed(500_000, bars)
    raise SystemExit(bars.missed > 0)


if __name__ == "__main__":
    main()
