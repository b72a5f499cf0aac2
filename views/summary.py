"""What a build holds: counts, lengths, places of gold, agents, refusals; and which text of a row carries loss."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from errorhub.views.parts import parts, row_of
from errorhub.views.tokenized import token_mask


def summary(folder: Path) -> dict[str, Any]:
    """Return the report of a build with the distributions of its rows."""
    shown: dict[str, Any] = {}
    for view, split, rows in parts(folder):
        one = shown.setdefault(view, {"tokens": [], "steps": [], "place": Counter(), "agents": Counter(), "elided": 0})
        one["tokens"] += [row["n_prompt_tokens"] + row["n_target_tokens"] for row in rows]
        one["steps"] += [row["n_steps"] for row in rows]
        one["place"].update(_tenth(row["gold_step"], row["n_steps"]) for row in rows)
        one["agents"].update(row["gold_agent"] for row in rows)
        one["elided"] += sum(bool(row["elided_steps"]) for row in rows)
        one.setdefault("by_split", {})[split] = len(rows)
    for one in shown.values():
        one["tokens"], one["steps"] = _quantiles(one["tokens"]), _quantiles(one["steps"])
        one["place"] = [one["place"][tenth] for tenth in range(10)]
        one["agents"] = dict(one["agents"].most_common(20))
    report: dict[str, Any] = json.loads((folder / "build.json").read_bytes())
    return report | {"shown": shown}


def mask(folder: Path, prefix: str, tokenizer: Path | str | None = None) -> dict[str, Any]:
    """Return every message of a row with whether it carries loss, and with a tokenizer every stretch of tokens.

    Raise NotFound unless one row has the id.
    """
    row = row_of(folder, prefix)
    return {
        "example_id": row["example_id"], "view": row["view"], "messages": [*row["prompt"], *row["completion"]],
        "rejected": row["rejected"], "trained": [one["content"] for one in row["completion"] if one["train"]],
        "tokens": token_mask(row, tokenizer) if tokenizer else None,
    }  # fmt: skip


def _tenth(step: int, steps: int) -> int:
    return min(9, 10 * step // max(1, steps))


def _quantiles(numbers: list[int]) -> dict[str, int]:
    ordered = sorted(numbers)
    return {
        name: ordered[int(share * (len(ordered) - 1))]
        for name, share in (("min", 0), ("median", 0.5), ("p90", 0.9), ("max", 1))
    }
