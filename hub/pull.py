"""Pull: a hub becomes a verified mirror. Trust is never taken back, and nothing is written outside the mirror."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from errorhub.hub.bundle.shards import MAX_SHARD_BYTES, read_flat
from errorhub.hub.checking import Job, check_all
from errorhub.hub.durable import locked, sync_folder, write_file, writing
from errorhub.hub.errors import ChainBroken, RecordError
from errorhub.hub.facts import card_files, facts_of
from errorhub.hub.log import stamp
from errorhub.hub.manifest import Entry
from errorhub.hub.mirror import Mirror, Standing, Trust
from errorhub.hub.paths import bystander, kind, named_digest, shown
from errorhub.hub.sealed import UNANNOUNCED, Damaged, Sealed, check_taxonomy, read_file, read_sealed, steadily
from errorhub.hub.stores import Store, Tree
from errorhub.hub.stores.store import MAX_READ

__all__ = ["Mirror", "Pulled", "pull"]


@dataclass(frozen=True)
class Pulled:
    """What a pull brought."""

    bundles: int
    """Bundles in the mirror that searches and views may use."""
    new: int
    """Of these, the ones that were not there before."""
    revision: str | None
    """The revision the mirror stands at."""
    quarantined: list[dict[str, Any]] = field(default_factory=list)
    """Files that failed: path, expected, found, reason."""
    tombstones: int = 0
    """Bundles that were withdrawn."""
    ignored: list[str] = field(default_factory=list)
    """What else lies in the hub and was not touched."""


def pull(
    store: Store, mirror: Path, *, revision: str | None = None, progress: Callable[[int], None] | None = None
) -> Pulled:
    """Bring the mirror to the hub's newest, or one named, revision. Damaged files are set aside and listed.

    Raise ChainBroken, with nothing applied, when the hub does not verify, went back, or is another one. A revision
    that is named may be older than what was trusted, if it is an ancestor of it.
    """
    with writing("mirror", mirror):
        mirror.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(mirror / "lock"):
            return steadily(lambda: _pull(store, mirror, revision, progress or (lambda _: None)))


def _pull(store: Store, folder: Path, revision: str | None, progress: Callable[[int], None]) -> Pulled:
    before = Mirror(folder)
    tree = store.tree(revision)
    sealed = read_sealed(_Through(tree, folder / "tree"))
    if sealed is None:
        if before.trust:
            raise ChainBroken(f"{store.spec} is empty, but held a hub before. Nothing was changed.")
        return Pulled(0, 0, tree.revision)
    if before.trust:
        before.trust.require_descent(sealed.manifest, or_before=revision is not None)
    held = _readable(before)
    made = _card(sealed, store.location)
    files = {path: entry for path, entry in sealed.manifest.files.items() if not _there(folder, path, entry)}
    small = {path: entry for path, entry in files.items() if kind(path) != "shard"}
    bad = [note for path, entry in small.items() if (note := _bring(sealed, folder, path, entry, made.get(path)))]
    bad += _bring_shards(sealed, folder, {path: files[path] for path in files if path not in small}, progress)
    _stand(store.spec, sealed, folder, before)
    after = Mirror(folder)
    names = _readable(after) & after.state.visible
    ignored = [path for path in tree.paths() if path not in sealed.manifest.files and not _expected(path)]
    return Pulled(
        bundles=len(names), new=len(names - held), revision=tree.revision, quarantined=bad,
        tombstones=len(after.state.tombstones), ignored=[shown(path) for path in sorted(ignored + tree.strange())],
    )  # fmt: skip


class _Through:
    """A tree that takes files the mirror already has, by the hash in their name, from there, and reads none twice.

    Shards are not held: each is read once as it is.
    """

    def __init__(self, tree: Tree, kept: Path) -> None:
        self._tree = tree
        self._kept = kept
        self._there = frozenset(tree.paths())
        self._read: dict[str, bytes] = {}
        self.revision = tree.revision

    def paths(self, prefix: str = "") -> list[str]:
        return self._tree.paths(prefix)

    def strange(self) -> list[str]:
        return self._tree.strange()

    def holds(self, path: str, data: bytes) -> bool:
        return self._tree.holds(path, data)

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        wanted = named_digest(path)
        if wanted and path in self._there:
            data = _read_kept(self._kept / path)
            if data is not None and sha256(data).hexdigest() == wanted:
                return data
        if path not in self._read:
            data = self._tree.read(path, limit)
            if kind(path) == "shard":
                return data
            self._read[path] = data
        return self._read[path]


def _card(sealed: Sealed, location: str | None) -> dict[str, bytes]:
    """Return what the card of this revision should be; whether it is, its hash and the hub's listing say."""
    manifest = sealed.manifest
    facts = facts_of(
        manifest.files, yanked=len(sealed.state.yanked), updated=manifest.created_at, tool=manifest.tool,
        location=location,
    )  # fmt: skip
    return card_files(facts)


