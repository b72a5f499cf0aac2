"""Rows as token ids and labels, for trainers that take them as they are; and the tokens of one row, for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from errorhub.hub.durable import write_file
from errorhub.hub.errors import RecordError, UsageError
from errorhub.views.encoding import encode, load_tokenizer, shown_tokens, tokenizer_digest
from errorhub.views.parts import parts, write_lines

Row = dict[str, Any]


def export_tokenized(folder: Path, tokenizer: Path | str | None, out: Path) -> list[Path]:
    """Write `input_ids` and `labels` of every view; a row without a whole target goes to NAME.refused.jsonl.

    `tokenizer.json` beside them names the tokenizer, its template and its stop token by their digest.
    """
    if tokenizer is None:
        raise UsageError("tokenized rows need a tokenizer. Name its folder with --tokenizer.")
    loaded = load_tokenizer(tokenizer)
    out.mkdir(parents=True, exist_ok=True)
    paths = []
    for view, split, rows in parts(folder):
        if view == "preference_action":
            continue
        made = [(row, _encoded(loaded, row)) for row in rows]
        name = f"{view}.{split}"
        kept = [(row, one) for row, one in made if isinstance(one, dict)]
        paths.append(write_lines(out / f"{name}.jsonl", (one for _, one in kept)))
        paths.append(write_lines(out / f"{name}.provenance.jsonl", (_provenance(row) for row, _ in kept)))
        if refused := [{"example_id": row["example_id"], "detail": one} for row, one in made if isinstance(one, str)]:
            paths.append(write_lines(out / f"{name}.refused.jsonl", refused))
    if not paths:
        raise UsageError(f"{folder} holds no row that can be tokenized.", hint=f"errorhub views show {folder}")
    named = {"tokenizer": tokenizer_digest(loaded), "stop": loaded.eos_token, "ignored": -100}
    write_file(out / "tokenizer.json", json.dumps(named, ensure_ascii=False, indent=1).encode())
    return [*paths, out / "tokenizer.json"]


def token_mask(row: Row, tokenizer: Path | str) -> list[dict[str, Any]]:
    """Return the tokens of a row as stretches of text with and without loss."""
    loaded = load_tokenizer(tokenizer)
    return shown_tokens(loaded, encode(loaded, row["prompt"], row["completion"]))


def _encoded(tokenizer: Any, row: Row) -> dict[str, list[int]] | str:
    try:
        return dict(encode(tokenizer, row["prompt"], row["completion"])._asdict())
    except RecordError as problem:
        return str(problem)


def _provenance(row: Row) -> Row:
    return {key: value for key, value in row.items() if key not in ("prompt", "completion", "rejected")}
