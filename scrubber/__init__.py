"""Scrub any JSON document of secrets and personal data."""

from errorhub.scrubber.errors import ScrubConflict, ScrubError
from errorhub.scrubber.findings import Finding
from errorhub.scrubber.pipeline import Scrubbed, find, scrub, source_key
from errorhub.scrubber.policy import Policy
from errorhub.scrubber.receipt import Receipt
from errorhub.scrubber.reread import reread, reread_personal
from errorhub.scrubber.sources import known_from_deny, known_from_environment
from errorhub.scrubber.vault import KnownValue, Vault

__all__ = [
    "Finding",
    "KnownValue",
    "Policy",
    "Receipt",
    "ScrubConflict",
    "ScrubError",
    "Scrubbed",
    "Vault",
    "find",
    "known_from_deny",
    "known_from_environment",
    "reread",
    "reread_personal",
    "scrub",
    "source_key",
]
