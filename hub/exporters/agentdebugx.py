"""An AgentDebugX bundle folder: its reader loads it, and `errorhub.json` beside it holds what it has no place for.

Every diagnosis becomes a finding, the first one the root cause; directives of repairs become recovery proposals. Lost
without the side file: kinds and roles of steps, corrections as actions, outcomes, attempts, grades, rights beyond the
licence, what only graders knew.
"""

from __future__ import annotations

import shutil
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle, Diagnosis, Step
from errorhub.hub.exporters.documents import dump

SIDE_FILE: Final = "errorhub.json"
_UNNAMED: Final = "unclassified.unnamed"
_NO_TIME: Final = "1970-01-01T00:00:00Z"
"""Its manifest demands a time; this one says that there is none."""


def write(bundle: Bundle, folder: Path) -> list[Path]:
    """Write the bundle folder, whole or not at all, and return its path."""
    target = folder / f"bundle_{bundle.bundle_id[:32]}"
    files = {
        "trajectory.json": _trajectory(bundle),
        "manifest.json": _manifest(bundle),
        SIDE_FILE: bundle.document(),
    }
    if bundle.diagnoses:
        files["report.json"] = _report(bundle)
    beside = Path(tempfile.mkdtemp(prefix=".bundle-", dir=folder))
    try:
        for name, value in files.items():
            (beside / name).write_bytes(dump(value))
        beside.chmod(0o755)
        shutil.rmtree(target, ignore_errors=True)
        beside.replace(target)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return [target]


def _trajectory(bundle: Bundle) -> dict[str, Any]:
    trajectory = bundle.trajectory
    names = event_ids(trajectory.steps)
    trace = _trace(bundle)
    events = [_event(place, step, names, trace) for place, step in enumerate(trajectory.steps)]
    head = {
        "trace_id": trace,
        "task_id": trajectory.task.id or None,
        "goal": trajectory.task.goal,
        "framework": trajectory.run.framework or trajectory.run.harness,
        "metadata": {"errorhub": {"bundle_id": bundle.bundle_id, "format": trajectory.source.format}},
    }
    times = {"started_at": trajectory.run.started_at, "ended_at": trajectory.run.metadata.get("ended_at")}
    return head | {name: at for name, at in times.items() if _is_time(at)} | {"events": events}


def _event(place: int, step: Step, names: list[str], trace: str) -> dict[str, Any]:
    number = step.metadata.get("step_index")
    parts = step.model_dump(mode="json", include={"role", "tool", "call_id", "state_ref"}, exclude_none=True)
    event = {
        "event_id": names[place],
        "trace_id": trace,
        "parent_event_id": step.parent if step.parent in names else None,
        "agent_name": step.agent,
        "event_type": "observation" if step.kind == "message" else step.kind,
        "module": step.metadata.get("module") if isinstance(step.metadata.get("module"), str) else None,
        "step_index": number if isinstance(number, int) else place,
        "input": step.input,
        "output": step.output,
        "error": step.error,
        "duration_ms": step.duration_ms,
        "metadata": {**step.metadata, "errorhub": {"position": place, "kind": step.kind, **parts}},
        "artifacts": [artifact.model_dump(mode="json") for artifact in step.artifacts],
    }
    return event | ({"timestamp": step.at} if _is_time(step.at) else {})


def event_ids(steps: tuple[Step, ...]) -> list[str]:
    """Return the source's own ids when each step has one of its own, else positions."""
    own = [step.source_ref or "" for step in steps]
    return own if all(own) and len(set(own)) == len(own) else [f"evt_{place:06d}" for place in range(len(steps))]


