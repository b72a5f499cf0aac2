"""The hubs a workspace has pulled, and every bundle that is at hand: one's own and theirs."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from errorhub.hub.errors import NotFound
from errorhub.hub.mirror import Mirror, Trust
from errorhub.hub.pull import Pulled, pull
from errorhub.hub.stores import Store, open_store
from errorhub.hub.workspace import Workspace


def mirror_folder(workspace: Workspace, spec: str) -> Path:
    """Return the folder of a hub's mirror; its name says nothing about the hub, and depends on no credentials."""
    bare = re.sub(r"(?<=://)[^/@\s]+@", "", spec)
    return workspace.mirrors / sha256(bare.encode()).hexdigest()[:16]


def open_hub(folder: Path, spec: str, *, revision: str | None = None, afresh: bool = False) -> Store:
    """Open a hub for reading; what has to be fetched is kept in a workspace folder when there is one.

    `afresh` reads every file of a dataset on the Hub again, also those that cannot have changed.
    """
    shared = Path(tempfile.gettempdir()) / f"errorhub-{os.getuid()}"
    cache = None if afresh and spec.startswith("hf:") else (folder.resolve() if folder.is_dir() else shared) / "cache"
    return open_store(spec, cache=cache, revision=revision)


def pull_into(
    workspace: Workspace, spec: str, *, revision: str | None = None, progress: Callable[[int], None] | None = None
) -> Pulled:
    """Pull a hub into its mirror. Raise NotFound when nothing was ever published there."""
    store, mirror = open_hub(workspace.folder, spec, revision=revision), mirror_folder(workspace, spec)
    result = pull(store, mirror, revision=revision, progress=progress)
    if Mirror(mirror).manifest is None:
        raise no_hub(store.spec)
    return result


def no_hub(spec: str) -> NotFound:
    """Return the error for a place that holds no hub."""
    return NotFound(
        f"no hub at {spec}: nothing was published there, or its branch has another name.",
        hint=f"errorhub publish --to {spec}",
    )


def mirrors(workspace: Workspace) -> Iterator[Mirror]:
    """Yield the mirror of every pulled hub, in a stable order."""
    if workspace.mirrors.is_dir():
        yield from (Mirror(path) for path in sorted(workspace.mirrors.iterdir()) if path.is_dir())


def trusted(workspace_folder: Path, spec: str) -> Trust | None:
    """Return what the workspace last trusted of a hub; None when it never pulled it."""
    if not workspace_folder.is_dir():
        return None
    return Mirror(mirror_folder(Workspace(workspace_folder.resolve()), spec)).trust


@contextmanager
def looking_at(workspace_folder: Path, spec: str) -> Iterator[Mirror]:
    """Give a verified copy of a hub: the workspace's mirror when there is a workspace, else one that vanishes."""
    if workspace_folder.is_dir():
        workspace = Workspace.open(workspace_folder)
        pull_into(workspace, spec)
        yield Mirror(mirror_folder(workspace, spec))
        return
    with tempfile.TemporaryDirectory(prefix="errorhub-") as folder:
        workspace = Workspace(Path(folder))
        pull_into(workspace, spec)
        yield Mirror(mirror_folder(workspace, spec))
