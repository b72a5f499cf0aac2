"""The policy `model`: a model behind an OpenAI-compatible URL says one action a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Annotated, Any, Final

from pydantic import Field

from errorhub.evidence.chat import Chat, Down, Endpoint, Message, NoAnswer
from errorhub.evidence.environments.environment import EnvironmentFault, Observation
from errorhub.evidence.environments.policies import Turn
from errorhub.hub.bundle.trajectory import Record
from errorhub.hub.errors import UsageError

_SHOWN_TURNS: Final = 20
_SHOWN_ACTIONS: Final = 60
_RULES: Final = (
    "You play a text world. Reach the goal in as few actions as you can. Answer with the next action alone, "
    "on one line, in the words of the world."
)


class Settings(Record):
    """Which model, and how it is asked."""

    base_url: str
    """Up to and without `/chat/completions`; without credentials."""
    model: str
    """Name of the model there."""
    temperature: Annotated[float, Field(ge=0, le=2)] = 0.7
    """Sampling temperature; each turn has a seed of its own."""
    actions_shown: bool = True
    """Whether the model sees which actions would be taken."""


@dataclass(frozen=True)
class _Player(Endpoint):
    """An endpoint that samples, with a seed that a run can repeat."""

    temperature: float = 0.7
    seed: int = 0

    def body(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the request for one turn."""
        return super().body(messages) | {"temperature": self.temperature, "seed": self.seed}


class ModelPlayer:
    """Asks a model for each action; the same turn with the same dice is asked once."""

    def __init__(self, settings: Mapping[str, Any], cache: Path | None) -> None:
        self._made = Settings.model_validate(dict(settings))
        if "@" in self._made.base_url:
            raise UsageError("the URL of a policy is recorded with its runs: leave credentials out of it.")
        if cache is None:
            raise UsageError("the policy model keeps its answers: it needs a folder for them.")
        self._cache = cache
        Endpoint(self._made.base_url, self._made.model).check()

    @property
    def label(self) -> str:
        """The model."""
        return self._made.model

    @property
    def settings(self) -> Mapping[str, Any]:
        """Its name, the model and how it is asked."""
        return {"name": "model", **self._made.model_dump()}

    def act(self, goal: str, turns: Sequence[Turn], now: Observation, dice: Random) -> str:
        """Return the first line of the answer. Raise EnvironmentFault without one, RemoteError when nobody is there."""
        made = self._made
        endpoint = _Player(made.base_url, made.model, max_tokens=64, temperature=made.temperature,
                           seed=dice.getrandbits(31))  # fmt: skip
        text = asyncio.run(self._asked(endpoint, self._prompt(goal, turns, now)))
        lines = [line.strip(" \t>`\"'") for line in text.splitlines()]
        return next((line for line in lines if line), "")[:200] or "look"

    async def _asked(self, endpoint: Endpoint, prompt: list[Message]) -> str:
        async with Chat(endpoint, self._cache) as chat:
            try:
                return (await chat.ask(prompt)).text
            except NoAnswer as problem:
                if chat.down:
                    raise Down(chat.down) from None
                raise EnvironmentFault(f"{endpoint.model} gave no answer: {problem}") from None

    def _prompt(self, goal: str, turns: Sequence[Turn], now: Observation) -> list[Message]:
        """Return the goal, the latest turns and what would be taken now."""
        told = [f"Goal: {goal}"] if goal else []
        if len(turns) > _SHOWN_TURNS:
            told.append(f"({len(turns) - _SHOWN_TURNS} earlier turns left out)")
        for turn in turns[-_SHOWN_TURNS:-1]:
            told += [f"> {turn.action}", turn.answer.text]
        told += [f"> {turns[-1].action}"] if turns else []
        told.append(now.text)
        if self._made.actions_shown and now.actions:
            told.append("Possible now: " + "; ".join(now.actions[:_SHOWN_ACTIONS]))
        return [{"role": "system", "content": _RULES}, {"role": "user", "content": "\n".join(told)}]
