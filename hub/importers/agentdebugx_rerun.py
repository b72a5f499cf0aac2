"""AgentDebugX reruns, rerun plans and actor tasks as repairs.

Its verdict "improved" is a lower count of events with an error, never a verdict on the task: the outcome of an attempt
stays unknown, and the count is told in its reason.
"""

from __future__ import annotations

from typing import Any

from errorhub.hub.bundle import Attempt, Diagnosis, Outcome, Repair, Trajectory
from errorhub.hub.importers.agentdebugx_report import answered
from errorhub.hub.importers.agentdebugx_trajectory import NAME, Events, read_trajectory
from errorhub.hub.importers.files import parse
from errorhub.hub.importers.shapes import mapping, text_or_none


def repair_of(
    kind: str, side: dict[str, Any], value: dict[str, Any], trajectory: Trajectory, known: tuple[Diagnosis, ...]
) -> Repair:
    """Return the repair that a rerun result, a plan or an actor task of this run describes."""
    request = request_of(kind, side)
    directive, checkpoint = mapping(request.get("directive")), mapping(request.get("checkpoint"))
    target = directive.get("target_event_id") or checkpoint.get("event_id")
    place = Events(value["events"]).position(target, checkpoint.get("step_index"))
    return Repair(
        diagnosis_id=answered(known, place, trajectory),
        kind="directive",
        directive=str(directive.get("text") or side.get("retry_directive") or ""),
        metadata={NAME: _remainder(kind, side)},
        attempts=_attempts(side, checkpoint) if kind == "rerun" else (),
    )


def request_of(kind: str, side: dict[str, Any]) -> dict[str, Any]:
    """Return the rerun request inside a rerun result, a plan or an actor task."""
    if kind == "task":
        request = parse(str(side.get("rerun_request_json") or "{}").encode())
    else:
        request = mapping(side.get("plan")).get("request") if kind == "rerun" else side.get("request")
    return mapping(request)


def _attempts(side: dict[str, Any], checkpoint: dict[str, Any]) -> tuple[Attempt, ...]:
    run = mapping(mapping(side.get("execution")).get("trajectory"))
    if not run.get("events"):
        return ()
    attempt = Attempt(
        arm="corrected",
        state_ref=text_or_none(checkpoint.get("event_id")),
        steps=read_trajectory(run, 0).steps,
        outcome=Outcome(reason=_reason(side)),
    )
    return (attempt,)


def _reason(side: dict[str, Any]) -> str:
    evaluation = mapping(side.get("evaluation"))
    how = "a model played the rerun; nothing was executed" if "simulated" in str(side.get("execution_mode")) else ""
    if not evaluation:
        return how or "not evaluated"
    before, after = evaluation.get("error_count_before"), evaluation.get("error_count_after")
    count = (
        f"{evaluation.get('result')} by {evaluation.get('method')}: events with an error {before} before, {after} after"
    )
    return f"{count}; {how}" if how else f"{count}; no verdict on the task"


def _remainder(kind: str, side: dict[str, Any]) -> dict[str, Any]:
    """Return what the repair does not hold elsewhere: the request, capability, evaluation and run metadata."""
    kept = {name: held for name, held in side.items() if name != "source_trajectory_json"}
    execution = side.get("execution")
    if isinstance(execution, dict):
        run = execution.get("trajectory")
        head = {name: held for name, held in run.items() if name != "events"} if isinstance(run, dict) else run
        kept["execution"] = execution | {"trajectory": head}
    return {"kind": kind, **kept}
