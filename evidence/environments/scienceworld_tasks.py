"""ScienceWorld: experiments in a simulated school, in a Java process of its own package.

The simulator shows no complete state, so the state is named by the actions that it carried out: an action it does not
know costs no move and leaves the state as it was. Its gold path starts at the beginning; what is left of it is the
walkthrough, which a player who strays may have spoilt.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from typing import Annotated, Any, Final

from pydantic import Field

from errorhub.evidence.environments.environment import EnvironmentFault, NotReplayable, Observation, Verdict
from errorhub.hub.bundle import Outcome
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.diagnosis import Milestone
from errorhub.hub.bundle.trajectory import Record, Task
from errorhub.hub.errors import UsageError

INSTALL: Final = "pip install 'agent-error-hub[replay]'"
_UNKNOWN: Final = "No known action matches that input"
_GOAL: Final = re.compile(r"^\d+\t(true|false)\t\s*(\S+)\t?(.*)$", re.MULTILINE)
_ENDLESS: Final = 100_000
MOST_ACTIONS: Final = 400
"""Actions shown as possible; a room full of things has thousands of combinations."""


class Settings(Record):
    """Which task."""

    task: str = "find-living-thing"
    """Name of the task."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Variation of the task."""
    simplification: str = "easy"
    """Simplifications, as ScienceWorld names them."""
    version: str = ""
    """Version of ScienceWorld; empty means the one installed."""


class ScienceWorld:
    """One variation of one task of ScienceWorld."""

    simulated = True

    def __init__(self, settings: Mapping[str, Any]) -> None:
        made = Settings.model_validate(dict(settings))
        installed = _version()
        if made.version not in ("", installed):
            raise NotReplayable(f"the run was made with ScienceWorld {made.version}; {installed} is installed here.")
        if shutil.which("java") is None:
            raise UsageError("environment scienceworld needs Java 8 or newer, which is not installed.")
        self._settings = made.replace(version=installed)
        self._env: Any = None
        self._gold: tuple[str, ...] = ()
        self._verbs: frozenset[str] = frozenset()
        self._left: list[str] = []
        self._carried_out: tuple[str, ...] = ()
        self._infos: dict[str, Any] = {}

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings, complete."""
        return self._settings.model_dump(mode="json")

    @property
    def task(self) -> Task:
        """The variation."""
        made = self._settings
        family = f"scienceworld/{made.task}"
        goal = str(self._infos["taskDesc"]).removeprefix("Task Description:").strip()
        return Task(id=f"{family}/{made.seed}", family=family, environment="scienceworld", goal=goal)

    def reset(self) -> Observation:
        """Begin the task, starting the simulator when it is not running."""
        if self._env is None:
            self._load()
        text, self._infos = self._asked(lambda: self._env.reset())
        self._carried_out, self._left = (), list(self._gold)
        return self._answer(str(text), refused=False, done=False)

    def step(self, action: str) -> Observation:
        """Take one action."""
        moves, plain = self._infos["moves"], " ".join(action.split())
        text, _, done, self._infos = self._asked(lambda: self._env.step(plain))
        refused = str(text).startswith(_UNKNOWN) and self._infos["moves"] == moves
        if self._left and self._left[0] == plain:
            self._left.pop(0)
        if not refused:
            self._carried_out += (plain,)
        return self._answer(str(text), refused=refused, done=bool(done))

    def understands(self, action: str) -> bool:
        """Tell by the first word of its action templates."""
        return (action.split() or [""])[0].casefold() in self._verbs

    def verify(self) -> Verdict:
        """Pass at 100 points; the sequential subgoals are the milestones."""
        score = int(self._infos["score"])
        passed = score >= 100
        outcome = Outcome(
            status="passed" if passed else "failed",
            score=max(0, score) / 100,
            verifier="scienceworld",
            reason=None if passed else f"{score} of 100 points",
            fault="unknown" if passed else "agent",
        )
        progress = str(self._asked(self._env.get_goal_progress)).partition("Unordered")[0]
        goals = _GOAL.findall(progress)
        reached = [Milestone(name=text.strip() or name, status="achieved" if done == "true" else "missed")
                   for done, name, text in goals]  # fmt: skip
        return Verdict(outcome, tuple(reached))

    def close(self) -> None:
        """Stop the simulator."""
        if self._env is not None:
            env, self._env = self._env, None
            process = env._gateway.java_process
            with suppress(OSError):
                env.close()
            env._obj_tree_tempdir.cleanup()
            for pipe in (process.stdin, process.stdout, process.stderr):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            process.wait(timeout=30)

    def _load(self) -> None:
        from scienceworld import ScienceWorldEnv

        made = self._settings
        self._env = self._asked(lambda: ScienceWorldEnv("", envStepLimit=_ENDLESS))
        if made.task not in (tasks := self._env.get_task_names()):
            self.close()
            raise UsageError(f"no task of ScienceWorld is called {made.task}. For example {', '.join(tasks[5:8])}.")
        if made.seed >= (most := self._env.get_max_variations(made.task)):
            self.close()
            raise UsageError(f"task {made.task} has variations 0 to {most - 1}, not {made.seed}.")
        self._asked(lambda: self._env.load(made.task, made.seed, made.simplification, generateGoldPath=True))
        self._gold = tuple(self._env.get_gold_action_sequence())
        self._verbs = frozenset(str(one).split(" ")[0].casefold() for one in self._env.get_possible_actions())

    def _asked(self, ask: Any) -> Any:
        """Ask the Java process. Raise EnvironmentFault when it does not answer."""
        from py4j.protocol import Py4JError

        try:
            return ask()
        except (Py4JError, OSError) as problem:
            raise EnvironmentFault(f"ScienceWorld broke down: {type(problem).__name__}.") from None

    def _answer(self, text: str, *, refused: bool, done: bool) -> Observation:
        valid = tuple(sorted(self._infos["valid"])[:MOST_ACTIONS])
        return Observation(text.strip(), digest(list(self._carried_out)), refused, done, valid, tuple(self._left))


def _version() -> str:
    try:
        import scienceworld  # noqa: F401
    except ModuleNotFoundError as problem:
        if problem.name != "scienceworld":
            raise
        raise UsageError("environment scienceworld needs a package that is not installed.", hint=INSTALL) from None
    return metadata.version("scienceworld")
