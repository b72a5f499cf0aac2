"""tau-bench results: records `{task_id, trial, reward, info, traj}`, `traj` being OpenAI chat.

The reward is the outcome. The hidden instruction, the gold actions and the reward's details are known to graders only.
The user is a simulated person. Where messages carry an `index` it is the `source_ref`, and counts from 1.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle, Outcome
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.openai_chat import add_message, is_message
from errorhub.hub.importers.outcomes import broken, rewarded
from errorhub.hub.importers.records import each_record
from errorhub.hub.importers.shapes import fingerprint, mapping, text_or_none

NAME: Final = "tau-bench"
_KNOWN: Final = frozenset({"task_id", "trial", "reward", "info", "traj"})
_GOLD: Final = ("task", "reward_info")


def fits(sample: Sample) -> bool:
    """Whether one of the first objects has a chat, a reward and what the task was."""
    return any(is_record(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a record."""
    return each_record(log, read_record)


def read_record(value: Any, record: int) -> Bundle:
    """Return the run of one record."""
    if not isinstance(value, dict) or not is_record(value):
        raise FormatError("not a tau-bench record with traj, reward and info.")
    info, messages = mapping(value.get("info")), value["traj"]
    numbered = bool(messages) and all(isinstance(each, dict) and "index" in each for each in messages)
    draft = Draft(NAME, step_base=1 if numbered else None, record=record)
    draft.lose_unknown(value, _KNOWN)
    draft.lose_unknown(info, frozenset({*_GOLD, "source", "user_cost", "error", "traceback"}), "info.")
    for place, message in enumerate(messages):
        if not is_message(message):
            raise FormatError(f"message {place} of traj is no chat message.")
        add_message(message, place, draft)
    task = mapping(info.get("task"))
    gold = {name: info[name] for name in _GOLD if info.get(name) is not None}
    metadata = {name: value[name] for name in ("trial",) if value.get(name) is not None}
    said = (step.input for step in draft.steps if step.role == "user")
    return bundle(
        draft.trajectory(
            task=task_of(NAME, value.get("task_id"), task.get("instruction"), text_or_none(next(said, None))),
            run=Run(harness=NAME, metadata=metadata),
            outcome=_outcome(value, info),
            construction_only=ConstructionOnly(verifier_context=gold or None),
        )
    )


def task_of(bench: str, number: Any, instruction: Any, goal: str | None) -> Task:
    """Return the task: every domain counts from 0, so a digest of the hidden instruction tells them apart."""
    name = str(number) if isinstance(number, str | int) else ""
    if not name:
        return Task(goal=goal)
    full = f"{bench}-{name}-{fingerprint(instruction)[:8]}" if instruction else f"{bench}-{name}"
    return Task(id=full, aliases=(name,), environment=bench, goal=goal)


def _outcome(value: dict[str, Any], info: dict[str, Any]) -> Outcome:
    if info.get("error"):
        return broken("infrastructure", "the run stopped with an exception", by="info.error")
    return rewarded(value.get("reward"), by="reward")


def is_record(value: dict[str, Any]) -> bool:
    """Whether an object has the fields of a tau-bench record."""
    return isinstance(value.get("traj"), list) and "reward" in value and isinstance(value.get("info"), dict)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="tau-bench results: simulated customers, tools and a reward",
        recognised="objects with `traj`, `reward` and `info`",
        extensions=(".json", ".jsonl"),
        step_base=1,
    ),
    fits,
    read,
)
