"""The one Arrow schema of version 1, and the two functions between a bundle and its row.

Flat columns are what people filter by; steps, diagnoses and groundings are lists of structs; values of varying type
are canonical JSON text in `*_json` columns. Flat columns are derived: reading a row ignores them.
"""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import orjson
import pyarrow as pa

from errorhub.hub.bundle.bundle import Bundle
from errorhub.hub.bundle.canonical import settled_bytes
from errorhub.hub.bundle.upgrades import SCHEMA as RECORD

_DECODER = json.JSONDecoder()

VERSION = 1
"""Version of this schema; it is in every shard's path and metadata. A new field is a new version."""


def _list(item: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", item))


def _struct(text: str, **others: pa.DataType) -> pa.DataType:
    return pa.struct([(name, pa.string()) for name in text.split()] + list(others.items()))


_STEP = _struct(
    "agent kind role tool call_id error input_json output_json at parent state_ref source_ref metadata_json "
    "artifacts_json",
    duration_ms=pa.float64(),
)
_EVIDENCE = _struct("quote", step=pa.int32())
_DIAGNOSIS = _struct(
    "diagnosis_id agent explanation correction_text correction_action_json mode_json novel_mode author source_json "
    "conditions_json metadata_json",
    step=pa.int32(),
    confidence=pa.float64(),
    evidence=_list(_EVIDENCE),
)
_REPAIR = _struct(
    "diagnosis_id kind directive action_json approval_json attempts_json metadata_json verdict", resolved=pa.bool_()
)
_GROUNDING = _struct("diagnosis_id grade rule detail by")

_FLAT_TEXT = (
    "bundle_id trajectory_id task family environment harness policy framework goal outcome outcome_source fault "
    "agent explanation mode novel_mode author grade license contributor origin_key scrub_policy"
)
_JSON = "task run outcome_record source construction_only rights provenance receipt"

SCHEMA = pa.schema(
    [pa.field(name, pa.string()) for name in _FLAT_TEXT.split()]
    + [pa.field(name, pa.int32()) for name in ("n_steps", "n_diagnoses", "n_repairs", "step")]
    + [
        pa.field("resolved", pa.bool_()),
        pa.field("agents", _list(pa.string())),
        pa.field("steps", _list(_STEP)),
        pa.field("diagnoses", _list(_DIAGNOSIS)),
        pa.field("repairs", _list(_REPAIR)),
        pa.field("groundings", _list(_GROUNDING)),
    ]
    + [pa.field(f"{name}_json", pa.string()) for name in _JSON.split()],
    metadata={"errorhub.arrow": str(VERSION), "errorhub.record": RECORD},
)
"""One row a bundle."""

FLAT = tuple(field.name for field in SCHEMA if not pa.types.is_nested(field.type) and not field.name.endswith("_json"))
"""Columns that `--where` may name."""


def to_row(bundle: Bundle) -> dict[str, Any]:
    """Return the row of a bundle, ready for `pa.RecordBatch.from_pylist(rows, SCHEMA)`."""
    document = bundle.document()
    trajectory = document["trajectory"]
    parts = {"outcome_record": trajectory["outcome"]}
    parts |= {name: trajectory[name] for name in ("task", "run", "source", "construction_only")}
    parts |= {name: document[name] for name in ("rights", "provenance", "receipt")}
    return {
        **flat(bundle),
        "agents": list(bundle.trajectory.agents),
        "steps": [_pack(step, "input output metadata artifacts") for step in trajectory["steps"]],
        "diagnoses": [_diagnosis_row(*pair) for pair in zip(document["diagnoses"], bundle.diagnosis_ids, strict=True)],
        "repairs": [
            _pack(plain, "action approval attempts metadata") | {"resolved": repair.resolved, "verdict": repair.verdict}
            for plain, repair in zip(document["repairs"], bundle.repairs, strict=True)
        ],
        "groundings": document["groundings"],
        **{f"{name}_json": _text(value) for name, value in parts.items()},
    }


def from_row(row: dict[str, Any]) -> Bundle:
    """Return the bundle of a row. Raise RecordError when the row does not hold one."""
    return Bundle.from_document(to_document(row))


def to_document(row: dict[str, Any]) -> dict[str, Any]:
    """Return the plain JSON object a row holds."""
    part = {name: _value(row[f"{name}_json"]) for name in _JSON.split()}
    return {
        "schema": RECORD,
        "trajectory": {
            "task": part["task"],
            "run": part["run"],
            "steps": [_unpack(step) for step in row["steps"]],
            "outcome": part["outcome_record"],
            "source": part["source"],
            "construction_only": part["construction_only"],
        },
        "diagnoses": [_diagnosis_document(item) for item in row["diagnoses"]],
        "repairs": [_unpack(item, "resolved verdict") for item in row["repairs"]],
        "groundings": row["groundings"],
        "rights": part["rights"],
        "provenance": part["provenance"],
        "receipt": part["receipt"],
    }


def flat(bundle: Bundle) -> dict[str, Any]:
    """Return the flat columns of a bundle; `step` to `grade` are those of the first diagnosis."""
    trajectory, first = bundle.trajectory, bundle.diagnoses[0] if bundle.diagnoses else None
    mode = first.mode if first else None
    return {
        "bundle_id": bundle.bundle_id,
        "trajectory_id": bundle.trajectory_id,
        "task": trajectory.task_id,
        "family": trajectory.task.family,
        "environment": trajectory.task.environment,
        "harness": trajectory.run.harness,
        "policy": trajectory.run.policy,
        "framework": trajectory.run.framework,
        "goal": trajectory.task.goal,
        "outcome": trajectory.outcome.status,
        "outcome_source": trajectory.outcome.source,
        "fault": trajectory.outcome.fault,
        "step": first.step if first else None,
        "agent": first.agent if first else None,
        "explanation": first.explanation if first else None,
        "mode": mode.id if mode else None,
        "novel_mode": first.novel_mode if first else None,
        "author": first.author if first else None,
        "grade": bundle.grades[0] if first else None,
        "license": bundle.rights.license,
        "contributor": bundle.rights.contributor,
        "origin_key": bundle.provenance.origin_key,
        "scrub_policy": bundle.receipt.policy if bundle.receipt else None,
        "n_steps": len(trajectory.steps),
        "n_diagnoses": len(bundle.diagnoses),
        "n_repairs": len(bundle.repairs),
        "resolved": bundle.resolved,
    }


def _diagnosis_row(plain: dict[str, Any], name: str) -> dict[str, Any]:
    row = _pack(plain, "mode source conditions metadata")
    correction = row.pop("correction") or {"text": None, "action": None}
    action = correction["action"]
    return row | {
        "diagnosis_id": name,
        "correction_text": correction["text"],
        "correction_action_json": None if action is None else _text(action),
    }


def _diagnosis_document(row: dict[str, Any]) -> dict[str, Any]:
    document = _unpack(row, "diagnosis_id correction_text correction_action_json")
    if row["correction_text"] is None:
        return document | {"correction": None}
    action = _value(row["correction_action_json"])
    return document | {"correction": {"text": row["correction_text"], "action": action}}


def _pack(plain: dict[str, Any], varying: str) -> dict[str, Any]:
    """Move the values of varying type to `*_json` text."""
    packed = dict(plain)
    for name in varying.split():
        value = packed.pop(name)
        packed[f"{name}_json"] = None if value is None else _text(value)
    return packed


def _unpack(row: dict[str, Any], derived: str = "") -> dict[str, Any]:
    """Undo `_pack`, leaving derived fields out."""
    names = _plan(tuple(row), derived)
    return {field: _value(row[name]) if is_json else row[name] for name, field, is_json in names}


@cache
def _plan(names: tuple[str, ...], derived: str) -> tuple[tuple[str, str, bool], ...]:
    """Return column, field and whether the column is JSON text, for the few shapes that structs have."""
    skip = derived.split()
    return tuple((name, name.removesuffix("_json"), name.endswith("_json")) for name in names if name not in skip)


def _text(value: Any) -> str:
    return "{}" if value == {} else "[]" if value == [] else settled_bytes(value).decode()


def _value(text: str | None) -> Any:
    if text is None or text == "{}" or text == "[]":
        return None if text is None else {} if text == "{}" else []
    if text[:1] == '"':  # a string has no number that orjson could round
        try:
            return orjson.loads(text)
        except orjson.JSONDecodeError:
            pass  # the slower reader decides: it takes lone surrogates
    return _DECODER.decode(text)
