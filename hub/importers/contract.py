"""What an importer promises, and what reading a log yields."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers.files import Log, Sample


@dataclass(frozen=True)
class Format:
    """A log format as a person sees it in `errorhub formats`."""

    name: str
    """What `--format` takes."""
    description: str
    """What writes such logs."""
    recognised: str
    """The structure that decides, in words."""
    extensions: tuple[str, ...]
    """Usual endings of the file name; never what decides."""
    step_base: int | None = None
    """0 or 1: what the source counts steps from; None when it writes no numbers."""
    status: Literal["stable", "experimental"] = "stable"
    """Experimental: no real file was available to try it on."""


@dataclass(frozen=True)
class Imported:
    """One run that was read: raw, without a receipt."""

    bundle: Bundle
    source: Path


@dataclass(frozen=True)
class Refused:
    """A log, or one record of it, that was not read. The reason holds nothing of its content."""

    source: Path
    reason: str
    exit: int = 2
    record: int | None = None
    """0-based position in a file of several."""


Runs: TypeAlias = Iterator[Bundle | Refused]


@dataclass(frozen=True)
class Importer:
    """One log format: how it is recognised and how it is read."""

    format: Format
    fits: Callable[[Sample], bool]
    """Whether the first records have the structure of this format."""
    read: Callable[[Log], Runs]
    """The runs of a log, and a refusal for each record that is none. Raises FormatError for the whole log."""
