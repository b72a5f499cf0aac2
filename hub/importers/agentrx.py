"""Magentic group chats as AgentRx keeps them: a bare list of `{role, content}` whose roles are actors.

The same shape as hand-crafted Who&When histories, without the label, so the same run read from both is one case.
Labels come from AgentRx's own label file with `--labels`; it counts the entries from 1.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.records import one_record
from errorhub.hub.importers.shapes import text_or_none
from errorhub.hub.importers.who_and_when import add_entry

NAME: Final = "agentrx"
STEP_BASE: Final = 1


def fits(sample: Sample) -> bool:
    """Whether the log is one list of a person's task and the turns of actors that say what they do."""
    return sample.shape == "document" and bool(sample.records) and _is_chat(sample.records[0])


def read(log: Log) -> Runs:
    """Yield the one run."""
    yield one_record(log, 0, log.document, None, read_run)


def read_run(value: Any, record: int) -> Bundle:
    """Return the run of one list."""
    if not _is_chat(value):
        raise FormatError("not a list of role and content with actors for roles.")
    draft = Draft(NAME, step_base=STEP_BASE, record=record)
    for position, entry in enumerate(value):
        add_entry(entry, position, draft)
    goal = text_or_none(value[0].get("content"))
    return bundle(draft.trajectory(task=Task(goal=goal), run=Run(framework="magentic-one")))


def _is_chat(value: Any) -> bool:
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(each, dict) for each in value):
        return False
    roles = [each.get("role") for each in value]
    plain = all(isinstance(role, str) for role in roles) and all({"role", "content"} == each.keys() for each in value)
    return plain and roles[0] == "human" and any(role.endswith(")") and " (" in role for role in roles)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Magentic group chats as in AgentRx; its labels by --labels",
        recognised="a list of `role` and `content`, `human` first, with roles like `Orchestrator (thought)`",
        extensions=(".json",),
        step_base=STEP_BASE,
    ),
    fits,
    read,
)
