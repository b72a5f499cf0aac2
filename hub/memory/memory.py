"""The memory: similar past cases, their fix, and whether it passed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from errorhub.hub.errors import UsageError
from errorhub.hub.memory.answer import Answer
from errorhub.hub.memory.cache import open_corpus
from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.dense import Encoder
from errorhub.hub.memory.lexical import Flags, Floats
from errorhub.hub.memory.marks import OWN
from errorhub.hub.memory.picking import Picking
from errorhub.hub.memory.query import Query
from errorhub.hub.memory.search import Search
from errorhub.hub.memory.shelf import Shelf
from errorhub.hub.where import Where

RANKED = 1_000
"""Rows that are ranked: enough to look past a flood of copies, or of one publisher."""


class Memory:
    """Past failures, one's own and pulled ones, findable by what went wrong."""

    def __init__(self, corpus: Corpus, encoder: Encoder | None = None) -> None:
        self.corpus, self.encoder = corpus, encoder

    @classmethod
    def open(
        cls,
        folder: Path,
        shelf: Shelf,
        fingerprint: str,
        *,
        rebuild: bool = False,
        encoder: Encoder | None = None,
        lance: bool = False,
    ) -> Memory:
        """Open the memory of what a shelf holds; its index in `folder` is brought up to date when the state is new.

        Only bundles that came since are read, one by one. `fingerprint` must change whenever what is held changes: a
        bundle, its review, its removal. With an encoder there is a dense leg, whose vectors
        `lance` keeps in LanceDB.
        """
        return cls(open_corpus(folder, shelf, fingerprint, rebuild=rebuild, encoder=encoder, lance=lance), encoder)

    @property
    def documents(self) -> int:
        """Number of indexed documents."""
        return sum(leg.texts for leg in self.corpus.legs.values())

    @property
    def cases(self) -> int:
        """Number of runs."""
        return len(np.unique(self.corpus.cases))

    def similar(
        self,
        query: Query,
        k: int = 5,
        *,
        where: Where | None = None,
        resolved: bool = False,
        include_unreviewed: bool = False,
    ) -> Answer:
        """Return up to k cases similar to the query, best first, or none with the reason.

        Left out: the query's own run, for a bundle also its task, foreign cases that nobody reviewed unless they are
        asked for, what `where` and `resolved` refuse, copies of a better hit, a third hit of one publisher, a second
        of one task, and whatever is below the floor.
        """
        if k < 1:
            raise UsageError(f"number of cases wanted: {k}. At least 1.")
        search = Search(self.corpus, query, self.encoder)
        if search.empty:
            return _none("the query holds no words to compare.")
        allowed = self._allowed(query, where, resolved)
        held_back = allowed & (not include_unreviewed) & ~self.corpus.vetted
        allowed &= ~held_back
        scores: Floats = np.where(allowed, search.scores, np.float32(0))
        foreign = self.corpus.publishers[allowed]
        picking = Picking(self.corpus, search, alone=len(np.unique(foreign[foreign != OWN])) < 2)
        rows = picking.pick(self._best_first(scores), k)
        if rows:
            return Answer(hits=tuple(picking.hit(row, float(scores[row])) for row in rows))
        return _none(self._reason(allowed, held_back, float(scores.max(initial=0.0))))

    def _allowed(self, query: Query, where: Where | None, resolved: bool) -> Flags:
        """Return which rows may be found at all: not the query's own, and let through by the filters."""
        allowed = np.ones(len(self.corpus), bool)
        own = {"trajectory_id": query.trajectory_id, "task": query.task, "origin_key": query.origin_key}
        for column, value in own.items():
            if value:
                allowed &= ~self.corpus.equal(column, value)
        if resolved:
            allowed &= self.corpus.fixed
        if where:
            allowed &= np.fromiter((where(row) for row in self.corpus.flat(where.columns)), bool, len(allowed))
        return allowed

    def _best_first(self, scores: Floats) -> list[int]:
        """Return the best rows that score at all, ties in order of bundle and diagnosis."""
        if len(scores) > RANKED:
            edge = float(np.partition(scores, -RANKED)[-RANKED])
            chosen = np.flatnonzero((scores >= edge) & (scores > 0))
        else:
            chosen = np.flatnonzero(scores)
        best: list[int] = chosen[np.lexsort((self.corpus.order[chosen], -scores[chosen]))].tolist()
        return best

    def _reason(self, allowed: Flags, held_back: Flags, nearest: float) -> str:
        """Return why there is no hit."""
        if not len(self.corpus):
            return "the memory is empty."
        waiting = int(held_back.sum())
        hint = f" {waiting} unreviewed ones were left out; --include-unreviewed shows them." if waiting else ""
        if not allowed.any():
            return f"no case is left after the filters.{hint}"
        return f"no similar case: the nearest of {int(allowed.sum())} scores {nearest:.2f} and shares too little.{hint}"


def _none(reason: str) -> Answer:
    return Answer(abstained=True, reason=reason)
