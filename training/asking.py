"""Ask a model behind an OpenAI-compatible URL: many at once, again when it is busy, never twice for one prompt."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle.canonical import digest
from errorhub.hub.durable import write_file
from errorhub.hub.errors import RemoteError, UsageError

_AGAIN: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
_KEYS: Final = ("ERRORHUB_API_KEY", "OPENAI_API_KEY")
LONGEST_WAIT: Final = 60.0


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

    def body(self, messages: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Return the request for a prompt: greedy, and the same each time."""
        plain = [{"role": one["role"], "content": one["content"]} for one in messages]
        body = {"model": self.model, "messages": plain, "temperature": 0, "max_tokens": self.max_tokens}
        return body if self.thinking else body | {"chat_template_kwargs": {"enable_thinking": False}}

    @property
    def conditions(self) -> dict[str, Any]:
        """What stands beside the answers. Credentials in the URL do not."""
        shown = self.base_url.split("@")[-1] if "@" in self.base_url else self.base_url
        return {
            "model": self.model, "base_url": shown, "temperature": 0, "max_tokens": self.max_tokens,
            "thinking": self.thinking,
        }  # fmt: skip


@dataclass
class Answers:
    """Texts by place, and what they cost."""

    texts: dict[int, str] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    """Place -> why there is no answer."""
    refused: str = ""
    """Why the server will answer nothing at all."""
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


def ask(
    endpoint: Endpoint,
    prompts: Sequence[Sequence[dict[str, Any]]],
    cache: Path,
    *,
    progress: Callable[[int], None] = lambda _: None,
) -> Answers:
    """Return an answer for every prompt. Answers are kept in `cache` as they come, so an interrupted call resumes.

    Raise RemoteError when the server refuses the request as such (no access, no such model), or answers nothing at all.
    """
    if not endpoint.base_url.startswith(("http://", "https://")):
        raise UsageError(f"not a URL: {endpoint.base_url}. It starts with http:// or https://.")
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    answers = asyncio.run(_all(endpoint, prompts, cache, progress))
    if answers.refused or (prompts and not answers.texts):
        raise RemoteError(f"{endpoint.model} gave no answer: {answers.refused or next(iter(answers.failed.values()))}")
    return answers


async def _all(
    endpoint: Endpoint, prompts: Sequence[Sequence[dict[str, Any]]], cache: Path, progress: Callable[[int], None]
) -> Answers:
    import httpx2

    answers, gate = Answers(), asyncio.Semaphore(endpoint.at_once)
    key = next((os.environ[name] for name in _KEYS if os.environ.get(name)), None)
    headers = {"Authorization": f"Bearer {key}"} if key else {}

    async with httpx2.AsyncClient(headers=headers, timeout=endpoint.seconds) as client:

        async def one(place: int) -> None:
            body = endpoint.body(prompts[place])
            kept = cache / f"{digest(body)}.json"
            async with gate:
                if answers.refused:
                    return
                if kept.is_file():
                    answers.texts[place] = json.loads(kept.read_bytes())["text"]
                    answers.cached += 1
                else:
                    await _fresh(client, endpoint, body, kept, place, answers)
            progress(1)

        async with asyncio.TaskGroup() as group:
            for place in range(len(prompts)):
                group.create_task(one(place))
    return answers


async def _fresh(
    client: Any, endpoint: Endpoint, body: dict[str, Any], kept: Path, place: int, answers: Answers
) -> None:
    """Ask once, and again with growing pauses while the server is busy or away."""
    import httpx2

    why = ""
    for attempt in range(endpoint.tries):
        pause = endpoint.wait * 2**attempt
        try:
            reply = await client.post(f"{endpoint.base_url.rstrip('/')}/chat/completions", json=body)
        except httpx2.HTTPError as problem:
            why = f"{type(problem).__name__}."
        else:
            if reply.status_code == 200:
                why = _take(reply, kept, place, answers)
                if not why:
                    return
            elif reply.status_code in (401, 403, 404):
                answers.refused = f"the server answered {reply.status_code}. Check URL, model and key."
                return
            elif reply.status_code not in _AGAIN:
                answers.failed[place] = f"the server answered {reply.status_code}."
                return
            else:
                why, pause = f"the server answered {reply.status_code}.", _asked(reply, pause)
        if attempt + 1 < endpoint.tries:
            await asyncio.sleep(min(pause, LONGEST_WAIT))
    answers.failed[place] = why


def _take(reply: Any, kept: Path, place: int, answers: Answers) -> str:
    """Keep the answer of a reply; return what is wrong with one that holds none."""
    try:
        document = reply.json()
        text = document["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        return "the reply is no chat completion."
    usage = document.get("usage") or {}
    answers.prompt_tokens += int(usage.get("prompt_tokens") or 0)
    answers.completion_tokens += int(usage.get("completion_tokens") or 0)
    answers.texts[place] = text if isinstance(text, str) else ""
    write_file(kept, json.dumps({"text": answers.texts[place]}).encode())
    return ""


def _asked(reply: Any, pause: float) -> float:
    """Return how long the server asks to wait."""
    said = reply.headers.get("retry-after", "")
    return float(said) if said.isdecimal() else pause
