"""Files that AgentDebugX keeps about one trace: which is which, and which trajectory a report or rerun belongs to.

Side files of `X.json` are `X.report.json`, `X.rerun.json` and the like; of a `trajectory.json` or a bundle folder also
`report.json`, `rerun.json` and the like beside it. Their `trace_id` decides; a name alone never does.
"""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

from errorhub.hub.errors import FormatError
from errorhub.hub.importers.agentdebugx_rerun import request_of
from errorhub.hub.importers.files import Log

Kind = Literal["trajectory", "report", "rerun", "plan", "task"]

SIDE_NAMES: Final = ("report", "reports", "diagnosis", "rerun", "rerun_result", "rerun_plan", "plan", "retry", "task",
                     "tasks", "actor_tasks")  # fmt: skip
_SUFFIXES: Final = (".json", ".jsonl")
_NEAR: Final = 1000
"""Most files that are looked at for the trajectory of a lone report."""
_ELSEWHERE: Final = 1 << 24
"""Largest file in another folder that is looked into."""


@dataclass(frozen=True)
class Side:
    """One record about a trace that is not its trajectory."""

    kind: Kind
    value: dict[str, Any]
    path: Path


def kind_of(value: Any) -> Kind | None:
    """Tell what an AgentDebugX record is, by its fields."""
    if not isinstance(value, dict):
        return None
    if value.get("record_type") == "agentdebug.rerun.actor_task":
        return "task"
    if "trace_id" in value and isinstance(value.get("events"), list):
        events = value["events"]
        return "trajectory" if all(isinstance(e, dict) and "event_type" in e for e in events[:50]) else None
    if {"report_id", "trace_id", "findings"} <= value.keys():
        return "report"
    if isinstance(value.get("plan"), dict) and "request" in value["plan"] and "status" in value:
        return "rerun"
    return "plan" if isinstance(value.get("request"), dict) and "capability" in value else None


def trace_of(kind: Kind, value: dict[str, Any]) -> str:
    """Return the trace that a record is about."""
    trace = request_of(kind, value).get("trace_id") if kind in ("rerun", "plan") else value.get("trace_id")
    return str(trace)


def sides_of(trace_id: str, place: Path) -> list[Side]:
    """Return what is kept beside a trajectory file or a bundle folder about its trace."""
    return [
        side for path in _candidates(place) for side in sides_in(path) if trace_of(side.kind, side.value) == trace_id
    ]


def sides_in(path: Path) -> Iterator[Side]:
    """Yield the records of a side file; what is none is passed over here, and refused where the file is read itself."""
    try:
        for line in Log(path).lines():
            kind = kind_of(line.value)
            if kind and kind != "trajectory":
                yield Side(kind, line.value, path)
    except (FormatError, OSError):
        return


def owner_of(path: Path) -> Path | None:
    """Return the trajectory file or bundle folder beside a file that will read it as its own, if there is one."""
    name = path.stem.rpartition(".")[2]
    if path.suffix not in _SUFFIXES or name not in SIDE_NAMES:
        return None
    sides = list(islice(sides_in(path), 50))
    if not sides:
        return None
    owners = [owner for owner in _owners(path) if path in _candidates(owner)]
    traces = {trace_of(side.kind, side.value) for side in sides}
    return next((owner for owner in owners if traces <= {str(t) for t in traces_in(owner)}), None)


def traces_in(place: Path) -> Iterator[Any]:
    """Yield the trace ids of a trajectory file, a store or a bundle folder."""
    path = place / "trajectory.json" if place.is_dir() else place
    try:
        yield from (line.value["trace_id"] for line in Log(path).lines() if kind_of(line.value) == "trajectory")
    except (FormatError, OSError):
        return


def find_record(kind: Kind, field: str, wanted: str, near: Path) -> dict[str, Any] | None:
    """Look for a record by its id beside a lone report or rerun, then in the folders beside its own."""
    for path in islice(_near(near), _NEAR):
        try:
            if not _mentions(path, wanted, anywhere=path.parent == near.absolute().parent):
                continue
            for line in Log(path).lines():
                if kind_of(line.value) == kind and line.value[field] == wanted:
                    found: dict[str, Any] = line.value
                    return found
        except (FormatError, OSError):
            continue
    return None


def _mentions(path: Path, wanted: str, *, anywhere: bool) -> bool:
    """Whether a file may hold an id: looked up in its bytes, and in other folders only in files of moderate size."""
    size = path.stat().st_size
    if not size or (size > _ELSEWHERE and not anywhere):
        return False
    needle = json.dumps(wanted).encode() if wanted.isascii() else wanted.encode("utf-8", "surrogatepass")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as held:
        return held.find(needle) >= 0


def is_bundle(folder: Path) -> bool:
    """Whether a folder is one AgentDebugX bundle."""
    return (folder / "manifest.json").is_file() and (folder / "trajectory.json").is_file()


def _candidates(place: Path) -> list[Path]:
    """Return the files that would be side files of a trajectory file, a store or a bundle folder, if they are there."""
    generic = [f"{name}{suffix}" for name in SIDE_NAMES for suffix in _SUFFIXES]
    if place.is_dir():
        found = [place / name for name in generic] + [place.parent / name for name in generic]
    else:
        own = [f"{place.stem}.{name}" for name in generic]
        shared = generic if place.name == "trajectory.json" else []
        found = [place.with_name(name) for name in own + shared]
    return [path for path in found if path.is_file() and not path.is_symlink()]


def _owners(path: Path) -> list[Path]:
    stem = path.stem.rpartition(".")[0]
    files = [path.with_name(f"{stem}{suffix}") for suffix in _SUFFIXES] if stem else []
    files.append(path.with_name("trajectory.json"))
    folders = [] if stem else [entry for entry in sorted(path.parent.iterdir()) if is_bundle(entry)]
    return [owner for owner in files if owner.is_file() and owner != path] + folders


def _near(path: Path) -> Iterator[Path]:
    here = path.absolute().parent
    folders = [here, *(folder for folder in sorted(here.iterdir()) if folder.is_dir())]
    folders += [folder for folder in sorted(here.parent.iterdir()) if folder.is_dir() and folder != here]
    for folder in folders:
        for suffix in _SUFFIXES:
            yield from (f for f in sorted(folder.glob(f"*{suffix}")) if f.is_file() and f != path.absolute())
