"""ATIF 1.7: one file a bundle, read by Harbor and other tools.

A turn becomes one step with its calls and their results. Under `extra.errorhub` stand, per step, the actor and every
field ATIF has no place for, and at the root diagnoses, repairs, outcome, task, run and rights. Lost: what only graders
knew, and the receipt. A result whose call is elsewhere is one with `source_call_id` null.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle, Step
from errorhub.hub.exporters.documents import put
from errorhub.hub.exporters.turns import Turn, is_time, part, reasoning_of, rest, side_of, text_of, turns

VERSION: Final = "ATIF-v1.7"
KEY: Final = "errorhub"


def write(bundle: Bundle, folder: Path) -> list[Path]:
    """Write the trajectory and return its path."""
    return [put(folder / f"{bundle.bundle_id}.atif.json", trajectory(bundle))]


def trajectory(bundle: Bundle) -> dict[str, Any]:
    """Return the bundle as one ATIF trajectory."""
    run = bundle.trajectory.run
    agent = {"name": run.harness or run.framework or "agent", "version": "unknown", "model_name": run.policy}
    steps = [_step(number, turn) for number, turn in enumerate(turns(bundle.trajectory.steps, fused=True), 1)]
    return {
        "schema_version": VERSION,
        "session_id": bundle.trajectory_id,
        "agent": {name: held for name, held in agent.items() if held},
        "steps": steps,
        "extra": {KEY: rest(bundle)},
    }


def _step(number: int, turn: Turn) -> dict[str, Any]:
    opening = turn.first
    step: dict[str, Any] = {"step_id": number, "source": _source(turn), "message": ""}
    parts: list[dict[str, Any]] = []
    if is_time(opening.at):
        step["timestamp"] = opening.at
    if turn.said:
        parts.append(_say(step, *turn.said))
    if turn.calls:
        step["tool_calls"] = [_call(position, call, parts) for position, call in turn.calls]
    if turn.results:
        own = {call.call_id for _, call in turn.calls if call.call_id}
        step["observation"] = {"results": [_result(position, each, own, parts) for position, each in turn.results]}
    if opening.metadata.get("copied_context") is True:
        step["is_copied_context"] = True
    step["extra"] = {KEY: {"agent": opening.agent, "parts": parts}}
    return step


def _say(step: dict[str, Any], position: int, said: Step) -> dict[str, Any]:
    """Put what was said into the step, and return its part."""
    side = side_of(said)
    value = getattr(said, side)
    step["message"] = text_of(value)
    if step["source"] == "agent" and (thought := reasoning_of(value)):
        step["reasoning_content"] = thought
    return part(position, said, **{side: isinstance(value, str)})


def _source(turn: Turn) -> str:
    if turn.calls or (turn.said and turn.said[1].kind not in ("message", "human.feedback", "guardrail")):
        return "agent"
    user = turn.said is not None and turn.said[1].role != "system" and turn.said[1].agent != "system"
    return "user" if user else "system"


def _call(position: int, call: Step, parts: list[dict[str, Any]]) -> dict[str, Any]:
    objects = isinstance(call.input, dict)
    parts.append(part(position, call, input=objects, tool=True, call_id=True))
    return {
        "tool_call_id": call.call_id or f"call-{position}",
        "function_name": call.tool or "unknown",
        "arguments": call.input if objects else {} if call.input is None else {"input": call.input},
    }


def _result(position: int, result: Step, own: set[str], parts: list[dict[str, Any]]) -> dict[str, Any]:
    text = isinstance(result.output, str)
    paired = result.call_id in own
    parts.append(part(position, result, output=text, call_id=paired))
    content = result.output if text else text_of(result.output) if result.output is not None else result.error
    return {"source_call_id": result.call_id if paired else None, "content": content}
