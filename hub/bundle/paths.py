"""Which paths of a bundle are inputs, ids, prose or quotes: data handed to the scrubber, which knows no schema."""

from __future__ import annotations

from typing import Final

_STEPS = ("trajectory.steps[*]", "repairs[*].attempts[*].steps[*]")
_STRUCTURE: Final = "agent kind role tool call_id parent source_ref state_ref at"
_RUN_IDS: Final = (
    "id session_id sessionId trace_id trajectory_id conversation_id thread_id agentId run_id request_id response_id "
    "message_id event_id parent_id parentSession branchedFrom instance_id"
)
"""What formats call the ids that they give to runs and steps; any other name may hold anything."""

DROP: Final = (
    *(f"{step}.{name}" for step in _STEPS for name in ("input", "metadata.inputs")),
    "trajectory.run.metadata.inputs",
    "trajectory.construction_only.*",
    "diagnoses[*].correction.action",
    "repairs[*].action",
)
"""What strict drops wholesale, with every repeat elsewhere: inputs, correction actions, what only graders knew."""

OMIT: Final = (
    *(f"{step}.metadata.native" for step in _STEPS),
    "diagnoses[*].metadata.agentdebugx",
    "repairs[*].metadata.agentdebugx",
)
"""What strict drops too, but which repeats what the bundle says elsewhere: records in their native form."""

IDS: Final = (
    "schema",
    "trajectory.task.id",
    "trajectory.task.aliases[*]",
    *(f"{step}.{name}" for step in _STEPS for name in _STRUCTURE.split()),
    *(f"{where}.metadata.{name}" for where in ("trajectory.run", *_STEPS) for name in _RUN_IDS.split()),
    "trajectory.run.harness",
    "trajectory.run.policy",
    "trajectory.run.framework",
    "trajectory.run.started_at",
    "trajectory.source.format",
    "trajectory.source.version",
    "diagnoses[*].agent",
    "diagnoses[*].author",
    "diagnoses[*].mode.id",
    "diagnoses[*].mode.version",
    "diagnoses[*].source.name",
    "diagnoses[*].source.revision",
    "groundings[*].diagnosis_id",
    "groundings[*].rule",
    "repairs[*].diagnosis_id",
    "repairs[*].attempts[*].settings_digest",
    "repairs[*].attempts[*].state_ref",
    "rights.license",
    "provenance.*",
)
"""Names and ids that give a run its structure. Entropy and generic rules stay silent here, and repeating dropped text
does not count; known prefixes, e-mails and known values are replaced here too."""

PROSE: Final = (
    "trajectory.task.goal",
    *(f"{step}.{name}" for step in _STEPS for name in ("input.**", "output.**", "error")),
    "trajectory.outcome.reason",
    "diagnoses[*].explanation",
    "diagnoses[*].evidence[*].quote",
    "diagnoses[*].correction.text",
    "repairs[*].directive",
    "rights.note",
)
"""Where people write sentences, so that names are looked for."""

WHOLE: Final = ("trajectory.task.goal", "diagnoses[*].evidence[*].quote")
"""Strings that mean nothing with a hole in them: dropped whole when they repeat something dropped."""

PATHS: Final = {"drop": DROP, "omit": OMIT, "ids": IDS, "prose": PROSE, "whole": WHOLE}
