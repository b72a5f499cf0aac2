"""The vocabulary of failures: what a text says, and what its words point at, in English inflections or in Chinese."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any, Final

from errorhub.hub.memory.words import terms

CHARS: Final = 20_000
"""Characters of a text that are read."""

_LETTERS: Final = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True)
class Vocabulary:
    """Concepts that a word may point at."""

    names: tuple[str, ...]
    """The concepts, in a fixed order."""
    families: tuple[str, ...]
    """The seed family of each."""
    titles: tuple[str, ...]
    """What to call a failure of each."""
    stems: dict[str, tuple[int, ...]]
    """Stem of a word -> numbers of the concepts it points at."""


@dataclass(frozen=True)
class Saying:
    """A text as it is compared with others."""

    words: tuple[str, ...]
    """Terms, with repeats."""
    concepts: tuple[tuple[int, float], ...]
    """Number of a concept, and how much of the text points at it."""


@cache
def vocabulary() -> Vocabulary:
    """Return the vocabulary that comes with the package."""
    tables = tomllib.loads(files(__package__).joinpath("vocabulary.toml").read_text(encoding="utf-8"))
    stems: dict[str, dict[int, None]] = {}
    for number, table in enumerate(tables.values()):
        for word in (*map(stem, table["words"].split()), *table["chinese"].split()):
            stems.setdefault(word, {})[number] = None
    families = tuple(table["family"] for table in tables.values())
    titles = tuple(table["title"] for table in tables.values())
    return Vocabulary(tuple(tables), families, titles, {word: tuple(numbers) for word, numbers in stems.items()})


def read(text: str, topic: frozenset[str] = frozenset()) -> Saying:
    """Return what a text says, without words of a topic."""
    known = vocabulary().stems
    spoken = terms(text)
    weights: dict[int, float] = {}
    for word in (*map(stem, _LETTERS.findall(text)), *(term for term in spoken if not term.isascii())):
        numbers = known.get(word, ())
        for number in numbers:
            weights[number] = weights.get(number, 0.0) + 1 / len(numbers)
    words = tuple(term for term in spoken if term in known or term not in topic)
    return Saying(words, tuple(sorted(weights.items())))


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the stem of an English word, in lower case."""
    return str(_stemmer().stemWord(word.casefold()))


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)
