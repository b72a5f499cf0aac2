"""How well the memory finds cases of the same failure mode, and how well it keeps silent.

    python bench/retrieval.py --data ../shared/data [--speed 50000]

Relevant = same AgentRx category. Candidates of the query's own trajectory are left out; repeated texts go first (equal
terms, then Jaccard .9). Intervals: 95 %, bootstrap over queries. Abstention is judged on sets that carry no category.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
from labelled import Labelled, agentrx, docstrings, foreign_logs, pairs, unrelated, who_and_when
from numpy.typing import NDArray

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Task
from errorhub.hub.memory import Memory, Pile, Place, Query
from errorhub.hub.memory.search import Search
from errorhub.hub.memory.window import flatten, step_text
from errorhub.hub.memory.words import terms

DEPTH = 10
Scorer = Callable[[int], NDArray[np.float32]]


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


def measure(name: str, items: Sequence[Labelled], scorer: Scorer) -> None:
    """Print nDCG@10, recall@10 and MRR of one way to score."""
    rows, rng = [], np.random.default_rng(0)
    for at, item in enumerate(items):
        candidates = [other for other, one in enumerate(items) if one.group != item.group]
        relevant = {other for other in candidates if items[other].mode == item.mode}
        if relevant:
            scores = scorer(at)
            ranked = sorted(candidates, key=lambda other: (-scores[other], items[other].bundle.bundle_id))
            rows.append(_metrics([other in relevant for other in ranked], len(relevant)))
    values = np.array(rows)
    draws = np.array([values[rng.integers(0, len(values), len(values))].mean(axis=0) for _ in range(1_000)])
    low, high = np.quantile(draws, [0.025, 0.975], axis=0)
    parts = zip(("nDCG@10", "recall@10", "MRR"), values.mean(axis=0), low, high, strict=True)
    print(f"  {name:<18}" + "   ".join(f"{what} {mean:.3f} [{a:.3f}, {b:.3f}]" for what, mean, a, b in parts))


def _metrics(hits: Sequence[bool], relevant: int) -> tuple[float, float, float]:
    gains = 1 / np.log2(np.arange(2, DEPTH + 2))
    top = np.array(hits[:DEPTH], float)
    first = hits.index(True) if True in hits else len(hits)
    ideal = gains[: min(DEPTH, relevant)].sum()
    return float((top * gains[: len(top)]).sum() / ideal), float(top.sum() / relevant), 1 / (first + 1)


def compare(title: str, items: Sequence[Labelled], folder: Path) -> None:
    """Measure the memory beside its baselines."""
    print(f"{title}: {len(items)} diagnoses, {len({item.group for item in items})} runs")
    memory = open_memory([item.bundle for item in items], folder)
    runs, found = [item.bundle.trajectory for item in items], [item.bundle.diagnoses[0] for item in items]
    random = np.random.default_rng(1)
    measure("random", items, lambda at: random.random(len(items), np.float32))
    measure("goal", items, plain([run.task.goal or "" for run in runs]))
    measure("whole trajectory", items, plain(["\n".join(flatten(step.output) for step in run.steps) for run in runs]))
    measure("plain BM25", items, plain([f"{one.agent} {one.explanation}" for one in found]))
    queries = [Query.from_bundle(item.bundle) for item in items]
    traces = [Query("log", query.traced, query.traced) for query in queries]
    measure("memory, bundle", items, lambda at: Search(memory.corpus, queries[at]).scores)
    measure("memory, window", items, lambda at: Search(memory.corpus, traces[at]).scores)


def plain(texts: Sequence[str]) -> Scorer:
    """Score by bm25s as it comes, over these texts."""
    import bm25s

    tokens = [terms(text[:20_000]) or [""] for text in texts]
    model = bm25s.BM25()
    model.index(tokens, show_progress=False)
    return lambda at: model.get_scores(sorted(set(tokens[at])))


def abstention(data: Path, folder: Path) -> None:
    """Print how often related and unrelated queries are answered, over corpora of three sizes."""
    runs, (cases, logs), (texts, strange) = who_and_when(data / "who-and-when"), pairs(), unrelated()
    other = {f"{name} logs": list(map(Query.from_log, found)) for name, found in foreign_logs(data).items()}
    known = list(map(Query.from_log, logs))
    said = [Query.from_text("\n".join(map(step_text, log.steps[-3:]))) for log in logs]
    unlike = {"prose": list(map(Query.from_text, texts)), "docstrings": list(map(Query.from_text, docstrings()))}
    unlike |= {"logs": list(map(Query.from_log, strange)), **other}
    for corpus in (cases[:1], cases, [*runs, *cases]):
        memory = open_memory([one.bundle for one in corpus], folder / str(len(corpus)))
        like = {"failing logs": known[: len(corpus)], "the same as text": said[: len(corpus)]}
        if len(corpus) > len(cases):
            like["Who&When diagnoses"] = [Query.from_bundle(one.bundle) for one in runs]
        print(f"answered, of {len(corpus)} cases")
        for kind, sets in (("related", like), ("unrelated", unlike)):
            for name, queries in sets.items():
                number = sum(not memory.similar(query).abstained for query in queries)
                print(f"  {kind:<10} {name:<20} {number:>4} of {len(queries):<4} {number / len(queries):>6.1%}")


def speed(number: int, data: Path, folder: Path) -> None:
    """Print build and query times over copies of real cases in which every third word is another one."""
    runs = who_and_when(data / "who-and-when")
    bundles = list(copies(runs, number))
    names = [bundle.bundle_id for bundle in bundles]
    started = time.process_time()
    memory = open_memory(bundles, folder / "speed")
    print(f"{len(names)} cases, {memory.documents} documents, indexed in {time.process_time() - started:.1f} s of CPU")
    texts = [Query.from_text(one.bundle.diagnoses[0].explanation) for one in runs]
    for form, queries in (("text", texts), ("bundle", [Query.from_bundle(one.bundle) for one in runs])):
        spent = [_milliseconds(memory, query) for query in queries]
        print(f"  {form:<8} p50 {np.median(spent):.1f} ms   p99 {np.quantile(spent, 0.99):.1f} ms of CPU")


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


def _milliseconds(memory: Memory, query: Query) -> float:
    started = time.process_time()
    memory.similar(query)
    return (time.process_time() - started) * 1_000


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with agentrx, who-and-when and other logs")
    parser.add_argument("--speed", type=int, metavar="CASES", help="also time so many cases")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        failures, roots = agentrx(options.data / "agentrx")
        compare("AgentRx failures", without_repeats(failures), folder / "failures")
        compare("AgentRx root causes", roots, folder / "roots")
        abstention(options.data, folder)
        if options.speed:
            speed(options.speed, options.data, folder)


if __name__ == "__main__":
    main()