def _bring(sealed: Sealed, folder: Path, path: str, entry: Entry, made: bytes | None) -> dict[str, Any] | None:
    """Put one small file into the mirror; return a note when it had to be set aside."""
    try:
        known = made is not None and sha256(made).hexdigest() == entry.sha256 and sealed.tree.holds(path, made)
        data = made if made and known else read_file(sealed.tree, path, entry, limit=MAX_SHARD_BYTES)
        if kind(path) == "taxonomy":
            check_taxonomy(path, data)
    except Damaged as problem:
        return _set_aside(sealed, folder, problem, entry)
    _place(folder, path)
    write_file(folder / "tree" / path, data)
    return None


def _bring_shards(
    sealed: Sealed, folder: Path, shards: Mapping[str, Entry], progress: Callable[[int], None]
) -> list[dict[str, Any]]:
    """Put shards into the mirror: hashed, kept aside while they are decoded and checked, then moved into place."""
    staging = folder / "incoming"
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(mode=0o700)
    bad: list[dict[str, Any]] = []
    for done in check_all(_fetched(sealed, folder, shards, bad), len(shards)):
        job = done.job
        reason = done.reason or (None if sealed.state.published.issuperset(done.names) else UNANNOUNCED)
        if reason:
            bad.append(_set_aside(sealed, folder, Damaged(job.path, reason, job.file.read_bytes()), job.entry))
            continue
        _place(folder, job.path)
        job.file.replace(folder / "tree" / job.path)
        sync_folder((folder / "tree" / job.path).parent)
        progress(len(done.names))
    shutil.rmtree(staging)
    return sorted(bad, key=lambda note: str(note["path"]))


def _fetched(sealed: Sealed, folder: Path, shards: Mapping[str, Entry], bad: list[dict[str, Any]]) -> Iterator[Job]:
    """Yield each shard once its bytes are those that the manifest names; note the others."""
    for number, (path, entry) in enumerate(shards.items()):
        try:
            data = read_file(sealed.tree, path, entry, limit=MAX_SHARD_BYTES)
        except Damaged as problem:
            bad.append(_set_aside(sealed, folder, problem, entry))
            continue
        file = folder / "incoming" / str(number)
        write_file(file, data)
        yield Job(path, entry, file)


def _there(folder: Path, path: str, entry: Entry) -> bool:
    """Whether the mirror holds a file already, as it should be."""
    data = _read_kept(folder / "tree" / path)
    return data is not None and sha256(data).hexdigest() == entry.sha256


def _place(folder: Path, path: str) -> None:
    (folder / "tree" / path).parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def _set_aside(sealed: Sealed, folder: Path, problem: Damaged, entry: Entry) -> dict[str, Any]:
    (folder / "tree" / problem.path).unlink(missing_ok=True)
    return _quarantine(folder, problem, entry, sealed.tree.revision)


def _quarantine(folder: Path, problem: Damaged, entry: Entry, revision: str | None) -> dict[str, Any]:
    note = {"path": problem.path, "expected": entry.sha256, "found": problem.found, "reason": problem.reason}
    place = folder / "quarantine"
    place.mkdir(mode=0o700, exist_ok=True)
    if problem.data is not None:
        write_file(place / str(problem.found), problem.data)
    text = json.dumps(note | {"revision": revision, "time": stamp(datetime.now(UTC))}, indent=1)
    write_file(place / f"{problem.found or entry.sha256}.json", text.encode())
    return note


def _stand(spec: str, sealed: Sealed, folder: Path, before: Mirror) -> None:
    """Make the new manifest the one the mirror stands at, then delete what is no longer part of it."""
    manifest = sealed.manifest
    place = folder / "tree" / manifest.path
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_file(place, manifest.data)
    newest = Trust(sha256=manifest.sha256, chain=manifest.chain)
    trusted = before.trust if before.trust and before.trust.sequence > newest.sequence else newest
    standing = Standing(
        spec=spec, revision=sealed.tree.revision, manifest=manifest.path, trusted=trusted,
        tombstones=before.withdrawn | sealed.state.tombstones,
    )  # fmt: skip
    write_file(folder / "state.json", standing.model_dump_json(indent=1).encode())
    for path in (folder / "tree").rglob("*"):
        name = path.relative_to(folder / "tree").as_posix()
        if path.is_file() and name not in manifest.files and name != manifest.path:
            path.unlink()


def _read_kept(path: Path) -> bytes | None:
    with suppress(OSError):
        return path.read_bytes()
    return None


def _readable(mirror: Mirror) -> set[str]:
    """Return the ids in those shards of a mirror that can be read: the others are about to be replaced."""
    names: set[str] = set()
    with suppress(ChainBroken):
        for path in mirror.shards():
            with suppress(RecordError):
                names.update(str(row["bundle_id"]) for row in read_flat(path, ("bundle_id",)))
    return names


def _expected(path: str) -> bool:
    return bystander(path) or path == ".gitattributes" or kind(path) == "manifest"
