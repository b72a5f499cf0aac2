"""How far suggested assignments may be trusted: part of the runs decided, part of the categories unknown.

    python bench/assignment.py --data ../shared/data [--labels FILE.jsonl] [--draws 24]

Each draw puts half of the runs under accepted modes, one a category, and leaves a third of the categories out: their
cases, and all cases of the other runs, are open. Right = the case stands under its own category. The least floor is
chosen on AgentRx: the lowest of FLOORS with 80 % of the answers right. What it keeps on other data, `--labels` says.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from labelled import Labelled, agentrx, from_file
from retrieval import without_repeats

from errorhub.hub.taxonomy import Decision, fold
from errorhub.hub.taxonomy.assigning import Settings, suggest
from errorhub.hub.taxonomy.cases import Case, cases

SHARED = Path(__file__).parents[2] / "shared" / "data"
DECIDED = 1 / 2
MISSING = 1 / 3
FLOORS = (0.5, 0.55, 0.6, 0.65, 0.7, 0.75)


@dataclass(frozen=True)
class Draw:
    """Open cases of one draw, counted."""

    belong: int
    """Open cases of accepted modes."""
    strange: int
    """Open cases of categories that nobody accepted."""
    right: int
    """Cases that landed where they belong."""
    wrong: int
    """Cases of accepted modes that landed under another one."""
    false: int
    """Cases of missing categories that landed anywhere."""


def draw(items: Sequence[Labelled], seed: int, settings: Settings) -> Draw:
    """Decide part of the items and count what becomes of the rest."""
    rng = np.random.default_rng(seed)
    groups, modes = sorted({one.group for one in items}), sorted({one.mode for one in items})
    runs = set(rng.permutation(groups)[: round(DECIDED * len(groups))].tolist())
    missing = set(rng.permutation(modes)[: round(MISSING * len(modes))].tolist())
    found: list[tuple[Case, Labelled]] = [(case, one) for one in items for case in cases([one.bundle])]
    taxonomy = fold(decisions([(c, one) for c, one in found if one.group in runs and one.mode not in missing]))
    offered = {str(mode.ref): mode.name for mode in taxonomy.accepted}
    truth = {case.diagnosis_id: one.mode for case, one in found}
    rows = [(truth[row.case.diagnosis_id], row.mode) for row in suggest((c for c, _ in found), taxonomy, settings).rows]
    answers = [(mode, offered[str(said.ref)]) for mode, said in rows if said is not None]
    known = set(offered.values())
    return Draw(
        belong=sum(mode in known for mode, _ in rows), strange=sum(mode not in known for mode, _ in rows),
        right=sum(mode == said for mode, said in answers),
        wrong=sum(mode != said and mode in known for mode, said in answers),
        false=sum(mode not in known for mode, _ in answers),
    )  # fmt: skip


def decisions(decided: Sequence[tuple[Case, Labelled]]) -> Iterator[Decision]:
    """Yield the acceptance of one mode a category."""
    for name in sorted({one.mode for _, one in decided}):
        members = sorted({case.diagnosis_id for case, one in decided if one.mode == name})
        yield Decision.model_validate(
            {"action": "accept", "at": "2026-01-01T00:00:00.000000Z", "by": "bench",
             "answers": [{"proposal": members[0], "members": members}],
             "defines": [{"id": f"bench.{name}", "name": name, "family": "bench"}]}
        )  # fmt: skip


def least_floor(items: Sequence[Labelled], draws: int) -> float | None:
    """Print the precision above each floor and return the lowest that is enough."""
    enough = None
    for floor in FLOORS:
        settings = Settings(floor=floor)
        each = [draw(items, seed, settings) for seed in range(draws)]
        right, answers = sum(one.right for one in each), sum(one.right + one.wrong + one.false for one in each)
        print(f"  floor {floor:.2f}: {right} of {answers} answers right")
        if enough is None and right >= settings.precision * answers > 0:
            enough = floor
    return enough


def report(name: str, items: Sequence[Labelled], draws: int) -> None:
    """Print the counts of all draws together, and the spread of the precision."""
    each = [draw(items, seed, Settings()) for seed in range(draws)]
    belong, strange = sum(one.belong for one in each), sum(one.strange for one in each)
    right, wrong, false = (sum(getattr(one, what) for one in each) for what in ("right", "wrong", "false"))
    shares = [one.right / n for one in each if (n := one.right + one.wrong + one.false)]
    spread = f", {min(shares):.2f} to {max(shares):.2f} a draw" if shares else ""
    print(f"{name}: {len(items)} cases, {draws} draws")
    print(f"  precision     {right / max(1, right + wrong + false):.2f} of {right + wrong + false} answers{spread}")
    print(f"  coverage      {right / max(1, belong):.2f} of {belong} open cases of accepted modes land right")
    print(f"  misplaced     {wrong / max(1, belong):.2f} of them land under another mode")
    print(f"  false answers {false / max(1, strange):.2f} of {strange} open cases of missing categories")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with agentrx")
    parser.add_argument("--labels", type=Path, metavar="FILE", help="JSON Lines of labelled runs, measured as well")
    parser.add_argument("--draws", type=int, default=24, help="how often runs and categories are drawn")
    options = parser.parse_args()
    failures = without_repeats(agentrx(options.data / "agentrx")[0])
    print(f"chosen on AgentRx: {least_floor(failures, options.draws)}, in use: {Settings().floor}")
    report("AgentRx failures", failures, options.draws)
    if options.labels:
        report(options.labels.name, without_repeats(from_file(options.labels)), options.draws)


if __name__ == "__main__":
    main()
