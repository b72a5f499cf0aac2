"""Measure what stays learnable after scrubbing: retrieval, grounding, structure and text against the unscrubbed runs.

    python bench/utility.py --data FOLDER

FOLDER holds real agent logs with labelled failures (who-and-when, agentrx) and without (mini-swe-agent, tau-bench). The
goal for policy share is 97 % of every measure; strict drops inputs and is printed for comparison. A measure is a
function from the runs before and after to a share, so whatever learns from bundles can be added to `MEASURES`.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from learnable import admission, admitted, ranker
from retrieval import open_memory

from errorhub.hub.bundle import Bundle, Provenance, Step, grounded
from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.errors import RecordError
from errorhub.hub.importers import Refused, read_log
from errorhub.hub.memory import Memory, Query
from errorhub.hub.scrub import scrubbed
from errorhub.scrubber import Policy, ScrubError, Vault

GOAL = 0.97
HITS = 5
WORD = re.compile(r"\w+")

Runs = Sequence[Bundle]
Measure = Callable[[Runs, Runs], float]
"""The runs before and after, in the same order -> the share that is kept."""


def retrieval(before: Runs, after: Runs) -> float:
    """Share of the cases that `similar` finds before scrubbing that it also finds after, by diagnosis."""
    return _overlap(before, after, Query.from_bundle, Query.from_bundle)


def retrieval_by_log(before: Runs, after: Runs) -> float:
    """The same for somebody who asks with an unscrubbed run of their own."""
    queries = {two.bundle_id: _as_log(one) for one, two in zip(before, after, strict=True)}
    return _overlap(before, after, _as_log, lambda two: queries[two.bundle_id])


def first_case(before: Runs, after: Runs) -> float:
    """Share of queries by diagnosis whose first case is still among those found."""
    return _overlap(before, after, Query.from_bundle, Query.from_bundle, first=1)


def grades(before: Runs, after: Runs) -> float:
    """Share of diagnoses that keep their grade, of those that were not rejected."""
    pairs = [pair for one, two in zip(before, after, strict=True) for pair in zip(one.grades, two.grades, strict=True)]
    kept = [old == new for old, new in pairs if old != "rejected"]
    return _share(sum(kept), len(kept))


def structure(before: Runs, after: Runs) -> float:
    """Share of steps with the same place, kind, role, agent, tool, call and parent."""
    pairs = [
        (_frame(old), _frame(new))
        for one, two in zip(before, after, strict=True)
        for old, new in zip(one.trajectory.steps, two.trajectory.steps, strict=True)
    ]
    return _share(sum(old == new for old, new in pairs), len(pairs))


def text(before: Runs, after: Runs) -> float:
    """Share of the characters of words that are still there."""
    kept = total = 0
    for one, two in zip(before, after, strict=True):
        old, new = _words(one), _words(two)
        total += sum(len(word) * count for word, count in old.items())
        kept += sum(len(word) * count for word, count in (old & new).items())
    return _share(kept, total)


MEASURES: dict[str, Measure] = {
    "retrieval by diagnosis": retrieval,
    "its first case": first_case,
    "retrieval by raw log": retrieval_by_log,
    "grounding grades": grades,
    "steps, roles, tools, calls": structure,
    "characters": text,
    "rows of diagnosis views": admission,
}


def runs(data: Path, most: int) -> list[Bundle]:
    """Read real runs, labelled ones first."""
    found: list[Bundle] = []
    for name in ("who-and-when", "agentrx", "mini-swe-agent", "tau-bench"):
        group = [run for run in _read(data / name) if len(run.trajectory.steps) > 1]
        found += group[:most]
    unique = {bundle.trajectory_id: bundle for bundle in found}
    return [grounded(one.replace(provenance=Provenance(origin_key=name))) for name, one in unique.items()]


def scrub_all(before: Runs, policy: Policy) -> tuple[list[Bundle], list[Bundle]]:
    """Return the runs that could be scrubbed, before and after."""
    vault, rules = Vault(bytes(32)), policy.with_paths(**PATHS)
    pairs = []
    for bundle in before:
        try:
            pairs.append((bundle, scrubbed(bundle, rules, vault)))
        except (ScrubError, RecordError) as problem:
            print(f"  refused {bundle.provenance.file}: {problem}", file=sys.stderr)
    return [one for one, _ in pairs], [two for _, two in pairs]


def main() -> None:
    """Run the benchmark; exit 1 when policy share is below the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data", metavar="FOLDER")
    parser.add_argument("--most", type=int, default=60, help="runs read of one source")
    options = parser.parse_args()
    before = runs(options.data, options.most)
    steps, diagnoses = (
        sum(len(part(one)) for one in before) for part in (lambda b: b.trajectory.steps, lambda b: b.diagnoses)
    )
    print(f"{len(before)} runs, {steps} steps, {diagnoses} diagnoses; per cent of unscrubbed")
    for view, one in admitted(before).items():
        print(f"      {view}: {one['rows']} rows, refused {one['refused']}")
    share, strict, good = Policy.load("share"), Policy.load("strict"), True
    for title, policy in (("share without names", share.without_names()), ("share", share), ("strict", strict)):
        old, new = scrub_all(before, policy)
        print(f"{title}: {len(new)} of {len(before)} runs")
        for name, measure in MEASURES.items():
            kept = measure(old, new)
            mark = "   " if policy is strict else "ok " if kept >= GOAL else "LOW"
            good &= mark != "LOW"
            print(f"  {mark} {name:<28} {kept:7.2%}")
        for view, one in admitted(new).items():
            print(f"      {view}: {one['rows']} rows, refused {one['refused']}")
        print("\n".join(f"      {line}" for line in ranker(old, new)))
    sys.exit(0 if good else 1)


def _read(folder: Path) -> Iterator[Bundle]:
    for path in sorted(path for path in folder.rglob("*.json*") if path.is_file()):
        yield from (one.bundle for one in read_log(path) if not isinstance(one, Refused))


def _overlap(
    before: Runs, after: Runs, ask: Callable[[Bundle], Query], again: Callable[[Bundle], Query], first: int = HITS
) -> float:
    with tempfile.TemporaryDirectory() as place:
        raw, clean = (open_memory(group, Path(place) / name) for name, group in (("a", before), ("b", after)))
        same = wanted = 0
        for one, two in zip(before, after, strict=True):
            hits = set(_hits(raw, ask(one), before)[:first])
            same += len(hits.intersection(_hits(clean, again(two), after)))
            wanted += len(hits)
    return _share(same, wanted)


def _as_log(bundle: Bundle) -> Query:
    return Query.from_log(bundle.trajectory, origin_key=bundle.provenance.origin_key)


def _hits(memory: Memory, query: Query, group: Runs) -> list[int]:
    places = {bundle.bundle_id: number for number, bundle in enumerate(group)}
    return [places[hit.bundle_id] for hit in memory.similar(query, HITS).hits]


def _frame(step: Step) -> tuple[Any, ...]:
    return step.kind, step.role, step.agent, step.tool, step.call_id, step.parent


def _words(bundle: Bundle) -> Counter[str]:
    return Counter(WORD.findall("\n".join(map(str, _leaves(bundle.document()["trajectory"])))))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from (leaf for item in value.items() for part in item for leaf in _leaves(part))
    elif isinstance(value, list):
        yield from (leaf for item in value for leaf in _leaves(item))
    elif value is not None:
        yield value


def _share(good: float, total: float) -> float:
    return good / total if total else 1.0


if __name__ == "__main__":
    main()
