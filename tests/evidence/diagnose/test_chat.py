"""The one client of models: it waits as it is told, keeps what it paid for, and sends nothing where it should not."""

import asyncio
import json
import time
from collections.abc import Callable
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from chatserver import Model

from errorhub.evidence.chat import Chat, Down, Endpoint, NoAnswer
from errorhub.evidence.replies import Reply, pause_asked
from errorhub.hub.errors import UsageError

Ask = Callable[..., Any]


def prompt(text: str = "hello") -> list[dict[str, Any]]:
    """Return a prompt."""
    return [{"role": "user", "content": text}]


def ask(endpoint: Endpoint, cache: Path, *prompts: list[dict[str, Any]]) -> list[Reply | Exception]:
    """Ask one prompt after the other."""

    async def run() -> list[Reply | Exception]:
        said: list[Reply | Exception] = []
        async with Chat(endpoint, cache) as chat:
            for one in prompts:
                try:
                    said.append(await chat.ask(one))
                except (NoAnswer, Down) as problem:
                    said.append(problem)
        return said

    return asyncio.run(run())


class Response:
    """A response with a Retry-After."""

    def __init__(self, said: str | None) -> None:
        self.headers = {} if said is None else {"retry-after": said}


@pytest.mark.parametrize(("said", "seconds"), [("7", 7), ("2.5", 2.5), (None, 1), ("soon", 1), ("-3", 1)], ids=str)
def test_a_server_says_how_long_to_wait(said: str | None, seconds: float) -> None:
    assert pause_asked(Response(said), 1.0) == seconds


@pytest.mark.parametrize(("ahead", "least"), [(900, 700), (-900, 0)], ids=str)
def test_a_server_says_until_when_to_wait(ahead: int, least: float) -> None:
    assert least <= pause_asked(Response(formatdate(time.time() + ahead, usegmt=True)), 1.0) <= max(0, ahead)


def test_what_the_server_asks_is_waited(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorhub.evidence.chat.LONGEST_WAIT", 60.0)
    model.answer, model.retry_after = None, "0.4"
    model.reply = lambda time, _: (429, {}) if time == 1 else (200, "yes")
    started = time.monotonic()
    (said,) = ask(Endpoint(model.url, "m", wait=30.0), tmp_path, prompt())
    assert isinstance(said, Reply) and 0.4 <= time.monotonic() - started < 20


def test_a_slow_server_is_given_up(model: Model, tmp_path: Path) -> None:
    model.seconds = 5.0
    started = time.monotonic()
    (said,) = ask(Endpoint(model.url, "m", tries=2, seconds=0.2), tmp_path, prompt())
    assert isinstance(said, NoAnswer) and time.monotonic() - started < 4


def test_a_prompt_that_is_refused_is_not_sent_again(model: Model, tmp_path: Path) -> None:
    model.answer = lambda _: (400, {"error": {"message": "context length"}})
    (said,) = ask(Endpoint(model.url, "m"), tmp_path, prompt())
    assert isinstance(said, NoAnswer) and len(model.asked) == 1


def test_an_endpoint_that_stopped_is_left_alone(model: Model, tmp_path: Path) -> None:
    model.answer = lambda body: (200, "yes") if body["messages"][0]["content"] == "0" else (503, {})
    prompts = [prompt(str(n)) for n in range(30)]
    said = ask(Endpoint(model.url, "m", tries=2), tmp_path, *prompts)
    assert isinstance(said[0], Reply) and isinstance(said[-1], Down) and len(model.asked) < 20


def test_a_kept_answer_is_not_paid_twice_and_a_damaged_one_is(model: Model, tmp_path: Path) -> None:
    model.answer = lambda _: (200, "yes")
    endpoint = Endpoint(model.url, "m")
    ask(endpoint, tmp_path, prompt(), prompt())
    assert len(model.asked) == 1
    (kept,) = tmp_path.glob("*.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    for damaged in (b"", b"{", b"[]", b'{"text": "x", "more": 1}'):
        kept.write_bytes(damaged)
        ask(endpoint, tmp_path, prompt())
    assert len(model.asked) == 5


def test_what_stays_here_goes_through_no_proxy(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "")
    (said,) = ask(Endpoint(model.url, "m", tries=1), tmp_path, prompt())
    assert isinstance(said, Reply)


def test_redirects_are_not_followed(model: Model, tmp_path: Path) -> None:
    model.answer = lambda _: (307, {})
    (said,) = ask(Endpoint(model.url, "m"), tmp_path, prompt())
    assert isinstance(said, NoAnswer) and len(model.asked) == 1


def test_a_key_is_sent_and_never_kept(model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-" + "planted" * 4
    monkeypatch.setenv("ERRORHUB_API_KEY", key)
    endpoint = Endpoint(model.url.replace("127.0.0.1", "user:" + "word@127.0.0.1"), "m")
    ask(endpoint, tmp_path, prompt())
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert key.encode() not in kept and "word" not in json.dumps([endpoint.conditions, endpoint.settings])


@pytest.mark.parametrize("url", ["", "x", "ftp://x/v1", "http://", "http://[", "file:///etc"])
def test_urls_that_are_none(url: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not a URL"):
        Chat(Endpoint(url, "m"), tmp_path)


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:1/v1", True), ("http://localhost/v1", True), ("http://[::1]:8/v1", True),
        ("http://0.0.0.0:1/v1", False), ("http://10.0.0.1/v1", False), ("https://api.example.com/v1", False),
        ("http://127.0.0.1.example.com/v1", False), ("http://localhost@example.com/v1", False),
    ],
)  # fmt: skip
def test_which_urls_stay_here(url: str, here: bool) -> None:
    assert Endpoint(url, "m").loopback is here
