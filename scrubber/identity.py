"""Values that were recognised in one place and stand bare in others: user names, passwords, people."""

from __future__ import annotations

from collections.abc import Iterable

from errorhub.scrubber.literals import Literal, words
from errorhub.scrubber.nonames import WORDS
from errorhub.scrubber.spans import Region
from errorhub.scrubber.vault import KnownValue

USER_FROM = 4
"""Shortest user name that is looked for elsewhere."""

SECRET_FROM = 8
"""Shortest secret that is looked for elsewhere."""

NAME_FROM = 5
"""Shortest single name of a person that is looked for elsewhere, and only in its own case."""

FOLDED = frozenset({"USER", "HOST"})
"""Kinds whose values are the same in every case."""

SELF_EVIDENT = frozenset({"BLOB", "DOB", "DROPPED", "EMAIL", "IBAN", "IP", "LOCATION", "MAC", "ORGANIZATION"})
"""Kinds that are recognised wherever they stand, or that are too common a word to be looked for."""

_SYSTEM_USERS_TEXT = """
    adm admin administrator agent app apps appuser backup bin build builder bot ci circleci claude codespace
    codex coder containeruser daemon data debian default deploy dev developer devcontainer docker ec2-user
    everyone ftp games gem git gitlab-runner gitpod group guest home hermes host jenkins jovyan jupyter kernel
    kubernetes linuxbrew local localhost login lost+found mail main model mysql name node nobody nogroup nonroot
    openhands opt oracle owner pi player postgres power proxy public python redis root ruby runner sandbox self
    server service shared shell ssh sshd staff student sudo swe-agent sync system test tester testuser tmp
    travis ubuntu unknown user username users vagrant var vscode web wheel work worker workspace www www-data
    your-name yourname yourusername zeus
"""
SYSTEM_USERS = frozenset(_SYSTEM_USERS_TEXT.split())
"""Accounts that belong to images and tools, not to people."""


def spread(found: Iterable[tuple[str, list[Region]]]) -> list[Literal]:
    """Return literals for the values that count elsewhere; a value keeps the kind that the text gave it."""
    values: dict[str, str] = {}
    for text, regions in found:
        for region in regions:
            if region.kind in SELF_EVIDENT or region.rank == 2:
                continue
            value = text[region.start : region.end]
            if value not in values and _counts(value, region):
                values[value] = region.kind
    return words((KnownValue(value, kind) for value, kind in values.items()), fold=FOLDED)


def _counts(value: str, region: Region) -> bool:
    """Tell whether a value is looked for where nothing but itself gives it away."""
    if "\n" in value:
        return False
    if region.kind == "USER":
        return len(value) >= USER_FROM and value.lower() not in SYSTEM_USERS | WORDS
    if region.kind == "PERSON":
        return " " in value or (len(value) >= NAME_FROM and value.istitle() and region.rank > 0)
    if region.kind == "ADDRESS":
        return " " in value and any(c.isdigit() for c in value)
    return len(value) >= SECRET_FROM and not value.isalpha()
