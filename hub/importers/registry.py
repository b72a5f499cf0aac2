"""The known formats: name -> where the importer is. Modules load when a log is read; outsiders add entry points."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module, metadata
from typing import Final

from errorhub.hub.errors import FormatError
from errorhub.hub.importers.contract import Format, Importer

GROUP: Final = "errorhub.importers"
"""Entry-point group for importers of other packages; each entry names an `Importer`."""

IMPORTERS: Final = {
    "agentdebugx": "errorhub.hub.importers.agentdebugx:IMPORTER",
    "agentrx": "errorhub.hub.importers.agentrx:IMPORTER",
    "anthropic-messages": "errorhub.hub.importers.anthropic_messages:IMPORTER",
    "atif": "errorhub.hub.importers.atif:IMPORTER",
    "autogen": "errorhub.hub.importers.autogen:IMPORTER",
    "claude-code": "errorhub.hub.importers.claude_code:IMPORTER",
    "codex": "errorhub.hub.importers.codex:IMPORTER",
    "errorhub": "errorhub.hub.importers.documents:IMPORTER",
    "gemini-cli": "errorhub.hub.importers.gemini:IMPORTER",
    "inspect": "errorhub.hub.importers.inspect_logs:IMPORTER",
    "langfuse": "errorhub.hub.importers.langfuse:IMPORTER",
    "langsmith": "errorhub.hub.importers.langsmith:IMPORTER",
    "mini-swe-agent": "errorhub.hub.importers.mini_swe_agent:IMPORTER",
    "openai-chat": "errorhub.hub.importers.openai_chat:IMPORTER",
    "openai-responses": "errorhub.hub.importers.openai_responses:IMPORTER",
    "openhands": "errorhub.hub.importers.openhands:IMPORTER",
    "otlp": "errorhub.hub.importers.otlp:IMPORTER",
    "pi": "errorhub.hub.importers.pi:IMPORTER",
    "sts": "errorhub.hub.importers.sts:IMPORTER",
    "swe-agent": "errorhub.hub.importers.swe_agent:IMPORTER",
    "tau-bench": "errorhub.hub.importers.tau_bench:IMPORTER",
    "tau2-bench": "errorhub.hub.importers.tau2_bench:IMPORTER",
    "who-and-when": "errorhub.hub.importers.who_and_when:IMPORTER",
}


def formats() -> tuple[Format, ...]:
    """Return every format that can be read, by name."""
    return tuple(importer.format for importer in importers())


def importers() -> Iterator[Importer]:
    """Yield every importer, by name."""
    for name in sorted(_places()):
        yield importer(name)


def importer(name: str) -> Importer:
    """Return the importer of a format. Raise FormatError listing the formats when there is none."""
    place = _places().get(name)
    if place is None:
        raise FormatError(f"no format is called {name}. Known: {', '.join(sorted(_places()))}.")
    module, _, attribute = place.partition(":")
    found = getattr(import_module(module), attribute)
    if not isinstance(found, Importer):
        raise FormatError(f"{place} is not an errorhub importer.")
    return found


@cache
def _places() -> dict[str, str]:
    others = {entry.name: entry.value for entry in metadata.entry_points(group=GROUP)}
    return {**others, **IMPORTERS}
