"""The next revision of a hub: new shards and their events, the manifest over everything, the card."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.arrow import VERSION, flat
from errorhub.hub.bundle.canonical import canonical, digest
from errorhub.hub.facts import card_files, counts_of, facts_of
from errorhub.hub.log import Event, Publish, Shard, TaxonomyChange, event_bytes, fold, stamp, ulid
from errorhub.hub.manifest import Counts, Entry, Manifest, entry_of
from errorhub.hub.paths import event_path, kind, shard_path
from errorhub.hub.sealed import Sealed
from errorhub.hub.stores import Store

MAX_BUNDLES = 1000
"""Bundles in one shard."""


@dataclass(frozen=True)
class Author:
    """Who acts, with which program, and when."""

    actor: str
    """A pseudonym, `[a-z0-9-]{1,32}`."""
    tool: str
    """Program and version."""
    at: datetime
    """Aware."""

    @property
    def time(self) -> str:
        """As events and manifests write it."""
        return stamp(self.at)


@dataclass(frozen=True)
class NewShard:
    """A shard on its way, and the event that announces it."""

    path: str
    entry: Entry
    event: Publish

    @property
    def bundles(self) -> tuple[str, ...]:
        """The ids in it, sorted."""
        return self.event.bundles


@dataclass(frozen=True)
class NewTaxonomy:
    """A taxonomy file on its way, and the event that announces it. It replaces the one that was there."""

    data: bytes
    entry: Entry
    event: TaxonomyChange

    @property
    def path(self) -> str:
        """Where it goes."""
        return self.event.file.path


def new_shard(bundles: Sequence[Bundle], data: bytes, author: Author) -> NewShard:
    """Describe a shard with these bundles and these bytes."""
    names = tuple(sorted(bundle.bundle_id for bundle in bundles))
    counts: Counts = counts_of(flat(bundle) for bundle in bundles)
    path = shard_path(data, author.time)
    event = Publish(
        format="errorhub.event/1",
        id=ulid(author.at),
        type="publish",
        at=author.time,
        actor=author.actor,
        tool=author.tool,
        shard=Shard(path=path, sha256=sha256(data).hexdigest(), size=len(data), schema=VERSION, rows=len(names)),
        bundles=names,
        set_digest=digest(names),
        policies=dict(sorted(Counter(bundle.receipt.policy_digest for bundle in bundles if bundle.receipt).items())),
        licenses=counts["license"],
    )
    return NewShard(path, entry_of(data, rows=len(names), counts=counts), event)


def next_revision(
    head: Sealed | None,
    shards: Iterable[NewShard],
    author: Author,
    store: Store | None,
    reviews: Sequence[Event] = (),
    taxonomy: NewTaxonomy | None = None,
) -> tuple[dict[str, bytes], list[str]]:
    """Return the files to add beside the shards' own, and the paths to remove, for the revision after `head`.

    `reviews` are events that a maintainer adds; None as store previews a new hub.
    """
    shards = tuple(shards)
    news = [*(shard.event for shard in shards), *reviews, *([taxonomy.event] if taxonomy else [])]
    add = {event_path(one.id, data := event_bytes(one), one.at): data for one in news}
    if head is None:
        add |= {"hub.json": _settings(author)} | dict(store.extras if store else {})
    live = dict(head.manifest.files if head else {}) | {shard.path: shard.entry for shard in shards}
    remove = [head.manifest.path] if head else []
    if taxonomy:
        add[taxonomy.path] = taxonomy.data
        old = [path for path in live if kind(path) == "taxonomy" and path != taxonomy.path]
        live = {path: entry for path, entry in live.items() if path not in old} | {taxonomy.path: taxonomy.entry}
        remove += old
    state = fold([*(head.events if head else ()), *news])
    location = store.location if store else None
    add |= card_files(
        facts_of(live, yanked=len(state.yanked), updated=author.time, tool=author.tool, location=location)
    )
    entries = {path: entry_of(data) for path, data in add.items() if not taxonomy or path != taxonomy.path}
    manifest = Manifest(
        format="errorhub.manifest/1",
        chain=(*head.manifest.chain, head.manifest.sha256) if head else (),
        created_at=author.time,
        actor=author.actor,
        tool=author.tool,
        files=dict(sorted((live | entries).items())),
        state=state.digest,
    )
    return add | {manifest.path: manifest.data}, remove


def _settings(author: Author) -> bytes:
    return canonical({"format": "errorhub.hub/1", "created": author.time, "policy": {}, "review": "required"}) + b"\n"
