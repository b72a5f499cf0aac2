"""Read names of people, places and organisations in what people and models write."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from errorhub.scrubber.analyzer import analyzer, model_name
from errorhub.scrubber.cues import cued
from errorhub.scrubber.nonames import has_candidate, is_name
from errorhub.scrubber.policy import Policy
from errorhub.scrubber.spans import PLACEHOLDER, Region

SENTENCE = 1_000
"""Longest piece that is read at once; a name never needs more context."""

LONG_WORD = 20
"""Words are shorter than this on average in every language that is written with spaces."""

REMEMBERED = 20_000
"""Sentences whose names are remembered: traces repeat what was said before, and the output is read again."""

_LINE = re.compile(r"[^\n]+")
_BORDER = re.compile(r"(?<=[.!?:;])[\"')\]]?\s+(?=[^\W\d_a-z]|[\"'(])")
_ABBREVIATION = re.compile(r"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof|St|Jr|Inc|Ltd|Corp|Co|No|vs|[A-Z])\.\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*")
_LISTING = re.compile(r"\s*[bcdlps-][r-][w-][xsS-][r-]")
_CODE = re.compile(r"[{}<>=;|\\$`#*_/@\[\]()^~]|::|->")


class Passage(NamedTuple):
    """A sentence in a text."""

    start: int
    text: str


class Names:
    """The model that reads names; a sentence is read once."""

    def __init__(self, name: str, entities: tuple[str, ...], threshold: float) -> None:
        self.name = name
        self._entities = list(entities)
        self._threshold = threshold
        self._known: dict[str, list[Region]] = {}

    def read(self, texts: Sequence[str]) -> list[list[Region]]:
        """Return the names in each text, as regions of the lowest rank."""
        sentences = [[passage for passage in prose(text) if has_candidate(passage.text)] for text in texts]
        wanted = dict.fromkeys(passage.text for found in sentences for passage in found)
        if len(self._known) > REMEMBERED:
            self._known.clear()
        unread = [sentence for sentence in wanted if sentence not in self._known]
        self._known |= zip(unread, self._analyze(unread), strict=True)
        return [
            [
                region.at(region.start + passage.start, region.end + passage.start)
                for passage in found
                for region in self._names_in(passage.text, text)
            ]
            for text, found in zip(texts, sentences, strict=True)
        ]

    def _names_in(self, sentence: str, text: str) -> Iterator[Region]:
        yield from (region for region in self._known[sentence] if is_name(sentence, region, text))
        yield from (region for region in cued(sentence) if region.kind in self._entities)

    def _analyze(self, sentences: list[str]) -> Iterator[list[Region]]:
        if not sentences:
            return
        engine = analyzer(patterns=False)
        for text, artifacts in engine.nlp_engine.process_batch(sentences, language="en", batch_size=128):
            results = engine.analyze(
                text, "en", entities=self._entities, score_threshold=self._threshold, nlp_artifacts=artifacts
            )
            yield [_trim(text, result.start, result.end, result.entity_type) for result in results]


def _trim(text: str, start: int, end: int, kind: str) -> Region:
    """Leave out the possessive and the quotes that the tokeniser takes along."""
    if text[start:end].endswith(("'s", "’s")):
        end -= 2
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not (text[end - 1].isalnum() or text[end - 1] == "."):
        end -= 1
    return Region(start, end, kind, "name", 0)


def names_for(policy: Policy) -> Names | None:
    """Return the reader of names that a policy asks for, or None without the model of the `[ner]` extra."""
    name = model_name()
    entities = tuple(entity for entity in policy.names_entities if entity not in policy.off)
    return _names(name, entities, policy.names_threshold) if name is not None and entities else None


@lru_cache(maxsize=8)
def _names(name: str, entities: tuple[str, ...], threshold: float) -> Names:
    return Names(name, entities, threshold)


def prose(text: str) -> Iterator[Passage]:
    """Yield the sentences of a text; code, listings and logs are passed over."""
    for line in _LINE.finditer(text):
        if is_prose(line.group()):
            start = line.start()
            for border in _BORDER.finditer(text, line.start(), line.end()):
                if _ABBREVIATION.search(text, max(start, border.start() - 5), border.start()):
                    continue
                yield from _cut(text, start, border.start())
                start = border.end()
            yield from _cut(text, start, line.end())


def pieces(text: str) -> Iterator[Passage]:
    """Yield all lines of a text, endless ones in parts."""
    for line in _LINE.finditer(text):
        yield from _cut(text, *line.span())


def _cut(text: str, start: int, end: int) -> Iterator[Passage]:
    """Cut what has no end at spaces."""
    while end - start > SENTENCE:
        space = text.rfind(" ", start, start + SENTENCE)
        middle = space if space > start else start + SENTENCE
        yield Passage(start, text[start:middle])
        start = middle
    yield Passage(start, text[start:end])


def is_prose(line: str) -> bool:
    """Tell whether a line reads like part of a sentence: words in lower case, few signs of code."""
    if len(line) < 8 or (line.count(" ") + 1) * LONG_WORD < len(line):
        return False
    bare = PLACEHOLDER.sub("Name", line) if "<" in line else line
    words = _WORD.findall(bare)
    if len(words) < 3 or not any(word.islower() for word in words):
        return False
    if _LISTING.match(line):
        return False
    letters = sum(map(len, words))
    return letters >= 0.6 * len(bare.strip()) and len(_CODE.findall(bare)) <= max(2, len(bare) // 12)
