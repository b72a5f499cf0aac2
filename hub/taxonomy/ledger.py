"""The decisions of a workspace: one write-once file each, beside those of every pulled hub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from hashlib import sha256
from pathlib import Path

from errorhub.hub.durable import locked, write_file, writing
from errorhub.hub.errors import ChainBroken, RecordError
from errorhub.hub.mirror import Mirror
from errorhub.hub.taxonomy.decision import Decision, read_decision
from errorhub.hub.taxonomy.file import MAX_FILE, read_taxonomy
from errorhub.hub.taxonomy.fold import fold, in_order
from errorhub.hub.taxonomy.modes import Taxonomy
from errorhub.hub.workspace import Workspace


def load_taxonomy(workspace: Workspace) -> Taxonomy:
    """Return the seed with every decision made here and in pulled hubs."""
    return fold([*own_decisions(workspace), *(one for _, one in pulled_decisions(workspace))])


def own_decisions(workspace: Workspace) -> list[Decision]:
    """Return the decisions made in this workspace, by time. Raise RecordError for a damaged file."""
    return in_order(_read(path) for path in sorted(folder(workspace).glob("[0-9a-f]*.json")))


def pulled_decisions(workspace: Workspace) -> Iterator[tuple[str, Decision]]:
    """Yield (hub, decision) for every decision of every pulled hub."""
    places = sorted(workspace.mirrors.iterdir()) if workspace.mirrors.is_dir() else []
    for mirror in (Mirror(place) for place in places if place.is_dir()):
        yield from ((mirror.spec or "unknown hub", one) for one in mirrored_decisions(mirror))


def mirrored_decisions(mirror: Mirror) -> Iterator[Decision]:
    """Yield the decisions of one pulled hub; a taxonomy file that was set aside holds none."""
    manifest = mirror.manifest
    for path in manifest.of("taxonomy") if manifest else ():
        kept = mirror.folder / "tree" / path
        if kept.is_file():
            yield from _kept(mirror, path, kept.read_bytes())


def _kept(mirror: Mirror, path: str, data: bytes) -> tuple[Decision, ...]:
    try:
        return read_taxonomy(path, data)
    except RecordError as problem:
        raise ChainBroken(f"mirror {mirror.folder}: {path}: {problem}", hint=f"errorhub pull {mirror.spec}") from None


def record(workspace: Workspace, decisions: Iterable[Decision]) -> None:
    """Write decisions down, each on the disk when this returns; one that is there already is left as it is."""
    place = folder(workspace)
    with writing("decision", place):
        place.mkdir(mode=0o700, exist_ok=True)
        for one in decisions:
            if not (place / f"{one.id}.json").exists():
                write_file(place / f"{one.id}.json", one.data)


def deciding(workspace: Workspace) -> AbstractContextManager[None]:
    """Hold the workspace's decisions while one is made, so that two processes cannot answer the same proposal."""
    with writing("decision", folder(workspace)):
        folder(workspace).mkdir(mode=0o700, exist_ok=True)
    return locked(folder(workspace) / ".lock", mode=0o600)


def folder(workspace: Workspace) -> Path:
    """Return where decisions lie."""
    return workspace.folder / "decisions"


def _read(path: Path) -> Decision:
    data = path.read_bytes()
    if len(data) > MAX_FILE or sha256(data).hexdigest() != path.stem:
        raise RecordError(f"decision is damaged: {path}. Remove the file and decide again.")
    return read_decision(data)
