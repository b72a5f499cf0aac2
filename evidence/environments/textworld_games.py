"""TextWorld: games made from a seed by its own generator, played by its own interpreter, judged by its own quests.

A compiled game is kept in the user's cache folder under the digest of its settings; a run never names a file.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from errorhub.evidence.environments.environment import EnvironmentFault, NotReplayable, Observation, Verdict
from errorhub.hub.bundle import Outcome
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.diagnosis import Milestone
from errorhub.hub.bundle.trajectory import Record, Task
from errorhub.hub.errors import UsageError

_PROMPT: Final = re.compile(r"\s*>\s*(-=.*)?$", re.DOTALL)
_BLANK: Final = re.compile(r"\n{3,}")
_SEVERAL: Final = re.compile(r"[.;\n]|\bthen\b", re.IGNORECASE)
_SYNONYMS: Final = frozenset({"l", "i", "x", "n", "s", "e", "w", "north", "south", "east", "west", "get", "wait", "z"})
INSTALL: Final = "pip install 'agent-error-hub[replay]'"


class Settings(Record):
    """Which game."""

    game: Literal["cooking", "quest"] = "cooking"
    """cooking: the game of the competition First TextWorld Problems. quest: fetch things in a house."""
    seed: int = 0
    """Seed of the map, the things and the recipe."""
    rooms: Literal[1, 6, 9, 12] = 6
    """How many rooms."""
    length: Annotated[int, Field(ge=1, le=5)] = 2
    """cooking: ingredients of the recipe, one of them not at hand. quest: actions of the quest."""
    version: str = ""
    """Version of TextWorld; empty means the one installed."""


class TextWorld:
    """One game of TextWorld."""

    simulated = True

    def __init__(self, settings: Mapping[str, Any]) -> None:
        made = Settings.model_validate(dict(settings))
        installed = _version()
        if made.version not in ("", installed):
            raise NotReplayable(f"the game was made by TextWorld {made.version}; {installed} is installed here.")
        self._settings = made.replace(version=installed)
        self._env: Any = None
        self._now: Any = None

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings, complete."""
        return self._settings.model_dump(mode="json")

    @property
    def task(self) -> Task:
        """The game, by the settings that make it."""
        made = self._settings
        family = f"textworld/{made.game}-{made.length}-{made.rooms}"
        goal = " ".join(str(self._now.objective).split())
        return Task(id=f"{family}/{made.seed}", family=family, environment="textworld", goal=goal)

    def reset(self) -> Observation:
        """Begin the game, making it when it is new."""
        if self._env is None:
            self._env = _start(_game_file(self._settings))
        self._now = self._env.reset()
        return self._answer(_facts(self._now), refused=False)

    def step(self, action: str) -> Observation:
        """Take one action; one that the game does not carry out leaves its facts as they are.

        The interpreter has verbs of its own that write files, restart and quit, and takes several actions in one line:
        only the verbs of the game reach it, one action at a time.
        """
        before, moves = _facts(self._now), self._now.moves
        plain = " ".join(action.split())
        if plain not in self._now.admissible_commands and (why := self._unheard(action.strip())):
            return replace(self._answer(before, refused=True), text=why)
        try:
            self._now = self._env.step(plain)[0]
        except (OSError, RuntimeError, ValueError, LookupError, AttributeError) as problem:
            raise EnvironmentFault(f"TextWorld broke down: {type(problem).__name__}.") from None
        facts = _facts(self._now)
        return self._answer(facts, refused=facts == before and self._now.moves == moves)

    def understands(self, action: str) -> bool:
        """Tell by the verbs of the game."""
        return _verb(action) in self._now.verbs

    def verify(self) -> Verdict:
        """Pass when the game is won; its quests are the milestones."""
        now = self._now
        status: Literal["passed", "failed"] = "passed" if now.won else "failed"
        reason = None if now.won else "the game was lost" if now.lost else "the game was not won in time"
        outcome = Outcome(status=status, score=now.score / max(1, now.max_score), verifier="textworld", reason=reason,
                          fault="unknown" if now.won else "agent")  # fmt: skip
        return Verdict(outcome, tuple(_milestones(now)))

    def close(self) -> None:
        """Stop the interpreter."""
        if self._env is not None:
            self._env.close()
            self._env = None

    def _unheard(self, action: str) -> str | None:
        """Say why an action does not reach the interpreter; None when it does."""
        if not self.understands(action) and _verb(action) not in _SYNONYMS:
            return "That's not a verb I recognise."
        return "One action at a time." if _SEVERAL.search(action) else None

    def _answer(self, facts: list[str], *, refused: bool) -> Observation:
        now = self._now
        text = _told(now.feedback)
        done = bool(now.won or now.lost)
        ahead = () if done else tuple(now.policy_commands or ())
        return Observation(text, digest([facts, done]), refused, done, tuple(now.admissible_commands), ahead)


