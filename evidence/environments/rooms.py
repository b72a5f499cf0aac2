"""Rooms in a row, locked doors, keys that lie about, and a lever that floods it all: a world of no packages.

Its walkthrough is exact (breadth first over a few hundred states), so it serves tests, the documentation, and whoever
wants to try out a policy. It can be told to be unsteady or to break down, to see that a harness notices.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import Iterator, Mapping
from random import Random
from typing import Annotated, Any, Final, NamedTuple

from pydantic import Field

from errorhub.evidence.environments.environment import EnvironmentFault, Observation, Verdict
from errorhub.hub.bundle import Outcome
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.diagnosis import Milestone
from errorhub.hub.bundle.trajectory import Record, Task

_COLOURS: Final = ("red", "blue", "green", "white", "black", "amber")
_VERBS: Final = ("go", "take", "unlock", "pull", "look")


class Settings(Record):
    """Which rooms."""

    seed: int = 0
    """Where doors are locked and keys lie."""
    rooms: Annotated[int, Field(ge=3, le=6)] = 4
    """How many rooms in a row."""
    version: int = 1
    """Version of the rules."""
    unsteady: bool = False
    """The flavour of an answer changes from run to run."""
    breaks_at: int | None = None
    """Action at which the world breaks down."""


class _State(NamedTuple):
    room: int = 0
    held: frozenset[str] = frozenset()
    opened: frozenset[str] = frozenset()
    flooded: bool = False


class Rooms:
    """The world `rooms`: reach the last room."""

    simulated = True

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = Settings.model_validate(dict(settings))
        pick = Random(self._settings.seed)
        last = self._settings.rooms - 1
        self._locks = {door: _COLOURS[door] for door in range(last) if door and pick.random() < 0.8}
        self._keys = {colour: pick.randrange(door + 1) for door, colour in self._locks.items()}
        self._lever = pick.randrange(last)
        self._last = last
        self._state, self._taken = _State(), 0

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings, complete."""
        return self._settings.model_dump(mode="json")

    @property
    def task(self) -> Task:
        """The way through these rooms."""
        made = self._settings
        goal = f"You are in the first of {made.rooms} rooms in a row. Reach the last one, to the east."
        return Task(id=f"rooms/{made.rooms}/{made.seed}", family=f"rooms/{made.rooms}", environment="rooms", goal=goal)

    def reset(self) -> Observation:
        """Begin in the first room."""
        self._state, self._taken = _State(), 0
        return self._answer(self._described(), refused=False)

    def step(self, action: str) -> Observation:
        """Take one action."""
        if self._taken == self._settings.breaks_at:
            raise EnvironmentFault(f"rooms broke down at action {self._taken}, as it was told to.")
        self._taken += 1
        after = None if self._over else dict(self._moves(self._state)).get(" ".join(action.split()).casefold())
        if after is None:
            return self._answer(f"You can't do that: {action.strip()[:60]}.", refused=True)
        self._state = after
        return self._answer("Water rushes in. You are lost." if after.flooded else self._described(), refused=False)

    def understands(self, action: str) -> bool:
        """Tell by the verb."""
        return action.split(" ")[0].casefold() in _VERBS

    def verify(self) -> Verdict:
        """Pass when the last room was reached."""
        passed = self._state.room == self._last
        reason = (
            None if passed else "the rooms were flooded" if self._state.flooded else "the last room was not reached"
        )
        outcome = Outcome(status="passed" if passed else "failed", score=self._state.room / self._last, reason=reason,
                          verifier="rooms", fault="unknown" if passed else "agent")  # fmt: skip
        doors = [(f"open the {colour} door", colour in self._state.opened) for colour in self._locks.values()]
        return Verdict(outcome, tuple(Milestone(name=n, status="achieved" if ok else "missed") for n, ok in doors))

    def close(self) -> None:
        """Nothing to let go of."""

    @property
    def _over(self) -> bool:
        return self._state.flooded or self._state.room == self._last

    def _answer(self, text: str, *, refused: bool) -> Observation:
        flavour = f" ({secrets.token_hex(3)})" if self._settings.unsteady else ""
        at = self._state
        named = digest([at.room, sorted(at.held), sorted(at.opened), at.flooded])
        actions = () if self._over else tuple(sorted(dict(self._moves(self._state))))
        return Observation(text + flavour, named, refused, self._over, actions, self._way())

    def _described(self) -> str:
        room = self._state.room
        seen = [f"A {c} key lies here." for c, at in self._keys.items() if at == room and c not in self._state.held]
        seen += ["There is a lever on the wall."] if room == self._lever else []
        colour = self._locks.get(room)
        if colour and colour not in self._state.opened:
            seen.append(f"The door to the east is locked; it is {colour}.")
        held = (
            f" You hold the {', the '.join(f'{one} key' for one in sorted(self._state.held))}."
            if self._state.held
            else ""
        )
        return f"Room {room + 1} of {self._last + 1}. {' '.join(seen) or 'It is empty.'}{held}"

    def _moves(self, at: _State) -> Iterator[tuple[str, _State]]:
        yield "look", at
        yield from ((f"take {c} key", at._replace(held=at.held | {c}))
                    for c, place in self._keys.items() if place == at.room and c not in at.held)  # fmt: skip
        colour = self._locks.get(at.room)
        if colour and colour in at.held and colour not in at.opened:
            yield f"unlock {colour} door", at._replace(opened=at.opened | {colour})
        if at.room < self._last and (not colour or colour in at.opened):
            yield "go east", at._replace(room=at.room + 1)
        if at.room:
            yield "go west", at._replace(room=at.room - 1)
        if at.room == self._lever:
            yield "pull lever", at._replace(flooded=True)

    def _way(self) -> tuple[str, ...]:
        """Return the shortest way to the last room; none when it is over or flooded."""
        if self._over:
            return ()
        waiting: deque[tuple[_State, tuple[str, ...]]] = deque([(self._state, ())])
        seen = {self._state}
        while waiting:
            at, way = waiting.popleft()
            for action, after in self._moves(at):
                if after.room == self._last:
                    return (*way, action)
                if after not in seen and not after.flooded:
                    seen.add(after)
                    waiting.append((after, (*way, action)))
        return ()
