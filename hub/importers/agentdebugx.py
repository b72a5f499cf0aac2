"""AgentDebugX: trajectory, report, rerun, plan and task files, bundle folders, JSONL and SQLite trace stores.

A trajectory is a run; reports about it are its diagnoses; reruns, plans and tasks its repairs. A lone report or rerun
brings the trajectory that lies near it, so that the same run from two files is one case. `source_ref` is the event id,
`step_index` stays in the step's metadata: it has no fixed base.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from pydantic import ValidationError

from errorhub.hub.bundle import Bundle, Diagnosis, Repair, Rights, Trajectory
from errorhub.hub.bundle.trajectory import ConstructionOnly
from errorhub.hub.errors import FormatError, RecordError
from errorhub.hub.importers.agentdebugx_bundle import restored, rights_of
from errorhub.hub.importers.agentdebugx_files import (
    Side,
    find_record,
    is_bundle,
    kind_of,
    sides_in,
    sides_of,
    trace_of,
)
from errorhub.hub.importers.agentdebugx_report import ReportReader, poisoned
from errorhub.hub.importers.agentdebugx_rerun import repair_of, request_of
from errorhub.hub.importers.agentdebugx_trajectory import NAME, bench_label, read_trajectory
from errorhub.hub.importers.contract import Format, Importer, Refused, Runs
from errorhub.hub.importers.draft import plural, unfit
from errorhub.hub.importers.files import Log, Sample, parse

_POISONED: Final = "written while the model gave no usable answer, so its confident text means nothing"


def fits(sample: Sample) -> bool:
    """Whether a log is a bundle folder, a trace store, or has an AgentDebugX record among its first."""
    if sample.shape == "folder":
        return is_bundle(sample.path)
    if sample.shape == "sqlite":
        return _is_store(sample.path)
    return any(kind_of(value) is not None for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield the runs of a log, and a refusal for each report that must not be believed."""
    if log.shape == "folder":
        yield from _read_folder(log.path)
    elif log.shape == "sqlite":
        yield from _read_sqlite(log.path)
    else:
        yield from _read_text(log)


def _read_folder(folder: Path) -> Runs:
    manifest = _file(folder / "manifest.json")
    value = _file(folder / "trajectory.json")
    if kind_of(value) != "trajectory" or not isinstance(manifest, dict):
        raise FormatError("its trajectory.json or manifest.json is no AgentDebugX record.")
    own, warnings = restored(folder, value)
    if own is not None:
        yield from _with_others(own, value, folder)
        return
    artifacts = folder / "artifacts"
    files = sum(path.is_file() for path in artifacts.rglob("*")) if artifacts.is_dir() else 0
    if files:
        warnings += (f"{plural(files, 'artifact file')} left out: bytes are never held.",)
    yield from _run(value, 0, sides_of(value["trace_id"], folder), folder, warnings, manifest)


def _with_others(own: Bundle, value: dict[str, Any], folder: Path) -> Runs:
    """Yield a bundle that our exporter wrote, with the reports and reruns that others have put beside it since."""
    for side in sides_of(value["trace_id"], folder):
        if side.kind == "report" and side.value["report_id"] == f"report_{own.bundle_id[:32]}":
            continue
        if side.kind == "report" and poisoned(side.value):
            yield Refused(side.path, f"report {_POISONED}. The run itself was read.")
            continue
        if side.kind == "report":
            reader = ReportReader(side.value, value, own.trajectory)
            found = reader.diagnoses()
            own = own.replace(diagnoses=own.diagnoses + found, repairs=own.repairs + reader.repairs(found))
        else:
            repair = repair_of(side.kind, side.value, value, own.trajectory, own.diagnoses)
            own = own.replace(repairs=(*own.repairs, repair))
    yield own


def _read_text(log: Log) -> Runs:
    latest, repeated = _latest(log)
    sides = list(sides_in(log.path.with_name(f"{log.path.stem}.reports.jsonl"))) if log.shape == "lines" else []
    for line in log.lines():
        values = line.value if isinstance(line.value, list) else [line.value]
        for index, value in enumerate(values, line.index):
            kind = kind_of(value)
            if line.damage is not None:
                yield Refused(log.path, f"line {line.number}: {line.damage}", record=index)
            elif kind is None:
                yield Refused(log.path, f"record {index}: no AgentDebugX record.", record=index)
            elif kind != "trajectory":
                yield from _lone(Side(kind, value, log.path), index)
            elif latest[str(value["trace_id"])] == index:
                trace = str(value["trace_id"])
                own = [side for side in sides if side.value.get("trace_id") == trace]
                if log.shape == "document":
                    own = sides_of(trace, log.path)
                more = (
                    (f"{plural(repeated[trace], 'earlier save')} of this trace left out.",) if repeated[trace] else ()
                )
                yield from _run(value, index, own, log.path, more)


def _latest(log: Log) -> tuple[dict[str, int], dict[str, int]]:
    """Return where each trace was saved last, and how often before: a JSONL store appends."""
    latest: dict[str, int] = {}
    repeated: dict[str, int] = {}
    for line in log.lines():
        for index, value in enumerate(line.value if isinstance(line.value, list) else [line.value], line.index):
            if kind_of(value) == "trajectory":
                trace = str(value["trace_id"])
                repeated[trace] = repeated.get(trace, -1) + 1
                latest[trace] = index
    return latest, repeated


