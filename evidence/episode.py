"""One run in an environment: what it is played under, its turns, and how they become steps of the record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Annotated, Any, Final, Self

from pydantic import Field, ValidationError

from errorhub.evidence.environments import Environment, EnvironmentFault, NotReplayable, Observation, Policy, Turn
from errorhub.evidence.environments.environment import Verdict
from errorhub.hub.bundle import Outcome, Step, Trajectory
from errorhub.hub.bundle.canonical import Json, Text, digest
from errorhub.hub.bundle.trajectory import Record, Run, Source

FORMAT: Final = "environment"
"""Source format of runs that were collected here."""

HARNESS: Final = "errorhub-collect"
HARNESS_VERSION: Final = 1
PLAYER: Final = "player"
WORLD: Final = "environment"


class Conditions(Record):
    """What both arms of a replay share; its digest is the `settings_digest` of an attempt."""

    environment: Text
    """Name of the environment, whose verifier judges."""
    world: dict[Text, Json]
    """Its settings, its version included."""
    policy: dict[Text, Json]
    """The player, by name and settings."""
    budget: Annotated[int, Field(ge=1, le=1000)]
    """Actions a run may take."""
    harness: int = HARNESS_VERSION
    """Version of the loop that plays."""

    @property
    def settings_digest(self) -> str:
        """Digest of all of it."""
        return digest(self.model_dump(mode="json"))

    @classmethod
    def of(cls, trajectory: Trajectory) -> Self:
        """Return the conditions a run was collected under. Raise NotReplayable when it was not collected here."""
        if trajectory.source.format != FORMAT:
            raise NotReplayable(
                f"the run was read from a log of format {trajectory.source.format}, not played in a known environment. "
                "Tools of an imported log are never run again.",
                hint="errorhub repair add ID --directive TEXT --run LOG --outcome passed",
            )
        try:
            return cls.model_validate(trajectory.run.metadata.get("conditions"))
        except ValidationError:
            raise NotReplayable("the run does not say completely how it was played.") from None

    def state_ref(self, observation: Observation) -> str:
        """Return the name of a checkpoint: the world and the state it is in."""
        return f"{self.environment}:{digest([self.environment, self.world, observation.state])}"


@dataclass(frozen=True)
class Played:
    """A stretch of play and how it ended."""

    opening: Observation
    """What stood before the first turn."""
    turns: tuple[Turn, ...]
    verdict: Verdict
    end: str
    """`done`, `budget` or `fault`."""


def play(
    world: Environment,
    player: Policy,
    conditions: Conditions,
    dice: Random,
    *,
    opening: Observation,
    before: Sequence[Turn] = (),
    first: str | None = None,
) -> Played:
    """Play on from `opening`, after the turns `before`, until the world ends or the budget is used up.

    `first` is taken as the first action, whoever plays. A world that breaks down makes the run ungradable.
    """
    now, turns = opening, list(before)
    try:
        while not now.done and len(turns) < conditions.budget:
            forced = first if len(turns) == len(before) else None
            action = forced if forced is not None else player.act(world.task.goal or "", turns, now, dice)
            answer = world.step(action)
            turns.append(Turn(action, conditions.state_ref(now), answer, conditions.state_ref(answer)))
            now = answer
        verdict, end = world.verify(), "done" if now.done else "budget"
    except EnvironmentFault as problem:
        broken = Outcome(status="ungradable", reason=str(problem), fault="infrastructure", source="rule")
        verdict, end = Verdict(broken), "fault"
    return Played(opening, tuple(turns[len(before) :]), verdict, end)


def steps_of(played: Played, conditions: Conditions, *, first: int = 0, opened: bool = True) -> Iterator[Step]:
    """Yield the steps of a stretch of play: what was seen, what was done, and that it ended.

    A refused action is answered by an error, and the checkpoints before and after it are one and the same.
    """
    state = conditions.state_ref(played.opening)
    if opened:
        yield Step(agent=WORLD, kind="observation", role="user", output=played.opening.text, state_ref=state)
    for number, turn in enumerate(played.turns, first):
        yield Step(agent=PLAYER, kind="agent.step", role="assistant", output=turn.action, state_ref=turn.before,
                   source_ref=str(number))  # fmt: skip
        seen: dict[str, Any] = {"error" if turn.answer.refused else "output": turn.answer.text}
        yield Step(agent=WORLD, kind="observation", role="user", state_ref=turn.after, source_ref=f"{number}.0", **seen)
        state = turn.after
    yield Step(agent=WORLD, kind="run.end", state_ref=state, metadata={"end": played.end})


def trajectory_of(
    world: Environment,
    player: Policy,
    conditions: Conditions,
    played: Played,
    seed: int,
    *,
    allowed: dict[str, Any] | None = None,
) -> Trajectory:
    """Return the record of a whole run; `allowed` says who let it act on the real world."""
    metadata: dict[str, Any] = {
        "conditions": conditions.model_dump(mode="json"), "settings_digest": conditions.settings_digest,
        "milestones": [one.model_dump(mode="json") for one in played.verdict.milestones],
    }  # fmt: skip
    metadata |= {"approval": allowed} if allowed else {}
    run = Run(
        harness=HARNESS,
        policy=player.label,
        framework=conditions.environment,
        seed=seed,
        temperature=conditions.policy.get("temperature"),
        budget={"actions": conditions.budget},
        metadata=metadata,
    )
    return Trajectory(
        task=world.task,
        run=run,
        steps=tuple(steps_of(played, conditions)),
        outcome=played.verdict.outcome,
        source=Source(format=FORMAT, version=str(HARNESS_VERSION), step_base=0),
    )


def actions_of(trajectory: Trajectory) -> list[tuple[int, Step]]:
    """Return the player's steps with their positions."""
    return [(place, step) for place, step in enumerate(trajectory.steps) if step.kind == "agent.step"]
