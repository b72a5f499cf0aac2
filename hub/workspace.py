"""The workspace: one folder a stage, private to its owner.

raw/ → clean/ → (review in log/) → outbox/ → hub; mirror/ holds pulled hubs, memory/ the derived index.
The HMAC key is not in it: it lives in the user's configuration folder.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.durable import write_file
from errorhub.hub.errors import NotFound, UsageError
from errorhub.hub.stage import Stage

VERSION = version("agent-error-hub")
MIN_PREFIX = 8
"""Shortest id a person may type."""


def now() -> str:
    """Return the time as ISO 8601 UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Workspace:
    """A person's own folder of runs on their way to a hub."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.raw = Stage(folder / "raw")
        self.clean = Stage(folder / "clean")
        self.log = folder / "log"
        self.outbox = folder / "outbox"
        self.mirrors = folder / "mirror"
        self.memory = folder / "memory"

    @classmethod
    def open(cls, folder: Path) -> Workspace:
        """Open a workspace, making it 0700 with a .gitignore of * when it is new."""
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"workspace is not a folder: {folder}.")
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            workspace = cls(folder.resolve())
            for stage in (workspace.raw.folder, workspace.clean.folder, workspace.log):
                stage.mkdir(mode=0o700, exist_ok=True)
            if not (folder / ".gitignore").exists():
                write_file(folder / ".gitignore", b"*\n")
        except OSError as problem:
            raise UsageError(f"workspace cannot be written: {folder}: {problem.strerror}.") from None
        return workspace

    @property
    def actor(self) -> str:
        """The random pseudonym that stands in logs and commits unless the user sets one."""
        path = self.folder / "actor"
        if not path.exists():
            write_file(path, f"anon-{secrets.token_hex(4)}\n".encode())
        return path.read_text().strip()

    def find(self, prefix: str, stage: Stage) -> Bundle:
        """Return the bundle of a stage that has, or in any stage once had, an id with this prefix.

        Scrubbing and annotating give a bundle a new id; the ids a person has seen keep working. Raise NotFound for
        none, for several, and for a prefix of fewer than 8 characters.
        """
        if len(prefix) < MIN_PREFIX:
            raise NotFound(f"id too short: {prefix}. Type {MIN_PREFIX} or more characters.")
        origins = self.raw.origins(prefix) | self.clean.origins(prefix)
        found = stage.held(origins)
        if len(found) == 1:
            return next(iter(found.values()))
        hint = f"errorhub list --stage {stage.name}"
        if found:
            raise NotFound(f"{len(found)} bundles have the id {prefix}. Type more of it.", hint=hint)
        if origins:
            raise NotFound(f"bundle {prefix} is not in the {stage.name} stage.", hint="errorhub scrub")
        raise NotFound(f"no bundle has the id {prefix}.", hint=hint)


def append_event(folder: Path, event: Mapping[str, object]) -> None:
    """Add one write-once event to a workspace log, named so that names sort by time."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    write_file(folder / f"{stamp}-{secrets.token_hex(4)}.json", canonical(event))
