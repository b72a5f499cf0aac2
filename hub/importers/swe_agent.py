"""SWE-agent `.traj` files, three generations: `{environment, trajectory, history, info}`, or `history` alone.

An item of `trajectory` is a thought, an action and the observation it caused, so its position pairs them. Prompts come
from `history`; demonstrations in it are no part of the run. The actor is the `agent` of the matching history entry.
The outcome is that of a report beside the file; "submitted" is none.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.blocks import arguments_of, content_of
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import items, mapping, number_or_none, objects, text_or_none
from errorhub.hub.importers.swe_reports import outcome_of

NAME: Final = "swe-agent"
_TOP: Final = frozenset({"environment", "trajectory", "history", "info", "instance_id"})
_ITEM: Final = frozenset({"action", "observation", "response", "state", "thought", "execution_time"})
_INFO: Final = frozenset({"exit_status", "submission", "model_stats", "swe_agent_version", "swe_agent_hash"})
_GOLD: Final = ("patch", "gold_patch", "test_patch", "FAIL_TO_PASS", "PASS_TO_PASS", "test_result")


def fits(sample: Sample) -> bool:
    """Whether one of the first objects has SWE-agent's steps and history."""
    return any(_is_run(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run an object."""
    return each_record(log, lambda value, record: _read_run(value, record, log.path))


def _read_run(value: Any, record: int, path: Path) -> Bundle:
    if not isinstance(value, dict) or not _is_run(value):
        raise FormatError("not a SWE-agent trajectory.")
    draft, info = Draft(NAME, record=record), mapping(value.get("info"))
    draft.lose_unknown(value, _TOP | set(_GOLD))
    draft.lose_unknown(info, _INFO | set(_GOLD), "info.")
    history = _without_demonstrations(value, draft)
    steps = value.get("trajectory")
    _add_prompts(history, draft)
    if isinstance(steps, list):
        _add_steps(objects(steps), [each for each in history if each.get("role") == "assistant"], draft)
    else:
        spoken = [place for place, entry in enumerate(history) if entry.get("role") == "assistant"]
        for entry in history[spoken[0] if spoken else len(history) :]:
            _add_entry(entry, str(entry["place"]), draft)
    instance = text_or_none(value.get("instance_id"))
    outcome, known = outcome_of(path, instance, info.get("exit_status"))
    gold = {name: held[name] for held in (value, info) for name in _GOLD if held.get(name)}
    if gold:
        context = mapping(known.verifier_context) if known else {}
        known = ConstructionOnly(verifier_context={**context, **gold})
    metadata = {
        "environment": value.get("environment"),
        "submission": info.get("submission"),
        "usage": info.get("model_stats"),
    }
    run = Run(harness=NAME, metadata={name: held for name, held in metadata.items() if held not in (None, "", {})})
    said = (step.input for step in draft.steps if step.role == "user")
    task = Task(id=instance or "", goal=text_or_none(next(said, None)))
    return bundle(draft.trajectory(task=task, run=run, outcome=outcome, construction_only=known))


def _without_demonstrations(value: dict[str, Any], draft: Draft) -> list[dict[str, Any]]:
    entries = [{**each, "place": place} for place, each in enumerate(objects(value.get("history")))]
    kept = [each for each in entries if each.get("is_demo") is not True]
    if len(kept) < len(entries):
        draft.lose("demonstration", len(entries) - len(kept))
    return kept


def _add_prompts(history: list[dict[str, Any]], draft: Draft) -> None:
    """Add what was said before the agent's first turn."""
    for entry in history:
        if entry.get("role") == "assistant":
            return
        _add_said(entry, f"history.{entry['place']}", draft)


def _add_said(entry: dict[str, Any], place: str, draft: Draft) -> None:
    role = str(entry.get("role"))
    said = content_of(entry.get("content"), draft).value()
    draft.add(role, "message", role=role, input=said, source_ref=place)


def _add_steps(steps: list[dict[str, Any]], turns: list[dict[str, Any]], draft: Draft) -> None:
    aligned = turns if len(turns) == len(steps) else []
    names = {name for turn in turns if (name := text_or_none(turn.get("agent")))}
    alone = names.pop() if len(names) == 1 else "agent"
    for place, item in enumerate(steps):
        turn = aligned[place] if aligned else {}
        draft.lose_unknown(item, _ITEM, "step.")
        _add_step(item, turn, text_or_none(turn.get("agent")) or alone, str(place), draft)


def _add_step(item: dict[str, Any], turn: dict[str, Any], agent: str, place: str, draft: Draft) -> None:
    """Add thought, action and observation of one item."""
    thought, action = item.get("thought"), item.get("action")
    response = item.get("response")
    if isinstance(response, str) and not (thought or action):
        thought = response
    elif isinstance(response, str) and not all(f"{part or ''}".strip() in response for part in (thought, action)):
        draft.lose("response that is not thought and action")
    if isinstance(thought, str) and thought.strip():
        draft.add(agent, "llm.response", role="assistant", output=thought, source_ref=place)
    call_id, tool, given = _call(turn, action)
    if action not in (None, ""):
        draft.add(agent, "tool.call", role="assistant", tool=tool, call_id=call_id or place, input=given,
                  source_ref=f"{place}.0")  # fmt: skip
    seconds = number_or_none(item.get("execution_time"))
    mark = {"state": _state(item.get("state"))}
    common = {"source_ref": f"{place}.r0", "metadata": mark, "duration_ms": seconds * 1000 if seconds else None}
    if action not in (None, ""):
        draft.add("environment", "tool.result", tool=tool, call_id=call_id or place, output=item.get("observation"),
                  **common)  # fmt: skip
    elif item.get("observation"):
        draft.add("environment", "observation", output=item["observation"], **common)


def _call(turn: dict[str, Any], action: Any) -> tuple[str | None, str | None, Any]:
    """Return id, tool and arguments of the one call behind an action, as far as the history knows them."""
    calls = objects(turn.get("tool_calls"))
    if len(calls) != 1:
        return None, None, action
    function = mapping(calls[0].get("function"))
    given, _ = arguments_of(function.get("arguments"))
    return text_or_none(calls[0].get("id")), text_or_none(function.get("name")), given


def _add_entry(entry: dict[str, Any], place: str, draft: Draft) -> None:
    """Add one entry of a file that holds only the history."""
    role, agent = entry.get("role"), text_or_none(entry.get("agent")) or "agent"
    if role == "assistant":
        thought = entry.get("thought") if entry.get("tool_calls") or entry.get("action") else entry.get("content")
        if isinstance(thought, str) and thought.strip():
            draft.add(agent, "llm.response", role="assistant", output=thought, source_ref=place)
        calls = objects(entry.get("tool_calls"))
        for number, call in enumerate(calls):
            function = mapping(call.get("function"))
            given, mark = arguments_of(function.get("arguments"))
            draft.add(agent, "tool.call", role="assistant", tool=text_or_none(function.get("name")), input=given,
                      call_id=text_or_none(call.get("id")), source_ref=f"{place}.{number}", metadata=mark)  # fmt: skip
        if not calls and entry.get("action"):
            draft.add(agent, "tool.call", role="assistant", input=entry["action"], source_ref=f"{place}.0")
    elif role == "tool" or entry.get("message_type") == "observation":
        ids = [each for each in items(entry.get("tool_call_ids")) if isinstance(each, str)]
        call_id = ids[0] if len(ids) == 1 else None
        draft.add("environment", "tool.result", role=str(role), call_id=call_id, tool=draft.tool_of(call_id),
                  output=content_of(entry.get("content"), draft).value(), source_ref=place)  # fmt: skip
    else:
        _add_said(entry, place, draft)


def _state(value: Any) -> Any:
    """Return the state after a step: an object, or JSON text that holds one."""
    if not isinstance(value, str):
        return value or None
    try:
        return json.loads(value) or None
    except (ValueError, RecursionError):
        return value or None


def _is_run(value: dict[str, Any]) -> bool:
    history, steps = value.get("history"), value.get("trajectory")
    if not isinstance(history, list) or "mistake_agent" in value:
        return False
    if isinstance(steps, list):
        return "info" in value and all({"action", "observation"} <= each.keys() for each in objects(steps)[:50])
    return bool(history) and any(
        "agent" in each and {"message_type", "thought"} & each.keys() for each in objects(history)
    )


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="SWE-agent trajectories",
        recognised="an object with `trajectory` (items of `action` and `observation`), `history` and `info`",
        extensions=(".traj", ".json"),
        step_base=0,
    ),
    fits,
    read,
)
