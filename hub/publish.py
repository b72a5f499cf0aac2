"""Publish: admitted bundles become one commit that seals them, is read back, and is never sent twice."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TypeVar

from errorhub.hub.admission import Gate, refusal
from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.canonical import settled_bytes
from errorhub.hub.bundle.shards import shard_bytes
from errorhub.hub.contribute import propose
from errorhub.hub.durable import writing
from errorhub.hub.errors import UsageError
from errorhub.hub.inbox import hub_with_pulls
from errorhub.hub.log import State
from errorhub.hub.manifest import entry_of
from errorhub.hub.outbox import Entry, in_flight, sweep
from errorhub.hub.seal import MAX_BUNDLES, Author, NewShard, new_shard, next_revision
from errorhub.hub.sealed import Sealed
from errorhub.hub.sending import Admitted, Parcel, look, message_of, pack, send
from errorhub.hub.stores import Store

T = TypeVar("T")


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True)
class Refusal:
    """A bundle that was left out."""

    bundle_id: str
    reason: str


@dataclass(frozen=True)
class Published:
    """What a publish did, or with `dry_run` would do."""

    published: int
    """Bundles that came in."""
    skipped: int
    """Bundles that were there already."""
    refused: list[Refusal]
    """Bundles left out, and why."""
    shards: int
    """Files of bundles that came in."""
    revision: str | None
    """The revision that holds them; None while the hub is empty."""
    url: str
    load: str
    plan: tuple[str, ...] = ()
    """With `dry_run`: what the commit would add, a line a file."""


@dataclass
class _Tally:
    """Where each bundle of one publish went."""

    skipped: int = 0
    refused: list[Refusal] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)


def publish(
    bundles: Iterable[Bundle],
    store: Store,
    *,
    outbox: Path,
    actor: str,
    gate: Gate,
    message: str | None = None,
    dry_run: bool = False,
    create_pr: bool = False,
    clock: Callable[[], datetime] = _now,
    progress: Callable[[int], None] | None = None,
) -> Published:
    """Bring bundles into a hub in one commit, each at most once.

    A bundle that a rule or the gate refuses is left out and listed. `create_pr` opens a pull request instead of
    committing: for those who may not write. Raise Conflict when others kept committing for 60
    seconds, RemoteError when the store fails; both leave the outbox as it is, and running again settles it.
    """
    if not re.fullmatch(r"[a-z0-9-]{1,32}", actor):
        raise UsageError(f"not a pseudonym: {actor[:40]!r}. Use 1 to 32 of a-z, 0-9 and -.")
    if create_pr:
        hub_with_pulls(store)
    author = Author(actor, f"errorhub {version('agent-error-hub')}", clock())
    head, revision = look(store)
    tally = _Tally()
    admitted = _admit(bundles, head.state if head else State(), gate, tally, progress or (lambda _: None))
    if dry_run:
        batches = ([one.bundle for one in batch] for batch in _batches(admitted))
        shards = [new_shard(batch, shard_bytes(batch), author) for batch in batches]
        return _result(store, tally, shards, revision, _plan(head, shards, author, store))
    with ExitStack() as flight:
        flight.enter_context(writing("outbox", outbox))
        sweep(outbox, store.url)
        parcels: list[Parcel] = []
        for batch in _batches(admitted):
            if not parcels:
                entry = flight.enter_context(in_flight(outbox, store.url, author.at))
            parcels.append(pack(entry, batch, author))
        if not parcels:
            return _result(store, tally, [], revision)
        if create_pr:
            return _proposed(store, tally, entry, parcels, message)
        sent = send(store, entry, parcels, author, message, seen=(head, revision))
    tally.skipped += sent.gone
    return _result(store, tally, sent.shards, sent.revision)


def card_preview(
    bundles: Iterable[Bundle],
    store: Store | None,
    *,
    actor: str = "anon",
    message: str | None = None,
    clock: Callable[[], datetime] = _now,
) -> dict[str, bytes]:
    """Return every text that publishing these bundles would send beside them; hashes and times will differ.

    The commit message stands under `commit message`. None as store previews a new hub.
    """
    author = Author(actor, f"errorhub {version('agent-error-hub')}", clock())
    head = look(store)[0] if store else None
    known = head.state.published if head else frozenset()
    fresh = {bundle.bundle_id: bundle for bundle in bundles if bundle.bundle_id not in known}
    shards = [new_shard(batch, b"", author) for batch in _batches(fresh.values())]
    files, _ = next_revision(head, shards, author, store)
    return files | {"commit message": message_of(message, fresh).encode()}


def _admit(
    bundles: Iterable[Bundle], state: State, gate: Gate, tally: _Tally, progress: Callable[[int], None]
) -> Iterator[Admitted]:
    """Yield the bundles that may go and are new, and note where the others went."""
    for bundle in bundles:
        name = bundle.bundle_id
        progress(1)
        if name in tally.seen or (name in state.published and name not in state.tombstones):
            tally.skipped += 1
            continue
        tally.seen.add(name)
        reason = "taken_down: this hub has withdrawn it" if name in state.tombstones else refusal(bundle)
        data = settled_bytes(bundle.document())
        reason = reason or gate(bundle, data)
        if reason:
            tally.refused.append(Refusal(name, reason))
        else:
            yield Admitted(bundle, sha256(data).hexdigest())


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield lists of at most a shard's worth."""
    source = iter(items)
    while batch := list(islice(source, MAX_BUNDLES)):
        yield batch


def default_message(bundles: Iterable[Bundle], message: str | None = None) -> str:
    """Return the commit message of a publish: a subject, and the digest of the set of ids."""
    return message_of(message, [bundle.bundle_id for bundle in bundles])


def _plan(head: Sealed | None, shards: Sequence[NewShard], author: Author, store: Store) -> tuple[str, ...]:
    if not shards:
        return ()
    files, _ = next_revision(head, shards, author, store)
    entries = {path: entry_of(data) for path, data in files.items()} | {one.path: one.entry for one in shards}
    return tuple(f"add {path} ({entry.size} bytes)" for path, entry in sorted(entries.items()))


def _proposed(store: Store, tally: _Tally, entry: Entry, parcels: list[Parcel], message: str | None) -> Published:
    pull, new = propose(store, entry, parcels, message)
    shards = [one.shard for one in parcels]
    if not new:
        tally.skipped += sum(len(shard.bundles) for shard in shards)
    return replace(_result(store, tally, shards if new else [], pull.revision), url=pull.url)


def _result(
    store: Store, tally: _Tally, shards: Sequence[NewShard], revision: str | None, plan: tuple[str, ...] = ()
) -> Published:
    count = sum(len(shard.bundles) for shard in shards)
    return Published(count, tally.skipped, tally.refused, len(shards), revision, store.url, store.load, plan)
