"""What a correction is worth: natural failures of one family of TextWorld games, replayed in both arms.

`python bench/replay.py` plays a careless guide in cooking games, keeps the runs that fail, has a scripted oracle (the
game's own walkthrough, named as such) propose a correction for each, replays correction and original action from the
same checkpoint, three runs an arm, and prints pass rates, uplift with a 95 % interval over games, outcome classes and
the rows that the views admit. `--placebo` adds a control: any other possible action in place of the correction.

Needs the extra `replay`. Everything is seeded. With `--workspace` an interrupted call goes on where it stopped.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, Final

from errorhub.evidence import Batch, Checked, check, collect, replay_bundles
from errorhub.evidence.checkpoint import restore
from errorhub.evidence.contrast import contrast, pair
from errorhub.evidence.environments import environment, policy
from errorhub.evidence.environments.options import seeds_of
from errorhub.evidence.episode import Conditions
from errorhub.evidence.replay import arena
from errorhub.evidence.replaying import Leave
from errorhub.hub.bundle import Bundle, Correction, Diagnosis, Repair
from errorhub.hub.scrub import scrubbed
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy, ScrubError, Vault
from errorhub.views import Plan, build, of_bundles
from errorhub.views.row import PREFERENCE, RECOVERY

GAME: Final = {"game": "cooking", "rooms": 6, "length": 2}
CARELESS: Final = {"slip": 0.3, "stubborn": 0.6}
PLACEBO: Final = "placebo:random"


def collected(workspace: Workspace, seeds: tuple[int, ...], budget: int) -> list[Bundle]:
    """Play, keep the failures, print how the runs ended and how the diagnoses are graded."""
    batch = Batch("textworld", GAME, policy("guide", CARELESS), seeds, budget, oracle=True)
    result = collect(batch, workspace, license="CC-BY-4.0")
    tally = Checked()
    workspace.raw.put(list(check(list(workspace.raw.bundles()), tally)))
    games = sum(result.ended.values())
    print(f"family textworld/cooking-2-6, guide {CARELESS}, budget {budget}, seeds {seeds[0]} to {seeds[-1]}")
    print(f"{games} games played: {dict(result.ended)}; refused {len(result.refused)}")
    print(f"{result.diagnosed} diagnosed by oracle:textworld; grades {dict(tally.grades)}")
    found = [one for one in workspace.raw.bundles() if one.diagnoses]
    return sorted(found, key=lambda one: one.trajectory.task_id)


def kind_of(bundle: Bundle) -> str:
    """Say what the blamed action was to the game."""
    found = next(one for one in bundle.diagnoses if one.author.startswith("oracle:"))
    if "cannot be won" in found.explanation:
        return "lost the game"
    return "refused" if bundle.trajectory.steps[found.step + 1].error else "taken, led nowhere"


def with_placebo(bundle: Bundle) -> Bundle | None:
    """Return the bundle with any other possible action at the blamed step as a diagnosis of its own."""
    found = next(one for one in bundle.diagnoses if one.author.startswith("oracle:"))
    held = arena(bundle, lambda c: (environment(c.environment, c.world), policy("guide", CARELESS)))
    try:
        here = restore(held.world, bundle.trajectory, Conditions.of(bundle.trajectory), found.step)
    finally:
        held.world.close()
    right = found.correction.action if found.correction else None
    others = [one for one in here.now.actions if one not in (right, bundle.trajectory.steps[found.step].output)]
    if not others:
        return None
    action = Random(bundle.trajectory_id).choice(others)
    control = Diagnosis(step=found.step, agent=found.agent, explanation="Any other action, for comparison.",
                        correction=Correction(text="any other action", action=action), author=PLACEBO)  # fmt: skip
    return bundle if control in bundle.diagnoses else bundle.replace(diagnoses=(*bundle.diagnoses, control))


def of_author(bundles: Iterable[Bundle], author: str) -> list[tuple[Bundle, Repair]]:
    """Return the repairs that answer an author's diagnoses."""
    found = []
    for bundle in bundles:
        names = {name for name, one in zip(bundle.diagnosis_ids, bundle.diagnoses, strict=True)
                 if one.author.startswith(author)}  # fmt: skip
        found += [(bundle, repair) for repair in bundle.repairs if repair.diagnosis_id in names]
    return found


def told(title: str, repairs: list[tuple[Bundle, Repair]]) -> None:
    """Print pass rates, uplift with its interval, contrasts and outcome classes."""
    found = pair(repairs)
    numbers: dict[str, Any] = contrast(found.pairs)
    if not numbers["pairs"]:
        print(f"{title}: no pair; left out {dict(found.left_out)}")
        return
    low, high = numbers["interval"] or (float("nan"), float("nan"))
    rates = ", ".join(f"{arm} {100 * numbers[arm]:.1f} %" for arm in ("corrected", "original"))
    uplift = f"uplift {100 * numbers['uplift']:+.1f} points [{100 * low:.1f}, {100 * high:.1f}]"
    print(f"{title}: {numbers['pairs']} pairs of {numbers['tasks']} games, {rates}, {uplift}")
    print(f"   pairs: {numbers['contrasts']}, left out {dict(found.left_out)}")
    print(f"   corrections: {dict(Counter(repair.verdict for _, repair in repairs).most_common())}")


def rows(bundles: list[Bundle], name: str) -> None:
    """Scrub under a policy and print what the recovery and preference views admit and refuse."""
    clean, refused, vault = [], Counter[str](), Vault.open()
    for bundle in bundles:
        try:
            clean.append(scrubbed(bundle, Policy.load(name), vault))
        except ScrubError as problem:
            refused[problem.code] += 1
    with TemporaryDirectory() as folder:
        report = build(of_bundles(clean), Plan((*RECOVERY, *PREFERENCE)), Path(folder))
    print(f"rows under policy {name}, {len(clean)} bundles, refused by the scrubber {dict(refused)}:")
    for view, one in report["views"].items():
        print(f"   {view:20} {one['rows']:4} rows, refused {one['refused']}")


def main() -> None:
    """Run the experiment."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="0-139")
    parser.add_argument("--budget", type=int, default=15)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--placebo", action="store_true")
    parser.add_argument("--workspace", type=Path)
    options = parser.parse_args()
    start = time.monotonic()
    with ExitStack() as stack:
        folder = options.workspace or Path(stack.enter_context(TemporaryDirectory()))
        workspace = Workspace.open(folder)
        bundles = collected(workspace, seeds_of(options.seeds), options.budget)
        result = replay_bundles(workspace, bundles, "textworld", leave=Leave(), runs=options.runs)
        print(f"replayed {len(result.done)}, refused {Counter(one['reason'] for one in result.refused)}")
        done = [bundle for bundle, _ in result.done]
        told("all failures", of_author(done, "oracle:"))
        for kind in sorted({kind_of(one) for one in done}):
            told(f"   blamed action {kind}", of_author([one for one in done if kind_of(one) == kind], "oracle:"))
        for name in ("share", "strict"):
            rows(done, name)
        if options.placebo:
            controls = [one for bundle in done if (one := with_placebo(bundle))]
            workspace.raw.put(controls)
            again = replay_bundles(workspace, controls, "textworld", leave=Leave(), runs=options.runs)
            told("control, any other action", of_author([one for one, _ in again.done], PLACEBO))
    print(f"{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
