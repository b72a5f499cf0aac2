"""How well the memory finds cases of the same failure mode, and how well it keeps silent.

    python bench/retrieval.py --data ../shared/data [--speed 50000] [--labels FILE.jsonl]

Relevant = same AgentRx category. Candidates of the query's own trajectory are left out; repeated texts go first (equal
terms, then Jaccard .9). Intervals: 95 %, bootstrap over queries; differences are paired. A *ranking* orders all
candidates; an *answer* is what `similar` gives for k = 10: where it keeps silent, it counts as empty. Abstention is
judged on sets that carry no category. The bars stand in `retrieval.toml`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from abstention import abstention, open_memory, unrelated_sets
from bars import Bars
from labelled import Labelled, agentrx, from_file, who_and_when
from natural import natural
from numpy.typing import NDArray
from peer import Peer

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Task
from errorhub.hub.memory import Memory, Pile, Place, Query
from errorhub.hub.memory.dense import Vectors
from errorhub.hub.memory.search import Search
from errorhub.hub.memory.window import flatten, step_text, window_text
from errorhub.hub.memory.words import terms

DEPTH = 10
SHARED = Path(__file__).parents[2] / "shared" / "data"
T = TypeVar("T")
Floats = NDArray[np.float32]
Scorer = Callable[[int], Floats]
Split = Callable[[Sequence[str]], list[list[str]]]


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
    told = [f"{one.agent} {one.explanation}" for one in found]
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
        "plain BM25": plain(told),
    }
    reached = {name: measure(name, items, scorer) for name, scorer in baselines.items()}
    queries = [Query.from_bundle(item.bundle) for item in items]
    ours = measure("memory, bundle", items, lambda at: Search(memory.corpus, queries[at]).scores)
    for name, values in reached.items():
        low, high = interval(ours - values)
        bars.check(
            f"{title}, less {name} [{low:+.3f}, {high:+.3f}]", float((ours - values).mean()), "quality", "at_least"
        )
    low, high = interval(ours - measure("BM25, our terms", items, plain(told, split=_our_terms)))
    print(f"  beyond its terms, the memory adds {low:+.3f} to {high:+.3f}")
    answers(title, items, memory, bars)


def answers(title: str, items: Sequence[Labelled], memory: Memory, bars: Bars) -> None:
    """Measure what is answered, form by form; the raw error step beside what BM25 finds of it in the diagnoses."""
    found = [(item.bundle.trajectory, item.bundle.diagnoses[0]) for item in items]
    steps = [flatten(run.steps[one.step].output) for run, one in found]
    forms = {
        "bundle": [Query.from_bundle(item.bundle) for item in items],
        "explanation": [Query.from_text(one.explanation) for _, one in found],
        "raw error step": [Query.from_text(text) for text in steps],
        "error window": [Query.from_text(window_text(run, one.step)) for run, one in found],
        "log": [Query.from_log(run) for run, _ in found],
    }
    modes = {item.bundle.bundle_id: item.mode for item in items}
    reached = {}
    for form, queries in forms.items():
        rows, silent = [], 0
        for item, query in zip(items, queries, strict=True):
            relevant = sum(other.mode == item.mode and other.group != item.group for other in items)
            answer = memory.similar(replace(query, trajectory_id=item.bundle.trajectory_id), DEPTH)
            silent += answer.abstained
            if relevant:
                rows.append(_metrics([modes[hit.bundle_id] == item.mode for hit in answer.hits], relevant)[0])
        reached[form] = np.array(rows)
        low, high = interval(reached[form])
        print(f"  answer, {form:<16} nDCG@10 {np.mean(rows):.3f} [{low:.3f}, {high:.3f}]   silent {silent}")
    told = [f"{one.agent} {one.explanation}" for _, one in found]
    cross = measure("BM25, raw step", items, plain(told, steps, split=_our_terms))
    bars.check(
        f"{title}, raw error step less BM25", float((reached["raw error step"] - cross).mean()), "quality", "at_least"
    )


def _as_it_comes(texts: Sequence[str]) -> list[list[str]]:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    return bm25s.tokenize(list(texts), stopwords="en", stemmer=stemmer, return_ids=False, show_progress=False)  # type: ignore[no-any-return]


def _our_terms(texts: Sequence[str]) -> list[list[str]]:
    return [terms(text) for text in texts]


def plain(texts: Sequence[str], queries: Sequence[str] | None = None, *, split: Split = _as_it_comes) -> Scorer:
    """Score by bm25s as it comes, over these texts; each is its own query unless others are given."""
    import bm25s

    tokens = split([text[:20_000] for text in texts])
    model = bm25s.BM25()
    model.index([one or [""] for one in tokens], show_progress=False)
    asked = tokens if queries is None else split([text[:8_000] for text in queries])
    return lambda at: model.get_scores(sorted(set(asked[at])) or [""])


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
    """Print the time of an exact search over so many vectors of 384 dimensions, by the clock: all cores take part."""
    rng = np.random.default_rng(3)
    vectors = Vectors(rng.standard_normal((number, 384), np.float32))
    queries = rng.standard_normal((30, 384), np.float32)
    spent, cpu = [], []
    for query in queries:
        started = time.perf_counter()
        cpu.append(_timed(lambda query=query: vectors.similar(query))[1] * 1_000)  # type: ignore[misc]
        spent.append((time.perf_counter() - started) * 1_000)
    bars.check(f"exact over {number} vectors, p50 ms", float(np.median(spent)), "speed", "exact_dense_500k", most=True)
    print(f"  on {os.cpu_count()} cores, {np.median(cpu):.1f} ms of CPU")


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


def main() -> None:
    """Run the benchmark; exit 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with agentrx, who-and-when and other logs")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="JSON Lines of labelled runs, measured as well")
    parser.add_argument("--speed", type=int, metavar="CASES", help="also time so many cases, and 500,000 vectors")
    parser.add_argument("--calibrate", action="store_true", help="leave the fresh queries alone")
    options = parser.parse_args()
    bars = Bars()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        failures, roots = agentrx(options.data / "agentrx")
        compare("AgentRx failures", without_repeats(failures), folder / "failures", bars)
        compare("AgentRx root causes", roots, folder / "roots", bars)
        if options.labels:
            compare(options.labels.name, without_repeats(from_file(options.labels)), folder / "labels", bars)
    natural(
        {
            "AgentRx, failures": without_repeats(failures),
            "AgentRx, root causes": roots,
            "Who&When": who_and_when(options.data / "who-and-when"),
        },
        unrelated_sets("seen", options.data)
        | {f"fresh {kind}": asked for kind, asked in unrelated_sets("fresh", options.data).items()},
        bars,
    )
    abstention(options.data, ("calibration", "seen", "fresh")[: 2 + (not options.calibrate)], bars)
    with tempfile.TemporaryDirectory() as place:
        if options.speed:
            speed(options.speed, options.data, Path(place), bars)
            dense_speed(500_000, bars)
    raise SystemExit(bars.missed > 0)


if __name__ == "__main__":
    main()
