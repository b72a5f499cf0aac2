"""The rule tables: every kind of value that is looked for, one row each, by family."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files

from errorhub.scrubber.rules import (
    accounts,
    commands,
    credentials,
    crypto,
    europe,
    forms,
    headers,
    logins,
    personal,
    places,
    prefixes,
    providers,
    tenants,
    urls,
    vendors,
)
from errorhub.scrubber.rules.rule import Check, Hit, Rule

__all__ = ["RULES", "Check", "Hit", "Rule", "digest"]

RULES: tuple[Rule, ...] = (
    providers.RULES
    + prefixes.RULES
    + crypto.RULES
    + urls.RULES
    + commands.RULES
    + headers.RULES
    + logins.RULES
    + credentials.RULES
    + forms.RULES
    + vendors.RULES
    + personal.RULES
    + europe.RULES
    + places.RULES
    + accounts.RULES
    + tenants.RULES
)


@cache
def digest() -> str:
    """Return twelve hex digits that change with any line of the rules, their checks and the views."""
    scrubber = files("errorhub.scrubber")
    sources = [*scrubber.joinpath("rules").iterdir(), scrubber.joinpath("views.py"), scrubber.joinpath("detect.py")]
    seal = sha256()
    for source in sorted(sources, key=lambda entry: entry.name):
        if source.name.endswith(".py"):
            seal.update(source.read_bytes())
    return seal.hexdigest()[:12]
