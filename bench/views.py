"""Views and the ranker on real logs.

`python bench/views.py --data DIR` ranks steps of labelled group chats: grouped cross-validation beside position, and
transfer between subsets, in per cent with 95 % intervals over source tasks. `--counts` builds every view of every
labelled log instead, certified on paper, and prints what was admitted and refused by source.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from errorhub.hub.bundle import Bundle, Outcome
from errorhub.hub.bundle.bundle import Rights
from errorhub.hub.importers import Imported, read_log, walk
from errorhub.hub.labels import labelled as labelled_by
from errorhub.hub.labels import of_run, read_labels
from errorhub.scrubber import Receipt
from errorhub.training import Case, Gold, Prediction, Protocol, evaluate
from errorhub.training.features import Run, run_of
from errorhub.training.ranker import Kind, Ranker, cross_validated
from errorhub.views import VIEWS, Plan, build, of_bundles

Labelled = list[tuple[Case, Run]]


def labelled(folder: Path) -> Labelled:
    """Return every run of Who&When with its label, read by our importer. The family is the subset."""
    found = []
    for path in sorted(folder.glob("*/*.json")):
        for one in read_log(path):
            if isinstance(one, Imported) and one.bundle.diagnoses:
                run, label = run_of(one.bundle, f"{path.parent.name}/{path.name}"), one.bundle.diagnoses[0]
                gold = (Gold(label.step, label.agent),)
                found.append((Case(run.id, run.task, path.parent.name, len(run.texts), run.agents, gold), run))
    return found


def grouped(data: Labelled, seeds: int) -> dict[str, dict[str, Prediction]]:
    """Return out-of-fold answers of every kind of ranker and seed."""
    runs, gold = [run for _, run in data], [case.golds[0].step for case, _ in data]
    kinds: tuple[Kind, ...] = ("boosted", "relative", "position")
    return {
        f"{kind} {seed}": cross_validated(runs, gold, kind=kind, seed=seed) for kind in kinds for seed in range(seeds)
    }


def transfer(data: Labelled, source: str, target: str, kind: Kind) -> dict[str, Any]:
    """Learn from one subset, its tasks that occur in the other left out, and score on the other."""
    test = [(case, run) for case, run in data if case.family == target]
    tasks = {case.task for case, _ in test}
    train = [(case, run) for case, run in data if case.family == source and case.task not in tasks]
    ranker = Ranker(kind).fit([run for _, run in train], [case.golds[0].step for case, _ in train])
    cases = [case for case, _ in test]
    scores = evaluate(cases, {"ranker": {run.id: ranker.answer(run) for _, run in test}})
    return scores | {"train": len(train)}


def certified(bundle: Bundle) -> Bundle:
    """Return a bundle with a licence and a receipt, as if it had been scrubbed: what is counted are the views."""
    held = bundle.replace(rights=Rights(license="MIT"))
    return held.replace(receipt=Receipt(policy="none", policy_digest="", scrubber="none", digest=held.certified_digest))


def with_labels(data: Path) -> Iterator[Bundle]:
    """Yield every run that has a diagnosis or a repair, AgentRx with its labels and its outcome (all failed)."""
    folders = {path: [] for path in sorted(data.iterdir()) if path.is_dir() and path.name != "agentrx"}
    folders |= {path.parent: read_labels(path) for path in sorted(data.glob("agentrx/*/ground_truth.json"))}
    for folder, labels in folders.items():
        for path in walk([folder]):
            for one in read_log(path):
                if isinstance(one, Imported):
                    given = [label for number in of_run(one.bundle, labels) for label in labels[number]]
                    bundle = labelled_by(one.bundle, given)[0]
                    if given and bundle.trajectory.outcome.status == "unknown":
                        failed = Outcome(status="failed", source="human")
                        bundle = bundle.replace(trajectory=bundle.trajectory.replace(outcome=failed))
                    if bundle.diagnoses or bundle.repairs:
                        yield certified(bundle)


def counts(data: Path) -> None:
    """Print rows and refusals a view and source."""
    bundles = {one.bundle_id: one for one in with_labels(data)}
    with TemporaryDirectory() as folder:
        report = build(of_bundles(bundles.values()), Plan(VIEWS), Path(folder))
    print(f"{len(bundles)} runs with a diagnosis or a repair")
    for view, one in report["views"].items():
        print(
            f"{view}: {one['rows']} rows, refused {one['refused']}, runs with conflicting labels {one['conflicting']}"
        )
        for source, found in one["sources"].items():
            print(f"   {source:14} {found}")


def row(name: str, scores: dict[str, Any]) -> None:
    """Print one line of scores in per cent."""
    cells = []
    for metric in ("agent", "exact", "near", "joint"):
        low, high = scores["interval"][metric] or (np.nan, np.nan)
        cells.append(f"{metric} {100 * scores[metric]:5.1f} [{100 * low:5.1f}, {100 * high:5.1f}]")
    print(f"{name:28}", "  ".join(cells), flush=True)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--counts", action="store_true")
    options = parser.parse_args()
    if options.counts:
        counts(options.data)
        return
    data = labelled(options.data / "who-and-when")
    cases = [case for case, _ in data]
    print(f"grouped 5-fold cross-validation: {len(cases)} runs of {len({case.task for case in cases})} questions")
    said = grouped(data, options.seeds)
    for kind in ("boosted", "relative", "position"):
        mine = {name: one for name, one in said.items() if name.startswith(kind)}
        scores = evaluate(cases, mine, Protocol(seeds=len(mine) > 1), extra={"trees": said["position 0"]})
        row(f"{kind}, mean of {len(mine)} seeds", scores)
        head = "mean of seeds" if len(mine) > 1 else f"{kind} 0"
        row("  minus rule of position", scores["paired"][f"{head} - position"])
        row("  minus position trees", scores["paired"][f"{head} - trees"])
        print("   by subset:", {name: f"{100 * one['joint']:.1f}" for name, one in scores["macro"]["groups"].items()})
    for name in ("constant", "position", "random"):
        row(f"({name})", scores["baselines"][name])
    for source, target in (("Algorithm-Generated", "Hand-Crafted"), ("Hand-Crafted", "Algorithm-Generated")):
        for kind in ("boosted", "relative"):
            result = transfer(data, source, target, "relative" if kind == "relative" else "boosted")
            row(f"{source[0]}G→{target[0]} {kind} ({result['train']})", result)


if __name__ == "__main__":
    main()
