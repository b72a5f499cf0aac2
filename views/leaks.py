"""A5: nothing that only graders knew, and nothing of the label, stands in a prompt.

| withheld                                   | leaks when                                                             |
|--------------------------------------------|------------------------------------------------------------------------|
| reference answer, notes                    | all of it stands in the prompt as whole words (4 characters or more),  |
|                                            | or any 8 words in a row do                                             |
| strings of the verifier's context          | any 8 words in a row do                                                |
| explanation, correction, directive, reason | all of it does (4 words or more)                                       |
| verdict of an attempt                      | its reason does, as above                                              |

A short answer ("8", "No") cannot be told from the words of a run and is not looked for; words of the task itself are
known to everybody and do not count. A label may quote the run: only the label as a whole is looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from errorhub.hub.bundle import Bundle

GRAM = 8
MIN_ANSWER = 4
MIN_LABEL_WORDS = 4

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Return the words of a text, lower case."""
    return _WORD.findall(text.casefold())


def grams(tokens: list[str], size: int = GRAM) -> set[str]:
    """Return every run of `size` words."""
    return {" ".join(tokens[i : i + size]) for i in range(len(tokens) - size + 1)}


class Withheld:
    """What must not stand in any prompt of a bundle, ready to be looked for in several."""

    def __init__(self, bundle: Bundle) -> None:
        trajectory = bundle.trajectory
        only = trajectory.construction_only
        known = grams(words(trajectory.task.goal or ""))
        secrets = [text for text in (only.reference_answer, only.notes) if text]
        whole = [tokens for text in secrets if len(text.strip()) >= MIN_ANSWER and (tokens := words(text))]
        whole += [tokens for text in _labels(bundle) if len(tokens := words(text)) >= MIN_LABEL_WORDS]
        self._whole = [(max(tokens, key=len), f" {' '.join(tokens)} ") for tokens in whole]
        told = [*secrets, *_strings(only.verifier_context)]
        self._grams = {gram for text in told for gram in grams(words(text))} - known
        self._seen: dict[str, str | None] = {}

    def leak(self, prompt: str) -> str | None:
        """Return what kind of leak a prompt holds, None when it is clean. The leaked words are never repeated."""
        if prompt not in self._seen:
            self._seen[prompt] = self._look(prompt)
        return self._seen[prompt]

    def _look(self, prompt: str) -> str | None:
        plain = prompt.casefold()
        possible = [whole for longest, whole in self._whole if longest in plain]
        if not possible and not self._grams:
            return None
        tokens = words(prompt)
        text = f" {' '.join(tokens)} "
        if any(whole in text for whole in possible):
            return "withheld or label text as a whole"
        if self._grams and self._grams & grams(tokens):
            return "eight words of withheld text"
        return None


def _labels(bundle: Bundle) -> Iterator[str]:
    yield bundle.trajectory.outcome.reason or ""
    for found in bundle.diagnoses:
        yield found.explanation
        yield found.correction.text if found.correction else ""
    for repair in bundle.repairs:
        yield repair.directive
        for attempt in repair.attempts:
            yield attempt.outcome.reason or ""


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
