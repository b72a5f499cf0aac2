"""ATIF 1.0 to 1.8: `schema_version`, `agent`, `steps`. One of its steps holds a message, its calls and their results.

The actor of an agent's step is the agent's name, or the actor that a namespaced `extra` names; `step_id` counts from 1
and stays the `source_ref`. Embedded subagents follow the call whose result refers to them; other files are not read.
The format has no outcome; that of a Harbor trial is in its `result.json`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.blocks import content_of
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.exported import from_atif
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.harbor_trials import outcome_of
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import items, mapping, objects, text_or_none

NAME: Final = "atif"
STEP_BASE: Final = 1
NEWEST: Final = (1, 8)
_ROOT: Final = frozenset({"schema_version", "session_id", "trajectory_id", "agent", "steps", "notes", "final_metrics",
                          "continued_trajectory_ref", "subagent_trajectories"})  # fmt: skip
_STEP: Final = frozenset({"step_id", "source", "message", "timestamp", "model_name", "reasoning_effort",
                          "reasoning_content", "tool_calls", "observation", "metrics", "llm_call_count",
                          "is_copied_context"})  # fmt: skip
_VERSION = re.compile(r"ATIF-v(\d+)\.(\d+)")


def fits(sample: Sample) -> bool:
    """Whether one of the first records says that it is ATIF."""
    return any(_is_atif(record) for record in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a trajectory."""
    return each_record(log, lambda value, record: _with_outcome(read_trajectory(value, record), log.path))


def _with_outcome(read: Bundle, path: Path) -> Bundle:
    """Return the bundle with the outcome of the trial it belongs to; one of our exports has its own."""
    found = outcome_of(path) if read.trajectory.source.format == NAME else None
    return read.replace(trajectory=read.trajectory.replace(outcome=found)) if found else read


def read_trajectory(value: Any, record: int) -> Bundle:
    """Return the run of one ATIF trajectory."""
    if not isinstance(value, dict) or not _is_atif(value):
        raise FormatError("not an ATIF trajectory.")
    if ours := from_atif(value):
        return ours
    draft = Draft(NAME, step_base=STEP_BASE, record=record)
    draft.version = str(value["schema_version"]).removeprefix("ATIF-v")
    found = _VERSION.match(str(value["schema_version"]))
    if not found or (int(found[1]), int(found[2])) > NEWEST:
        draft.warn("written in a newer version than 1.8: what is unknown was counted.")
    if value.get("continued_trajectory_ref"):
        draft.warn("goes on in another trajectory, which was not followed.")
    draft.lose_unknown(value, _ROOT)
    _Reader(draft, value).add(value, "")
    agent = mapping(value.get("agent"))
    tools = agent.get("tool_definitions")
    kept = {name: value.get(name) for name in ("session_id", "trajectory_id", "notes", "final_metrics")}
    kept |= {"agent_version": agent.get("version"), "inputs": {"tools": tools} if tools else None}
    run = Run(
        harness=text_or_none(agent.get("name")),
        policy=text_or_none(agent.get("model_name")),
        metadata={name: held for name, held in kept.items() if held not in (None, {}, "")},
    )
    said = (step.input for step in draft.steps if step.agent == "user")
    first = next(said, None)
    goal = text_or_none(first.get("text") if isinstance(first, dict) else first)
    return bundle(draft.trajectory(task=Task(goal=goal), run=run))


