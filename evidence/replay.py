"""Replay: the proposed action against a fresh retry of the original one, from the same checkpoint (AED, stage 4).

Policy, harness, budget, verifier and seeds are the same in both arms, and the same as when the run failed; anything
that differs is refused. Whatever comes out is kept: a correction that does nothing or does harm is a finding.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Final, Literal

from errorhub.evidence.checkpoint import Checkpoint, restore
from errorhub.evidence.environments import Environment, EnvironmentFault, NotReplayable, Policy
from errorhub.evidence.episode import Conditions, Played, play, steps_of
from errorhub.hub.bundle import Attempt, Bundle, Diagnosis, Outcome, Repair, Step
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.diagnosis import Approval, Milestone
from errorhub.hub.errors import NotFound, UsageError

RUNS: Final = 3
"""Runs an arm (DoVer: three independent ones)."""

_ARMS: Final[tuple[Literal["corrected", "original"], ...]] = ("corrected", "original")


@dataclass(frozen=True)
class Arena:
    """Where both arms are played: a world and a player that match those of the run."""

    world: Environment
    player: Policy
    conditions: Conditions


def arena(bundle: Bundle, make: Callable[[Conditions], tuple[Environment, Policy]]) -> Arena:
    """Make the world and the player of a run again. Raise NotReplayable when they are not those it was played with."""
    conditions = Conditions.of(bundle.trajectory)
    world, player = make(conditions)
    pairs = (("environment", conditions.world, world.settings), ("policy", conditions.policy, player.settings))
    for what, recorded, here in pairs:
        if other := sorted(name for name in recorded.keys() | here.keys() if recorded.get(name) != here.get(name)):
            world.close()
            raise NotReplayable(f"settings of the {what} differ from those of the run: {', '.join(other)}.")
    return Arena(world, player, conditions)


def replay(
    bundle: Bundle, held: Arena, approval: Approval, *, diagnosis: str | None = None, runs: int = RUNS
) -> tuple[Bundle, Repair]:
    """Return the bundle with the correction's repair, `runs` attempts an arm; those made before are not made again.

    Raise UsageError when there is no action to take or the environment knows none such, NotReplayable when the
    checkpoint does not return.
    """
    number = _chosen(bundle, diagnosis)
    found, name = bundle.diagnoses[number], bundle.diagnosis_ids[number]
    action = action_of(found)
    known = held.conditions.environment
    original = bundle.trajectory.steps[found.step]
    if original.kind != "agent.step":
        raise UsageError(f"step {found.step} is no action of the player, so there is nothing to do otherwise.")
    held.world.reset()
    if not held.world.understands(action):
        raise UsageError(
            f"the correction is no action of {known}: {action[:60]}.", hint="errorhub annotate ID --action"
        )
    before = next((one for one in bundle.repairs if _same(one, name, action)), None)
    attempts = list(before.attempts) if before else []
    made = {_key(one) for one in attempts}
    for seed in (seed_of(bundle, run) for run in range(runs)):
        for arm in _ARMS:
            if (arm, seed, held.conditions.settings_digest) not in made:
                first = action if arm == "corrected" else str(original.output)
                attempts.append(_attempt(bundle, held, found.step, arm, first, seed))
    repair = Repair(
        diagnosis_id=name,
        kind="correction",
        action=action,
        approval=before.approval if before else approval,
        attempts=tuple(attempts),
    )
    return with_repair(bundle, repair), repair


def with_repair(bundle: Bundle, repair: Repair) -> Bundle:
    """Return the bundle with a correction's repair; attempts that it holds already and the repair lacks are kept."""
    name, made = repair.diagnosis_id or "", {_key(one) for one in repair.attempts}
    known = [one for one in bundle.repairs if _same(one, name, repair.action)]
    more = [one for held in known for one in held.attempts if _key(one) not in made]
    others = [one for one in bundle.repairs if one not in known]
    return bundle.replace(repairs=(*others, repair.replace(attempts=(*repair.attempts, *more))))


