"""Vectors in LanceDB, for corpora past what exact search serves: approximate past INDEXED rows, on disk, same contract.

The nearest FOUND rows have their cosine; the others count as not alike. Nothing but a part of the index is kept in
Lance, so it is written once and no versions pile up.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from errorhub.hub.errors import UsageError
from errorhub.hub.memory.dense import fits
from errorhub.hub.memory.lexical import Floats

FOUND = 1_000
"""Rows that are looked up: as many as are ranked."""
INDEXED = 100_000
"""Rows from which an approximate index is made."""

_FOLDER = "vectors.lance"
_TABLE = "vectors"


@dataclass(frozen=True)
class LanceVectors:
    """One vector of unit length a row, in a table."""

    table: Any

    @classmethod
    def write(cls, matrix: Floats, folder: Path) -> None:
        """Write a matrix, with an index when it is large."""
        width = matrix.shape[1]
        flat = pa.array(np.ascontiguousarray(matrix, np.float32).ravel())
        columns = {
            "row": pa.array(range(len(matrix)), pa.int32()),
            "vector": pa.FixedSizeListArray.from_arrays(flat, width),
        }
        table = _lancedb().connect(str(folder / _FOLDER)).create_table(_TABLE, pa.table(columns))
        if len(matrix) >= INDEXED:
            table.create_index(metric="dot", vector_column_name="vector", index_type="IVF_HNSW_SQ")
            table.optimize(cleanup_older_than=timedelta(0))

    @classmethod
    def exist(cls, folder: Path) -> bool:
        """Return whether a folder holds such vectors."""
        return (folder / _FOLDER).exists()

    @classmethod
    def load(cls, folder: Path) -> LanceVectors:
        """Open vectors."""
        return cls(_lancedb().connect(str(folder / _FOLDER)).open_table(_TABLE))

    @property
    def matrix(self) -> Floats:
        """All of them, read."""
        rows = self.table.to_arrow().sort_by("row")["vector"].combine_chunks()
        found: Floats = np.asarray(rows.flatten()).reshape(len(rows), -1)
        return found

    def similar(self, query: Floats) -> Floats:
        """Return the cosine of the nearest rows with a vector of unit length, 0 for the others."""
        fits(self.table.schema.field("vector").type.list_size, query)
        search = self.table.search(query, vector_column_name="vector").distance_type("dot").limit(FOUND)
        near = search.select(["row", "_distance"]).to_arrow()
        found = np.zeros(self.table.count_rows(), np.float32)
        found[near["row"].to_numpy()] = 1 - near["_distance"].to_numpy()
        return found


def _lancedb() -> Any:
    try:
        return import_module("lancedb")
    except ModuleNotFoundError:
        raise UsageError("vectors in Lance need lancedb.", hint="pip install 'agent-error-hub[lance]'") from None
