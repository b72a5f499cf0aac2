"""What a student learns from: rows of views, encoded whole. A row that does not fit is left out and counted."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errorhub.hub.errors import RecordError, UsageError
from errorhub.training.recipe import VIEWS_OF, Recipe
from errorhub.views import read_rows
from errorhub.views.encoding import Encoded, encode

Row = dict[str, Any]


@dataclass
class Lessons:
    """Rows to learn from and to look at, and where they come from."""

    train: list[Row]
    val: list[Row]
    hashes: dict[str, str]
    """File of rows or of splits -> SHA-256."""
    refused: Counter[str] = field(default_factory=Counter)
    """Why rows were left out -> how many."""

    @property
    def used(self) -> dict[str, list[str]]:
        """What the student was made of: names of bundles, of sources and of licences."""
        rows = [*self.train, *self.val]
        columns = {"bundles": "bundle_id", "tasks": "source_task", "licenses": "license", "views": "view"}
        return {name: sorted({str(row[column]) for row in rows if row[column]}) for name, column in columns.items()}


def read_lessons(recipe: Recipe) -> Lessons:
    """Read the rows a recipe names. Raise UsageError when there is none, or when they are of another kind."""
    if not recipe.rows:
        raise UsageError("no rows to learn from. Name folders of views with `rows` in the recipe, or --rows.")
    hashes: dict[str, str] = {}
    parts = {split: list(_rows(recipe, split, hashes)) for split in ("train", "val")}
    train = [row for row in parts["train"] if row["nest"] < recipe.share]
    if not train:
        names = ", ".join(map(str, recipe.rows))
        raise UsageError(f"no row to learn from in {names}: the train split is empty.", hint="errorhub views show DIR")
    return Lessons(train, parts["val"][: recipe.validation], hashes)


def _rows(recipe: Recipe, split: str, hashes: dict[str, str]) -> Iterator[Row]:
    for folder in recipe.rows:
        path = folder / split / "rows.parquet"
        if not path.is_file():
            raise UsageError(f"no rows at {path}. A folder of a view, OUT/VIEW of `views build`, is expected.")
        for file in (path, folder.parent / "splits.json"):
            if file.is_file():
                hashes[f"{folder.name}/{split}" if file == path else "splits"] = _sha256(file)
        for row in read_rows(path):
            if not row["view"].startswith(VIEWS_OF[recipe.kind]):
                raise UsageError(
                    f"{path} holds rows of {row['view']}, which is no view for a student of {recipe.kind}."
                )
            yield row


def encoded(lessons: Lessons, tokenizer: Any, max_length: int) -> tuple[list[Encoded], list[Encoded]]:
    """Encode all rows whole; what cannot be is dropped from the lessons and counted.

    Raise UsageError when no row to learn from is left.
    """
    parts = []
    for rows in (lessons.train, lessons.val):
        made = [_encoded(row, tokenizer, max_length) for row in rows]
        lessons.refused.update(one for one in made if isinstance(one, str))
        rows[:] = [row for row, one in zip(rows, made, strict=True) if not isinstance(one, str)]
        parts.append([one for one in made if not isinstance(one, str)])
    if not parts[0]:
        why = ", ".join(f"{reason} {number}" for reason, number in lessons.refused.items())
        raise UsageError(f"no row to learn from is left: {why}.", hint="errorhub views build … --max-length N")
    return parts[0], parts[1]


def _encoded(row: Row, tokenizer: Any, max_length: int) -> Encoded | str:
    try:
        sides = [encode(tokenizer, row["prompt"], side) for side in (row["completion"], row["rejected"]) if side]
    except RecordError as problem:
        return str(problem)
    longest = max(len(side.input_ids) for side in sides) if sides else 0
    return f"over {max_length} tokens" if longest > max_length else sides[0] if sides else "the target is empty."


def texts_of(rows: Sequence[Row]) -> Iterator[str]:
    """Yield every text of rows, for a tokenizer to learn from."""
    for row in rows:
        for message in (*row["prompt"], *row["completion"], *row["rejected"]):
            yield message["content"]


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
