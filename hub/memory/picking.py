"""From ranked rows to hits: one a run, no copies, not all from one publisher."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from errorhub.hub.memory.answer import Hit
from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.floor import BESIDE, BESIDE_BEST
from errorhub.hub.memory.lexical import Floats, overlap
from errorhub.hub.memory.search import SAME, Search

PER_PUBLISHER = 2
"""Hits of one publisher of foreign cases; those without a name are one publisher a hub."""
PER_TASK = 1
"""Hits of one source task."""
LOOKED_AT = 100
"""Rows looked at before giving up."""
NEAREST = 25
"""Rows of which one must be above the floor."""


class Picking:
    """Rows looked at in order, best first, and those among them that become hits."""

    def __init__(self, corpus: Corpus, search: Search) -> None:
        self.corpus, self.search = corpus, search
        self.copies: dict[int, int] = {}
        """Picked row -> number of copies left out for it."""
        self._runs: set[int] = set()
        self._tasks: Counter[str] = Counter()
        self._publishers: Counter[str] = Counter()

    def pick(self, rows: Iterable[int], scores: Floats, k: int) -> list[int]:
        """Return up to k rows to show, in their order; none unless one of the nearest is above the floor."""
        near = [row for row in islice(rows, LOOKED_AT) if not self.search.copied(row)]
        if any(self.search.similar_enough(row) for row in near[:NEAREST]):
            least = BESIDE_BEST * float(scores[near[0]])
            for row in near:
                if (
                    len(self.copies) < k
                    and scores[row] >= least
                    and self._welcome(row)
                    and self.search.similar_enough(row, BESIDE)
                ):
                    self._take(row)
        return list(self.copies)

    def hit(self, row: int, score: float) -> Hit:
        """Return a picked row as a hit."""
        facts, matched = self.corpus.row(row), self.search.reasons(row)
        if copies := self.copies[row]:
            matched.append(f"stands for {copies} more with the same text")
        shown = {"agent": "who", "step": "at", "explanation": "why", "mode": "which", "grade": "how_sure"}
        plain = "bundle_id trajectory_id task correction repair outcome source revision trust local"
        return Hit(
            score=round(score, 4),
            resolved=facts["fixed"],
            matched=tuple(matched),
            **{name: facts[column] for name, column in shown.items()},
            **{name: facts[name] for name in plain.split()},
        )

    def _welcome(self, row: int) -> bool:
        """Return whether neither the run of a row is there already, nor enough of its task or publisher."""
        publisher = self._publisher(row)
        if int(self.corpus.cases[row]) in self._runs or (publisher and self._publishers[publisher] == PER_PUBLISHER):
            return False
        return self._tasks[self.corpus.value(row, "task")] < PER_TASK

    def _take(self, row: int) -> None:
        self._runs.add(int(self.corpus.cases[row]))
        for other in self.copies:
            if self._same(row, other):
                self.copies[other] += 1
                return
        self._tasks[self.corpus.value(row, "task")] += 1
        self._publishers[self._publisher(row)] += 1
        self.copies[row] = 0

    def _publisher(self, row: int) -> str:
        """Return who published a foreign case; nothing for one's own."""
        if self.corpus.value(row, "local") or self.corpus.value(row, "trust") == "mine":
            return ""
        return f"{self.corpus.value(row, 'source')} {self.corpus.value(row, 'contributor') or ''}"

    def _same(self, row: int, other: int) -> bool:
        """Return whether two rows are the same run scrubbed twice, or say the same."""
        origin = self.corpus.value(row, "origin_key")
        if origin and origin == self.corpus.value(other, "origin_key"):
            return True
        told, others = (self.search.diagnosis.terms(at) for at in (row, other))
        if len(told) or len(others):
            return overlap(told, others) >= SAME
        return overlap(self.search.window.terms(row), self.search.window.terms(other)) >= SAME
