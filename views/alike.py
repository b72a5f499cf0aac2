"""Near-duplicate tasks: MinHash over runs of five words, found by banding (Jaccard 0.8)."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

WORDS: Final = 5
PERMUTATIONS: Final = 64
BANDS: Final = 16
THRESHOLD: Final = 0.8
_PRIME: Final = (1 << 31) - 1

Signature = NDArray[np.uint32]


class Alike:
    """Texts seen so far, by name, and which of them a new one nearly repeats."""

    def __init__(self) -> None:
        generator = np.random.default_rng(64)
        self._factor = generator.integers(1, _PRIME, PERMUTATIONS, dtype=np.uint64)
        self._offset = generator.integers(0, _PRIME, PERMUTATIONS, dtype=np.uint64)
        self._bands: dict[bytes, list[str]] = {}
        self._signatures: dict[str, Signature] = {}

    def add(self, name: str, tokens: Sequence[str]) -> list[str]:
        """Remember a text and return the names of those seen before that it nearly repeats."""
        if name in self._signatures:
            return []
        signature = self._sign(tokens)
        places = [b"%d:" % i + part.tobytes() for i, part in enumerate(np.split(signature, BANDS))]
        near = {one for place in places for one in self._bands.get(place, ())}
        found = sorted(one for one in near if np.mean(self._signatures[one] == signature) >= THRESHOLD)
        self._signatures[name] = signature
        for place in places:
            self._bands.setdefault(place, []).append(name)
        return found

    def _sign(self, tokens: Sequence[str]) -> Signature:
        parts = {" ".join(tokens[i : i + WORDS]) for i in range(max(1, len(tokens) - WORDS + 1))}
        hashes = np.array([zlib.crc32(part.encode()) for part in parts], dtype=np.uint64) % _PRIME
        mixed = (hashes[:, None] * self._factor + self._offset) % _PRIME
        return np.asarray(mixed.min(axis=0), dtype=np.uint32)