def action_of(diagnosis: Diagnosis) -> str:
    """Return the action a diagnosis proposes. Raise UsageError when it proposes none that can be taken."""
    proposed: Any = diagnosis.correction.action if diagnosis.correction else None
    if isinstance(proposed, dict) and set(proposed) == {"action"}:
        proposed = proposed["action"]
    if not isinstance(proposed, str) or not proposed.strip():
        raise UsageError(
            "the diagnosis proposes no action: a text world takes one line of text.",
            hint="errorhub annotate ID --step N --because TEXT --action '\"go east\"'",
        )
    return " ".join(proposed.split())


def seed_of(bundle: Bundle, run: int) -> int:
    """Return the seed of a run: the same in both arms, another one for every trajectory."""
    return int(digest([bundle.trajectory_id, run])[:8], 16)


def _attempt(
    bundle: Bundle, held: Arena, step: int, arm: Literal["corrected", "original"], first: str, seed: int
) -> Attempt:
    """Play one arm once. A world that breaks down gives an attempt that nobody can grade."""
    conditions = held.conditions
    try:
        checkpoint = restore(held.world, bundle.trajectory, conditions, step)
        reached = {one.name for one in held.world.verify().milestones if one.status == "achieved"}
    except EnvironmentFault as problem:
        broken = Outcome(status="ungradable", reason=str(problem), fault="infrastructure", source="rule")
        return Attempt(arm=arm, settings_digest=conditions.settings_digest, seed=seed, outcome=broken)
    played = play(held.world, held.player, conditions, Random(seed), opening=checkpoint.now, before=checkpoint.turns,
                  first=first)  # fmt: skip
    return Attempt(
        arm=arm,
        state_ref=checkpoint.state_ref,
        settings_digest=conditions.settings_digest,
        seed=seed,
        steps=_steps(played, conditions, checkpoint),
        outcome=played.verdict.outcome,
        executed_faithfully=_faithful(played, arm, bundle.trajectory.steps[step + 1 : step + 2]),
        milestones=_gained(played, reached),
    )


def _steps(played: Played, conditions: Conditions, checkpoint: Checkpoint) -> tuple[Step, ...]:
    return tuple(steps_of(played, conditions, first=len(checkpoint.turns), opened=False))


def _gained(played: Played, reached: set[str]) -> tuple[Milestone, ...]:
    """Return the milestones that were still ahead at the checkpoint."""
    return tuple(one for one in played.verdict.milestones if one.name not in reached)


def _faithful(played: Played, arm: str, recorded: tuple[Step, ...]) -> bool | None:
    """A correction must not be refused; the original action must bring what it brought when the run failed."""
    if not played.turns:
        return None
    answer = played.turns[0].answer
    if arm == "corrected":
        return not answer.refused
    return any(answer.text == (one.error if one.error is not None else one.output) for one in recorded)


def _key(attempt: Attempt) -> tuple[str, int | None, str | None]:
    return attempt.arm, attempt.seed, attempt.settings_digest


def _same(repair: Repair, diagnosis: str, action: Any) -> bool:
    return (repair.kind, repair.diagnosis_id, repair.action) == ("correction", diagnosis, action)


def _chosen(bundle: Bundle, prefix: str | None) -> int:
    """Return the diagnosis meant: the one named, else the last that proposes an action and was not rejected."""
    ids = bundle.diagnosis_ids
    if prefix is not None:
        found = [place for place, name in enumerate(ids) if name.startswith(prefix)]
        if len(found) != 1:
            raise NotFound(f"{len(found)} diagnoses of the bundle have the id {prefix}.")
        return found[0]
    fit = [
        place
        for place, (one, grade) in enumerate(zip(bundle.diagnoses, bundle.grades, strict=True))
        if one.correction and one.correction.action is not None and grade != "rejected"
    ]
    if not fit:
        raise UsageError("no diagnosis of the bundle proposes an action.", hint="errorhub annotate ID --action JSON")
    return fit[-1]
