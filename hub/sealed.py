"""One revision of a hub, opened: its manifest and log checked against each other, its files checked one by one."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from errorhub.hub.admission import uncertified
from errorhub.hub.bundle.shards import read_shard
from errorhub.hub.errors import ChainBroken, Conflict, HubError, NotFound, RecordError, SchemaFromFuture, UsageError
from errorhub.hub.facts import READ, counts_of
from errorhub.hub.log import Event, State, fold, parse_event
from errorhub.hub.manifest import MAX_BYTES, Entry, Manifest, read_manifest
from errorhub.hub.paths import bystander, shown
from errorhub.hub.stores import Tree
from errorhub.hub.taxonomy.file import read_taxonomy

T = TypeVar("T")

UNANNOUNCED = "holds bundles that no event published"
_NEW = ("README.md", ".gitattributes")
_TRIES = 8


class Damaged(RecordError):
    """A file is not what the manifest says. `found` is the digest of its bytes, None when it is not there."""

    code = "damaged"

    def __init__(self, path: str, reason: str, data: bytes | None = None) -> None:
        super().__init__(f"{path}: {reason}.")
        self.path = path
        self.reason = reason
        self.data = data

    @property
    def found(self) -> str | None:
        """SHA-256 of the bytes that were found."""
        return None if self.data is None else sha256(self.data).hexdigest()


class Settings(BaseModel):
    """hub.json."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: str
    """errorhub.hub/1."""
    created: str = ""
    """When."""
    review: str = "required"
    """required or none."""


@dataclass(frozen=True)
class Sealed:
    """A revision whose manifest, settings and events hold together."""

    tree: Tree
    manifest: Manifest
    events: tuple[Event, ...]
    state: State


def read_sealed(tree: Tree) -> Sealed | None:
    """Open a revision; None for an empty one. Raise ChainBroken, or UsageError when it holds something else."""
    manifest = read_manifest(tree)
    if manifest is None:
        others = [path for path in tree.paths() if not bystander(path) and path not in _NEW]
        if others:
            raise UsageError(f"not a hub: {len(others)} other files are there, for example {shown(others[0])}.")
        return None
    try:
        _settings(read_file(tree, "hub.json", _require(manifest, "hub.json")))
        log = manifest.of("event").items()
        events = tuple(parse_event(read_file(tree, path, entry)) for path, entry in log)
    except SchemaFromFuture:
        raise
    except RecordError as problem:
        raise ChainBroken(f"hub does not verify: {problem}") from None
    state = fold(events)
    if state.digest != manifest.state:
        raise ChainBroken("hub does not verify: its events do not give the state that the manifest names.")
    return Sealed(tree, manifest, events, state)


def read_file(tree: Tree, path: str, entry: Entry, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file that are those the manifest names. Raise Damaged."""
    if entry.size > limit:
        raise Damaged(path, f"{entry.size} bytes, at most {limit} are read")
    try:
        data = tree.read(path, limit=entry.size)
    except NotFound:
        raise Damaged(path, "it is not there") from None
    except RecordError:
        raise Damaged(path, "it is larger than the manifest says") from None
    if sha256(data).hexdigest() != entry.sha256:
        raise Damaged(path, "its bytes are not those the manifest names", data)
    return data


def check_shard(path: str, data: bytes, entry: Entry, state: State) -> list[str]:
    """Decode a shard whole and return its bundle ids. Raise Damaged when any row is not what it claims to be."""
    names = check_content(path, data, entry)
    if not state.published.issuperset(names):
        raise Damaged(path, UNANNOUNCED, data)
    return names


def check_taxonomy(path: str, data: bytes) -> None:
    """Read a taxonomy file whole. Raise Damaged when it is not what it claims to be."""
    try:
        read_taxonomy(path, data)
    except HubError as problem:
        raise Damaged(path, str(problem).rstrip("."), data) from None


def check_content(path: str, data: bytes, entry: Entry) -> list[str]:
    """Check a shard as far as it and its entry tell; whether the log announces it is not asked."""
    names: list[str] = []
    try:
        for bundle in read_shard(data):
            if uncertified(bundle):
                raise Damaged(path, f"bundle {bundle.bundle_id[:12]} has no receipt that certifies it", data)
            names.append(bundle.bundle_id)
        counts = counts_of(flat_rows(data))
    except Damaged:
        raise
    except (HubError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as problem:
        detail = str(problem).rstrip(".") if isinstance(problem, HubError) else type(problem).__name__
        raise Damaged(path, f"cannot be read: {detail}", data) from None
    if len(names) != entry.rows or len(set(names)) != len(names):
        raise Damaged(path, f"{len(names)} bundles, the manifest says {entry.rows}", data)
    if counts != entry.counts:
        raise Damaged(path, "its contents are not those the manifest counts", data)
    return names


def flat_rows(data: bytes) -> list[dict[str, object]]:
    """Return the flat columns of a shard that its counts are made of."""
    from errorhub.hub.bundle.shards import read_flat

    return list(read_flat(data, READ))


def steadily(read: Callable[[], T]) -> T:
    """Return what `read` returns, again when a commit moved the files under it."""
    for _ in range(_TRIES - 1):
        try:
            return read()
        except Conflict:
            continue
    return read()


def _require(manifest: Manifest, path: str) -> Entry:
    if path not in manifest.files:
        raise ChainBroken(f"hub does not verify: its manifest lists no {path}.")
    return manifest.files[path]


def _settings(data: bytes) -> Settings:
    try:
        settings = Settings.model_validate(json.loads(data))
    except (ValidationError, ValueError, RecursionError):
        raise RecordError("hub.json is not readable.") from None
    prefix, _, number = settings.format.rpartition("/")
    if prefix == "errorhub.hub" and number.isdecimal() and int(number) > 1:
        raise SchemaFromFuture(f"hub of version {number}: this errorhub reads up to 1. Upgrade errorhub.")
    if settings.format != "errorhub.hub/1":
        raise RecordError("hub.json names another format.")
    return settings
