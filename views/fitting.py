"""Fit a prompt into a budget of tokens: observations are left out, then acts; gold, evidence and target never.

What is left out first stands furthest from what must be kept. Rows for evaluation keep nothing in particular and lose
their longest observations first: where steps are missing must not tell where the gold step is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from typing import Final, NamedTuple

from errorhub.evidence.transcript import step_text
from errorhub.hub.bundle import Step
from errorhub.views.row import Message
from errorhub.views.tokens import MESSAGE_TOKENS, Counter

_OBSERVED: Final = frozenset({"tool.result", "observation", "memory.read", "llm.response", "message", "error"})


class Budget(NamedTuple):
    """Most tokens a row may have, and who counts them. None: no bound."""

    counter: Counter
    max_length: int | None = None


class Fitted(NamedTuple):
    """A prompt that fits, and what it cost."""

    prompt: tuple[Message, ...]
    elided: tuple[int, ...]
    prompt_tokens: int
    target_tokens: int


def fit(
    steps: Sequence[Step],
    prompt: Callable[[tuple[int, ...]], tuple[Message, ...]],
    target: str,
    keep: Set[int],
    budget: Budget,
) -> Fitted | None:
    """Return the prompt with as few observations left out as the budget asks for; None when none is enough."""
    said = budget.counter.count(target) + MESSAGE_TOKENS
    order: list[int] = []

    def fits(number: int) -> Fitted | None:
        fitted = _try(prompt, tuple(sorted(order[:number])), said, budget)
        room = budget.max_length is None or fitted.prompt_tokens + said <= budget.max_length
        return fitted if room else None

    if whole := fits(0):
        return whole
    order += _order(steps, keep)
    low, high, best = 1, len(order), None
    while low <= high:
        middle = (low + high) // 2
        if fitted := fits(middle):
            best, high = fitted, middle - 1
        else:
            low = middle + 1
    return best


def _try(
    prompt: Callable[[tuple[int, ...]], tuple[Message, ...]], out: tuple[int, ...], said: int, budget: Budget
) -> Fitted:
    messages = prompt(out)
    tokens = sum(budget.counter.count(message["content"]) + MESSAGE_TOKENS for message in messages)
    return Fitted(messages, out, tokens, said)


def _order(steps: Sequence[Step], keep: Set[int]) -> list[int]:
    """Return the steps that may be left out, first to go first; acts only when no observation is left."""

    def key(place: int) -> tuple[bool, int, int]:
        near = min(abs(place - one) for one in keep) if keep else len(step_text(steps[place]))
        return steps[place].kind not in _OBSERVED, -near, place

    return sorted((place for place in range(len(steps)) if place not in keep), key=key)