def _report(bundle: Bundle) -> dict[str, Any]:
    names = event_ids(bundle.trajectory.steps)
    events = _trajectory(bundle)["events"]
    first = bundle.diagnoses[0]
    findings = [
        _finding(found, name, events) for found, name in zip(bundle.diagnoses, bundle.diagnosis_ids, strict=True)
    ]
    proposals = _proposals(bundle, names)
    return {
        "report_id": f"report_{bundle.bundle_id[:32]}",
        "trace_id": _trace(bundle),
        "task_id": bundle.trajectory.task.id or None,
        "root_cause_event_id": _at(names, first.step),
        "root_cause_agent": first.agent,
        "root_cause_step_index": events[first.step]["step_index"] if first.step < len(events) else None,
        "findings": findings,
        "summary": first.explanation,
        "suggestions": [found.correction.text for found in bundle.diagnoses if found.correction],
        "recovery": {"method": "errorhub", "proposal_count": len(proposals), "proposals": proposals},
        "metadata": {"analyzer": first.author, "errorhub": {"bundle_id": bundle.bundle_id}},
    }


def _proposals(bundle: Bundle, names: list[str]) -> list[dict[str, Any]]:
    places = {name: found.step for found, name in zip(bundle.diagnoses, bundle.diagnosis_ids, strict=True)}
    return [
        {
            "proposal_id": f"fix_{number:04d}",
            "recoverer_id": "errorhub",
            "target_event_id": _at(names, places.get(repair.diagnosis_id or "")),
            "summary": repair.verdict,
            "rationale": "",
            "suggestion_text": repair.directive,
            "side_effects": [],
            "requires_human_approval": True,
        }
        for number, repair in enumerate(bundle.repairs)
    ]


def _finding(found: Diagnosis, name: str, events: list[dict[str, Any]]) -> dict[str, Any]:
    mode = (found.mode.id if found.mode else found.novel_mode) or _UNNAMED
    event = events[found.step] if found.step < len(events) else {}
    return {
        "finding_id": f"finding_{name[:32]}",
        "failure_mode": {
            "mode_id": mode,
            "name": (found.mode.text if found.mode else None) or mode,
            "family": mode.partition(".")[0],
            "description": found.explanation,
        },
        "event_id": event.get("event_id"),
        "agent_name": found.agent,
        "step_index": event.get("step_index"),
        "confidence": found.confidence,
        "evidence": [citation.quote for citation in found.evidence],
        "suggestion": found.correction.text if found.correction else None,
        "metadata": {"errorhub": {"author": found.author}},
    }


def _manifest(bundle: Bundle) -> dict[str, Any]:
    first = bundle.diagnoses[0] if bundle.diagnoses else None
    modes = [(found.mode.id if found.mode else found.novel_mode) or _UNNAMED for found in bundle.diagnoses]
    goal = bundle.trajectory.task.goal
    at = bundle.provenance.imported_at
    return {
        "schema_version": "1.0.0",
        "bundle_id": f"bundle_{bundle.bundle_id[:32]}",
        "created_at": at if _is_time(at) else _NO_TIME,
        "trace_id": _trace(bundle),
        "framework": bundle.trajectory.run.framework or bundle.trajectory.run.harness,
        "goal_summary": goal if goal is None or len(goal) <= 200 else f"{goal[:200]}…",
        "failure_families": list(dict.fromkeys(mode.partition(".")[0] for mode in modes)),
        "failure_mode_ids": list(dict.fromkeys(modes)),
        "root_cause_step_index": first.step if first else None,
        "root_cause_agent": first.agent if first else None,
        "n_events": len(bundle.trajectory.steps),
        "has_report": first is not None,
        "has_artifacts": False,
        "license": bundle.rights.license or "NOASSERTION",
        "contributor": bundle.rights.contributor,
        "contributor_org": bundle.rights.organisation,
        "scrubbed": bundle.receipt is not None,
        "scrubber_version": bundle.receipt.scrubber if bundle.receipt else None,
        "notes": bundle.rights.note,
    }


def _trace(bundle: Bundle) -> str:
    own = bundle.trajectory.run.metadata.get("trace_id")
    return own if isinstance(own, str) and own else f"trace_{bundle.trajectory_id[:32]}"


def _at(names: list[str], place: int | None) -> str | None:
    return names[place] if place is not None and place < len(names) else None


def _is_time(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True
