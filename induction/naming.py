"""Names from words: what a cluster says often and the rest seldom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from errorhub.hub.memory.words import spelled
from errorhub.induction.finding import Finding
from errorhub.induction.saying import Saying
from errorhub.induction.vocabulary import vocabulary

TERMS = 8
"""Words that describe a proposal."""
NAME_TERMS = 3
"""Words that name it."""


class Words:
    """How many texts of the whole say a term or touch a concept."""

    def __init__(self, said: Iterable[Saying]) -> None:
        held = list(said)
        self.size = len(held)
        self.terms = Counter(term for one in held for term in set(one.words))
        self.concepts = Counter(number for one in held for number, _ in one.concepts)

    def telling(self, said: Sequence[Saying]) -> list[str]:
        """Return the terms that set texts apart: often here, seldom elsewhere (their part of the divergence)."""
        here = Counter(term for one in said for term in set(one.words))
        enough = 2 if max(here.values(), default=0) > 1 else 1
        share = {term: count / len(said) for term, count in here.items() if count >= enough}
        scores = {term: part * log(part * self.size / self.terms[term]) for term, part in share.items()}
        return sorted(scores, key=lambda term: (-scores[term], term))[:TERMS]

    def family(self, said: Sequence[Saying]) -> str:
        """Return the seed family of the concept that sets texts apart."""
        known = vocabulary()
        scores: dict[str, float] = {}
        for one in said:
            for number, weight in one.concepts:
                family = known.families[number]
                scores[family] = scores.get(family, 0.0) + min(1.0, weight) * log(1 + self.size / self.concepts[number])
        return max(sorted(scores), key=lambda family: scores[family], default="planning")


def spell(terms: Sequence[str], texts: Iterable[Finding]) -> list[str]:
    """Return terms as words: each in the spelling that most texts have."""
    forms: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for one in texts:
        for term, word in spelled(one.text).items():
            if term in forms:
                forms[term][word.casefold()] += 1
    return [max(sorted(forms[term]), key=lambda word: forms[term][word], default=term) for term in terms]


def name_of(words: Sequence[str]) -> str:
    """Return a name made of the most telling words, none within another."""
    chosen: list[str] = []
    for word in words:
        if len(chosen) < NAME_TERMS and not any(word in other or other in word for other in chosen):
            chosen.append(word)
    return " ".join(chosen) or "unnamed"
