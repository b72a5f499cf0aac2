"""How well induction finds the failure modes that people labelled, beside baselines and a peer.

    python bench/induction.py --data ../shared/data [--speed] [--labels FILE.jsonl]
    python bench/induction.py --tune agentrx imported [--test labels --labels FILE.jsonl]

Labels = AgentRx categories, which induction does not see. Repeated texts go first, as in retrieval. Baselines: as many
random clusters as ours, one cluster, the name of the agent, TF-IDF with average linkage (its threshold chosen on
Who&When, as ours were), and agentdebugx's inducer without a minimum support. Intervals: 95 %, jackknife over runs;
differences are paired. Bars, grid and rule stand in `induction.toml`; `--tune` says what they choose on some sets and
measures that on others.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from bars import Bars
from induction_scores import Ints, Scores, intervals, scores
from induction_tuning import choose
from labelled import Labelled, agentrx, category, from_file, who_and_when
from retrieval import without_repeats

from errorhub.hub.intake import intake
from errorhub.hub.taxonomy import fold
from errorhub.induction import Finding, Settings, findings, propose

SHARED = Path(__file__).parents[2] / "shared" / "data"
SETTLED = ("bench/induction.toml", "bench/induction_tuning.py", "induction/settings.py", "hub/taxonomy/vocabulary.toml")
LIMIT = 60.0
"""Seconds of CPU after which a baseline is not asked for more items."""
Method = Callable[[Sequence[Finding]], Ints]


def ours(found: Sequence[Finding], settings: Settings | None = None) -> Ints:
    """Return the cluster of each finding."""
    ended = propose(found, taxonomy=fold(()), settings=settings).assignments
    places = {one.diagnosis_id: one.cluster for one in ended}
    return _numbers([places[one.diagnosis_id] for one in found])


def random(found: Sequence[Finding]) -> Ints:
    """Return as many random clusters as ours."""
    return np.random.default_rng(0).integers(0, int(ours(found).max()) + 1, len(found))


def linked(found: Sequence[Finding], threshold: float = 0.93) -> Ints:
    """Return clusters of TF-IDF with average linkage."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform([one.text for one in found])
    apart = np.clip(1 - (rows @ rows.T).toarray(), 0, None)
    model = AgglomerativeClustering(None, metric="precomputed", linkage="average", distance_threshold=threshold)
    return np.asarray(model.fit_predict(apart), np.int64)


def peer(found: Sequence[Finding]) -> Ints:
    """Return the clusters of agentdebugx's inducer in the order of the findings, every one of them kept."""
    from agentdebug import FailureObservation, TaxonomyInducer

    inducer = TaxonomyInducer(min_support=1, max_proposals=len(found))
    seen = [FailureObservation(text=one.text, trace_id=str(at), agent_name=one.agent) for at, one in enumerate(found)]
    numbers = np.zeros(len(found), np.int64)
    for number, cluster in enumerate(inducer._cluster(seen)):
        numbers[[int(one.trace_id or 0) for one in cluster]] = number
    return numbers


BASELINES: dict[str, Method] = {
    "random": random,
    "one cluster": lambda found: np.zeros(len(found), np.int64),
    "agent name": lambda found: _numbers([one.agent for one in found]),
    "TF-IDF, average": linked,
    "peer": peer,
}


def compare(title: str, items: Sequence[Labelled], bars: Bars, settings: Settings) -> None:
    """Print agreement with the labels of ours and of each baseline, then how stable ours and the peer's are."""
    found = read(items)
    labels, groups = [item.mode for item in items], [item.group for item in items]
    print(f"{title}: {len(items)} diagnoses, {len(set(groups))} runs, {len(set(labels))} labels")
    mine, others = ours(found, settings), {name: method(found) for name, method in BASELINES.items()}
    reached = {name: scores(one, labels, groups) for name, one in {**others, "ours": mine}.items()}
    for name, one in reached.items():
        print(f"  {name:<16}{one}")
    (low, high), spans = intervals(others, mine, labels, groups)
    bars.check(f"AMI [{low:.3f}, {high:.3f}]", reached["ours"].ami, "quality", "ami")
    for name, (low, high) in spans.items():
        less = reached["ours"].ami - reached[name].ami
        bars.check(f"AMI less {name} [{low:+.3f}, {high:+.3f}]", less, "quality", "less_baselines")
    bars.check("purity", reached["ours"].purity, "quality", "purity")
    bars.check("coverage", reached["ours"].coverage, "quality", "coverage")
    order, resample = stability(found, partial(ours, settings=settings))
    print("  peer: order ARI {:.3f}, resample ARI {:.3f}".format(*stability(found, peer)))
    bars.check("order ARI", order, "stability", "order")
    bars.check("resample ARI", resample, "stability", "resample")


def read(items: Sequence[Labelled]) -> list[Finding]:
    """Return one finding an item, with everybody in its run."""
    return [replace(one, agents=item.bundle.trajectory.agents) for item in items for one in findings([item.bundle])]


