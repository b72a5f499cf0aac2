"""Known values: what a workspace's owner said must never leave, remembered so that no later scrub forgets it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from errorhub.hub.durable import write_file
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import KnownValue, Vault, known_from_deny, known_from_environment


def remember(workspace: Workspace, files: Iterable[Path]) -> int:
    """Add the values of deny lists to the workspace's own and return how many it now knows."""
    values = {*_remembered(workspace), *(value for file in files for value in known_from_deny(file))}
    if values:
        write_file(_path(workspace), json.dumps(sorted(values)).encode())
    return len(values)


def vault(workspace: Workspace) -> Vault:
    """Return the owner's key with every value that must never leave: deny lists, and what this machine gives away."""
    return Vault.open().with_known([*_remembered(workspace), *known_from_environment()])


def _remembered(workspace: Workspace) -> list[KnownValue]:
    path = _path(workspace)
    return [KnownValue(*pair) for pair in json.loads(path.read_text("utf-8"))] if path.exists() else []


def _path(workspace: Workspace) -> Path:
    return workspace.folder / "known.json"
