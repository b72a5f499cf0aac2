"""What an environment is to a replay: a world that starts alike, takes actions as text and judges its own end.

A checkpoint is the list of actions taken so far: `errorhub.evidence.checkpoint` restores it by taking them again and
compares every answer, which is how an environment that is not deterministic is found out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from errorhub.hub.bundle import Outcome
from errorhub.hub.bundle.diagnosis import Milestone
from errorhub.hub.bundle.trajectory import Task
from errorhub.hub.errors import HubError, UsageError


class EnvironmentFault(HubError):
    """The environment broke down: the run it was in cannot be graded."""

    code = "environment_fault"


class NotReplayable(UsageError):
    """The run cannot be taken up again: other settings, another environment, or a checkpoint that does not return."""

    code = "not_replayable"


@dataclass(frozen=True)
class Observation:
    """What an environment answers."""

    text: str
    """What the player reads."""
    state: str
    """Digest of the world: equal exactly when nothing has changed."""
    refused: bool = False
    """The action was not taken, and the world is as it was."""
    done: bool = False
    """The world has ended, well or badly."""
    actions: tuple[str, ...] = ()
    """What it would take now; empty when it does not say."""
    ahead: tuple[str, ...] = ()
    """Its own walkthrough from here: for scripted policies and oracles, never for a player that is measured."""


@dataclass(frozen=True)
class Verdict:
    """How a run ended, by the environment's own verifier."""

    outcome: Outcome
    milestones: tuple[Milestone, ...] = ()
    """Stages of a solution and whether they were reached, when the environment has them."""


class Environment(Protocol):
    """One task of one world. `settings` name it completely: the same ones give the same world again."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that makes the world what it is, the version of its program included."""

    @property
    def task(self) -> Task:
        """The source task. Only after `reset`."""

    @property
    def simulated(self) -> bool:
        """True when actions change nothing outside this process."""

    def reset(self) -> Observation:
        """Begin anew. Raise EnvironmentFault when the world cannot be made."""

    def step(self, action: str) -> Observation:
        """Take one action. Raise EnvironmentFault when the world breaks down."""

    def understands(self, action: str) -> bool:
        """Tell whether an action is one of this environment at all, here or elsewhere in it."""

    def verify(self) -> Verdict:
        """Judge the run as it stands."""

    def close(self) -> None:
        """Let go of everything."""
