"""mini-swe-agent `.traj.json` files: `{info, messages, trajectory_format}`.

Format 1: the action is the one fenced block of what the assistant says and the next user message is what it caused; the
last one is the submitted patch. Format 1.1: tool calls, and a closing message of role `exit`. What surrounds the fence
is kept as what the agent said. The outcome is that of a report beside the file; "Submitted" is none.
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
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.openai_chat import add_message
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import mapping, number_or_none, objects, text_or_none
from errorhub.hub.importers.swe_reports import outcome_of

NAME: Final = "mini-swe-agent"
_TOP: Final = frozenset({"info", "messages", "trajectory_format", "instance_id"})
_INFO: Final = frozenset({"exit_status", "submission", "model_stats", "mini_version", "config"})
_FENCE: Final = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
_RETURNED: Final = re.compile(r"<returncode>(-?\d+)</returncode>")
AGENT: Final = "assistant"


def fits(sample: Sample) -> bool:
    """Whether one of the first objects names this trajectory format."""
    return any(_is_run(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run an object."""
    return each_record(log, lambda value, record: _read_run(value, record, log.path))


def _read_run(value: Any, record: int, path: Path) -> Bundle:
    if not isinstance(value, dict) or not _is_run(value):
        raise FormatError("not a mini-swe-agent trajectory.")
    draft, info = Draft(NAME, record=record), mapping(value.get("info"))
    draft.version = str(value.get("trajectory_format")).removeprefix(f"{NAME}-") or None
    draft.lose_unknown(value, _TOP)
    draft.lose_unknown(info, _INFO, "info.")
    _Reader(draft, info).add(objects(value.get("messages")))
    instance = text_or_none(value.get("instance_id"))
    outcome, known = outcome_of(path, instance, info.get("exit_status"))
    model = mapping(mapping(info.get("config")).get("model"))
    patch = info.get("submission")
    repeated = any(step.output == patch for step in draft.steps[-1:])
    metadata = {"usage": info.get("model_stats"), "submission": None if repeated else patch}
    run = Run(
        harness=NAME,
        policy=text_or_none(model.get("model_name")),
        temperature=number_or_none(mapping(model.get("model_kwargs")).get("temperature")),
        metadata={name: held for name, held in metadata.items() if held not in (None, "", {})},
    )
    said = (step.input for step in draft.steps if step.role == "user")
    task = Task(id=instance or "", goal=text_or_none(next(said, None)))
    return bundle(draft.trajectory(task=task, run=run, outcome=outcome, construction_only=known))


class _Reader:
    """Adds messages; in format 1 the next user message answers the block before it."""

    def __init__(self, draft: Draft, info: dict[str, Any]) -> None:
        self.draft = draft
        self.patch = info.get("submission")
        self.started = False
        self.acted: str | None = None

    def add(self, messages: list[dict[str, Any]]) -> None:
        """Add every message."""
        for place, message in enumerate(messages):
            role = message.get("role")
            if message.get("extra") and role == "assistant":
                self.draft.lose("message.extra")
            said = content_of(message.get("content"), self.draft)
            if role == "assistant" and not message.get("tool_calls"):
                self._say(said.text, str(place))
            elif role == "user" and self.started:
                self._answer(said.value(), str(place))
            elif role == "exit":
                kept = {name: held for name, held in mapping(message.get("extra")).items() if held}
                self.draft.add("environment", "run.end", output=said.value() or None, source_ref=str(place),
                               metadata=kept)  # fmt: skip
            else:
                known = {name: held for name, held in message.items() if name not in ("extra", "timestamp")}
                add_message(known | {"role": str(role)}, place, self.draft)
            self.started = self.started or role == "assistant"

    def _say(self, text: str, place: str) -> None:
        blocks = list(_FENCE.finditer(text))
        if len(blocks) != 1:
            self.acted = None
            self.draft.add(AGENT, "llm.response", role="assistant", output=text, source_ref=place)
            return
        said = text[: blocks[0].start()].rstrip() + text[blocks[0].end() :].rstrip()
        if said:
            self.draft.add(AGENT, "llm.response", role="assistant", output=said, source_ref=place)
        self.draft.add(AGENT, "tool.call", role="assistant", tool="bash", call_id=place, source_ref=f"{place}.0",
                       input={"command": blocks[0][1]})  # fmt: skip
        self.acted = place

    def _answer(self, output: Any, place: str) -> None:
        if self.acted is None:
            self.draft.add("environment", "observation", role="user", output=output, source_ref=place)
            return
        found = _RETURNED.match(output.lstrip()) if isinstance(output, str) else None
        patch = True if output and output == self.patch else None
        mark = {"exit_code": int(found[1]) if found else None, "submission": patch}
        self.draft.add("environment", "tool.result", role="user", tool="bash", call_id=self.acted, output=output,
                       source_ref=place, metadata=mark)  # fmt: skip
        self.acted = None


def _is_run(value: dict[str, Any]) -> bool:
    named = str(value.get("trajectory_format", "")).startswith(NAME)
    return named and isinstance(value.get("messages"), list)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="mini-swe-agent trajectories",
        recognised="an object whose `trajectory_format` begins with `mini-swe-agent`",
        extensions=(".traj.json", ".json"),
        step_base=0,
    ),
    fits,
    read,
)
