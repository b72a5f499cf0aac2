"""Which paths of a bundle are inputs, ids, prose or quotes: data handed to the scrubber, which knows no schema."""

from __future__ import annotations

from typing import Final

_STEPS = ("trajectory.steps[*]", "repairs[*].attempts[*].steps[*]")
_STRUCTURE: Final = "agent kind role tool call_id parent source_ref state_ref at"

DROP: Final = (
    *(f"{step}.input" for step in _STEPS),
    "trajectory.run.metadata.inputs",
    "trajectory.construction_only.*",
    "diagnoses[*].correction.action",
    "repairs[*].action",
)
"""What strict drops wholesale: inputs, correction actions, what only graders knew."""

IDS: Final = (
    "schema",
    "trajectory.task.id",
    "trajectory.task.aliases[*]",
    *(f"{step}.{name}" for step in _STEPS for name in _STRUCTURE.split()),
    "trajectory.run.harness",
    "trajectory.run.policy",
    "trajectory.run.framework",
    "trajectory.run.started_at",
    "trajectory.source.*",
    "diagnoses[*].agent",
    "diagnoses[*].author",
    "diagnoses[*].mode.id",
    "diagnoses[*].mode.version",
    "diagnoses[*].source.*",
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
    *(f"{step}.{name}" for step in _STEPS for name in ("input", "output", "error")),
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

PATHS: Final = {"drop": DROP, "ids": IDS, "prose": PROSE, "whole": WHOLE}
