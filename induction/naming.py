"""Names from words: what a cluster says often and the rest seldom."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

from errorhub.hub.memory.words import spelled
from errorhub.hub.taxonomy.vocabulary import Saying, stem, vocabulary
from errorhub.induction.finding import Finding

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

    def concept(self, said: Sequence[Saying]) -> int | None:
        """Return the concept that sets texts apart among those that half of them touch; None when they share none."""
        here = Counter(number for one in said for number, _ in one.concepts)
        shares = {number: count / len(said) for number, count in here.items() if 2 * count >= len(said)}
        scores = {number: part * log(part * self.size / self.concepts[number]) for number, part in shares.items()}
        return max(sorted(scores), key=lambda number: scores[number], default=None)


def spell(terms: Sequence[str], texts: Iterable[Finding]) -> list[str]:
    """Return terms as words: each in the spelling that most texts have."""
    forms: dict[str, Counter[str]] = {term: Counter() for term in terms}
    for one in texts:
        for term, word in spelled(one.text).items():
            if term in forms:
                forms[term][word.casefold()] += 1
    return [max(sorted(forms[term]), key=lambda word: forms[term][word], default=term) for term in terms]


def name_of(words: Sequence[str], concept: int | None = None) -> str:
    """Return a name: the concept in words and what else is telling, or the most telling words, none within another."""
    known = vocabulary()
    title = "" if concept is None else known.titles[concept]
    number = NAME_TERMS if concept is None else NAME_TERMS - 1
    chosen: list[str] = []
    for word in words:
        said = concept is not None and (concept in known.stems.get(stem(word), ()) or stem(word) in _stems(title))
        if len(chosen) < number and not said and not any(word in other or other in word for other in chosen):
            chosen.append(word)
    if title:
        return f"{title}: {', '.join(chosen)}" if chosen else title
    return " ".join(chosen) or "unnamed"


def _stems(text: str) -> set[str]:
    return {stem(word) for word in text.split()}
