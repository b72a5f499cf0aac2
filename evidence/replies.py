"""What a model's server sends back: the answer, what it cost, how long to wait, and the JSON in it."""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict, dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final

MAX_TRIES = 200
"""Openings of an object that are tried in one answer."""

_THOUGHT: Final = re.compile(r"<think>.*?</think>", re.DOTALL)
_DECODER: Final = json.JSONDecoder()


@dataclass(frozen=True)
class Reply:
    """One answer."""

    text: str
    """What the model said; empty when it said nothing."""
    finish: str = ""
    """Why it ended, in the server's word: `stop`, `length`, `content_filter`."""
    refusal: bool = False
    """Whether the server marks it as a refusal."""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached: bool = False
    """Whether it was kept from an earlier call."""

    def document(self) -> dict[str, Any]:
        """Return it as it is kept."""
        return {name: value for name, value in asdict(self).items() if name != "cached"}


def read_reply(response: Any) -> Reply | None:
    """Return the answer in a server's response, None when it holds none."""
    try:
        document = response.json()
        choice = document["choices"][0]
        message = choice["message"]
        content, refusal = message["content"], message.get("refusal")
    except (ValueError, LookupError, TypeError, AttributeError):
        return None
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    finish = choice.get("finish_reason")
    return Reply(
        text=_valid(content if isinstance(content, str) else refusal if isinstance(refusal, str) else ""),
        finish=finish if isinstance(finish, str) else "",
        refusal=bool(refusal) or finish == "content_filter",
        prompt_tokens=_count(usage.get("prompt_tokens")),
        completion_tokens=_count(usage.get("completion_tokens")),
    )


def pause_asked(response: Any, pause: float) -> float:
    """Return how many seconds the server asks to wait, in its Retry-After as a number or a date; else `pause`."""
    said = response.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", said):
        return float(said)
    try:
        return max(0.0, parsedate_to_datetime(said).timestamp() - time.time())
    except (ValueError, TypeError):
        return pause


def first_answer(text: str) -> dict[str, Any] | None:
    """Return the first JSON object in a model's answer, whatever stands around it; None when there is none.

    Only the first valid object counts, so that an answer cannot be hedged; thoughts in `<think>` are no answer.
    """
    text = _THOUGHT.sub("", text)
    place = -1
    for _ in range(MAX_TRIES):
        place = text.find("{", place + 1)
        if place < 0:
            return None
        try:
            found, _ = _DECODER.raw_decode(text, place)
        except (ValueError, RecursionError):
            continue
        return found if isinstance(found, dict) else None
    return None


def _valid(text: str) -> str:
    """Replace halves of characters, which a server can send as escapes and nothing can store."""
    return text.encode("utf-8", "replace").decode()


def _count(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
