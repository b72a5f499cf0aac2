"""Values that were recognised in one place and stand bare in others: user names, passwords, people."""

from __future__ import annotations

from collections.abc import Iterable

from errorhub.scrubber.literals import Literal, words
from errorhub.scrubber.spans import Region
from errorhub.scrubber.vault import KnownValue

USER_FROM = 4
"""Shortest user name that is looked for elsewhere."""

SECRET_FROM = 8
"""Shortest value of another kind that is looked for elsewhere."""

FOLDED = frozenset({"USER", "HOST", "PERSON", "ORGANIZATION", "LOCATION"})
"""Kinds whose values are the same in every case."""

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
            value = text[region.start : region.end]
            if value not in values and _counts(value, region):
                values[value] = region.kind
    return words((KnownValue(value, kind) for value, kind in values.items()), fold=FOLDED)


def _counts(value: str, region: Region) -> bool:
    if region.kind in ("DROPPED", "BLOB") or region.rank == 2 or "\n" in value:
        return False
    if region.kind == "USER":
        return len(value) >= USER_FROM and value.lower() not in SYSTEM_USERS
    if region.rank == 0:
        return " " in value and len(value) >= SECRET_FROM
    return len(value) >= SECRET_FROM
