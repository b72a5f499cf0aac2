"""What an AgentDebugX bundle folder says beyond trajectory and report: its manifest, and our own document beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle, Rights, Trajectory
from errorhub.hub.errors import FormatError, RecordError
from errorhub.hub.importers.documents import is_document
from errorhub.hub.importers.documents import restored as from_document
from errorhub.hub.importers.files import Log
from errorhub.hub.importers.shapes import text_or_none

SIDE_FILE: Final = "errorhub.json"
"""Our full document in an exported bundle folder."""

DERIVED: Final = ("trace_id", "framework", "goal_summary", "failure_families", "failure_mode_ids", "n_events",
                  "root_cause_step_index", "root_cause_agent", "has_report", "has_artifacts")  # fmt: skip
"""Manifest fields that repeat trajectory and report; they are not kept twice."""

_RIGHTS: Final = ("license", "contributor", "contributor_org", "notes")


def rights_of(manifest: dict[str, Any], trajectory: Trajectory) -> tuple[Rights, Trajectory]:
    """Return the rights a manifest grants, and the run with the rest of the manifest in its metadata."""
    rights = Rights(
        license=text_or_none(manifest.get("license")),
        contributor=text_or_none(manifest.get("contributor")),
        organisation=text_or_none(manifest.get("contributor_org")),
        note=text_or_none(manifest.get("notes")),
    )
    rest = {name: held for name, held in manifest.items() if name not in DERIVED + _RIGHTS and held is not None}
    run = trajectory.run.replace(metadata={**trajectory.run.metadata, "manifest": rest})
    return rights, trajectory.replace(run=run)


def restored(folder: Path, value: dict[str, Any]) -> tuple[Bundle | None, tuple[str, ...]]:
    """Return the bundle our exporter left in a folder, unless its trajectory.json was changed since."""
    path = folder / SIDE_FILE
    if not path.is_file() or path.is_symlink():
        return None, ()
    try:
        document = Log(path).document
        own = from_document(document) if isinstance(document, dict) and is_document(document) else None
    except (FormatError, RecordError):
        own = None
    if own is None:
        return None, (f"{SIDE_FILE} beside it is no bundle; left out.",)
    if [_shown(event) for event in value["events"]] != [_kept(step) for step in own.document()["trajectory"]["steps"]]:
        return None, (f"{SIDE_FILE} does not match trajectory.json; left out.",)
    return own, ()


def _shown(event: dict[str, Any]) -> list[Any]:
    return [event.get(name) for name in ("agent_name", "input", "output", "error")]


def _kept(step: dict[str, Any]) -> list[Any]:
    return [step[name] for name in ("agent", "input", "output", "error")]
