"""Every environment: the same settings give the same world, a refused action changes nothing, the verifier is its own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from errorhub.evidence.environments import Environment, EnvironmentFault, NotReplayable, environment, names
from errorhub.hub.errors import UsageError

needs_textworld = pytest.mark.skipif(find_spec("textworld") is None, reason="TextWorld is not installed")
needs_java = pytest.mark.skipif(
    find_spec("scienceworld") is None or shutil.which("java") is None, reason="ScienceWorld or Java is not installed"
)
WORLDS = [
    pytest.param(("rooms", {"rooms": 5, "seed": 3}), id="rooms"),
    pytest.param(("textworld", {"seed": 3, "rooms": 1, "length": 1}), id="textworld", marks=needs_textworld),
    pytest.param(("scienceworld", {"seed": 4}), id="scienceworld", marks=needs_java),
]


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest, games: Path) -> Iterator[Environment]:
    """One world of each kind: a Java process takes seconds to start."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(games))
        made = environment(*request.param)
        made.reset()
        yield made
    made.close()


def test_its_own_walkthrough_passes_its_own_verifier(world: Environment) -> None:
    now = world.reset()
    assert world.task.goal
    assert str(world.task.id).startswith(str(world.task.family))
    for _ in range(60):
        if now.done or not now.ahead:
            break
        now = world.step(now.ahead[0])
    verdict = world.verify()
    assert now.done
    assert verdict.outcome.status == "passed"
    assert verdict.outcome.score == 1.0
    assert {one.status for one in verdict.milestones} == {"achieved"}


def test_beginning_anew_is_deterministic(world: Environment) -> None:
    def seen() -> list[tuple[str, str]]:
        now = world.reset()
        answers = [(now.text, now.state)]
        for action in now.ahead[:4]:
            now = world.step(action)
            answers.append((now.text, now.state))
        return answers

    first = seen()
    assert seen() == first
    assert len({state for _, state in first}) > 1
    assert environment(str(world.task.environment), world.settings).settings == world.settings


def test_a_refused_action_leaves_the_state_as_it_was(world: Environment) -> None:
    start = world.reset()
    refused = world.step("xyzzy the moon")
    assert refused.refused
    assert refused.state == start.state
    assert refused.text
    assert not refused.done
    assert not world.understands("xyzzy the moon")
    taken = world.step(start.ahead[0])
    assert not taken.refused
    assert taken.state != start.state
    assert world.understands(start.ahead[0])
    assert world.verify().outcome.status == "failed"


def test_actions_said_to_be_possible_are_taken(world: Environment) -> None:
    start = world.reset()
    assert start.actions
    assert not world.step(start.actions[0]).refused


@needs_textworld
def test_looking_around_is_not_a_refusal_though_nothing_changes() -> None:
    world = environment("textworld", {"seed": 3, "rooms": 1, "length": 1})
    start = world.reset()
    looked = world.step("look")
    assert (looked.refused, looked.state) == (False, start.state)
    world.close()


@needs_textworld
@pytest.mark.parametrize(
    "action",
    [
        "save",
        "script",
        "restart",
        "quit",
        "",
        "transcript",
        "look. save",
        "go north then save",
        "LOOK\nsave",
        "look; quit",
    ],
)
def test_verbs_of_the_interpreter_never_reach_it(action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`save` and `script` would write files where the command was called, `restart` would undo the run."""
    monkeypatch.chdir(tmp_path)
    world = environment("textworld", {"seed": 3, "rooms": 1, "length": 1})
    start = world.reset()
    answer = world.step(action)
    assert (answer.refused, answer.state, answer.done) == (True, start.state, False)
    assert answer.text
    assert answer.ahead == start.ahead
    assert not [path for path in tmp_path.iterdir() if path.name not in ("config", "ws")]
    world.close()


@needs_textworld
@pytest.mark.parametrize(
    ("other", "problem", "says"),
    [
        ({"version": "0.1"}, NotReplayable, "made by TextWorld 0.1"),
        ({"rooms": 7}, UsageError, "setting rooms of environment textworld"),
        ({"path": "/etc/passwd"}, UsageError, "setting path"),
    ],
    ids=["version", "rooms", "path"],
)
def test_settings_that_make_no_game(other: dict[str, Any], problem: type[UsageError], says: str) -> None:
    with pytest.raises(problem, match=says):
        environment("textworld", {"seed": 3, **other})


@needs_java
def test_a_task_that_is_none() -> None:
    world = environment("scienceworld", {"task": "fly"})
    with pytest.raises(UsageError, match="no task of ScienceWorld"):
        world.reset()


@needs_java
def test_a_java_process_that_dies_is_a_fault_of_the_environment() -> None:
    world: Any = environment("scienceworld", {"seed": 4})
    now = world.reset()
    world._env._gateway.java_process.kill()
    world._env._gateway.java_process.wait()
    with pytest.raises(EnvironmentFault, match="ScienceWorld broke down"):
        world.step(now.ahead[0])
    world.close()


@pytest.mark.parametrize("name", ["textworld", "scienceworld"])
def test_a_missing_package_is_one_sentence_with_the_command(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(UsageError, match="not installed") as caught:
        environment(name, {})
    assert str(caught.value.hint).startswith("pip install ")


def test_missing_java_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scienceworld", reason="ScienceWorld is not installed")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(UsageError, match="needs Java"):
        environment("scienceworld", {})


def test_an_unknown_environment_lists_the_known_ones() -> None:
    with pytest.raises(UsageError, match="rooms, scienceworld, textworld"):
        environment("chess", {})
    assert names() == ("rooms", "scienceworld", "textworld")


@pytest.mark.parametrize("seed", range(25))
def test_the_way_through_the_rooms_is_found_from_anywhere(seed: int) -> None:
    """A lever is never on the way, and every seed can be solved."""
    world = environment("rooms", {"rooms": 6, "seed": seed})
    start = world.reset()
    assert start.ahead
    assert "pull lever" not in start.ahead
    for action in start.ahead:
        assert not world.step(action).refused
    assert world.verify().outcome.status == "passed"
