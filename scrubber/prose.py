"""Read names of people, places and organisations in what people and models write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from errorhub.scrubber.analyzer import analyzer, model_name
from errorhub.scrubber.nonames import is_name
from errorhub.scrubber.policy import Policy
from errorhub.scrubber.spans import PLACEHOLDER, Region

PARAGRAPH = 2_000
"""Characters read at once; a name never needs more context."""

_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_CODE = re.compile(r"[{}<>=;|\\$`#*_/@\[\]()^~]|::|->|\d")


class Passage(NamedTuple):
    """A run of prose in a text."""

    start: int
    text: str


class Names:
    """The model that reads names; equal passages are read once."""

    def __init__(self, name: str, entities: tuple[str, ...], threshold: float) -> None:
        self.name = name
        self._entities = list(entities)
        self._threshold = threshold

    def read(self, texts: Sequence[str]) -> list[list[Region]]:
        """Return the names in each text, as regions of the lowest rank."""
        passages = [list(prose(text)) for text in texts]
        unique = list(dict.fromkeys(passage.text for found in passages for passage in found))
        names = dict(zip(unique, self._analyze(unique), strict=True))
        return [
            [
                region._replace(start=region.start + passage.start, end=region.end + passage.start)
                for passage in found
                for region in names[passage.text]
            ]
            for found in passages
        ]

    def _analyze(self, passages: list[str]) -> Iterator[list[Region]]:
        if not passages:
            return
        engine = analyzer(patterns=False)
        pairs = engine.nlp_engine.process_batch(passages, language="en", batch_size=32)
        for text, artifacts in pairs:
            results = engine.analyze(
                text, "en", entities=self._entities, score_threshold=self._threshold, nlp_artifacts=artifacts
            )
            found = [_trim(text, result.start, result.end, result.entity_type) for result in results]
            yield [region for region in found if is_name(text, region)]


def _trim(text: str, start: int, end: int, kind: str) -> Region:
    """Leave out the possessive and the quotes that the tokeniser takes along."""
    value = text[start:end]
    if value.endswith(("'s", "’s")):
        end -= 2
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not (text[end - 1].isalnum() or text[end - 1] == "."):
        end -= 1
    return Region(start, end, kind, "name", 0)


def names_for(policy: Policy) -> Names | None:
    """Return the reader of names of a policy, or None when the model of the `[ner]` extra is not installed."""
    name = model_name()
    return None if name is None else _names(name, policy.names_entities, policy.names_threshold)


@lru_cache(maxsize=8)
def _names(name: str, entities: tuple[str, ...], threshold: float) -> Names:
    return Names(name, entities, threshold)


def prose(text: str) -> Iterator[Passage]:
    """Yield the passages of a text that read like sentences; code, listings and logs are passed over."""
    start = end = -1
    for line in _LINE.finditer(text):
        if not is_prose(line.group()):
            continue
        if end >= 0 and line.start() - end <= 1 and line.end() - start <= PARAGRAPH:
            end = line.end()
            continue
        if end >= 0:
            yield from _cut(text, start, end)
        start, end = line.span()
    if end >= 0:
        yield from _cut(text, start, end)


def _cut(text: str, start: int, end: int) -> Iterator[Passage]:
    """Cut an endless line at spaces."""
    while end - start > PARAGRAPH:
        space = text.rfind(" ", start, start + PARAGRAPH)
        middle = space if space > start else start + PARAGRAPH
        yield Passage(start, text[start:middle])
        start = middle
    yield Passage(start, text[start:end])


def is_prose(line: str) -> bool:
    """Tell whether a line reads like part of a sentence: words in lower case, few signs of code."""
    if len(line) < 8:
        return False
    bare = PLACEHOLDER.sub("Name", line) if "<" in line else line
    words = _WORD.findall(bare)
    if len(words) < 3 or not any(word.islower() for word in words):
        return False
    letters = sum(map(len, words))
    return letters >= 0.6 * len(bare.strip()) and len(_CODE.findall(bare)) <= max(2, len(bare) // 12)
