"""The lexical leg: BM25 over one kind of document, summed over the parts of the index.

Lucene's BM25 (k1 1.5, b .75) with an idf over the corpus together with the imagined texts of `background`:

    idf(t) = ln(1 + (N - n + .5) / (n + .5)),   n = texts with t + imagined * share(t),   N = texts + imagined

Few imagined texts for ranking (AgentRx failures, nDCG@10: .61 with none, .62 with 10 or 100; root causes .54 with 10,
.53 with 100), many for the question whether a shared word means anything at all.

Postings store what does not depend on other parts, `tf (k1 + 1) / (tf + norm)`; the idf is that of all parts together.
Terms are known by the hash `words.key`, so a part can be added without touching another.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorhub.hub.memory.background import RANKING_WEIGHT, UNLISTED, WEIGHT, shares

K1 = 1.5
B = 0.75

Floats = NDArray[np.float32]
Ints = NDArray[np.int32]
Keys = NDArray[np.int64]
Flags = NDArray[np.bool_]
_ARRAYS = ("keys", "starts", "rows", "parts", "terms", "shares", "bounds")


@dataclass(frozen=True)
class Postings:
    """One kind of document in one part of the index; row i has document i, which may be empty."""

    keys: Keys
    """Terms, ascending."""
    starts: Keys
    """Where the postings of each term begin, and the end of the last."""
    rows: Ints
    """Postings: the rows with each term, ascending."""
    parts: Floats
    """Postings: what the term adds to a score, before its idf."""
    terms: Ints
    """For each row the places in `keys` of its terms, ascending."""
    shares: Floats
    """Beside each of them, what it adds to a score, before its idf."""
    bounds: Keys
    """Where the terms of each row begin, and the end of the last."""

    @classmethod
    def build(cls, documents: Sequence[array[int]], average: float) -> Postings:
        """Count documents given as keys of terms; `average` is the length of a document in the whole index."""
        lengths = np.array([len(document) for document in documents], np.int64)
        said = np.concatenate([np.zeros(0, np.int64), *(np.frombuffer(one, np.int64) for one in documents if one)])
        keys, terms = np.unique(said, return_inverse=True)
        number = max(1, len(documents))
        pairs, counts = np.unique(terms * number + np.repeat(np.arange(len(lengths)), lengths), return_counts=True)
        rows = pairs % number
        norm = K1 * (1 - B + B * lengths[rows] / max(average, 1))
        parts = (counts * (K1 + 1) / (counts + norm)).astype(np.float32)
        return cls._of(keys, pairs // number, rows, parts, len(documents))

    @classmethod
    def join(cls, pieces: Sequence[tuple[Postings, Flags]]) -> Postings:
        """Put the flagged rows of several postings one behind the other."""
        terms, rows, parts, number = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)], 0
        for piece, kept in pieces:
            chosen = kept[piece.rows]
            terms.append(np.repeat(piece.keys, np.diff(piece.starts))[chosen])
            rows.append((np.cumsum(kept) - 1 + number)[piece.rows[chosen]])
            parts.append(piece.parts[chosen])
            number += int(kept.sum())
        keys, term = np.unique(np.concatenate(terms), return_inverse=True)
        row = np.concatenate(rows)
        order = np.lexsort((row, term))
        return cls._of(keys, term[order], row[order], np.concatenate(parts)[order], number)

    @classmethod
    def _of(cls, keys: Keys, terms: Keys, rows: Keys, parts: Floats, number: int) -> Postings:
        """Return postings from triples sorted by term and row."""
        by_row = np.argsort(rows, kind="stable")
        return cls(
            keys, np.searchsorted(terms, np.arange(len(keys) + 1)), rows.astype(np.int32), parts,
            terms[by_row].astype(np.int32), parts[by_row], np.searchsorted(rows[by_row], np.arange(number + 1)),
        )  # fmt: skip

    @cached_property
    def texts(self) -> int:
        """Number of documents that are not empty."""
        return int(np.count_nonzero(np.diff(self.bounds)))

    def save(self, folder: Path) -> None:
        """Write the arrays to a folder."""
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, name), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path) -> Postings:
        """Open postings without reading them: the arrays are mapped into memory."""
        return cls(**{name: _mapped(folder / f"{name}.npy") for name in _ARRAYS})

    def find(self, keys: Keys) -> Keys:
        """Return the place of each key, or -1."""
        places = np.minimum(np.searchsorted(self.keys, keys), max(0, len(self.keys) - 1))
        return np.where(self.keys[places] == keys, places, -1) if len(self.keys) else np.full(len(keys), -1)


@dataclass(frozen=True)
class Passage:
    """A piece of a query in one leg."""

    keys: Keys
    """Its terms, ascending."""
    idf: Floats
    """Their idf, for ranking."""
    shares: Floats
    """Shares of texts that hold them, for judging."""
    places: Sequence[Keys]
    """For each part of the index, their places there, or -1."""

    def __len__(self) -> int:
        return len(self.keys)


class Leg:
    """One kind of document over all parts of the index."""

    def __init__(self, parts: Sequence[Postings]) -> None:
        self.parts = parts
        self.offsets = list(accumulate((len(part.bounds) - 1 for part in parts), initial=0))
        """The first row of each part, and the number of rows."""
        self.texts = sum(part.texts for part in parts)

    def passage(self, keys: Sequence[int]) -> Passage:
        """Weigh the terms of a piece of a query."""
        terms = np.unique(np.array(keys, np.int64))
        places = [part.find(terms) for part in self.parts]
        texts = np.zeros(len(terms))
        for part, place in zip(self.parts, places, strict=True):
            if len(part.keys):
                texts += np.where(place >= 0, part.starts[place + 1] - part.starts[place], 0)
        usual = np.array([shares().get(term, 0.0) for term in terms.tolist()])
        idf = _idf(texts + usual * RANKING_WEIGHT, self.texts + RANKING_WEIGHT).astype(np.float32)
        held = ((texts + (usual + UNLISTED) * WEIGHT) / (self.texts + WEIGHT)).astype(np.float32)
        return Passage(terms, idf, held, places)

    def scores(self, passage: Passage) -> Floats:
        """Return the BM25 score of every row; a word of an average document adds its idf."""
        found = np.zeros(self.offsets[-1], np.float32)
        for part, places, first in zip(self.parts, passage.places, self.offsets[:-1], strict=True):
            rows = found[first:]
            for at in np.flatnonzero(places >= 0).tolist():
                start, end = part.starts[places[at] : places[at] + 2].tolist()
                np.add.at(rows, part.rows[start:end], part.parts[start:end] * passage.idf[at])
        return found

    def contributions(self, passage: Passage, row: int) -> Floats:
        """Return what each term of a passage says about a row; at most its idf."""
        number, at = self._locate(row)
        part, places = self.parts[number], passage.places[number]
        start, end = part.bounds[at : at + 2].tolist()
        if start == end:
            return np.zeros(len(passage), np.float32)
        terms = part.terms[start:end]
        spots = np.minimum(terms.searchsorted(places), end - start - 1)
        said = np.where(terms[spots] == places, np.minimum(part.shares[start:end][spots], 1), 0)
        found: Floats = (said * passage.idf).astype(np.float32)
        return found

    def terms(self, row: int) -> Keys:
        """Return the terms of a row's document, ascending."""
        number, at = self._locate(row)
        part = self.parts[number]
        held: Keys = part.keys[part.terms[part.bounds[at] : part.bounds[at + 1]]]
        return held

    def _locate(self, row: int) -> tuple[int, int]:
        number = bisect_right(self.offsets, row) - 1
        return number, row - self.offsets[number]


def member(values: NDArray[Any], ascending: NDArray[Any]) -> Flags:
    """Return which values are among others, given in ascending order."""
    if not len(ascending):
        return np.zeros(len(values), bool)
    spots = np.minimum(ascending.searchsorted(values), len(ascending) - 1)
    found: Flags = ascending[spots] == values
    return found


def overlap(one: Keys, other: Keys) -> float:
    """Return the Jaccard similarity of two sets of terms, each ascending."""
    shared = int(np.count_nonzero(member(one, other)))
    return shared / max(1, len(one) + len(other) - shared)


def _idf(texts_with: NDArray[Any], texts: float) -> NDArray[Any]:
    return np.log1p((texts - texts_with + 0.5) / (texts_with + 0.5))


def _mapped(path: Path) -> NDArray[Any]:
    """Map an array into memory, without numpy's own class for it, which is slow to slice."""
    return np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
