"""Players: what they say depends on what was seen and on the dice, and on nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from errorhub.evidence.chat import Down
from errorhub.evidence.environments import EnvironmentFault, Observation, Turn, policy
from errorhub.evidence.environments.options import seeds_of, settings_of
from errorhub.hub.errors import RemoteError, UsageError
from errorhub.hub.workspace import Workspace

from .conftest import Runs

HERE = Observation("A room.", "s0", actions=("look", "go east", "go west"), ahead=("go east", "take key"))
REFUSED = Turn("open moon", "s0", Observation("You can't.", "s0", refused=True), "s0")


@pytest.mark.parametrize(
    ("name", "settings", "turns", "says"),
    [
        ("guide", {"slip": 0, "stubborn": 0}, [], {"go east"}),
        ("guide", {"slip": 0, "stubborn": 1}, [REFUSED], {"open moon"}),
        ("guide", {"slip": 1, "stubborn": 0}, [], {"take key", "look", "go east", "go west"}),
        ("random", {}, [], {"look", "go east", "go west"}),
        ("script", {"actions": ["a", "b"]}, [REFUSED], {"b"}),
        ("script", {"actions": ["a", "b"]}, [REFUSED] * 5, {"b"}),
    ],
    ids=["guide", "stubborn", "slipping", "random", "script", "script-ends"],
)
def test_what_players_say(name: str, settings: dict[str, Any], turns: list[Turn], says: set[str]) -> None:
    player = policy(name, settings)
    assert {player.act("", turns, HERE, Random(dice)) for dice in range(60)} == says
    assert player.act("", turns, HERE, Random(7)) == player.act("", turns, HERE, Random(7))
    assert player.settings["name"] == name


@pytest.mark.parametrize(
    ("name", "settings", "says"),
    [
        ("chess", {}, "no policy is called chess"),
        ("guide", {"slip": 2}, "setting slip of policy guide"),
        ("script", {}, "setting actions"),
        ("model", {"model": "m"}, "setting base_url"),
        ("model", {"model": "m", "base_url": "ftp://x"}, "not a URL"),
        ("model", {"model": "m", "base_url": "http://me:" + "pw@x"}, "leave credentials out"),
    ],
    ids=["unknown", "share", "script", "model", "url", "credentials"],
)
def test_settings_that_make_no_player(name: str, settings: dict[str, Any], says: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=says):
        policy(name, settings, cache=tmp_path)


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("0-3", (0, 1, 2, 3)), ("3,5, 8-9", (3, 5, 8, 9)), ("4,4,4", (4,)), ("7", (7,))],
    ids=["range", "list", "twice", "one"],
)
def test_seeds_are_read(text: str, seeds: tuple[int, ...]) -> None:
    assert seeds_of(text) == seeds


@pytest.mark.parametrize("text", ["", "a", "3-", "-3", "5-2", "0-999999999", "1.5"])
def test_what_names_no_seeds(text: str) -> None:
    with pytest.raises(UsageError, match="seeds"):
        seeds_of(text)


def test_settings_are_read_as_json_or_as_text() -> None:
    assert settings_of(["rooms=6", "game=quest", "x=[1]", "y=a=b"]) == {
        "rooms": 6,
        "game": "quest",
        "x": [1],
        "y": "a=b",
    }
    with pytest.raises(UsageError, match="not a setting"):
        settings_of(["rooms"])


class _Model(BaseHTTPRequestHandler):
    """Says what the server was told to say, and keeps what it was asked."""

    def do_POST(self) -> None:
        server: Any = self.server
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.asked.append(body)
        status, text = server.script[min(len(server.asked), len(server.script)) - 1]
        answer = json.dumps({"choices": [{"message": {"content": text}}]} if status == 200 else {}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: Any) -> None:
        """Keep quiet."""


@pytest.fixture
def model() -> Iterator[Any]:
    server: Any = ThreadingHTTPServer(("127.0.0.1", 0), _Model)
    server.asked, server.script, server.url = [], [(200, "go east")], f"http://127.0.0.1:{server.server_port}/v1"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_model_plays_and_the_same_turn_is_asked_once(model: Any, tmp_path: Path) -> None:
    model.script = [(200, "\n > go east \nbecause it leads on")]
    player = policy("model", {"base_url": model.url, "model": "tiny"}, cache=tmp_path)
    assert player.act("Reach the end.", [REFUSED], HERE, Random(1)) == "go east"
    assert player.act("Reach the end.", [REFUSED], HERE, Random(1)) == "go east"
    assert player.act("Reach the end.", [REFUSED], HERE, Random(2)) == "go east"
    assert len(model.asked) == 2
    asked = model.asked[0]["messages"][1]["content"]
    assert "Reach the end." in asked
    assert "> open moon" in asked
    assert "take key" not in asked, "the walkthrough is not for a player that is measured"
    assert model.asked[0]["seed"] != model.asked[1]["seed"]
    assert player.label == "tiny"


@pytest.mark.parametrize(
    ("script", "problem"),
    [([(401, "")], Down), ([(400, "")], EnvironmentFault)],
    ids=["locked", "this-prompt-only"],
)
def test_a_model_without_an_answer(model: Any, tmp_path: Path, script: Any, problem: type[Exception]) -> None:
    model.script = script
    player = policy("model", {"base_url": model.url, "model": "tiny"}, cache=tmp_path)
    with pytest.raises(problem):
        player.act("", [], HERE, Random(1))
    assert issubclass(Down, RemoteError)


def test_a_model_is_collected_and_replayed_by_the_verbs(model: Any, errorhub: Runs, workspace: Workspace) -> None:
    """It always goes east, which a locked door stops; the key is the correction. Both arms ask the same model."""
    asked = ("--base-url", model.url, "--model", "tiny")
    code, document = errorhub("collect", "--env", "rooms", "--set", "rooms=4", "--seeds", "0-3", "--budget", "5",
                              "--policy", "model", *asked, "--oracle")  # fmt: skip
    assert code == 0
    assert document["failed"] == document["diagnosed"] > 0
    bundles = list(workspace.raw.bundles())
    assert {one.trajectory.run.policy for one in bundles} == {"tiny"}
    code, refused = errorhub("replay", bundles[0].bundle_id, "--env", "rooms")
    assert (code, "--base-url" in refused["error"]["message"]) == (2, True)
    code, document = errorhub("replay", "--all", "--env", "rooms", "--base-url", model.url)
    assert (code, document["pairs"], document["original"]) == (0, 3 * len(bundles), 0)
    before = len(model.asked)
    errorhub("replay", "--all", "--env", "rooms", "--base-url", model.url)
    assert len(model.asked) == before


def test_an_endpoint_that_answers_nobody_ends_a_batch_that_can_go_on(model: Any, errorhub: Runs) -> None:
    batch = ("collect", "--env", "rooms", "--seeds", "0-1", "--budget", "2", "--policy", "model", "--base-url", model.url,
             "--model", "tiny")  # fmt: skip
    model.script = [(200, "look"), (200, "look"), (401, "")]
    code, document = errorhub(*batch)
    assert code == 4
    assert "tiny gave no answer" in document["error"]["message"]
    model.script, model.asked = [(200, "look")], []
    code, document = errorhub(*batch)
    assert (code, document["failed"], len(model.asked)) == (0, 2, 2)