def _lone(side: Side, record: int) -> Runs:
    """Read a report, rerun, plan or task by itself: with the trajectory it holds, or the one near it."""
    value = _embedded(side) or find_record("trajectory", "trace_id", trace_of(side.kind, side.value), side.path)
    if value is None:
        what = {"report": "a report", "rerun": "a rerun", "plan": "a rerun plan", "task": "a task"}[side.kind]
        yield Refused(side.path, f"{what} without its trajectory. Put the trajectory file beside it.", record=record)
        return
    report_id = side.value.get("report_id") or request_of(side.kind, side.value).get("report_id")
    sides = [side]
    if side.kind != "report" and isinstance(report_id, str):
        report = find_record("report", "report_id", report_id, side.path)
        sides = [Side("report", report, side.path), side] if report else sides
    yield from _run(value, record, sides, side.path)


def _embedded(side: Side) -> dict[str, Any] | None:
    """Return the trajectory inside an actor task."""
    text = side.value.get("source_trajectory_json") if side.kind == "task" else None
    value = parse(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) else None
    return value if kind_of(value) == "trajectory" else None


def _run(
    value: dict[str, Any],
    record: int,
    sides: list[Side],
    path: Path,
    warnings: tuple[str, ...] = (),
    manifest: dict[str, Any] | None = None,
) -> Runs:
    """Yield one run with everything that is known about it; a damaged or poisoned part refuses itself."""
    believed = []
    for side in sides:
        if side.kind == "report" and poisoned(side.value):
            yield Refused(side.path, f"report {_POISONED}. The run itself was read.", record=record)
            warnings += (f"a report was refused: {_POISONED}.",)
        else:
            believed.append(side)
    try:
        yield _bundle(value, record, believed, warnings, manifest)
    except (FormatError, RecordError) as problem:
        yield Refused(path, str(problem), record=record)
    except ValidationError as problem:
        yield Refused(path, unfit(problem), record=record)


def _bundle(
    value: dict[str, Any], record: int, sides: list[Side], warnings: tuple[str, ...], manifest: dict[str, Any] | None
) -> Bundle:
    trajectory = read_trajectory(value, record, warnings=warnings)
    diagnoses: tuple[Diagnosis, ...] = bench_label(value, trajectory)
    repairs: tuple[Repair, ...] = ()
    for side in sides:
        if side.kind == "report":
            reader = ReportReader(side.value, value, trajectory)
            found = reader.diagnoses()
            diagnoses += found
            repairs += reader.repairs(found)
            trajectory = _with_report(trajectory, reader, found)
    for side in sides:
        if side.kind != "report":
            repairs += (repair_of(side.kind, side.value, value, trajectory, diagnoses),)
    rights, trajectory = rights_of(manifest, trajectory) if manifest else (Rights(), trajectory)
    return Bundle(trajectory=trajectory, diagnoses=diagnoses, repairs=repairs, rights=rights)


def _with_report(trajectory: Trajectory, reader: ReportReader, found: tuple[Diagnosis, ...]) -> Trajectory:
    """Note findings without a place; a report that found nothing is kept where only graders look."""
    source = trajectory.source
    if reader.unplaced:
        note = f"{plural(reader.unplaced, 'label')} refused: named no step of the run, or several."
        source = source.replace(warnings=(*source.warnings, note))
    if found:
        return trajectory.replace(source=source)
    held = trajectory.construction_only.verifier_context
    context = {**(held if isinstance(held, dict) else {}), NAME: {"report": reader.remainder()}}
    return trajectory.replace(source=source, construction_only=ConstructionOnly(verifier_context=context))


def _file(path: Path) -> Any:
    if path.is_symlink():
        raise FormatError(f"{path.name} is a link; links are not followed.")
    return Log(path).document


def _is_store(path: Path) -> bool:
    try:
        with closing(_open(path)) as store:
            rows = store.execute("select name from sqlite_master where type = 'table'").fetchall()
    except sqlite3.Error:
        return False
    return {"trajectories", "diagnostic_reports"} <= {str(name) for (name,) in rows}


def _read_sqlite(path: Path) -> Runs:
    try:
        with closing(_open(path)) as store:
            reports = _payloads(store, "select payload_json from diagnostic_reports order by report_id")
            sides = [Side("report", report, path) for report in reports if kind_of(report) == "report"]
            query = "select payload_json from trajectories order by trace_id"
            for index, value in enumerate(_payloads(store, query)):
                if kind_of(value) != "trajectory":
                    yield Refused(path, f"record {index}: no AgentDebugX trajectory.", record=index)
                    continue
                own = [side for side in sides if side.value["trace_id"] == value["trace_id"]]
                yield from _run(value, index, own, path)
    except sqlite3.Error as problem:
        raise FormatError(f"a damaged SQLite file ({type(problem).__name__}).") from None


def _open(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro", uri=True)


def _payloads(store: sqlite3.Connection, query: str) -> Iterator[Any]:
    for (payload,) in store.execute(query):
        try:
            yield json.loads(payload)
        except (ValueError, TypeError, RecursionError):
            yield None


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="AgentDebugX bundles, trajectories, reports, reruns, tasks and trace stores",
        recognised="`trace_id` with `events` of an `event_type`; reports, reruns, plans, tasks; bundle folders; stores",
        extensions=(".json", ".jsonl", ".sqlite"),
    ),
    fits,
    read,
)
