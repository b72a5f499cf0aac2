"""The space in which failures are compared: words, concepts, and who failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from errorhub.hub.memory.words import key
from errorhub.hub.taxonomy.vocabulary import Saying, vocabulary

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

WIDTH: Final = 1024
"""Columns that words are hashed into: the same on every machine and for every corpus."""
AGENTS: Final = 256
"""Columns that names of agents are hashed into."""
SEEN: Final = 10
"""Further failures of an agent after which its name has half of its weight: few tell nothing about what it does."""


class Space:
    """Weights of words, concepts and agents, learnt from the texts that are compared."""

    def __init__(self, said: Sequence[Saying], agents: Sequence[str], *, concepts: float, agent: float) -> None:
        self.concepts, self.agent, self.size = concepts, agent, len(said)
        self.words = Counter(word for one in said for word in set(one.words))
        self.ideas = Counter(number for one in said for number, _ in one.concepts)
        self.agents = Counter(name.casefold() for name in agents)

    def texts(self, said: Sequence[Saying]) -> Floats:
        """Return one unit vector a text: words by sublinear tf-idf, concepts by count and idf. Empty ones are zero."""
        width = len(vocabulary().names)
        words, ideas = np.zeros((len(said), WIDTH), np.float32), np.zeros((len(said), width), np.float32)
        for row, one in enumerate(said):
            for word, count in sorted(Counter(one.words).items()):
                place = key(word)
                sign = 1.0 if place >> 62 & 1 else -1.0
                words[row, place % WIDTH] += sign * (1 + log(count)) * self._idf(self.words[word])
            for number, weight in one.concepts:
                ideas[row, number] = weight * self._idf(self.ideas[number])
        return joined([(unit(words), 1 - self.concepts), (unit(ideas), self.concepts)])

    def who(self, agents: Sequence[str]) -> Floats:
        """Return one vector an agent, no longer than the weight: one that fails always, or seldom, tells little."""
        found = np.zeros((len(agents), AGENTS), np.float32)
        for row, name in enumerate(name.casefold() for name in agents):
            count = self.agents[name]
            again = max(count - 1, 0)
            weight = self.agent * (1 - count / self.size) * again / (again + SEEN) if self.size else 0.0
            found[row, key(name) % AGENTS] = weight**0.5
        return found

    def _idf(self, documents: int) -> float:
        return log((1 + self.size) / (1 + documents)) + 1


def unit(rows: Floats) -> Floats:
    """Return rows of length one; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    made: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 1e-9)
    return made


def joined(blocks: Sequence[tuple[Floats, Any]]) -> Floats:
    """Return unit rows made of blocks, each with its share of the squared length."""
    return unit(np.hstack([block * np.float32(share**0.5) for block, share in blocks]))


def beside(texts: Floats, who: Floats) -> Floats:
    """Return unit rows of texts and who failed: the longer the one, the shorter the other."""
    left = np.sqrt(np.clip(1 - np.square(who).sum(axis=1, keepdims=True), 0, 1))
    return unit(np.hstack([texts * left, who]))
