"""The parts of a finished build, and files of lines made from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from errorhub.hub.errors import NotFound, UsageError
from errorhub.views.row import VIEWS, read_rows
from errorhub.views.splits import NAMES

MIN_PREFIX = 8


def parts(folder: Path) -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """Yield view, split and rows of every part of a build that has any. Raise UsageError when it is no build."""
    if not (folder / "build.json").is_file():
        raise UsageError(
            f"no finished build at {folder}.", hint=f"errorhub views build diagnosis_compact --out {folder}"
        )
    for view in VIEWS:
        for split in NAMES:
            path = folder / view / split / "rows.parquet"
            if path.is_file() and (rows := list(read_rows(path))):
                yield view, split, rows


def row_of(folder: Path, prefix: str) -> dict[str, Any]:
    """Return the row of a build whose id starts so. Raise NotFound unless it is one row."""
    found = [row for _, _, rows in parts(folder) for row in rows if row["example_id"].startswith(prefix)]
    if len(prefix) < MIN_PREFIX or len(found) != 1:
        raise NotFound(f"{len(found)} rows have the id {prefix}. Type {MIN_PREFIX} or more characters of one.")
    return found[0]


def write_lines(path: Path, documents: Iterable[Any]) -> Path:
    """Write one JSON document a line and return the file."""
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in documents)
    return path
