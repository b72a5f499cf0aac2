"""How far chance gets in a corpus: the evidence that its cases show for texts which are about no failure."""

from __future__ import annotations

import numpy as np

from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.floor import NEAREST, floor
from errorhub.hub.memory.probes import PROBES
from errorhub.hub.memory.query import Query
from errorhub.hub.memory.search import Search


def calibrated(corpus: Corpus) -> float:
    """Return the evidence that an answer needs in this corpus."""
    return floor([_reached(corpus, text) for text in PROBES]) if len(corpus) else floor([])


def _reached(corpus: Corpus, text: str) -> float:
    search = Search(corpus, Query.from_text(text))
    scores = search.lexical
    near = np.argpartition(scores, -min(NEAREST, len(scores)))[-NEAREST:]
    return float(search.evidence(near[scores[near] > 0].tolist()).max(initial=0.0))
