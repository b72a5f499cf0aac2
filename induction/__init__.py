"""Taxonomy induction: failures in, proposals for modes that are missing out. Nothing is decided here."""

from errorhub.induction.finding import Finding, findings
from errorhub.induction.proposal import Assignment, Example, Induction, Nearest, Proposal
from errorhub.induction.propose import propose
from errorhub.induction.settings import Settings

__all__ = ["Assignment", "Example", "Finding", "Induction", "Nearest", "Proposal", "Settings", "findings", "propose"]
