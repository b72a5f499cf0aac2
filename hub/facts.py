"""What a hub's card says, from flat columns: labels are whitelisted before they are written anywhere."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from errorhub.cards import Facts, File, croissant, dataset_card, label
from errorhub.hub.manifest import Counts, Entry
from errorhub.hub.paths import kind

COLUMNS = ("outcome", "harness", "policy", "mode", "license", "scrub_policy")
"""Flat columns that the card counts."""

READ = (*COLUMNS, "n_diagnoses", "n_repairs", "resolved", "n_steps")
"""Flat columns that `counts_of` needs."""

ACCEPTED = "accepted_mode"
"""Table of the card that a taxonomy file brings: accepted mode -> diagnoses that maintainers put under it."""

_DISTINCT = 100


def counts_of(rows: Iterable[Mapping[str, Any]]) -> Counts:
    """Count the flat rows of one shard. A column with more than 100 labels keeps the most frequent."""
    tables: dict[str, Counter[str]] = {name: Counter() for name in COLUMNS}
    total: Counter[str] = Counter()
    for row in rows:
        for name in COLUMNS:
            tables[name][label(row[name])] += 1
        total.update(
            diagnoses=row["n_diagnoses"], repairs=row["n_repairs"], resolved=int(row["resolved"]), steps=row["n_steps"]
        )
    return {name: _shortened(table) for name, table in tables.items()} | {"total": dict(total)}


def facts_of(files: Mapping[str, Entry], *, yanked: int, updated: str, tool: str, location: str | None = None) -> Facts:
    """Sum the shards of a hub up to the facts of its card."""
    shards = {path: entry for path, entry in sorted(files.items()) if kind(path) == "shard"}
    sums: dict[str, Counter[str]] = {name: Counter() for name in (*COLUMNS, "total")}
    for entry in shards.values():
        for name, counts in entry.counts.items():
            sums.setdefault(name, Counter()).update(counts)
    totals = dict(sums.pop("total"))
    for path, entry in files.items():
        if kind(path) == "taxonomy":
            sums[ACCEPTED] = Counter(entry.counts.get(ACCEPTED, {}))
    return Facts(
        bundles=sum(entry.rows or 0 for entry in shards.values()),
        totals=totals | ({"yanked": yanked} if yanked else {}),
        tables={name: dict(table) for name, table in sums.items()},
        files=tuple(File(path, entry.sha256, entry.size) for path, entry in shards.items()),
        updated=updated[:10],
        tool=tool,
        location=location,
    )


def card_files(facts: Facts) -> dict[str, bytes]:
    """Return the files of a hub that are made of facts alone."""
    plain = json.dumps(croissant(facts), indent=1, ensure_ascii=False)
    return {"README.md": dataset_card(facts).encode(), "croissant.json": f"{plain}\n".encode()}


def counts_of_modes(members: Mapping[str, int]) -> Counts:
    """Count a taxonomy file: diagnoses under each accepted mode."""
    table: Counter[str] = Counter()
    for name, number in members.items():
        table[label(name)] += number
    return {ACCEPTED: _shortened(table)}


def _shortened(table: Counter[str]) -> dict[str, int]:
    kept = sorted(table.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = sum(number for _, number in kept[_DISTINCT:])
    return dict(kept[:_DISTINCT]) | ({"other": table.get("other", 0) + rest} if rest else {})
