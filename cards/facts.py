"""What a card may say about a hub: counts, labels, hashes. Never free text of a case."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_LABEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._:/+()-]{0,79}", re.ASCII)


@dataclass(frozen=True)
class File:
    """One shard."""

    path: str
    """Where it lies in the hub."""
    sha256: str
    """Of its bytes."""
    size: int
    """Of its bytes."""


@dataclass(frozen=True)
class Facts:
    """Everything a hub's card and Croissant file are made of."""

    bundles: int
    """Bundles in the shards."""
    totals: dict[str, int] = field(default_factory=dict)
    """diagnoses, repairs, resolved, steps, yanked -> how many."""
    tables: dict[str, dict[str, int]] = field(default_factory=dict)
    """Flat column -> label -> bundles."""
    files: tuple[File, ...] = ()
    """The shards, sorted by path."""
    updated: str = ""
    """ISO 8601 date of the newest change."""
    tool: str = "errorhub"
    """The program and version that wrote the card."""
    location: str | None = None
    """OWNER/NAME on the Hugging Face Hub; None elsewhere."""


def label(value: object) -> str:
    """Return a label that is safe in any table: `none` for a missing one, `other` for what is no plain label."""
    if value is None or value == "":
        return "none"
    text = str(value)
    return text if _LABEL.fullmatch(text) else "other"
