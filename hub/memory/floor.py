"""The relevance floor: when a case is similar enough to be shown, and when the answer is "no similar case".

Any two texts share words. Three kinds of evidence are added up; an answer needs `ENOUGH` of it. To a raw log and to
pasted output, told and traced add their square roots: two signs tell more there than a strong one, for logs are full of
boilerplate. To a text or a diagnosis, traced adds a half. A text that tells of a failure at all (`wrong`, `cannot`) has
some evidence for that: documentation, which never fails, is what is most often taken for a question.

* *told*: in the diagnosis, the weight (BM25) of the shared words over 5 % of the passage's weight + 20. The 20 (five
  words of middling weight) stand for what a short passage leaves unsaid.
* *traced*: in the diagnosis and the window together, the rarity of the shared words over 5.5 % of the passage's rarity
  + 6. A word's rarity runs from 0 (its weight is at most 35 % of that of a word never seen before: `file`, `error`) to
  1 (never seen before). Boilerplate that all logs share counts nothing, however much there is.
* *ranked*: five times the score; ten times for logs and pastes.

The first two take the strongest shared word away first: **no single word carries a match** (nearly every false answer
seen while this was calibrated hung on one rare word, such as `compile` or `zone`). The more cases there are, the more
words some case shares by chance: one more for every factor of 300 in their number is taken away. A passage of so few
words has no other words: all must be found, and be rare.

An answer needs one of the nearest cases above the floor. What stands beside it needs a score alone: the reader asked
for so many, and sees how near each is. It is no share of the best score, for that may be the query's own case.
Weights know the background frequencies, so few cases can be judged; the nearest of many needs more, by `enough`.
Calibrated on Who&When, prose, docstrings, real and invented logs, not on the labels of AgentRx; `bench/retrieval.toml`
says which sets were seen, `bench/retrieval.py` prints what comes of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from errorhub.hub.memory.lexical import Floats, Keys, Leg, Passage, member, rarity
from errorhub.hub.memory.query import Form, Query

ENOUGH: Mapping[Form, float] = {"text": 1.45, "paste": 3.6, "bundle": 1.3, "log": 2.8}
"""Evidence that makes an answer among MANY cases. A bundle tells a failure for sure, so it needs less."""
MANY = 200
FEW = 0.6
"""Share of `ENOUGH` that is enough when there is one case; the nearest of several shares more by chance."""
SHORT, LONG = 200, 1_600
"""Characters of pasted output: from the one to the other, the evidence that is enough falls to LESS of it."""
LESS = 0.42
"""The longer a paste, the smaller the part of it that any case can share."""
ALARM = 0.6
"""Evidence in a text's own telling of a failure; pasted output and logs are full of such words."""
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
RANKED = 5.0
"""Evidence in a score of 1; twice that where both texts are a machine's."""
CHANCE = 300
"""Factor in the number of cases that lets chance share one more word."""
BESIDE = 0.04
"""Score of a case beside one that is above the floor."""


def enough(query: Query, cases: int) -> float:
    """Return the evidence that makes an answer among so many documents."""
    many = min(1.0, math.log(max(1, cases)) / math.log(MANY))
    needed = ENOUGH[query.form] * (FEW + (1 - FEW) * many**2)
    if query.form == "paste":
        size = min(max(sum(map(len, query.spoken)), SHORT), LONG)
        needed *= 1 - (1 - LESS) * math.log(size / SHORT) / math.log(LONG / SHORT)
    return needed


def by_chance(leg: Leg) -> int:
    """Return how many shared words count as chance."""
    return 1 + int(math.log(max(1, leg.texts), CHANCE))


def evidence(query: Query, told: float, traced: float, score: float) -> float:
    """Add up what speaks for a row."""
    if not told and not traced:
        return 0.0
    if query.form in ("log", "paste"):
        return math.sqrt(told) + math.sqrt(traced) + 2 * RANKED * score
    return told + traced / 2 + RANKED * score + ALARM * (query.form == "text" and query.alarmed)


def told(leg: Leg, passage: Passage, row: int) -> float:
    """Return how much of a passage the diagnosis of a row holds, in units of what is enough."""
    chance = by_chance(leg)
    parts = np.sort(leg.contributions(passage, row))
    least = TOLD * (max(0.0, passage.weight - chance * leg.ceiling) + SAID)
    return float(parts[: max(0, len(parts) - chance)].sum()) / least


@dataclass(frozen=True)
class Trace:
    """The rare words of a passage, as each leg knows them: what is rare in diagnoses may fill every log."""

    keys: Keys
    """Its terms, ascending."""
    rarities: Sequence[Floats]
    """For each leg, the rarity of each term."""
    least: float
    """What shared words must add up to without the rarest."""
    chance: int
    """Number of shared words that count as chance."""

    @classmethod
    def of(cls, passages: Sequence[tuple[Leg, Passage]]) -> Trace:
        """Weigh one passage in each leg."""
        rarities = [rarity(passage.idf, leg.ceiling, COMMON) for leg, passage in passages]
        asked = max((float(one.sum()) for one in rarities), default=0.0)
        return cls(passages[0][1].keys, rarities, TRACED * (asked + RARE_WORDS), by_chance(passages[0][0]))

    def shared(self, row: Sequence[Keys]) -> float:
        """Return how much a row, given by its terms in each leg, shares, in units of what is enough."""
        found = np.zeros(len(self.keys), np.float32)
        for rare, terms in zip(self.rarities, row, strict=True):
            found = np.maximum(found, np.where(member(self.keys, terms), rare, 0))
        if len(self.keys) <= self.chance + 1:
            return max(ENOUGH.values()) if found.all() else 0.0
        return float(np.sort(found)[: max(0, len(found) - self.chance)].sum()) / self.least
