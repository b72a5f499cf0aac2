"""Environments: worlds in which a run can be taken up again at any step, and what plays in them."""

from errorhub.evidence.environments.environment import (
    Environment,
    EnvironmentFault,
    NotReplayable,
    Observation,
    Verdict,
)
from errorhub.evidence.environments.policies import Policy, Turn, policy
from errorhub.evidence.environments.registry import environment, names

__all__ = [
    "Environment",
    "EnvironmentFault",
    "NotReplayable",
    "Observation",
    "Policy",
    "Turn",
    "Verdict",
    "environment",
    "names",
    "policy",
]
