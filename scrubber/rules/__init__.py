"""The rule tables: every kind of value that is looked for, one row each, by family."""

from __future__ import annotations

from hashlib import sha256

from errorhub.scrubber.rules import commands, credentials, crypto, headers, personal, places, providers, urls, vendors
from errorhub.scrubber.rules.rule import Check, Hit, Rule

__all__ = ["RULES", "Check", "Hit", "Rule", "digest"]

RULES: tuple[Rule, ...] = (
    providers.RULES
    + crypto.RULES
    + urls.RULES
    + commands.RULES
    + headers.RULES
    + credentials.RULES
    + vendors.RULES
    + personal.RULES
    + places.RULES
)


def digest(rules: tuple[Rule, ...] = RULES) -> str:
    """Return twelve hex digits that change with any name, kind or regex of the rules."""
    rows = "\n".join(f"{r.name}\t{r.kind}\t{r.regex}\t{r.generic}" for r in rules)
    return sha256(rows.encode()).hexdigest()[:12]
