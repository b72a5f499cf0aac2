"""Pull: a hub becomes a verified mirror. What was trusted once is never taken back; nothing leaves the mirror's folder.

mirror/tree/…        verified copies, at the paths they have in the hub
mirror/quarantine/   files that failed, named by what they are, each with a note
mirror/state.json    which manifest the mirror stands at and which one was trusted last; written after all checks
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from errorhub.hub.bundle import Bundle, read_shard
from errorhub.hub.bundle.arrow import FLAT
from errorhub.hub.bundle.shards import MAX_SHARD_BYTES, read_flat, read_rows
from errorhub.hub.durable import locked, write_file
from errorhub.hub.errors import ChainBroken
from errorhub.hub.log import State, fold, parse_event, stamp
from errorhub.hub.manifest import Entry, Manifest, parse_manifest
from errorhub.hub.paths import bystander, kind, named_digest
from errorhub.hub.sealed import Damaged, Sealed, check_shard, read_file, read_sealed, steadily
from errorhub.hub.stores import Store, Tree
from errorhub.hub.stores.store import MAX_READ


class Trust(BaseModel):
    """The manifest that was trusted last."""

    model_config = ConfigDict(frozen=True)

    sequence: int
    sha256: str


class _Standing(BaseModel):
    """state.json."""

    model_config = ConfigDict(frozen=True)

    format: str = "errorhub.mirror/1"
    spec: str
    revision: str | None
    manifest: str
    trusted: Trust
    tombstones: dict[str, str] = {}


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


class Mirror:
    """A verified copy of a hub, read-only. Withdrawn and yanked bundles do not show."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._standing = _read_standing(folder)
        self._state: State | None = None

    @property
    def spec(self) -> str | None:
        """The hub it mirrors, without credentials; None before the first pull."""
        return self._standing.spec if self._standing else None

    @property
    def revision(self) -> str | None:
        """The revision it stands at."""
        return self._standing.revision if self._standing else None

    @property
    def trust(self) -> Trust | None:
        """The newest manifest that ever verified."""
        return self._standing.trusted if self._standing else None

    @property
    def manifest(self) -> Manifest | None:
        """The manifest it stands at."""
        if self._standing is None:
            return None
        return parse_manifest(self._standing.manifest, (self.folder / "tree" / self._standing.manifest).read_bytes())

    @property
    def state(self) -> State:
        """What the hub's events fold into, every withdrawal ever seen included."""
        if self._state is None:
            manifest = self.manifest
            events = [self.folder / "tree" / path for path in manifest.of("event")] if manifest else []
            folded = fold(parse_event(path.read_bytes()) for path in events)
            gone = (self._standing.tombstones if self._standing else {}) | folded.tombstones
            self._state = State(folded.published, folded.yanked, gone, folded.reviews)
        return self._state

    def shards(self) -> list[Path]:
        """Return the verified shards; rows of withdrawn and yanked bundles may be in them."""
        manifest = self.manifest
        places = [self.folder / "tree" / path for path in manifest.of("shard")] if manifest else []
        return [path for path in places if path.is_file()]

    def bundles(self) -> Iterator[Bundle]:
        """Yield every visible bundle once."""
        yield from self._once(read_shard, lambda bundle: bundle.bundle_id)

    def rows(self, columns: tuple[str, ...] = FLAT) -> Iterator[dict[str, Any]]:
        """Yield the flat columns of every visible bundle once."""
        wanted = tuple(dict.fromkeys(("bundle_id", *columns)))
        yield from self._once(lambda path: read_flat(path, wanted), lambda row: str(row["bundle_id"]))

    def get(self, bundle_id: str) -> Bundle | None:
        """Return a bundle by its full id, a yanked one too (`state.yanked` has the reason), a withdrawn one never."""
        if bundle_id not in self.state.live:
            return None
        return next((found for path in self.shards() for found in read_rows(path, {bundle_id})), None)

    def _once(self, read: Callable[[Path], Iterator[Any]], name: Callable[[Any], str]) -> Iterator[Any]:
        left = set(self.state.visible)
        for path in self.shards():
            for one in read(path):
                if name(one) in left:
                    left.remove(name(one))
                    yield one


