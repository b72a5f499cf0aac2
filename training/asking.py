"""Ask a model behind an OpenAI-compatible URL for many answers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errorhub.evidence.chat import Chat, Down, Endpoint, NoAnswer, Usage
from errorhub.hub.errors import RemoteError


@dataclass
class Answers:
    """Texts by place, and what they cost."""

    texts: dict[int, str] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    """Place -> why there is no answer."""
    usage: Usage = field(default_factory=Usage)


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
    answers = asyncio.run(_all(endpoint, prompts, cache, progress))
    if prompts and not answers.texts:
        raise RemoteError(f"{endpoint.model} gave no answer: {next(iter(answers.failed.values()))}")
    return answers


async def _all(
    endpoint: Endpoint, prompts: Sequence[Sequence[dict[str, Any]]], cache: Path, progress: Callable[[int], None]
) -> Answers:
    answers = Answers()
    async with Chat(endpoint, cache) as chat:

        async def one(place: int) -> None:
            try:
                answers.texts[place] = (await chat.ask(prompts[place])).text
            except (NoAnswer, Down) as problem:
                answers.failed[place] = str(problem)
            progress(1)

        async with asyncio.TaskGroup() as group:
            for place in range(len(prompts)):
                group.create_task(one(place))
    if chat.down:
        raise Down(chat.down)
    answers.usage = chat.usage
    return answers
