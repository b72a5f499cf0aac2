"""The dense leg: documents as vectors of an encoder, compared exactly by cosine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from errorhub.hub.errors import UsageError
from errorhub.hub.memory.lexical import Flags, Floats

_FILE = "vectors.npy"
_BATCH = 256


class Encoder(Protocol):
    """Turns texts into vectors."""

    name: str
    """What made the vectors, with what tells one version from another."""

    def encode(self, texts: Sequence[str]) -> Floats:
        """Return one vector a text, of any length, as a matrix."""
        ...


class Similar(Protocol):
    """Vectors on disk, whatever keeps them."""

    @property
    def matrix(self) -> Floats:
        """All of them, one a row."""
        ...

    def similar(self, query: Floats) -> Floats:
        """Return the cosine of every row with a vector of unit length; 0 for rows that are far."""
        ...


@dataclass(frozen=True)
class Vectors:
    """One vector of unit length a row, or zeros for a row without a document."""

    matrix: Floats

    @classmethod
    def encode(cls, texts: Sequence[str], encoder: Encoder) -> Vectors:
        """Encode documents; empty ones are not shown to the encoder."""
        said = [at for at, text in enumerate(texts) if text.strip()]
        found = [unit([texts[at] for at in said[i : i + _BATCH]], encoder) for i in range(0, len(said), _BATCH)]
        width = found[0].shape[1] if found else 0
        matrix = np.zeros((len(texts), width), np.float32)
        if found:
            matrix[said] = np.concatenate(found)
        return cls(matrix)

    @classmethod
    def join(cls, pieces: Sequence[tuple[Floats, Flags]]) -> Vectors:
        """Put the flagged rows of several matrices one below the other; one without any document fits all."""
        width = max(matrix.shape[1] for matrix, _ in pieces)
        matrices = [
            matrix[kept] if matrix.shape[1] else np.zeros((int(kept.sum()), width), np.float32)
            for matrix, kept in pieces
        ]
        return cls(np.concatenate(matrices))

    def save(self, folder: Path) -> None:
        """Write the matrix to a folder."""
        np.save(folder / _FILE, self.matrix, allow_pickle=False)

    @classmethod
    def exist(cls, folder: Path) -> bool:
        """Return whether a folder holds vectors."""
        return (folder / _FILE).exists()

    @classmethod
    def load(cls, folder: Path) -> Vectors:
        """Open vectors, mapped into memory."""
        return cls(np.asarray(np.load(folder / _FILE, mmap_mode="r", allow_pickle=False)))

    def similar(self, query: Floats) -> Floats:
        """Return the cosine of every row with a vector of unit length. Raise UsageError for another dimension."""
        width = self.matrix.shape[1]
        if not width:
            return np.zeros(len(self.matrix), np.float32)
        fits(width, query)
        found: Floats = self.matrix @ query
        return found


def fits(width: int, query: Floats) -> None:
    """Raise UsageError when a query's vector has another dimension than the index."""
    if width != len(query):
        raise UsageError(
            f"the embedding model answers with {len(query)} dimensions where the index has {width}.",
            hint="errorhub index",
        )


def unit(texts: Sequence[str], encoder: Encoder) -> Floats:
    """Encode texts to unit length. What the encoder cannot tell (zeros, not a number) becomes zeros."""
    found = np.nan_to_num(np.asarray(encoder.encode(texts), np.float32))
    if found.ndim != 2 or len(found) != len(texts):
        raise UsageError(f"the embedding model gave {found.shape} numbers for {len(texts)} texts.")
    norms = np.linalg.norm(found, axis=1, keepdims=True)
    made: Floats = (found / np.where(norms > 0, norms, 1)).astype(np.float32)
    return made
