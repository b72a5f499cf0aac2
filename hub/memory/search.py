"""One query against the corpus: what each row scores, whether it is similar enough, and why.

The lexical leg always ranks; with an encoder, cosines are added to it where that helps: for a text with those of the
diagnoses, for a log and for pasted output with the mean of both kinds of documents. A bundle brings a diagnosis in the
words of diagnoses, and BM25 alone is as good (AgentRx failures / root causes, nDCG@10 with MiniLM: bundle .62 / .54
either way, one's explanation as text .56 / .53 → .59 / .53, the raw error step .56 / .46 → .58 / .49).
Whether there is an answer at all is decided by the evidence of `floor`: words, tone, and for texts and pastes the
cosines above what texts about no failure reach. Of logs cosines let twice as many unrelated ones through.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.dense import Encoder, unit
from errorhub.hub.memory.floor import BESIDE, LEAST, MEANING, OF_A_RUN, surprise
from errorhub.hub.memory.lexical import Floats, Keys, Leg, Passage, member, overlap
from errorhub.hub.memory.query import Form, Query
from errorhub.hub.memory.tone import tone
from errorhub.hub.memory.words import key, spelled

WEIGHTS: Mapping[Form, tuple[float, float]] = {
    "text": (1.0, 0.25), "paste": (0.5, 1.0), "bundle": (1.0, 0.25), "log": (1.0, 1.0),
}  # fmt: skip
"""How much the diagnosis and the window count, by the form of the query. With a diagnosis at hand, the diagnoses of
others tell most (AgentRx failures: .61 → .62); pasted output has its like in what others saw (AgentRx failures / root
causes, a raw error step: .53 / .46 weighed as a text, .56 / .47 so); a raw log has its like in both (.31 → .33)."""

DENSE: Mapping[Form, Mapping[str, float]] = {
    "text": {"diagnosis": 0.5}, "bundle": {}, "paste": {"diagnosis": 0.25, "window": 0.25},
    "log": {"diagnosis": 0.25, "window": 0.25},
}  # fmt: skip
"""How much the cosine with each kind of document counts beside the lexical score's 1."""
SAID = 20.0
"""Weight of what a passage leaves unsaid (four or five telling words): a short one is never wholly found."""
SAME = 0.9
"""Share of common terms (Jaccard) from which two documents are copies."""
REASON_WORDS = 8
"""Shared words named for a hit, heaviest first."""