def tune(items: Sequence[Sequence[Labelled]], unlabelled: Sequence[Labelled], bars: Bars) -> Settings:
    """Return what grid and rule choose on some sets."""
    found, others = [read(one) for one in items], read(unlabelled)
    said = [([one.mode for one in each], [one.group for one in each]) for each in items]
    best = [max(scores(f(one), *at).ami for f in BASELINES.values()) for one, at in zip(found, said, strict=True)]

    def settled(values: dict[str, float]) -> Settings:
        return Settings.model_validate({**values, "draws": 1, "limit": 1})

    def measure(values: dict[str, float]) -> list[Scores]:
        return [scores(ours(one, settled(values)), *at) for one, at in zip(found, said, strict=True)]

    def stable(values: dict[str, float]) -> float:
        method = partial(ours, settings=settled(values))
        return min(stability(one, method, draws=20)[1] for one in [*found, others])

    values, purity, least = choose(bars.bars["grid"], measure, stable, baselines=best, bars=bars.bars["quality"])
    print(f"chosen: {values}, purity with its neighbours {purity:.3f}")
    bars.check("resample ARI, the least", least, "stability", "resample")
    return Settings.model_validate(values)


def imported(folder: Path) -> Iterator[Labelled]:
    """Yield the failures as `import --labels` explains them: with the reason for the category, without the category."""
    for name, logs in (("magentic", "."), ("tau_retail", "failed_runs.json")):
        for bundle, _ in intake([folder / name / logs], None, labels=folder / name / "ground_truth.json").bundles:
            for one in bundle.diagnoses:
                mode = category(one.mode.text or one.mode.id) if one.mode else ""
                plain = bundle.replace(diagnoses=(one.replace(mode=None),))
                yield Labelled(plain, bundle.trajectory_id, mode)


def stability(found: Sequence[Finding], method: Method, draws: int = 10) -> tuple[float, float]:
    """Return the mean ARI with clusters of shuffled input, and with those of 80 % of it."""
    from sklearn.metrics import adjusted_rand_score

    whole, order, part = method(found), [], []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        mixed = rng.permutation(len(found))
        order.append(adjusted_rand_score(whole[mixed], method([found[at] for at in mixed])))
        drawn = np.sort(rng.choice(len(found), round(0.8 * len(found)), replace=False))
        part.append(adjusted_rand_score(whole[drawn], method([found[at] for at in drawn])))
    return float(np.mean(order)), float(np.mean(part))


def speed(items: Sequence[Labelled], bars: Bars) -> None:
    """Print seconds of CPU over copies of real findings in which every third word is another one."""
    real = [one for item in items for one in findings([item.bundle])]
    asked = True
    for number in (1_000, 10_000, 50_000):
        copied = list(copies(real, number))
        spent = _timed(ours, copied)
        theirs = _timed(peer, copied) if asked else float("inf")
        asked = theirs * 10 < LIMIT
        print(f"  {number:>6} findings: ours {spent:.1f} s of CPU, peer {theirs:.1f} s")
        if number > 1_000:
            bars.check(f"{number} findings, s", spent, "speed", f"of_{number}", most=True)


def copies(real: Sequence[Finding], number: int) -> Iterator[Finding]:
    """Yield so many different findings, each of a run and task of its own."""
    rng = np.random.default_rng(2)
    words = np.array(" ".join(one.text for one in real).split())
    for at in range(number):
        one = real[at % len(real)]
        parts = np.array(one.text.split() or ["nothing"], object)
        parts[rng.random(len(parts)) < 1 / 3] = rng.choice(words)
        name = f"{at:064x}"
        yield replace(one, text=" ".join(parts), diagnosis_id=name, trajectory_id=name, task=str(at))


def _timed(method: Method, found: Sequence[Finding]) -> float:
    started = time.process_time()
    method(found)
    return time.process_time() - started


def _numbers(names: Sequence[str]) -> Ints:
    return np.unique(names, return_inverse=True)[1].astype(np.int64)


def main() -> None:
    """Run the benchmark; exit 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with agentrx and who-and-when")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="JSON Lines of labelled runs, measured as well")
    parser.add_argument("--speed", action="store_true", help="also time 1,000, 10,000 and 50,000 findings")
    parser.add_argument("--tune", nargs="+", default=[], metavar="SET", help="choose the settings on these sets")
    parser.add_argument("--test", nargs="+", metavar="SET", help="agentrx, imported, labels; all there are by default")
    options = parser.parse_args()
    bars, agents = Bars("induction.toml", SETTLED), options.data / "agentrx"
    sets = {"agentrx": without_repeats(agentrx(agents)[0]), "imported": without_repeats([*imported(agents)])}
    if options.labels:
        sets["labels"] = without_repeats(from_file(options.labels))
    reasons, settings = without_repeats(who_and_when(options.data / "who-and-when")), Settings()
    if options.tune:
        settings = tune([sets[name] for name in options.tune], reasons, bars)
    for name in options.test or sets:
        compare(name, sets[name], bars, settings)
    if options.speed:
        speed(reasons, bars)
    raise SystemExit(bars.missed > 0)


if __name__ == "__main__":
    main()
