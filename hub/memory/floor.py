"""The relevance floor: when a case is similar enough to be shown, and when the answer is "no similar case".

Any two texts share words. Two measures tell whether what they share is more than that; one of them must hold. Both take
the strongest shared word away first: **no single word carries a match** (nearly every false answer seen while this was
calibrated hung on one rare word, such as `compile` or `zone`).

* *told*: in the diagnosis, the weight (BM25) of the other shared words is at least 5 % of the passage's weight + 20.
  The 20 (five words of middling weight) stand for what a short passage leaves unsaid.
* *traced*: in the diagnosis and the window together, the rarity of the other shared words is at least 5.5 % of the
  passage's rarity + 6. A word's rarity runs from 0 (its weight is at most 35 % of that of a word never seen before:
  `file`, `error`) to 1 (never seen before). Boilerplate that all logs share counts nothing, however much there is.

The more cases there are, the more words some case shares by chance: one more for every factor of 300 in their number is
taken away. A passage of so few words has no other words: all must be found, and be rare.

An answer needs one of the nearest cases above the floor. Those beside it need a quarter of it, and of the best score.
Weights know the background frequencies, so the same numbers hold for 1 case and for many.
Calibrated on Who&When, prose, docstrings and invented logs; `bench/retrieval.py` prints what comes of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np

from errorhub.hub.memory.lexical import Floats, Leg, Passage

SAID = 20.0
"""Weight of what a passage leaves unsaid."""
TOLD = 0.05
"""Share of a passage's weight that a diagnosis must hold."""
COMMON = 0.35
"""Share of the greatest weight up to which a word is common."""
RARE_WORDS = 6.0
"""Rarity of what a passage leaves unsaid."""
TRACED = 0.055
"""Share of a passage's rarity that a case must hold."""
CHANCE = 300
"""Factor in the number of cases that lets chance share one more word."""
BESIDE = 0.25
"""Share of the floor for cases beside one that is above it."""
BESIDE_BEST = 0.25
"""Share of the best score that a case must have."""


def strongest(leg: Leg) -> int:
    """Return how many shared words count as chance."""
    return 1 + int(math.log(max(1, len(leg.rows)), CHANCE))


def told(leg: Leg, passage: Passage, parts: Floats, share: float) -> bool:
    """Return whether a diagnosis holds enough of a passage, given what each known term adds to its score."""
    rest = float(np.sort(parts)[: max(0, len(parts) - strongest(leg))].sum())
    return rest > 0 and rest >= share * told_least(leg, passage)


def told_least(leg: Leg, passage: Passage) -> float:
    """Return what the words of a passage must add to the score of a diagnosis."""
    return TOLD * (max(0.0, passage.weight - strongest(leg) * leg.ceiling) + SAID)


@dataclass(frozen=True)
class Trace:
    """The rare words of a passage, as each leg knows them: what is rare in diagnoses may fill every log."""

    rarities: Sequence[Mapping[int, float]]
    """For each leg, term -> rarity, of the known terms that are rare at all."""
    least: float
    """What shared words must add up to without the rarest."""
    words: int
    """Number of terms, common ones included."""
    chance: int
    """Number of shared words that count as chance."""

    @classmethod
    def of(cls, passages: Sequence[tuple[Leg, Passage]]) -> Trace:
        """Weigh one passage in each leg."""
        rarities, asked = [], 0.0
        for leg, passage in passages:
            known = _rarity(passage.idf, leg.ceiling)
            asked = max(asked, float(known.sum() + _rarity(passage.unknown, leg.ceiling).sum()))
            pairs = zip(passage.ids.tolist(), known.tolist(), strict=True)
            rarities.append({term: value for term, value in pairs if value})
        chance = strongest(passages[0][0])
        return cls(rarities, TRACED * (asked + RARE_WORDS), len(passages[0][1]), chance)

    def found_in(self, row: Sequence[Set[int]], share: float) -> bool:
        """Return whether a row, given by its terms in each leg, shares this share of what is enough."""
        shared: dict[int, float] = {}
        for rarity, terms in zip(self.rarities, row, strict=True):
            for term in rarity.keys() & terms:
                shared[term] = max(shared.get(term, 0.0), rarity[term])
        if self.words <= self.chance + 1:
            return len(shared) == self.words
        rest = sum(sorted(shared.values(), reverse=True)[self.chance :])
        return rest > 0 and rest >= share * self.least


def _rarity(idf: Floats, ceiling: float) -> Floats:
    common = COMMON * ceiling
    rarity: Floats = np.maximum(0, (idf - common) / (ceiling - common)).astype(np.float32)
    return rarity
