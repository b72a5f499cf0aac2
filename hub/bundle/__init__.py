"""The record: one failed run, its diagnoses and its repairs (DESIGN: AED pair, AgentDebugX bundle)."""

from errorhub.hub.bundle.bundle import Bundle, Provenance, Rights
from errorhub.hub.bundle.cases import Case, cases
from errorhub.hub.bundle.diagnosis import Attempt, Citation, Correction, Diagnosis, Repair
from errorhub.hub.bundle.grounding import grounded
from errorhub.hub.bundle.shards import read_shard, write_shard
from errorhub.hub.bundle.trajectory import Outcome, Step, Trajectory

__all__ = [
    "Attempt",
    "Bundle",
    "Case",
    "Citation",
    "Correction",
    "Diagnosis",
    "Outcome",
    "Provenance",
    "Repair",
    "Rights",
    "Step",
    "Trajectory",
    "cases",
    "grounded",
    "read_shard",
    "write_shard",
]
