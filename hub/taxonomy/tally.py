"""Rows to count by mode: the one maintainers put the first diagnosis under, else its label, else the mode of its name.

Labels of different schemes and versions are never counted together: where they share an id, their scheme is shown.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from errorhub.hub.bundle.arrow import FLAT
from errorhub.hub.mirrors import looking_at
from errorhub.hub.taxonomy.fold import fold
from errorhub.hub.taxonomy.ledger import load_taxonomy, mirrored_decisions
from errorhub.hub.taxonomy.modes import Taxonomy
from errorhub.hub.workspace import Workspace

_FIRST = (
    "diagnoses.list.element.diagnosis_id",
    "diagnoses.list.element.mode_json",
    "diagnoses.list.element.novel_mode",
)
COLUMNS = (*FLAT, *_FIRST)
"""What is read of a shard."""

Label = tuple[str, str, str]
"""Scheme, version, id."""


def rows_of_hub(folder: Path, spec: str) -> list[dict[str, Any]]:
    """Return the rows of a hub, with the modes of its own taxonomy."""
    with looking_at(folder, spec) as mirror:
        return list(rows_with_modes(mirror.rows(COLUMNS), fold(mirrored_decisions(mirror))))


def rows_of_stage(workspace: Workspace, name: str) -> list[dict[str, Any]]:
    """Return the rows of a stage. Decisions name clean diagnoses; a raw run counts with its clean one."""
    clean = {
        row["origin_key"]: _first(row).get("diagnosis_id") for row in workspace.clean.rows(("origin_key", *_FIRST))
    }
    stage = workspace.raw if name == "raw" else workspace.clean
    known = {key: found for key, found in clean.items() if key and found}
    return list(rows_with_modes(stage.rows(COLUMNS), load_taxonomy(workspace), known))


def rows_with_modes(
    rows: Iterable[dict[str, Any]], taxonomy: Taxonomy, clean: Mapping[str, str] | None = None
) -> Iterator[dict[str, Any]]:
    """Yield flat rows whose `mode` is the maintainers' one, else the label's."""
    labelled = [(row, _label(row, taxonomy, clean or {})) for row in rows]
    shared: dict[str, set[Label]] = {}
    for _, label in labelled:
        if label is not None:
            shared.setdefault(label[2], set()).add(label)
    for row, label in labelled:
        alone = label is not None and len(shared[label[2]]) == 1
        name = None if label is None else label[2] if alone else f"{label[0]}:{label[2]}@{label[1]}"
        yield {column: row[column] for column in FLAT if column in row} | {"mode": name}


def _label(row: dict[str, Any], taxonomy: Taxonomy, clean: Mapping[str, str]) -> Label | None:
    first = _first(row)
    name = clean.get(row.get("origin_key") or "", first.get("diagnosis_id")) or ""
    known = taxonomy.under.get(name)
    if known is None and name not in taxonomy.assigned:
        if text := first.get("mode_json"):
            mode = json.loads(text)
            return str(mode["scheme"]), str(mode.get("version") or ""), str(mode["id"])
        known = taxonomy.find(first.get("novel_mode") or "")
    return (known.scheme, known.version, known.id) if known else None


def _first(row: dict[str, Any]) -> dict[str, Any]:
    first: dict[str, Any] = next(iter(row.get("diagnoses") or ()), {})
    return first
