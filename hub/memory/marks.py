"""What is known about a row only when all parts are seen: where it is held best, its case, its group, its repair."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from errorhub.hub.memory.answer import Place

OWN = 0
"""Publisher of one's own cases."""

MARKS = pa.schema(
    [pa.field(name, pa.string()) for name in ("source", "revision", "trust", "repair")]
    + [pa.field(name, pa.bool_()) for name in ("reviewed", "local", "fixed")]
    + [pa.field(name, pa.int32()) for name in ("case", "order", "group", "publisher")]
)
_Tried = tuple[bool, str | None, str]
"""Whether a repair passed, the diagnosis it answers, and the repair in words."""


def mark(rows: pa.Table, places: Mapping[str, Place]) -> pa.Table:
    """Return the marks of every row. `places` tells where each bundle is held best."""
    bundle = rows["bundle_id"].combine_chunks().dictionary_encode()
    ids, at = bundle.dictionary.to_pylist(), np.asarray(bundle.indices)
    held = [places[name] for name in ids]
    named = rows["contributor"].to_pylist()
    first = np.unique(at, return_index=True)[1].tolist()
    publishers = _publishers(held, [named[row] for row in first])
    fixed, repairs = _repairs(rows)
    local = np.array([place.local for place in held], bool)[at]
    columns: dict[str, Any] = {
        "source": _spread([place.source for place in held], at), "repair": repairs,
        "revision": _spread([place.revision for place in held], at),
        "trust": _spread([place.trust for place in held], at), "fixed": fixed,
        "reviewed": np.array([place.reviewed for place in held], bool)[at],
        "local": local,
        "case": _codes(rows["trajectory_id"]), "order": _order(rows, ~local), "group": _codes(rows["task"]),
        "publisher": np.array(publishers, np.int32)[at],
    }  # fmt: skip
    return pa.table([pa.array(columns[field.name], field.type) for field in MARKS], schema=MARKS)


def _publishers(held: list[Place], named: list[str | None]) -> list[int]:
    """Number the publishers: oneself is 0, then whoever signs, else publishes, else the hub itself."""
    numbers: dict[str, int] = {}
    return [
        OWN
        if place.local or place.trust == "mine"
        else numbers.setdefault(name or f"{place.publisher or 'nobody'} at {place.source}", len(numbers) + 1)
        for place, name in zip(held, named, strict=True)
    ]


def _repairs(rows: pa.Table) -> tuple[np.ndarray[Any, Any], pa.Array]:
    """Return whether some repair of each row's case passed, and the repair to show."""
    tried: defaultdict[str, list[_Tried]] = defaultdict(list)
    told = rows.select(["trajectory_id", "tried"]).filter(pc.is_valid(rows["tried"]))
    for run, text in zip(*(told[name].to_pylist() for name in told.column_names), strict=True):
        tried[run] += map(tuple, orjson.loads(text))
    fixed, shown = np.zeros(rows.num_rows, bool), np.full(rows.num_rows, None, object)
    concerned = np.flatnonzero(pc.is_in(rows["trajectory_id"], pa.array(list(tried), pa.string())))
    for row in concerned.tolist():
        run, diagnosis = rows["trajectory_id"][row].as_py(), rows["diagnosis_id"][row].as_py()
        fixed[row], shown[row] = _best(tried[run], diagnosis)
    return fixed, pa.array(shown, pa.string())


def _best(repairs: list[_Tried], diagnosis_id: str) -> tuple[bool, str]:
    """Return the repair to show: one that passed, if any, then one that answers this diagnosis."""
    passed, _, text = max(repairs, key=lambda one: (one[0], one[1] == diagnosis_id, bool(one[2]), one[2]))
    return passed, text


def _spread(values: list[str | None], at: np.ndarray[Any, Any]) -> pa.Array:
    return pa.array(values, pa.string()).take(pa.array(at))


def _codes(column: pa.ChunkedArray) -> np.ndarray[Any, Any]:
    return np.asarray(column.combine_chunks().dictionary_encode().indices)


def _order(rows: pa.Table, foreign: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return the place of each row among ties: one's own first, then by origin, bundle and diagnosis.

    A run keeps its origin when it is scrubbed, but not its id: of many runs with one text the same one is shown.
    """
    order = np.empty(rows.num_rows, np.int32)
    named = rows.select(["origin_key", "bundle_id", "number"]).append_column(
        "foreign", pa.array(foreign.astype(np.int8))
    )
    keys = [(name, "ascending") for name in ("foreign", "origin_key", "bundle_id", "number")]
    order[np.asarray(pc.sort_indices(named, keys))] = np.arange(rows.num_rows)
    return order