class _Reader:
    """Adds the steps of a trajectory and of the subagents embedded in it."""

    def __init__(self, draft: Draft, root: dict[str, Any]) -> None:
        self.draft = draft
        inner = objects(root.get("subagent_trajectories"))
        self.embedded = {str(each.get("trajectory_id") or each.get("session_id")): each for each in inner}
        self.open: set[str] = set()

    def add(self, value: dict[str, Any], prefix: str, parent: str | None = None) -> None:
        """Add every step of one trajectory."""
        name = text_or_none(mapping(value.get("agent")).get("name"))
        for number, step in enumerate(items(value.get("steps")), STEP_BASE):
            if not isinstance(step, dict):
                self.draft.lose("step")
                continue
            self._step(step, name or "agent", f"{prefix}{step.get('step_id', number)}", parent)

    def _step(self, step: dict[str, Any], name: str, place: str, parent: str | None) -> None:
        self.draft.lose_unknown(step, _STEP | {"extra"}, "step.")
        source = str(step.get("source"))
        actor = _actor(step) or (name if source == "agent" else source)
        copied = True if step.get("is_copied_context") is True else None
        common = {"at": text_or_none(step.get("timestamp")), "parent": parent}
        content = content_of(step.get("message"), self.draft)
        mark: dict[str, Any] = {"copied_context": copied}
        if source != "agent":
            self.draft.add(
                actor, "message", role=source, input=content.value(), source_ref=place, metadata=mark, **common
            )
        else:
            if thought := text_or_none(step.get("reasoning_content")):
                content.reasoning.append(thought)
            mark |= {"metrics": step.get("metrics"), "model": step.get("model_name")}
            calls = items(step.get("tool_calls"))
            if not content.empty or not calls:
                self.draft.add(actor, "llm.response", role="assistant", output=content.value(), source_ref=place,
                               metadata=mark, **common)  # fmt: skip
            self._calls(calls, actor, place, copied, common, step)
        self._results(step, place, copied, common)

    def _calls(
        self, calls: Any, actor: str, place: str, copied: Any, common: dict[str, Any], step: dict[str, Any]
    ) -> None:
        refs = _subagents(step)
        for number, call in enumerate(calls):
            if not isinstance(call, dict):
                self.draft.lose("tool_call")
                continue
            here, call_id = f"{place}.{number}", text_or_none(call.get("tool_call_id"))
            self.draft.add(actor, "tool.call", role="assistant", tool=text_or_none(call.get("function_name")),
                           call_id=call_id, input=call.get("arguments"), source_ref=here,
                           metadata={"copied_context": copied}, **common)  # fmt: skip
            for ref in refs.get(call_id or "", ()):
                self._subagent(ref, here)

    def _subagent(self, ref: dict[str, Any], parent: str) -> None:
        name = str(ref.get("trajectory_id") or ref.get("session_id"))
        if name not in self.embedded or name in self.open:
            self.draft.warn("a subagent's trajectory is in another file, which was not followed.")
            return
        self.open.add(name)
        self.add(self.embedded[name], f"{name}/", parent)
        self.open.discard(name)

    def _results(self, step: dict[str, Any], place: str, copied: Any, common: dict[str, Any]) -> None:
        for number, result in enumerate(items(mapping(step.get("observation")).get("results"))):
            if not isinstance(result, dict):
                self.draft.lose("result")
                continue
            call_id = text_or_none(result.get("source_call_id"))
            output = content_of(result.get("content"), self.draft).value()
            parts = {
                "output": output,
                "source_ref": f"{place}.r{number}",
                "metadata": {"copied_context": copied},
                **common,
            }
            if call_id:
                tool = self.draft.tool_of(call_id)
                self.draft.add("tool", "tool.result", role="tool", tool=tool, call_id=call_id, **parts)
            else:
                self.draft.add("environment", "observation", **parts)


def _subagents(step: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Return the subagents that each call's result refers to."""
    found: dict[str, list[dict[str, Any]]] = {}
    for result in objects(mapping(step.get("observation")).get("results")):
        refs = result.get("subagent_trajectory_ref")
        for ref in objects([refs] if isinstance(refs, dict) else refs):
            found.setdefault(str(result.get("source_call_id")), []).append(ref)
    return found


def _actor(step: dict[str, Any]) -> str | None:
    """Return the actor that a namespaced extra names: ATIF itself has one agent only."""
    spaces = [space for space in mapping(step.get("extra")).values() if isinstance(space, dict)]
    names = [space.get(key) for space in spaces for key in ("actor", "agent")]
    return next((name for name in names if isinstance(name, str) and name), None)


def _is_atif(value: dict[str, Any]) -> bool:
    return str(value.get("schema_version", "")).startswith("ATIF-v") and isinstance(value.get("steps"), list)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Agent Trajectory Interchange Format, versions 1.0 to 1.8",
        recognised="an object with `schema_version` beginning `ATIF-v` and `steps`",
        extensions=(".json", ".jsonl"),
        step_base=STEP_BASE,
    ),
    fits,
    read,
)
