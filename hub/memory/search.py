"""One query against the corpus: what each row scores, whether it is similar enough, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.floor import SAID, Trace, told, told_least
from errorhub.hub.memory.lexical import Floats, Passage, overlap
from errorhub.hub.memory.query import Form, Query
from errorhub.hub.memory.words import spelled

WEIGHTS: Mapping[Form, tuple[float, float]] = {"text": (1.0, 0.25), "bundle": (1.0, 0.25), "log": (1.0, 1.0)}
"""How much the diagnosis and the window count, by the form of the query. With a diagnosis at hand, the diagnoses of
others tell most; a raw log has to find its like in both (AgentRx: .61 → .62 for a bundle, .31 → .33 for a log)."""

SAME = 0.9
"""Share of common terms (Jaccard) from which two documents are copies."""
REASON_WORDS = 8
"""Shared words named for a hit, heaviest first."""


class Search:
    """One query, weighed once."""

    def __init__(self, corpus: Corpus, query: Query) -> None:
        self.corpus, self.query = corpus, query
        self.diagnosis, self.window = corpus.legs["diagnosis"], corpus.legs["window"]
        self.words: dict[int, str] = {}
        said = self._known(query.spoken)
        traces = said if query.traced == query.spoken else self._known(query.traced)
        self.told = [self.diagnosis.passage(*terms) for terms in said]
        self.traced = [self.window.passage(*terms) for terms in traces]
        self._traces = [
            Trace.of([(self.diagnosis, self.diagnosis.passage(*terms)), (self.window, passage)])
            for terms, passage in zip(traces, self.traced, strict=True)
        ]
        self._by_diagnosis = [self.diagnosis.scores(passage, len(corpus)) for passage in self.told]

    @property
    def empty(self) -> bool:
        """True when the query holds no word that is compared."""
        return not self.told and not self.traced

    def scores(self) -> Floats:
        """Return the score of every row, 0 to 1: the share of the best passage's weight that the row holds, by leg."""
        total = len(self.corpus)
        by_diagnosis, by_window = WEIGHTS[self.query.form]
        windows = [self.window.scores(passage, total) for passage in self.traced]
        found = by_diagnosis * _best(total, self._by_diagnosis, self.told)
        found += by_window * _best(total, windows, self.traced)
        scores: Floats = np.minimum(found / (by_diagnosis + by_window), 1)
        return scores

    def similar_enough(self, row: int, share: float = 1.0) -> bool:
        """Return whether a row is no copy of the query and above this share of the floor.

        A raw log tells no diagnosis: its traces count.
        """
        if self._copied(row):
            return False
        if self.query.form != "log" and any(self._told(row, share)):
            return True
        terms = [set(leg.terms(row).tolist()) for leg in (self.diagnosis, self.window)]
        return any(trace.found_in(terms, share) for trace in self._traces)

    def _told(self, row: int, share: float) -> Iterator[bool]:
        for passage, scores in zip(self.told, self._by_diagnosis, strict=True):
            if scores[row] >= share * told_least(self.diagnosis, passage):
                yield told(self.diagnosis, passage, self.diagnosis.contributions(passage, row), share)

    def _copied(self, row: int) -> bool:
        """Return whether a row is a copy of the bundle that asks: its diagnosis and its window say the same."""
        if self.query.form != "bundle":
            return False
        legs = ((self.diagnosis, self.told), (self.window, self.traced))
        return all(
            any(overlap(one.ids, leg.terms(row), len(one.unknown)) >= SAME for one in passages)
            for leg, passages in legs
        )

    def reasons(self, row: int) -> list[str]:
        """Return, for each leg, the words that a row shares with the query, as the query spells them."""
        lines = []
        for name, leg, passages in (("diagnosis", self.diagnosis, self.told), ("window", self.window, self.traced)):
            weights: dict[int, float] = {}
            for passage in passages:
                parts = leg.contributions(passage, row)
                weights |= {int(term): float(part) for term, part in zip(passage.ids, parts, strict=True) if part > 0}
            telling = [term for term, weight in weights.items() if weight >= max(weights.values()) / 4]
            heaviest = sorted(telling, key=lambda term: (-weights[term], self.words[term]))[:REASON_WORDS]
            if heaviest:
                lines.append(f"{name}: {', '.join(dict.fromkeys(self.words[term] for term in heaviest))}")
        return lines

    def _known(self, texts: Sequence[str]) -> list[tuple[list[int], list[str]]]:
        """Return the known term ids and the unknown terms of each text that has any."""
        found = []
        for text in texts:
            words = spelled(text)
            known = {
                self.corpus.vocabulary[term]: word for term, word in words.items() if term in self.corpus.vocabulary
            }
            self.words = known | self.words
            if words:
                found.append((list(known), [term for term in words if term not in self.corpus.vocabulary]))
        return found


def _best(total: int, scores: Sequence[Floats], passages: Sequence[Passage]) -> Floats:
    best = np.zeros(total, np.float32)
    for found, passage in zip(scores, passages, strict=True):
        np.maximum(best, found / (passage.weight + SAID), out=best)
    return best
