"""The rows of the memory: all parts of the index side by side, with their marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from errorhub.hub.memory.dense import Similar
from errorhub.hub.memory.lexical import Flags, Ints, Leg
from errorhub.hub.memory.marks import MARKS, OWN
from errorhub.hub.memory.part import LEGS, ROWS, Part

_MARKED = frozenset(MARKS.names)


class Corpus:
    """Rows and legs over all parts. A row keeps its place while the corpus is open."""

    def __init__(
        self, parts: Sequence[Part], marks: pa.Table, floor: float = 0.0, neutral: Mapping[str, float] | None = None
    ) -> None:
        self.rows = pa.concat_tables([part.rows for part in parts]) if parts else ROWS.empty_table()
        self.marks = marks
        self.floor = floor
        """The evidence that an answer needs here (`calibration`)."""
        self.neutral = neutral or {}
        """For each leg, the cosine that means nothing here."""
        self.legs = {name: Leg([part.legs[name] for part in parts]) for name in LEGS}
        self.vectors: dict[str, list[Similar]] = {
            name: [part.vectors[name] for part in parts] for name in LEGS if all(name in p.vectors for p in parts)
        }
        self.cases, self.order = self._numbers("case"), self._numbers("order")
        self.tasks, self.publishers = self._numbers("group"), self._numbers("publisher")

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property
    def vetted(self) -> Flags:
        """Which rows are one's own or reviewed."""
        vetted: Flags = self._flags("reviewed") | (self.publishers == OWN)
        return vetted

    @cached_property
    def fixed(self) -> Flags:
        """Which rows are of a case that some repair fixed."""
        return self._flags("fixed")

    def _flags(self, name: str) -> Flags:
        return _flags(self.marks[name])

    def _numbers(self, name: str) -> Ints:
        return np.from_dlpack(self.marks[name].combine_chunks()).astype(np.int32, copy=False)

    def equal(self, column: str, value: str) -> Flags:
        """Return which rows have this value in a column of text."""
        table = self.marks if column in _MARKED else self.rows
        return _flags(pc.fill_null(pc.equal(table[column], value), False))

    def flat(self, columns: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Yield flat columns of every row, in order."""
        for batch in self.rows.select(sorted(columns)).to_batches():
            yield from batch.to_pylist()

    def value(self, row: int, column: str) -> Any:
        """Return one value of one row."""
        table = self.marks if column in _MARKED else self.rows
        return table[column][row].as_py()

    def row(self, row: int, columns: Iterable[str]) -> dict[str, Any]:
        """Return some values of one row."""
        names = set(columns)
        tables = ((self.marks, names & _MARKED), (self.rows, names - _MARKED))
        return {
            name: value
            for table, held in tables
            for name, value in table.select(sorted(held)).slice(row, 1).to_pylist()[0].items()
        }


def _flags(column: pa.ChunkedArray) -> Flags:
    """Return a column of booleans as an array; pyarrow's own way imports pandas, half a second of every look-up."""
    return np.from_dlpack(column.cast(pa.uint8()).combine_chunks()).astype(bool)
