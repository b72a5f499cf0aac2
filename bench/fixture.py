"""Show what fixtures find: ten examples, and on any logs repeats missed and fixed runs blamed.

python bench/fixture.py                 ten failures, five of them real logs: caught when repeated, quiet when fixed
python bench/fixture.py LOG…            blame on steps drawn by chance, five actions a run, seed 0

A repeat is the run as another machine would log it: other call ids, times, key order, line ends and home folder.
A fixed run ends before the blamed step with another action of the same run in its place; it has no verdict.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fixture_cases import SHARED, blamed, disguised, mended
from fixture_examples import OWN, REAL

from errorhub.evidence.fixture import make_fixture
from errorhub.evidence.fixture.likeness import Plain
from errorhub.evidence.fixture.record import moves_of
from errorhub.evidence.fixture.repeat import repeats
from errorhub.evidence.fixture.turns import acts, turns
from errorhub.hub.bundle import Trajectory
from errorhub.hub.errors import Blocked
from errorhub.hub.intake import intake


def measure(run: Trajectory, chance: random.Random, most: int) -> Counter[str]:
    """Return the counts of one run."""
    counts: Counter[str] = Counter()
    places = [number for number, step in enumerate(run.steps) if acts(step)]
    done = {turn.steps.start: moves_of(turn, Plain()) for turn in turns(run)}
    if len(set(done.values())) < 2:
        return counts
    quiet = run.replace(outcome=run.outcome.replace(status="unknown"))
    other = disguised(quiet)
    for step in chance.sample(places, min(most, len(places))):
        try:
            fixture = make_fixture(blamed(quiet, step), allow_raw=True)
        except Blocked:
            counts["nothing to compare"] += 1
            continue
        counts["fixtures"] += 1
        counts["missed repeats"] += not any(one.kind == "action" for one in repeats(fixture, other))
        instead = chance.choice([n for n in places if run.steps[n].kind == run.steps[step].kind])
        name = "input" if run.steps[step].kind in ("tool.call", "message") else "output"
        if getattr(run.steps[instead], name) != getattr(run.steps[step], name):
            fixed = mended(quiet, step, getattr(run.steps[instead], name))
            counts["fixed runs"] += 1
            counts["blamed fixed runs"] += bool(repeats(fixture, fixed))
    return counts


def examples() -> bool:
    """Print a line an example and return whether each is caught when repeated and quiet when fixed."""
    held = True
    print(f"{'example':20}{'log':6}{'checks':28}{'repeat':10}fixed run")
    for name, make in (OWN | (REAL if SHARED.is_dir() else {})).items():
        bad, good = make()
        fixture = make_fixture(bad, allow_raw=True)
        caught = bool(repeats(fixture, disguised(bad.trajectory)))
        quiet = not repeats(fixture, good)
        checks = ", ".join(check.kind for check in fixture.checks)
        verdicts = f"{'fails' if caught else 'MISSED':10}{'passes' if quiet else 'BLAMED'}"
        print(f"{name:20}{'real' if name in REAL else 'own':6}{checks:28}{verdicts}")
        held = held and caught and quiet
    if not SHARED.is_dir():
        print("real logs are not here: ERRORHUB_SHARED_DATA", file=sys.stderr)
    return held


def main() -> None:
    """Show the examples, or measure every log named and say the sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("logs", nargs="*", type=Path)
    parser.add_argument("--actions", type=int, default=5, help="blamed actions a run")
    parser.add_argument("--seed", type=int, default=0)
    asked, total = parser.parse_args(), Counter[str]()
    if not asked.logs:
        sys.exit(0 if examples() else 1)
    for log in asked.logs:
        counts: Counter[str] = Counter()
        for bundle, _ in intake([log], None).bundles:
            counts += measure(bundle.trajectory, random.Random(asked.seed), asked.actions)
        print(f"{log.name:24}", dict(counts))
        total += counts
    print(f"{'all':24}", dict(total))


if __name__ == "__main__":
    main()
