"""Evidence: how a bundle earns its diagnosis and its repair."""

from errorhub.evidence.annotate import annotate, citation
from errorhub.evidence.check import Checked, check
from errorhub.evidence.repair import add_repair

__all__ = ["Checked", "add_repair", "annotate", "check", "citation"]
