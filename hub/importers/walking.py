"""Find the logs among paths: folders recursively and sorted, links not followed, parts of a log not taken for logs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from errorhub.hub.errors import FormatError
from errorhub.hub.importers.agentdebugx_files import is_bundle
from errorhub.hub.importers.agentdebugx_files import owner_of as record_owner
from errorhub.hub.importers.claude_subagents import root_of
from errorhub.hub.importers.files import Log
from errorhub.hub.importers.harbor_trials import owner_of as result_owner
from errorhub.hub.importers.shapes import type_of
from errorhub.hub.importers.swe_reports import owner_of as report_owner

_NOT_LOGS: Final = frozenset({
    ".md", ".rst", ".html", ".css", ".js", ".ts", ".tsx", ".py", ".ipynb", ".toml", ".yaml", ".yml", ".ini", ".cfg",
    ".lock", ".sql", ".sh", ".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".pdf", ".csv",
})  # fmt: skip
_DOCUMENTS: Final = frozenset({"license", "licence", "copying", "notice", "readme", "changelog", "makefile"})
_BOOKKEEPING: Final = frozenset({"summary", "file-history-snapshot", "queue-operation", "mode", "permission-mode",
                                 "ai-title", "last-prompt", "custom-title", "agent-name"})  # fmt: skip
_SMALL: Final = 1 << 16


def walk(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield every log once, in order. A path that a person names is a log, unless it is part of another one named."""
    paths = list(paths)
    named = {path.resolve() for path in paths}
    seen: set[Path] = set()
    for path in paths:
        found = _logs(path) if path.is_dir() and not is_bundle(path) else [path]
        for log in found:
            place = log.resolve()
            owner = owner_of(log)
            part = owner is not None and (log is not path or owner.resolve() in named)
            if place not in seen and not part:
                seen.add(place)
                yield log


def owner_of(path: Path) -> Path | None:
    """Return the log that a file is part of, if it is there: a subagent's session, a report's run."""
    return root_of(path) or record_owner(path) or report_owner(path) or result_owner(path)


def _logs(folder: Path) -> Iterator[Path]:
    for root, folders, files in os.walk(folder, followlinks=False):
        here = Path(root)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not (here / name).is_symlink())
        bundles = [name for name in folders if is_bundle(here / name)]
        folders[:] = [name for name in folders if name not in bundles]
        yield from (here / name for name in bundles)
        yield from (here / name for name in sorted(files) if _is_log(here / name))


def _is_log(path: Path) -> bool:
    """Whether a file found in a folder may be a log: regular, visible, not empty, no document or program."""
    if path.name.startswith(".") or path.suffix.lower() in _NOT_LOGS or path.stem.lower() in _DOCUMENTS:
        return False
    if path.name.endswith(("-wal", "-shm", "-journal")):
        return False
    status = path.lstat()
    if not stat.S_ISREG(status.st_mode) or not status.st_size:
        return False
    return status.st_size > _SMALL or path.suffix != ".jsonl" or not _is_bookkeeping(path)


def _is_bookkeeping(path: Path) -> bool:
    """Whether a session file holds no turn at all: titles, snapshots, queue marks."""
    try:
        return all(type_of(line.value) in _BOOKKEEPING for line in Log(path).lines())
    except (FormatError, OSError):
        return False
