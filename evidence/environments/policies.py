"""Who plays: a policy names its next action from what was seen so far, and from nothing else but the dice it is given.

| name     | what it does                                                                       | settings           |
|----------|------------------------------------------------------------------------------------|--------------------|
| `random` | any action that the environment would take now                                     | –                  |
| `guide`  | follows the environment's walkthrough, and slips: skips ahead, wanders, insists     | `slip`, `stubborn` |
| `script` | says the same actions in order, whatever happens                                   | `actions`          |
| `model`  | asks a model behind an OpenAI-compatible URL                                       | `base_url`, `model`|

A policy has no memory of its own: it can take up any run, at any step, and two arms of a replay are the same player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final, Protocol

from pydantic import Field, ValidationError

from errorhub.evidence.environments.environment import Observation
from errorhub.hub.bundle.trajectory import Record
from errorhub.hub.errors import UsageError

Share = Annotated[float, Field(ge=0, le=1)]

POLICIES: Final = {
    "guide": "errorhub.evidence.environments.policies:Guide",
    "model": "errorhub.evidence.environments.model_policy:ModelPlayer",
    "random": "errorhub.evidence.environments.policies:Wanderer",
    "script": "errorhub.evidence.environments.policies:Script",
}


@dataclass(frozen=True)
class Turn:
    """One action and what it brought."""

    action: str
    before: str
    """Checkpoint before the action."""
    answer: Observation
    after: str
    """Checkpoint after it."""


class Policy(Protocol):
    """One player."""

    @property
    def label(self) -> str:
        """What stands in the run as its policy."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """Everything that makes it play as it does, its name included."""

    def act(self, goal: str, turns: Sequence[Turn], now: Observation, dice: Random) -> str:
        """Return the next action."""


class _None(Record):
    """No settings."""


class _Slips(Record):
    slip: Share = 0.25
    """How often it does not do what the walkthrough says."""
    stubborn: Share = 0.6
    """How often it repeats an action that was refused."""


class _Lines(Record):
    actions: Annotated[tuple[str, ...], Field(min_length=1)]
    """What it says, in order; the last one again and again."""


class Wanderer:
    """The policy `random`."""

    label = "random"

    def __init__(self, settings: Mapping[str, Any], cache: Path | None = None) -> None:
        self._settings = _None.model_validate(dict(settings))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its name."""
        return {"name": "random"}

    def act(self, goal: str, turns: Sequence[Turn], now: Observation, dice: Random) -> str:
        """Return any action that would be taken."""
        return dice.choice(now.actions) if now.actions else "look"


class Guide:
    """The policy `guide`: knows the way and is careless. Its failures are its own, not put into a log."""

    label = "guide"

    def __init__(self, settings: Mapping[str, Any], cache: Path | None = None) -> None:
        self._made = _Slips.model_validate(dict(settings))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its name and how careless it is."""
        return {"name": "guide", **self._made.model_dump()}

    def act(self, goal: str, turns: Sequence[Turn], now: Observation, dice: Random) -> str:
        """Return the next action of the walkthrough, a later one, any one, or the refused one again."""
        made = self._made
        if turns and turns[-1].answer.refused and dice.random() < made.stubborn:
            return turns[-1].action
        if dice.random() < made.slip:
            if len(now.ahead) > 1 and dice.random() < 0.5:
                return dice.choice(now.ahead[1:])
            if now.actions:
                return dice.choice(now.actions)
        return now.ahead[0] if now.ahead else dice.choice(now.actions or ("look",))


class Script:
    """The policy `script`."""

    label = "script"

    def __init__(self, settings: Mapping[str, Any], cache: Path | None = None) -> None:
        self._made = _Lines.model_validate(dict(settings))

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its name and its lines."""
        return {"name": "script", "actions": list(self._made.actions)}

    def act(self, goal: str, turns: Sequence[Turn], now: Observation, dice: Random) -> str:
        """Return the line of this turn."""
        return self._made.actions[min(len(turns), len(self._made.actions) - 1)]


def policy(name: str, settings: Mapping[str, Any], *, cache: Path | None = None) -> Policy:
    """Make the player that settings name; `cache` keeps answers of a model. Raise UsageError for what is unknown."""
    place = POLICIES.get(name)
    if place is None:
        raise UsageError(f"no policy is called {name}. Known: {', '.join(sorted(POLICIES))}.")
    module, _, attribute = place.partition(":")
    try:
        made: Policy = getattr(import_module(module), attribute)(settings, cache)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"setting {where or 'of'} of policy {name}: {first['msg']}.") from None
    return made
