"""The vocabulary of failures: which words point at what, in any English inflection, or in Chinese."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any


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


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """Return the stem of an English word, in lower case."""
    return str(_stemmer().stemWord(word.casefold()))


@cache
def _stemmer() -> Any:
    import Stemmer

    return Stemmer.Stemmer("english", 0)
