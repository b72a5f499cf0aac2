"""How far chance gets in a corpus: the evidence that its cases show for texts which are about no failure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path

import numpy as np

from errorhub.hub.durable import write_file
from errorhub.hub.memory.corpus import Corpus
from errorhub.hub.memory.dense import Encoder, unit
from errorhub.hub.memory.floor import MEANT, NEAREST, floor
from errorhub.hub.memory.lexical import Floats
from errorhub.hub.memory.probes import PROBES
from errorhub.hub.memory.query import Query
from errorhub.hub.memory.search import Search


class Probes:
    """The encoder of the probes alone: their vectors, made once for each real encoder."""

    def __init__(self, name: str, matrix: Floats) -> None:
        self.name, self.matrix = name, matrix
        self._rows = {text: row for row, text in enumerate(probe_texts())}

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return the vectors of pieces of probes."""
        found: Floats = self.matrix[[self._rows[text] for text in texts]]
        return found


def probe_texts() -> list[str]:
    """Return the pieces that the probes are compared by."""
    return [piece for text in PROBES for piece in Query.from_text(text).spoken]


def probes_of(path: Path, encoder: Encoder, *, afresh: bool = False) -> Probes:
    """Return the vectors of the probes, kept in a file from one state to the next: encoding them takes seconds."""
    texts = probe_texts()
    try:
        matrix = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError):
        matrix = np.zeros(0, np.float32)
    if afresh or matrix.ndim != 2 or len(matrix) != len(texts):
        matrix, buffer = unit(texts, encoder), BytesIO()
        np.save(buffer, matrix, allow_pickle=False)
        write_file(path, buffer.getvalue())
    return Probes(encoder.name, matrix)


def neutral(corpus: Corpus, probes: Encoder) -> Mapping[str, float]:
    """Return, for each leg, the cosine with the nearest case that most probes do not reach."""
    if not len(corpus):
        return {}
    nearest = [Search(corpus, Query.from_text(text), probes).cosines for text in PROBES]
    return {name: float(np.quantile([one[name].max() for one in nearest], 1 - MEANT)) for name in corpus.vectors}


def calibrated(corpus: Corpus, probes: Encoder | None = None) -> float:
    """Return the evidence that an answer needs in this corpus."""
    return floor([_reached(corpus, text, probes) for text in PROBES]) if len(corpus) else floor([])


def _reached(corpus: Corpus, text: str, probes: Encoder | None) -> float:
    search = Search(corpus, Query.from_text(text), probes)
    scores = search.scores
    near = np.argpartition(scores, -min(NEAREST, len(scores)))[-NEAREST:]
    return float(search.evidence(near[scores[near] > 0].tolist()).max(initial=0.0))