class Search:
    """One query, weighed once."""

    def __init__(self, corpus: Corpus, query: Query, encoder: Encoder | None = None) -> None:
        self.corpus, self.query, self.encoder = corpus, query, encoder
        self.diagnosis, self.window = corpus.legs["diagnosis"], corpus.legs["window"]
        self.words: dict[int, str] = {}
        said = self._terms(query.spoken)
        traces = said if query.traced == query.spoken else self._terms(query.traced)
        self.told = [self.diagnosis.passage(terms) for terms in said]
        self.traced = [self.window.passage(terms) for terms in traces]
        self._judged = [said] if query.traced == query.spoken else [said, traces]

    @property
    def empty(self) -> bool:
        """True when the query holds no word that is compared."""
        return not self.told and not self.traced

    @cached_property
    def scores(self) -> Floats:
        """The score of every row, 0 to 1: lexical, and where it helps, dense."""
        if not self._dense:
            return self.lexical
        scores: Floats = self.lexical + sum(weight * self.cosines[name] for name, weight in self._dense.items())
        return scores / np.float32(1 + sum(self._dense.values()))

    @property
    def _dense(self) -> Mapping[str, float]:
        """The weights of the dense leg; none when it has no say."""
        return DENSE[self.query.form] if self.encoder and self.corpus.vectors else {}

    @cached_property
    def cosines(self) -> Mapping[str, Floats]:
        """For each kind of document the cosine of every row with the best passage, at least 0."""
        found = {name: np.zeros(len(self.corpus), np.float32) for name in self.corpus.vectors}
        for vector in unit(self.query.spoken, self.encoder) if self.encoder and self.query.spoken else ():
            for name, parts in self.corpus.vectors.items():
                np.maximum(found[name], np.concatenate([part.similar(vector) for part in parts]), out=found[name])
        return found

    @cached_property
    def lexical(self) -> Floats:
        """The lexical score of every row, 0 to 1: the share of the best passage's weight that it holds, by leg."""
        by_diagnosis, by_window = WEIGHTS[self.query.form]
        found = by_diagnosis * _best(self.diagnosis, self.told) + by_window * _best(self.window, self.traced)
        scores: Floats = np.minimum(found / (by_diagnosis + by_window), 1).astype(np.float32)
        return scores

    def answers(self, rows: Sequence[int]) -> bool:
        """Return whether one of these rows makes an answer: above the floor, and no copy of the query."""
        above = (self.evidence(rows) > self.corpus.floor).tolist()
        return any(enough and not self._copied(row) for row, enough in zip(rows, above, strict=True))

    def worth_showing(self, row: int) -> bool:
        """Return whether a row is no copy of the query and may stand beside one that makes an answer.

        Where a flood of copies made every word common, half of the best score will do.
        """
        if float(self.lexical[row]) >= min(BESIDE, float(self.lexical.max()) / 2):
            return not self._copied(row)
        return self.answers([row])

    def evidence(self, rows: Sequence[int]) -> Floats:
        """Return how much speaks for each row, in nats: how unlikely it is that it shares so much by chance."""
        held = [[leg.terms(row) for row in rows] for leg in (self.diagnosis, self.window)]
        lengths = np.array([[len(terms) for terms in leg] for leg in held], np.float32).T
        found = np.zeros(len(rows), np.float32)
        chances = OF_A_RUN if self.query.form == "log" else 1.0
        for pieces in self._judged if rows else ():
            best = [self._surprise(terms, held, lengths) for terms in pieces]
            if best:
                found += np.maximum(0, np.max(best, axis=0) - chances * math.log(len(best)))
        meant = self._meaning(rows)
        speaks = (found >= LEAST) | (meant > 0)
        evident: Floats = np.where(speaks, np.maximum(0, found + meant + self.tone), 0).astype(np.float32)
        return evident

    def _meaning(self, rows: Sequence[int]) -> Floats:
        """Return what the cosines of rows tell beyond those of texts about no failure, in nats; nothing of logs."""
        best = np.zeros(len(rows), np.float32)
        for name in self._dense if self.query.form != "log" else ():
            np.maximum(best, self.cosines[name][list(rows)] - self.corpus.neutral.get(name, 1.0), out=best)
        return best * np.float32(MEANING)

    @cached_property
    def tone(self) -> float:
        """How much the query sounds like the report of a failure, in nats; its best piece counts."""
        log = self.query.form == "log"
        return max((tone(text, log=log) for text in self.query.spoken), default=0.0)

    def _surprise(self, terms: Sequence[int], held: Sequence[Sequence[Keys]], lengths: Floats) -> Floats:
        legs = [leg.passage(terms) for leg in (self.diagnosis, self.window)]
        shared = [np.array([member(legs[0].keys, one) for one in leg]) for leg in held]
        return surprise([leg.shares for leg in legs], lengths, shared[0] | shared[1])

    def _copied(self, row: int) -> bool:
        """Return whether a row is a copy of the bundle that asks: its diagnosis and its window say the same."""
        if self.query.form != "bundle":
            return False
        legs = ((self.diagnosis, self.told), (self.window, self.traced))
        return all(any(overlap(one.keys, leg.terms(row)) >= SAME for one in passages) for leg, passages in legs)

    def reasons(self, row: int) -> list[str]:
        """Return, for each leg, the words that a row shares with the query, as the query spells them."""
        lines = []
        for name, leg, passages in (("diagnosis", self.diagnosis, self.told), ("window", self.window, self.traced)):
            weights: dict[int, float] = {}
            for passage in passages:
                parts = leg.contributions(passage, row)
                weights |= {int(term): float(part) for term, part in zip(passage.keys, parts, strict=True) if part > 0}
            telling = [term for term, weight in weights.items() if weight >= max(weights.values()) / 4]
            heaviest = sorted(telling, key=lambda term: (-weights[term], self.words[term]))[:REASON_WORDS]
            if heaviest:
                lines.append(f"{name}: {', '.join(dict.fromkeys(self.words[term] for term in heaviest))}")
        if self._dense:
            lines.append(f"meaning: cosine {max(float(self.cosines[name][row]) for name in self._dense):.2f}")
        return lines

    def _terms(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the terms of each text that has any."""
        found = []
        for text in texts:
            words = {key(term): word for term, word in spelled(text).items()}
            self.words = words | self.words
            if words:
                found.append(list(words))
        return found


def _best(leg: Leg, passages: Sequence[Passage]) -> Floats:
    best = np.zeros(int(leg.offsets[-1]), np.float32)
    for passage in passages:
        np.maximum(best, leg.scores(passage) / (float(passage.idf.sum()) + SAID), out=best)
    return best