def pull(
    store: Store, mirror: Path, *, revision: str | None = None, progress: Callable[[int], None] | None = None
) -> Pulled:
    """Bring the mirror to the hub's newest, or one named, revision. Damaged files are set aside and listed.

    Raise ChainBroken, with nothing applied, when the hub does not verify, went back, or is another one. A revision
    that is named may be older than what was trusted, if it is an ancestor of it.
    """
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
    require_descent(sealed.manifest, before.trust, before.manifest, named=revision is not None)
    held = {str(row["bundle_id"]) for row in before.rows(("bundle_id",))}
    bad = [
        note for path, entry in sealed.manifest.files.items() if (note := _bring(sealed, folder, path, entry, progress))
    ]
    _stand(store.spec, sealed, folder, before)
    after = Mirror(folder)
    names = {str(row["bundle_id"]) for row in after.rows(("bundle_id",))}
    ignored = [path for path in tree.paths() if path not in sealed.manifest.files and not _expected(path)]
    return Pulled(
        bundles=len(names), new=len(names - held), revision=tree.revision, quarantined=bad,
        tombstones=len(after.state.tombstones), ignored=sorted(ignored + tree.strange()),
    )  # fmt: skip


class _Through:
    """A tree that takes files the mirror already has, by the hash in their name, from there."""

    def __init__(self, tree: Tree, kept: Path) -> None:
        self._tree = tree
        self._kept = kept
        self.revision = tree.revision

    def paths(self, prefix: str = "") -> list[str]:
        return self._tree.paths(prefix)

    def strange(self) -> list[str]:
        return self._tree.strange()

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        wanted = named_digest(path)
        if wanted and path in self._tree.paths(path):
            data = _read_kept(self._kept / path)
            if data is not None and sha256(data).hexdigest() == wanted:
                return data
        return self._tree.read(path, limit)


def require_descent(
    manifest: Manifest, trust: Trust | None, current: Manifest | None = None, *, named: bool = False
) -> None:
    """Raise ChainBroken unless the manifest is the trusted one or descends from it; a named one may precede it."""
    if trust is None or manifest.sha256 == trust.sha256:
        return
    if manifest.sequence > trust.sequence and manifest.chain[trust.sequence - 1] == trust.sha256:
        return
    if manifest.sequence < trust.sequence:
        if named and current and manifest.sha256 in current.chain:
            return
        raise ChainBroken(
            f"the hub went back from manifest {trust.sequence} to {manifest.sequence}. Nothing was changed."
        )
    raise ChainBroken(f"manifest {manifest.sequence} does not descend from {trust.sequence}, which was trusted. "
                      "Nothing was changed.")  # fmt: skip


def _bring(
    sealed: Sealed, folder: Path, path: str, entry: Entry, progress: Callable[[int], None]
) -> dict[str, Any] | None:
    """Put one verified file into the mirror; return a note when it had to be set aside."""
    target = folder / "tree" / path
    data = _read_kept(target)
    if data is not None and sha256(data).hexdigest() == entry.sha256:
        return None
    try:
        data = read_file(sealed.tree, path, entry, limit=MAX_SHARD_BYTES)
        if kind(path) == "shard":
            progress(len(check_shard(path, data, entry, sealed.state)))
    except Damaged as problem:
        with suppress(FileNotFoundError):
            target.unlink()
        return _quarantine(folder, problem, entry, sealed.tree.revision)
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_file(target, data)
    return None


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
    newest = Trust(sequence=manifest.sequence, sha256=manifest.sha256)
    trusted = before.trust if before.trust and before.trust.sequence > newest.sequence else newest
    standing = _Standing(
        spec=spec, revision=sealed.tree.revision, manifest=manifest.path, trusted=trusted,
        tombstones=before.state.tombstones | sealed.state.tombstones,
    )  # fmt: skip
    write_file(folder / "state.json", standing.model_dump_json(indent=1).encode())
    for path in (folder / "tree").rglob("*"):
        name = path.relative_to(folder / "tree").as_posix()
        if path.is_file() and name not in manifest.files and name != manifest.path:
            path.unlink()


def _read_standing(folder: Path) -> _Standing | None:
    try:
        return _Standing.model_validate_json((folder / "state.json").read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise ChainBroken(f"mirror {folder}: its state is not readable. Delete the folder and pull again.") from None


def _read_kept(path: Path) -> bytes | None:
    with suppress(OSError):
        return path.read_bytes()
    return None


def _expected(path: str) -> bool:
    return bystander(path) or path == ".gitattributes" or kind(path) == "manifest"
