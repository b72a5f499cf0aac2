"""Files of rows and of gold, written a few rows at a time."""

from __future__ import annotations

import json
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow.parquet as pq

from errorhub.views.row import SCHEMA, Row, batch_of

_BATCH = 100


class RowFile:
    """One split of one view: `rows.parquet` and, for diagnosis, `gold.jsonl` beside it."""

    def __init__(self, folder: Path, *, gold: bool) -> None:
        folder.mkdir(parents=True)
        self._rows = pq.ParquetWriter(folder / "rows.parquet", SCHEMA, compression="zstd")
        self._gold = (folder / "gold.jsonl").open("w", encoding="utf-8") if gold else None
        self._held: list[Row] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._flush()
        self._rows.close()
        if self._gold:
            self._gold.close()

    def add(self, row: Row) -> None:
        """Add a row."""
        self._held.append(row)
        if self._gold:
            self._gold.write(json.dumps(gold_of(row), ensure_ascii=False) + "\n")
        if len(self._held) >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            self._rows.write_batch(batch_of(self._held))
            self._held.clear()


def gold_of(row: Row) -> dict[str, Any]:
    """Return the gold line of a diagnosis row; `agents` names who acts, one name a step."""
    return {
        "id": row.example_id, "step": row.gold_step, "agent": row.gold_agent, "task": row.source_task,
        "family": row.task_family, "n_steps": row.n_steps, "agents": list(row.agents), "author": row.label_source,
    }  # fmt: skip
