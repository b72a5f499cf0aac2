"""Measure the scrubber beside its peers in one run: what is caught, what is damaged, how fast.

    python bench/scrub.py --data FOLDER [--figure docs/img/scrub.svg]

FOLDER holds real agent logs, for what changes in natural text and for speed; without it both parts are left out. Cases
are drawn from public formats (scrub_cases.py) and from the patterns that other scanners ship (scrub_samples.py). Exit 1
when a bar is missed.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from math import sqrt
from pathlib import Path
from typing import Any

from scrub_cases import BARS, LOOKALIKES, Case, cases
from scrub_peers import PEERS, Tool, installed, ours
from scrub_samples import detect_secrets, kingfisher
from scrub_traces import PASSES, leaves, timed, traces
from scrub_worst import texts

FIXTURE_BARS = {"kingfisher": 0.70, "detect-secrets": 0.45}
RECALL_BARS = BARS | FIXTURE_BARS
MOST_TOUCHED, MOST_CHANGED = 0.01, 0.003
FASTEST, WITH_REREAD, TIMES = 15.0, 8.0, {"agentdebugx hub": 3, "presidio": 100}
WITH_NAMES = ("names in prose", LOOKALIKES)
"""Classes for which our own scrub reads names too."""


@dataclass
class Scores:
    """What one tool did."""

    name: str
    tried: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)
    missed: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    changed: float | None = None
    identifiers: int | None = None
    speed: float | None = None

    def share(self, group: str) -> float:
        """Return the share of a class that was caught, or of look-alikes that were touched."""
        return self.caught[group] / self.tried[group] if self.tried[group] else 0.0


def survives(planted: str, before: Any, after: Any) -> bool:
    """Tell whether more than a tenth of a planted text, in one piece, is left, and did not stand around it too."""
    text = "\n".join(leaves(after))
    around = "\n".join(leaves(before)).replace(planted, "\0")
    size = max(3, len(planted) // 10) + 1
    parts = {planted[at : at + size] for at in range(max(1, len(planted) - size + 1))}
    return any(part in text and part not in around for part in parts)


def judge(scores: Scores, tool: Tool, given: Iterable[Case]) -> None:
    """Count what a tool catches; for look-alikes, what it touches."""
    for case in given:
        after = tool.redact(case.document)
        if case.group == LOOKALIKES:
            good = bad = after != case.document
        else:
            good = not survives(case.planted, case.document, after)
            bad = not good
        scores.tried[case.group] += 1
        scores.caught[case.group] += good
        if bad:
            scores.missed[case.group][case.name] += 1


def wilson(good: int, tried: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, 1927)."""
    if not tried:
        return 0.0, 1.0
    z, share = 1.96, good / tried
    middle, scale = share + z * z / (2 * tried), 1 + z * z / tried
    half = z * sqrt(share * (1 - share) / tried + z * z / (4 * tried * tried))
    return (middle - half) / scale, (middle + half) / scale


def slowest() -> float:
    """Print the made-up inputs that take longest, and return the most seconds a megabyte of scrub and re-read."""
    from errorhub.scrubber import KnownValue, Policy, Vault, reread, reread_personal, scrub

    policy, known = Policy.load("share"), (KnownValue("ab1", "PROJECT"),)
    plain, found = policy.without_names(), []
    for name, text in texts():
        document, size, spent = {"content": text}, len(text) / 1e6, []
        for number in range(PASSES):  # under a new key each time, so that nothing is remembered
            vault = Vault(bytes([number]) * 32, known)
            started = time.process_time()
            reread(scrub(document, plain, vault).document, plain, vault)
            spent.append(time.process_time() - started)
        started = time.process_time()
        reread_personal(scrub(document, policy, vault).document, policy)
        found.append((min(spent) / size, (time.process_time() - started) / size, name))
    for fastest, with_names, name in sorted(found, reverse=True)[:6]:
        print(f"  {name:<18} {fastest:5.2f} s a MB, with names and their re-read {with_names:5.2f}")
    return max(found)[0]


def report(all_scores: list[Scores]) -> None:
    """Print the table of all tools."""
    groups = [*RECALL_BARS, LOOKALIKES]
    print("\nper cent caught; of look-alikes, touched")
    print(f"{'':<26}" + "".join(f"{group.split(',')[0][:12]:>13}" for group in groups) + f"{'changed':>10}{'MB/s':>8}")
    for one in all_scores:
        row = "".join(f"{one.share(g):13.1%}" if one.tried[g] else f"{'-':>13}" for g in groups)
        changed = "-" if one.changed is None else f"{one.changed:.2%}"
        speed = "-" if one.speed is None else f"{one.speed:.2f}"
        print(f"{one.name:<26}{row}{changed:>10}{speed:>8}")


