"""Sending: gated bundles become shards in the outbox, then one commit on whatever the newest revision is."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from errorhub.hub.bundle import Bundle, read_shard
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.shards import shard_bytes
from errorhub.hub.errors import Conflict, RecordError, RemoteError
from errorhub.hub.log import Event
from errorhub.hub.outbox import Entry, Spool
from errorhub.hub.seal import Author, NewShard, new_shard, next_revision
from errorhub.hub.sealed import Damaged, Sealed, read_file, read_sealed, steadily
from errorhub.hub.stores import Store
from errorhub.hub.stores.store import Busy

Seen = tuple[Sealed | None, str | None]
"""A revision that was opened, and its name: what a commit on top of it must expect."""

PATIENCE = 60.0
"""Seconds of rebuilding on other people's commits before giving up."""


@dataclass(frozen=True)
class Admitted:
    """A bundle that passed every rule and the gate, and the digest of the bytes that did."""

    bundle: Bundle
    digest: str


@dataclass(frozen=True)
class Parcel:
    """A shard and where it waits in the outbox."""

    shard: NewShard
    path: Path


@dataclass(frozen=True)
class Sent:
    """What a send brought in."""

    shards: list[NewShard]
    """Those that are ours; empty when others had brought every bundle in."""
    revision: str | None
    gone: int
    """Bundles that were dropped because they were there already."""


def pack(entry: Entry, batch: Sequence[Admitted], author: Author) -> Parcel:
    """Write a shard to the outbox after proving that its bytes hold exactly what was gated."""
    bundles = [one.bundle for one in batch]
    data = shard_bytes(bundles)
    if {bundle.digest for bundle in read_shard(data)} != {one.digest for one in batch}:
        raise RecordError("the shard does not hold the bundles that were checked; nothing was sent.")
    shard = new_shard(bundles, data, author)
    path = entry.put(data, f"{shard.entry.sha256}.parquet")
    entry.mark("spooled", bundles=list(shard.bundles))
    return Parcel(shard, path)


def send(
    store: Store,
    entry: Entry,
    parcels: list[Parcel],
    author: Author,
    message: str | None,
    *,
    seen: Seen,
    reviews: Sequence[Event] = (),
) -> Sent:
    """Commit on the head that was seen, then on newer ones while others are faster, then look whether it is there."""
    deadline = time.monotonic() + PATIENCE
    dropped = 0
    for attempt in range(10_000):
        head, expect = look(store) if attempt else seen
        parcels, gone = _still_new(parcels, head, entry, author)
        dropped += gone
        if not parcels:
            return Sent([], expect, dropped)
        shards = [one.shard for one in parcels]
        with trying(store, partial(arrived, store, shards), deadline, attempt) as tried:
            files, remove = next_revision(head, shards, author, store, reviews)
            add = Spool(files, {one.shard.path: one.path for one in parcels})
            text = message_of(message, [name for shard in shards for name in shard.bundles])
            tried.revision = store.commit(add, remove, text, expect, author=author.actor)
        if tried.revision is None:
            continue
        revision = tried.revision
        entry.mark("pushed", revision=revision)
        if not arrived(store, shards):
            raise RemoteError(f"{store.spec} took the commit but does not show it. Run publish again.")
        entry.mark("verified", revision=revision)
        return Sent(shards, revision, dropped)
    raise Conflict(f"{store.spec}: others kept committing.")


def look(store: Store) -> Seen:
    """Open the newest revision."""

    def read() -> Seen:
        tree = store.tree()
        return read_sealed(tree), tree.revision

    return steadily(read)


def arrived(store: Store, shards: Sequence[NewShard]) -> bool:
    """Look: does the newest revision hold these shards, byte for byte, or at least every bundle of them?"""

    def read() -> bool:
        head = read_sealed(store.tree())
        if head is None:
            return False
        for shard in shards:
            if shard.path in head.manifest.files:
                try:
                    read_file(head.tree, shard.path, shard.entry, limit=shard.entry.size)
                except Damaged:
                    return False
            elif not head.state.published.issuperset(shard.bundles):
                return False
        return True

    return steadily(read)


def message_of(message: str | None, names: Iterable[str]) -> str:
    """Return the commit message: a subject, and the digest of the set of ids."""
    names = sorted(names)
    subject = message or f"Publish {len(names)} bundle{'s' if len(names) != 1 else ''}"
    return f"{subject}\n\nBundle-Set: {digest(names)}\n"


@dataclass
class Tried:
    """One try at a commit."""

    revision: str | None = None
    """What it made; None when it has to be built anew on a newer head."""


@contextmanager
def trying(store: Store, there: Callable[[], bool], deadline: float, attempt: int) -> Iterator[Tried]:
    """Try to commit. After a lost race wait; after a failure first look whether it is `there` all the same.

    Raise the problem when waiting makes no sense.
    """
    tried = Tried()
    try:
        yield tried
    except Conflict as problem:
        _pause(problem, deadline, attempt)
    except RemoteError as problem:
        if there():
            tried.revision = store.head() or ""
        else:
            _pause(problem, deadline, attempt)


def _pause(problem: RemoteError, deadline: float, attempt: int) -> None:
    """Wait before the next try: sending again is safe, because a commit names the head it builds on.

    Raise the problem when waiting makes no sense: it is no race and no overload, or patience is at its end.
    """
    wait = random.uniform(0.01, min(2.0, 0.05 * 2 ** min(attempt, 10)))
    if isinstance(problem, Busy):
        wait += problem.wait if problem.wait is not None else 0.5
    elif not isinstance(problem, Conflict):
        raise problem
    if time.monotonic() + wait > deadline:
        raise problem
    time.sleep(wait)


def _still_new(parcels: list[Parcel], head: Sealed | None, entry: Entry, author: Author) -> tuple[list[Parcel], int]:
    """Drop what somebody else, or an earlier try of ours, brought in meanwhile."""
    known = head.state.published if head else frozenset()
    kept: list[Parcel] = []
    gone = 0
    for parcel in parcels:
        double = known.intersection(parcel.shard.bundles)
        gone += len(double)
        if not double:
            kept.append(parcel)
        elif rest := [bundle for bundle in read_shard(parcel.path) if bundle.bundle_id not in double]:
            kept.append(pack(entry, [Admitted(bundle, bundle.digest) for bundle in rest], author))
    return kept, gone
