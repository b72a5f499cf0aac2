"""From ranked rows to hits: one a run, no copies, not all from one publisher."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from errorhub.hub.memory.answer import Hit
from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.floor import NEAREST
from errorhub.hub.memory.lexical import overlap
from errorhub.hub.memory.marks import OWN
from errorhub.hub.memory.search import SAME, Search
from errorhub.hub.memory.suspicion import suspicious

PER_PUBLISHER = 2
"""Hits of one publisher of foreign cases. The cap protects one from another: a single foreign publisher fills what is
left when one's own cases had their turn."""
PER_TASK = 1
"""Hits of one source task."""
LOOKED_AT = 100
"""Rows compared with the floor before giving up."""

_SHOWN = {"agent": "who", "step": "at", "explanation": "why", "mode": "which", "grade": "how_sure"}
_SAME = (
    "bundle_id",
    "trajectory_id",
    "task",
    "correction",
    "repair",
    "outcome",
    "source",
    "revision",
    "trust",
    "local",
)


class Picking:
    """Rows looked at in order, best first, and those among them that become hits."""

    def __init__(self, corpus: Corpus, search: Search, *, alone: bool) -> None:
        self.corpus, self.search = corpus, search
        self.alone = alone
        """Whether all foreign cases come from one publisher."""
        self.copies: dict[int, int] = {}
        """Picked row -> number of copies left out for it."""
        self._origins: dict[int, str | None] = {}
        self._runs: set[int] = set()
        self._tasks: Counter[int] = Counter()
        self._publishers: Counter[int] = Counter()

    def pick(self, near: Sequence[int], k: int) -> list[int]:
        """Return up to k rows to show, in their order; none unless one of the nearest is above the floor."""
        if not self.search.answers(near[:NEAREST]):
            return []
        for full in (False, True)[: 1 + self.alone]:
            welcome = (row for row in near if len(self.copies) < k and self._welcome(row, full))
            for row in islice(welcome, LOOKED_AT):
                if self.search.worth_showing(row):
                    self._take(row)
        return [row for row in near if row in self.copies]

    def hit(self, row: int, score: float) -> Hit:
        """Return a picked row as a hit."""
        matched = self.search.reasons(row)
        if copies := self.copies[row]:
            matched.append(f"stands for {copies} more with the same text")
        facts = self.corpus.row(row, [*_SAME, *_SHOWN.values(), "fixed", "diagnosis_id"])
        shown = {name: facts[column] for name, column in _SHOWN.items()}
        return Hit(
            score=round(score, 4),
            resolved=facts["fixed"],
            matched=tuple(matched),
            diagnosis_id=facts["diagnosis_id"] or None,
            flags=suspicious(facts["who"], facts["why"], facts["which"], facts["correction"], facts["repair"]),
            **shown,
            **{name: facts[name] for name in _SAME},
        )

    def _welcome(self, row: int, full: bool) -> bool:
        """Return whether its run and task are not there yet, and its publisher has, or (`full`) has not, room left."""
        corpus, publisher = self.corpus, int(self.corpus.publishers[row])
        reached = publisher != OWN and self._publishers[publisher] >= PER_PUBLISHER
        if reached is not full:
            return False
        return int(corpus.cases[row]) not in self._runs and self._tasks[int(corpus.tasks[row])] < PER_TASK

    def _take(self, row: int) -> None:
        self._runs.add(int(self.corpus.cases[row]))
        for other in self.copies:
            if self._same(row, other):
                self.copies[other] += 1
                return
        self._tasks[int(self.corpus.tasks[row])] += 1
        self._publishers[int(self.corpus.publishers[row])] += 1
        self.copies[row] = 0

    def _origin(self, row: int) -> str | None:
        if row not in self._origins:
            self._origins[row] = self.corpus.value(row, "origin_key")
        return self._origins[row]

    def _same(self, row: int, other: int) -> bool:
        """Return whether two rows are the same run scrubbed twice, or say the same."""
        if (origin := self._origin(row)) and origin == self._origin(other):
            return True
        told, others = (self.search.diagnosis.terms(at) for at in (row, other))
        if len(told) or len(others):
            return overlap(told, others) >= SAME
        return overlap(self.search.window.terms(row), self.search.window.terms(other)) >= SAME