def bars(mine: Scores, all_scores: list[Scores], reread_speed: float | None, worst: float | None) -> Iterator[bool]:
    """Print each bar, what was reached, and yield whether it holds."""
    for group, bar in RECALL_BARS.items():
        low, high = wilson(mine.caught[group], mine.tried[group])
        yield _line(group, mine.share(group), bar, f"{mine.tried[group]} cases, [{low:.1%}, {high:.1%}]")
        for name, count in mine.missed[group].most_common(4):
            print(f"      missed {name} x{count}")
    touched = mine.share(LOOKALIKES)
    yield _line("look-alikes touched", touched, MOST_TOUCHED, f"{mine.tried[LOOKALIKES]} cases", most=True)
    for name, _ in mine.missed[LOOKALIKES].most_common(6):
        print(f"      touched {name}")
    if mine.changed is not None and mine.speed is not None and reread_speed is not None:
        yield _line("characters of traces", mine.changed, MOST_CHANGED, "", most=True)
        yield _line("identifiers altered", float(mine.identifiers or 0), 0, "", most=True, unit="")
        yield _line("MB/s", mine.speed, FASTEST, "", unit="")
        yield _line("MB/s with re-read", reread_speed, WITH_REREAD, "", unit="")
        for name, times in TIMES.items():
            other = next((one.speed for one in all_scores if one.name.startswith(name) and one.speed), None)
            if other:
                yield _line(f"times {name}", mine.speed / other, times, "", unit="x")
    if worst is not None:
        yield _line("slowest s a MB", worst, 1, "", most=True, unit="")


def _line(name: str, value: float, bar: float, note: str, *, most: bool = False, unit: str = "%") -> bool:
    good = value <= bar if most else value >= bar
    shown, wanted = (f"{one:.1%}" if unit == "%" else f"{one:.2f}{unit}" for one in (value, bar))
    print(f"  {'ok ' if good else 'LOW'} {name:<24} {shown:>9}  {'<=' if most else '>='} {wanted:<8} {note}")
    return good


def figure(all_scores: list[Scores], path: Path) -> None:
    """Draw what each tool catches and how fast it is."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    groups = [*BARS, LOOKALIKES]
    canvas, (left, right) = pyplot.subplots(1, 2, figsize=(11, 3.6), width_ratios=(3, 1), layout="constrained")
    table = [[one.share(group) for group in groups] for one in all_scores]
    left.imshow(table, cmap="YlGn", vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(table):
        for x, share in enumerate(row):
            left.text(x, y, f"{share:.0%}", ha="center", va="center", color="white" if share > 0.7 else "black")
    left.set_xticks(range(len(groups)), [*(group.replace(", ", "\n") for group in BARS), "look-alikes\ntouched"])
    left.set_yticks(range(len(all_scores)), [one.name for one in all_scores])
    left.set_title("caught", loc="left")
    right.barh(range(len(all_scores)), [one.speed or 0 for one in all_scores], color="#4a8f5c")
    right.set(xscale="log", yticks=[], ylim=(len(all_scores) - 0.5, -0.5))
    right.set_title("MB a second of CPU", loc="left")
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas.savefig(path, metadata={"Date": None})


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data", metavar="FOLDER")
    parser.add_argument("--rounds", type=int, default=3, help="draws of every case")
    parser.add_argument("--figure", type=Path, metavar="FILE")
    parser.add_argument("--peers", default=",".join(PEERS), help="comma-separated; empty for none")
    options = parser.parse_args()
    given = [*cases(options.rounds), *kingfisher(), *detect_secrets()]
    logs = traces(options.data) if options.data.is_dir() else []
    peers, absent = installed([name for name in options.peers.split(",") if name])
    mine = Scores("ours")
    judge(mine, Tool("ours", ours()), [case for case in given if case.group not in WITH_NAMES])
    judge(mine, Tool("ours", ours(names=True)), [case for case in given if case.group in WITH_NAMES])
    all_scores = [mine, *(Scores(tool.name) for tool in peers)]
    for scores, tool in zip(all_scores[1:], peers, strict=True):
        judge(scores, tool, given)
    reread_speed = None
    if logs:
        print(f"traces: {len(logs)} files, {sum(size for _, size in logs) / 1e6:.1f} MB")
        rereads = Tool("ours", ours(), anew=partial(ours, rereads=True))
        checked, *laps = timed([rereads, Tool("ours", ours(), anew=ours), *peers], logs)
        reread_speed = checked.speed
        for scores, lap in zip(all_scores, laps, strict=True):
            scores.speed, (scores.changed, scores.identifiers) = lap.speed, lap.changes()
    print("slowest made-up inputs")
    worst = slowest()
    report(all_scores)
    print("\n".join(absent))
    print("\nbars")
    good = all([*bars(mine, all_scores, reread_speed, worst)])
    if options.figure:
        figure(all_scores, options.figure)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