def _verb(action: str) -> str:
    return (action.split() or [""])[0].casefold()


def _told(feedback: str) -> str:
    """Return what the game says, without its banner (the goal stands in the task), its prompt and its empty lines."""
    text = _PROMPT.sub("", feedback)
    text = text[text.index("-=") :] if "$$$" in text and "-=" in text else text
    return _BLANK.sub("\n\n", "\n".join(line.strip() for line in text.splitlines())).strip()


def _facts(now: Any) -> list[str]:
    return sorted(map(str, now.facts))


def _milestones(now: Any) -> list[Milestone]:
    """Return the quests that score, named by the command that completes each in the walkthrough."""
    quests = [one for one in now["_game_progression"].quest_progressions if one.quest.reward and one.quest.commands]
    return [Milestone(name=one.quest.commands[-1], status="achieved" if one.completed else "missed") for one in quests]


def _version() -> str:
    try:
        import textworld
    except ModuleNotFoundError as problem:
        if problem.name != "textworld":
            raise
        raise UsageError("environment textworld needs TextWorld, which is not installed.", hint=INSTALL) from None
    return str(textworld.__version__)


def _start(path: Path) -> Any:
    import textworld

    wanted = textworld.EnvInfos(
        admissible_commands=True, policy_commands=True, facts=True, verbs=True, objective=True, moves=True,
        won=True, lost=True, score=True, max_score=True,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the interpreter says that it does not know this game by name: it is new
        return textworld.start(str(path), wanted)


def _game_file(settings: Settings) -> Path:
    """Return the compiled game, made when it is not in the cache; it appears there whole or not at all."""
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "errorhub" / "textworld"
    folder = root / digest(settings.model_dump(mode="json"))[:32]
    if not folder.is_dir():
        beside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}")
        beside.mkdir(mode=0o700, parents=True)
        try:
            _compile(settings, beside / "game.z8")
            if not folder.is_dir():
                beside.rename(folder)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
    return folder / "game.z8"


def _compile(settings: Settings, path: Path) -> None:
    import textworld
    from textworld.challenges.tw_cooking import cooking
    from textworld.generator import compile_game, make_game
    from textworld.generator.chaining import QuestGenerationError
    from textworld.generator.world import NoFreeExitError

    options = textworld.GameOptions()
    options.seeds, options.path, options.nb_rooms = settings.seed, str(path), settings.rooms
    recipe = {
        "recipe": settings.length, "take": 1, "go": settings.rooms, "open": True, "cook": True, "cut": True,
        "drop": False, "recipe_seed": settings.seed, "split": "train",
    }  # fmt: skip
    options.quest_length, options.nb_objects = settings.length, settings.rooms + 4
    try:
        compile_game(cooking.make(recipe, options) if settings.game == "cooking" else make_game(options), options)
    except (QuestGenerationError, NoFreeExitError, OSError, RuntimeError, ValueError, NameError) as problem:
        raise EnvironmentFault(f"TextWorld could not make game {settings.seed}: {type(problem).__name__}.") from None
