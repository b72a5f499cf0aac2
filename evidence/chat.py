"""A model behind an OpenAI-compatible URL: asked again when it is busy, never twice for one prompt, never all at once.

Answers are kept as they come, each under the digest of its request: an interrupted batch goes on where it stopped.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from errorhub.evidence.replies import Reply, pause_asked, read_reply
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.durable import write_file
from errorhub.hub.errors import RemoteError, UsageError
from errorhub.hub.hosts import loopback

Message = dict[str, Any]

_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_HOPELESS: Final = frozenset({401, 403, 404})
_KEYS: Final = ("ERRORHUB_API_KEY", "OPENAI_API_KEY")
_GIVEN_UP: Final = 8
"""Prompts in a row without an answer after which an endpoint counts as down; the first one when it never spoke."""
LONGEST_WAIT: Final = 60.0
"""Seconds of the longest pause between two tries, whatever the server asks for."""


class NoAnswer(RemoteError):
    """The model gave no answer to one prompt; others may have one."""


class Down(RemoteError):
    """The endpoint refuses everything or is not there: nothing more is asked."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model is and how it is asked."""

    base_url: str
    """Up to and without `/chat/completions`."""
    model: str
    """Name of the model there."""
    max_tokens: int = 1024
    """Longest answer."""
    thinking: bool = True
    """False asks the chat template to leave thinking out, as vLLM and transformers serve understand it."""
    tries: int = 5
    """Requests for one prompt before it is given up."""
    wait: float = 1.0
    """Seconds before the second try; doubled each time."""
    at_once: int = 8
    """Requests on their way at a time."""
    seconds: float = 300.0
    """Longest wait for one answer."""

    def body(self, messages: Sequence[Message]) -> dict[str, Any]:
        """Return the request for a prompt: greedy, and the same each time."""
        plain = [{"role": one["role"], "content": one["content"]} for one in messages]
        body = {"model": self.model, "messages": plain, "temperature": 0, "max_tokens": self.max_tokens}
        return body if self.thinking else body | {"chat_template_kwargs": {"enable_thinking": False}}

    def check(self) -> None:
        """Raise UsageError when the URL is none."""
        try:
            if self.base_url.startswith(("http://", "https://")) and urlsplit(self.base_url).hostname:
                return
        except ValueError:
            pass
        raise UsageError(f"not a URL: {self.shown_url}. It starts with http:// or https://.")

    @property
    def shown_url(self) -> str:
        """The URL without credentials."""
        return self.base_url.split("@")[-1] if "@" in self.base_url else self.base_url

    @property
    def loopback(self) -> bool:
        """Whether what is sent stays on this machine."""
        return loopback(urlsplit(self.base_url).hostname or "")

    @property
    def settings(self) -> dict[str, Any]:
        """What an answer depends on. Where the model was is said in one word: a diagnosis may be published."""
        place = "loopback" if self.loopback else "remote"
        return {
            "model": self.model, "endpoint": place, "temperature": 0, "max_tokens": self.max_tokens,
            "thinking": self.thinking,
        }  # fmt: skip

    @property
    def conditions(self) -> dict[str, Any]:
        """What stands beside the answers. Credentials in the URL do not."""
        return {
            "model": self.model, "base_url": self.shown_url, "temperature": 0, "max_tokens": self.max_tokens,
            "thinking": self.thinking,
        }  # fmt: skip


@dataclass(frozen=True)
class Usage:
    """What answers cost."""

    asked: int = 0
    """Answers that were paid for now."""
    cached: int = 0
    """Answers that an earlier call paid for."""
    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """Return what both cost together."""
        return Usage(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))

    @classmethod
    def of(cls, reply: Reply) -> Usage:
        """Return what one answer cost; one that was kept costs nothing."""
        if reply.cached:
            return cls(cached=1)
        return cls(1, 0, reply.prompt_tokens, reply.completion_tokens)


class Chat:
    """An open connection to an endpoint; use it as an async context manager."""

    def __init__(self, endpoint: Endpoint, cache: Path) -> None:
        """Keep answers in `cache`. Raise UsageError when the endpoint's URL is none."""
        endpoint.check()
        self.endpoint, self.cache, self.usage = endpoint, cache, Usage()
        self.down = ""
        """Why nothing is asked any more."""
        self._spoke, self._unanswered = False, 0
        self._open = AsyncExitStack()
        self._gate = asyncio.Semaphore(endpoint.at_once)

    async def __aenter__(self) -> Self:
        import httpx2

        self.cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = next((os.environ[name] for name in _KEYS if os.environ.get(name)), None)
        client = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=self.endpoint.seconds,
            trust_env=not self.endpoint.loopback,
        )  # fmt: skip
        self._client = await self._open.enter_async_context(client)
        return self

    async def __aexit__(self, *problem: object) -> None:
        await self._open.aclose()

    async def ask(self, messages: Sequence[Message]) -> Reply:
        """Return the answer to a prompt, the kept one when there is one.

        Raise NoAnswer when this prompt has none, Down when no prompt will have one.
        """
        body = self.endpoint.body(messages)
        kept = self.cache / f"{digest(body)}.json"
        async with self._gate:
            reply = _kept(kept)
            if reply is None:
                if self.down:
                    raise Down(self.down)
                reply = await self._fresh(body)
                write_file(kept, json.dumps(reply.document()).encode())
        self.usage += Usage.of(reply)
        return reply

    async def _fresh(self, body: dict[str, Any]) -> Reply:
        """Ask once, and again with growing pauses while the server is busy or away."""
        why, pause = "", 0.0
        for attempt in range(self.endpoint.tries):
            if attempt:
                await asyncio.sleep(min(pause, LONGEST_WAIT))
            pause = self.endpoint.wait * 2**attempt
            reply = await self._post(body)
            if isinstance(reply, str):
                why = reply
                continue
            self._spoke = self._spoke or reply.status_code == 200
            if reply.status_code == 200:
                if found := read_reply(reply):
                    self._unanswered = 0
                    return found
                why = "the reply is no chat completion."
                continue
            why = f"the server answered {reply.status_code}."
            if reply.status_code in _HOPELESS:
                self.down = f"{self.endpoint.model} gave no answer: {why} Check URL, model and key."
                raise Down(self.down)
            if reply.status_code not in _AGAIN:
                raise NoAnswer(why)
            pause = pause_asked(reply, pause)
        raise self._given_up(why)

    async def _post(self, body: dict[str, Any]) -> Any:
        """Return the server's response, or in words why there is none."""
        import httpx2

        try:
            async with asyncio.timeout(self.endpoint.seconds):
                return await self._client.post(f"{self.endpoint.base_url.rstrip('/')}/chat/completions", json=body)
        except (TimeoutError, httpx2.TimeoutException):
            return f"no answer within {self.endpoint.seconds:g} seconds."
        except httpx2.ConnectError:
            return "nobody answers at its URL. Is the server running?"
        except (httpx2.HTTPError, httpx2.InvalidURL) as problem:
            return f"{type(problem).__name__}."

    def _given_up(self, why: str) -> NoAnswer:
        """Return the error of one prompt; several in a row mean that nobody is there."""
        self._unanswered += 1
        if self._unanswered >= (_GIVEN_UP if self._spoke else 1):
            self.down = f"{self.endpoint.model} gave no answer: {why}"
        return NoAnswer(why)


def _kept(path: Path) -> Reply | None:
    """Return an answer of an earlier call; a damaged one counts as none."""
    try:
        held = json.loads(path.read_bytes())
        return replace(Reply(**held), cached=True)
    except (OSError, ValueError, TypeError):
        return None
