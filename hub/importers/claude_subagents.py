"""Subagent files of a Claude Code session: `<session>/subagents/**/agent-<id>.jsonl`, or flat beside the session.

A file belongs to a call only when the call's result names it by `agentId` or `runId`; nothing is attached by time.
Names from a log never become paths: they are looked up among the files that are there.
"""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from errorhub.hub.errors import FormatError
from errorhub.hub.importers.files import Log

PATTERN = "agent-*.jsonl"


def agent_id(path: Path) -> str:
    """Return the id in the name of a subagent file."""
    return path.stem.removeprefix("agent-")


def root_of(path: Path) -> Path | None:
    """Return the session file that a subagent file belongs to, or None when it is not there or this is no such file."""
    if not path.match(PATTERN):
        return None
    for folder in path.parents:
        if folder.name == "subagents":
            root = folder.parent.with_name(f"{folder.parent.name}.jsonl")
            return root if root.is_file() else None
    session = session_id(path)
    root = path.with_name(f"{session}.jsonl")
    return root if session and "/" not in session and root.is_file() else None


def session_id(path: Path) -> str | None:
    """Return the session that the first records of a file name."""
    try:
        for line in islice(Log(path).lines(), 5):
            value = line.value.get("sessionId") if isinstance(line.value, dict) else None
            if isinstance(value, str) and value:
                return value
    except (FormatError, OSError):
        return None
    return None


class Subagents:
    """The subagent files of one session."""

    def __init__(self, session: Path) -> None:
        nested = session.with_suffix("") / "subagents"
        found = sorted(nested.rglob(PATTERN)) if nested.is_dir() else []
        found += [path for path in sorted(session.parent.glob(PATTERN)) if path != session and root_of(path) == session]
        self._files = [path for path in found if path.is_file() and not path.is_symlink()]
        self._used: set[Path] = set()

    def take(self, *, agent: str | None, run: str | None) -> list[Path]:
        """Return the files that a result names, each only once."""
        named = [path for path in self._files if agent_id(path) == agent or (run and path.parent.name == run)]
        fresh = [path for path in named if path not in self._used]
        self._used.update(fresh)
        return fresh

    @property
    def unused(self) -> list[Path]:
        """Files that no result named."""
        return [path for path in self._files if path not in self._used]
