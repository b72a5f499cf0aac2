"""Failure modes that have a name from the start: AgentDebugX's (23 modes of package 0.5.2), never overwritten."""

from __future__ import annotations

from typing import Final

from errorhub.hub.bundle.diagnosis import Mode

SCHEME: Final = "agentdebugx"
VERSION: Final = "0.5.2"

_SAYS: Final = {
    "memory.retrieval_failure": "Something the run had already seen was not found again when it was needed.",
    "memory.hallucination": "Something was recalled that never happened or was never said.",
    "reflection.progress_misjudge": "The agent took itself to be further, or less far, than it was.",
    "reflection.causal_misattribution": "A failure was seen, but put down to the wrong cause.",
    "planning.constraint_ignorance": "The plan leaves out a condition that the task states.",
    "planning.impossible_action": "The plan needs a step that cannot be done here.",
    "planning.inefficient_plan": "The plan takes detours or repeats itself until time or budget runs out.",
    "action.wrong_tool": "A tool was chosen that does not do what was needed.",
    "action.invalid_action": "The action does not exist or is not allowed in this state.",
    "action.format_error": "The call or answer does not have the form that was asked for.",
    "action.parameter_error": "The right tool was called with wrong or missing arguments.",
    "system.tool_execution_error": "The tool itself failed although it was called correctly.",
    "system.llm_limit": "A limit of the model ended the run: context, tokens, rate.",
    "system.environment_error": "The environment broke, was down or behaved unlike its description.",
    "multiagent.handoff_loss": "Something was lost when one agent handed over to another.",
    "multiagent.role_drift": "An agent did another agent's work, or stopped doing its own.",
    "verification.missing_task_validation": "The result was handed in without checking it against the task.",
    "verification.premature_stop": "The run ended although parts of the task were still open.",
    "multimodal.perception_error": "An image, page or sound was read wrongly.",
    "observation.misread": "Text that a tool returned was understood wrongly.",
    "observation.ignored": "What a tool returned was not used, though it decided the matter.",
    "observation.grounding_fail": "A claim or reference does not point to anything that was observed.",
    "observation.timing": "An observation was taken too early, too late, or was no longer true.",
}

SEED: Final = tuple(_SAYS)
"""Ids of the seed modes, as `family.mode`."""

FAMILIES: Final = tuple(dict.fromkeys(name.partition(".")[0] for name in SEED))
"""Families of the seed."""


def says(name: str) -> str:
    """Return what a seed mode means, in our words."""
    return _SAYS[name]


def seed_mode(name: str) -> Mode | None:
    """Return the seed mode with this id, or None: then the name is a candidate for a novel mode."""
    return Mode(scheme=SCHEME, version=VERSION, id=name) if name in _SAYS else None
