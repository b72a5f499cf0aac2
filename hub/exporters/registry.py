"""The formats bundles are written in: name -> where the writer is. Modules load on use."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import Blocked, FormatError

EXPORTERS: Final = {
    "agentdebugx": "errorhub.hub.exporters.agentdebugx:write",
    "atif": "errorhub.hub.exporters.atif:write",
    "json": "errorhub.hub.exporters.documents:write",
    "otlp": "errorhub.hub.exporters.otlp:write",
    "sts": "errorhub.hub.exporters.sts:write",
}
"""A writer takes a bundle and a folder and returns the paths it wrote; the same bundle gives the same bytes."""


def export(bundle: Bundle, format: str, folder: Path, *, raw: bool = False) -> list[Path]:
    """Write one bundle into a folder and return the paths.

    Raise Blocked for an unscrubbed bundle unless `raw` is true, and FormatError when no format has that name.
    """
    place = EXPORTERS.get(format)
    if place is None:
        raise FormatError(f"no format is called {format}. Known: {', '.join(sorted(EXPORTERS))}.")
    if bundle.receipt is None and not raw:
        name = bundle.bundle_id[:12]
        raise Blocked(f"bundle {name} is not scrubbed: only clean bundles are exported.", hint="errorhub scrub")
    module, _, attribute = place.partition(":")
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = getattr(import_module(module), attribute)(bundle, folder)
    return paths
