"""Bring an environment back to where a run was before one of its steps, by taking the same actions again."""

from __future__ import annotations

from dataclasses import dataclass

from errorhub.evidence.environments import Environment, NotReplayable, Observation, Turn
from errorhub.evidence.episode import Conditions, actions_of
from errorhub.hub.bundle import Step, Trajectory


@dataclass(frozen=True)
class Checkpoint:
    """A restored state: what stands there, and the turns that led to it."""

    now: Observation
    turns: tuple[Turn, ...]
    state_ref: str


def restore(world: Environment, trajectory: Trajectory, conditions: Conditions, step: int) -> Checkpoint:
    """Take every action before a step again and return the checkpoint.

    Raise NotReplayable when any answer or state differs from what was recorded: the environment is not deterministic,
    or not the same any more. Raise EnvironmentFault when it breaks down.
    """
    now = world.reset()
    _same(trajectory.steps[0], now, conditions, 0)
    turns: list[Turn] = []
    for place, said in actions_of(trajectory):
        if place >= step:
            break
        before = conditions.state_ref(now)
        now = world.step(str(said.output))
        if place + 1 < len(trajectory.steps):
            _same(trajectory.steps[place + 1], now, conditions, place + 1)
        turns.append(Turn(str(said.output), before, now, conditions.state_ref(now)))
    return Checkpoint(now, tuple(turns), conditions.state_ref(now))


def _same(recorded: Step, now: Observation, conditions: Conditions, place: int) -> None:
    shown = recorded.error if recorded.error is not None else recorded.output
    if shown != now.text or (recorded.state_ref or "") != conditions.state_ref(now):
        raise NotReplayable(
            f"the checkpoint cannot be restored: at step {place} {conditions.environment} answers differently than "
            "recorded. It is not deterministic, or not the same any more."
        )
