"""Failure modes that have a name. The seed is AgentDebugX's (23 modes of package 0.5.2); it is never overwritten."""

from __future__ import annotations

from typing import Final

from errorhub.hub.bundle.diagnosis import Mode

SCHEME: Final = "agentdebugx"
VERSION: Final = "0.5.2"

_FAMILIES: Final = {
    "memory": "retrieval_failure hallucination",
    "reflection": "progress_misjudge causal_misattribution",
    "planning": "constraint_ignorance impossible_action inefficient_plan",
    "action": "wrong_tool invalid_action format_error parameter_error",
    "system": "tool_execution_error llm_limit environment_error",
    "multiagent": "handoff_loss role_drift",
    "verification": "missing_task_validation premature_stop",
    "multimodal": "perception_error",
    "observation": "misread ignored grounding_fail timing",
}

SEED: Final = tuple(f"{family}.{mode}" for family, modes in _FAMILIES.items() for mode in modes.split())
"""Ids of the seed modes, as `family.mode`."""


def seed_mode(name: str) -> Mode | None:
    """Return the seed mode with this id, or None: then the name is a candidate for a novel mode."""
    return Mode(scheme=SCHEME, version=VERSION, id=name) if name in SEED else None
