"""Collect: play a policy in an environment and keep the runs that failed, with checkpoints and verdict (AED, stage 1).

Every run is taken again once, answer by answer: one that cannot be is refused, because nothing could be tried on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from errorhub.evidence.approval import approval_for
from errorhub.evidence.checkpoint import Checkpoint, restore
from errorhub.evidence.environments import Environment, EnvironmentFault, NotReplayable, Policy, environment
from errorhub.evidence.episode import Conditions, play, trajectory_of
from errorhub.evidence.journal import Journal
from errorhub.evidence.oracle import diagnosed
from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.errors import Blocked
from errorhub.hub.importers import Refused
from errorhub.hub.intake import Intake, Terms, intake
from errorhub.hub.workspace import Workspace

_WHOLE: Final = 1_000_000


@dataclass(frozen=True)
class Batch:
    """Which runs to make."""

    environment: str
    settings: Mapping[str, Any]
    """Settings of the environment, without the seed."""
    player: Policy
    seeds: Sequence[int]
    """One task a seed."""
    budget: int
    tries: int = 1
    """Runs of each task; the dice differ."""
    oracle: bool = False
    """Have the environment's walkthrough diagnose each failure."""
    keep_passed: bool = False
    by: str | None = None
    """Who allows it to act, where actions change the real world."""
    approval: str | None = None
    """Her leave, in words."""

    @property
    def name(self) -> str:
        """What tells one batch from another."""
        parts = [self.environment, dict(self.settings), dict(self.player.settings), list(self.seeds), self.budget]
        return digest([*parts, self.tries, self.oracle, self.keep_passed])[:32]


@dataclass
class Collected:
    """How the runs ended."""

    ended: Counter[str] = field(default_factory=Counter)
    """failed, passed, ungradable, refused → runs."""
    diagnosed: int = 0
    refused: list[dict[str, str]] = field(default_factory=list)
    taken_in: Intake = field(default_factory=Intake)

    @property
    def exit_code(self) -> int:
        """0 all played, 2 nothing kept and something refused, 3 something refused or broken."""
        if not self.refused and not self.ended["ungradable"]:
            return 0
        return 3 if self.taken_in.bundles else 2

    def document(self) -> dict[str, Any]:
        """Return the counts and the bundles as one plain object."""
        kept = [bundle for bundle, _ in self.taken_in.bundles]
        return {
            **{name: self.ended[name] for name in ("failed", "passed", "ungradable")},
            "imported": self.taken_in.imported,
            "unchanged": self.taken_in.unchanged,
            "diagnosed": self.diagnosed,
            "bundles": [
                {"bundle_id": one.bundle_id, "trajectory_id": one.trajectory_id, "task": one.trajectory.task_id,
                 "steps": len(one.trajectory.steps), "outcome": one.trajectory.outcome.status}
                for one in kept
            ],
            "refused": self.refused,
        }  # fmt: skip


def collect(
    batch: Batch, workspace: Workspace, *, license: str | None = None, progress: Callable[[int], None] = lambda _: None
) -> Collected:
    """Play every run of a batch and take the failed ones in. An interrupted batch continues when called again.

    Raise Blocked when the environment acts on the real world and nobody allowed it, or while another process plays
    the same batch here.
    """
    journal = Journal(workspace.folder / "collected", batch.name)
    with journal.held() as free:
        if not free:
            raise Blocked(
                "another process is playing this batch in this workspace.", hint="wait, or take other --seeds"
            )
        return _collected(batch, workspace, journal, license, progress)


def _collected(
    batch: Batch, workspace: Workspace, journal: Journal, license: str | None, progress: Callable[[int], None]
) -> Collected:
    done, result = journal.done(), Collected()
    for seed in batch.seeds:
        missing = [one for one in range(batch.tries) if _episode(seed, one) not in done]
        if missing:
            world = environment(batch.environment, {**batch.settings, "seed": seed})
            try:
                approval_for(world, batch.environment, by=batch.by, note=batch.approval)
                for number in missing:
                    told, bundle = _run(world, batch, number)
                    journal.write(_episode(seed, number), told, bundle)
                    done[_episode(seed, number)] = told
                    progress(1)
            finally:
                world.close()
    for seed, number in ((seed, number) for seed in batch.seeds for number in range(batch.tries)):
        _count(result, _episode(seed, number), done[_episode(seed, number)])
    if journal.bundles.exists():
        result.taken_in = intake([journal.bundles], workspace, format="errorhub", terms=Terms(license=license))
        result.refused += [_line(one) for one in result.taken_in.refused]
    journal.close()
    return result


def _run(world: Environment, batch: Batch, number: int) -> tuple[dict[str, Any], Bundle | None]:
    """Play one run. Return what the ledger says of it, and its bundle when it is kept."""
    conditions = Conditions(environment=batch.environment, world=dict(world.settings),
                            policy=dict(batch.player.settings), budget=batch.budget)  # fmt: skip
    seed = int(digest([conditions.model_dump(mode="json"), number])[:8], 16)
    try:
        opening = world.reset()
    except EnvironmentFault as problem:
        return {"status": "refused", "reason": str(problem)}, None
    played = play(world, batch.player, conditions, Random(seed), opening=opening)
    if not played.turns:
        return {"status": "refused", "reason": played.verdict.outcome.reason or "the world ends before it begins"}, None
    allowed = None if world.simulated else {"by": batch.by, "note": batch.approval}
    bundle = Bundle(trajectory=trajectory_of(world, batch.player, conditions, played, seed, allowed=allowed))
    status = played.verdict.outcome.status
    if status == "ungradable":
        return {"status": status}, bundle
    try:
        again = restore(world, bundle.trajectory, conditions, _WHOLE)
    except (EnvironmentFault, NotReplayable) as problem:
        return {"status": "refused", "reason": str(problem)}, None
    if status == "passed":
        return {"status": status}, bundle if batch.keep_passed else None
    found = _blamed(bundle, again, opening.ahead, batch)
    return {"status": status, "diagnosed": found is not None}, found or bundle


def _blamed(bundle: Bundle, again: Checkpoint, ahead: Sequence[str], batch: Batch) -> Bundle | None:
    return diagnosed(bundle, again, ahead, batch.environment) if batch.oracle else None


def _count(result: Collected, episode: str, told: Mapping[str, Any]) -> None:
    result.ended[str(told["status"])] += 1
    result.diagnosed += bool(told.get("diagnosed"))
    if told["status"] == "refused":
        result.refused.append({"source": episode, "reason": str(told["reason"])})


def _line(refused: Refused) -> dict[str, str]:
    return {"source": Path(refused.source).name, "reason": refused.reason}


def _episode(seed: int, number: int) -> str:
    return f"seed {seed}, run {number}"
