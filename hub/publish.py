"""Publish: admitted bundles become one commit that seals them, is read back, and is never sent twice."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import TypeVar

from errorhub.hub.admission import refusal
from errorhub.hub.bundle import Bundle, read_shard
from errorhub.hub.bundle.canonical import canonical, digest
from errorhub.hub.bundle.shards import shard_bytes
from errorhub.hub.durable import writing
from errorhub.hub.errors import Conflict, RecordError, RemoteError, UsageError
from errorhub.hub.log import State
from errorhub.hub.manifest import entry_of
from errorhub.hub.outbox import Entry, Spool, in_flight, sweep
from errorhub.hub.seal import MAX_BUNDLES, Author, NewShard, new_shard, next_revision
from errorhub.hub.sealed import Damaged, Sealed, read_file, read_sealed, steadily
from errorhub.hub.stores import Store

T = TypeVar("T")

PATIENCE = 60.0
"""Seconds of rebuilding on other people's commits before giving up."""

Gate = Callable[[Bundle, bytes], str | None]
"""Bundle and its exact canonical bytes -> why it may not leave, or None."""


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


@dataclass(frozen=True)
class _Admitted:
    """A bundle that passed every rule and the gate, and the digest of the bytes that did."""

    bundle: Bundle
    digest: str


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
    clock: Callable[[], datetime] = _now,
    progress: Callable[[int], None] | None = None,
) -> Published:
    """Bring bundles into a hub in one commit, each at most once.

    A bundle that a rule or the gate refuses is left out and listed. Raise Conflict when others kept committing for 60
    seconds, RemoteError when the store fails; both leave the outbox as it is, and running again settles it.
    """
    if not re.fullmatch(r"[a-z0-9-]{1,32}", actor):
        raise UsageError(f"not a pseudonym: {actor[:40]!r}. Use 1 to 32 of a-z, 0-9 and -.")
    author = Author(actor, f"errorhub {version('agent-error-hub')}", clock())
    head, revision = _look(store)
    tally = _Tally()
    admitted = _admit(bundles, head.state if head else State(), gate, tally, progress or (lambda _: None))
    if dry_run:
        batches = ([one.bundle for one in batch] for batch in _batches(admitted))
        shards = [new_shard(batch, shard_bytes(batch), author) for batch in batches]
        return _result(store, tally, shards, revision, _plan(head, shards, author, store))
    with ExitStack() as flight:
        flight.enter_context(writing("outbox", outbox))
        sweep(outbox, store.url)
        spooled: list[tuple[NewShard, Path]] = []
        for batch in _batches(admitted):
            if not spooled:
                entry = flight.enter_context(in_flight(outbox, store.url, author.at))
            spooled.append(_spool(entry, batch, author))
        if not spooled:
            return _result(store, tally, [], revision)
        return _send(store, entry, spooled, author, message, tally)


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
    head = _look(store)[0] if store else None
    known = head.state.published if head else frozenset()
    fresh = {bundle.bundle_id: bundle for bundle in bundles if bundle.bundle_id not in known}
    shards = [new_shard(batch, b"", author) for batch in _batches(fresh.values())]
    files, _ = next_revision(head, shards, author, store.extras if store else {})
    return files | {"commit message": _message(message, fresh).encode()}


def _admit(
    bundles: Iterable[Bundle], state: State, gate: Gate, tally: _Tally, progress: Callable[[int], None]
) -> Iterator[_Admitted]:
    """Yield the bundles that may go and are new, and note where the others went."""
    for bundle in bundles:
        name = bundle.bundle_id
        progress(1)
        if name in tally.seen or (name in state.published and name not in state.tombstones):
            tally.skipped += 1
            continue
        tally.seen.add(name)
        reason = "taken_down: this hub has withdrawn it" if name in state.tombstones else refusal(bundle)
        data = canonical(bundle.document())
        reason = reason or gate(bundle, data)
        if reason:
            tally.refused.append(Refusal(name, reason))
        else:
            yield _Admitted(bundle, sha256(data).hexdigest())


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    """Yield lists of at most a shard's worth."""
    source = iter(items)
    while batch := list(islice(source, MAX_BUNDLES)):
        yield batch


def _spool(entry: Entry, batch: Sequence[_Admitted], author: Author) -> tuple[NewShard, Path]:
    """Write a shard to the outbox after proving that its bytes hold exactly what was gated."""
    bundles = [one.bundle for one in batch]
    data = shard_bytes(bundles)
    if {bundle.digest for bundle in read_shard(data)} != {one.digest for one in batch}:
        raise RecordError("the shard does not hold the bundles that were checked; nothing was sent.")
    shard = new_shard(bundles, data, author)
    path = entry.put(data, f"{shard.entry.sha256}.parquet")
    entry.mark("spooled", bundles=list(shard.bundles))
    return shard, path


def _send(
    store: Store,
    entry: Entry,
    spooled: list[tuple[NewShard, Path]],
    author: Author,
    message: str | None,
    tally: _Tally,
) -> Published:
    """Commit on the newest head, again and again while others are faster, then look whether it is there."""
    deadline = time.monotonic() + PATIENCE
    for attempt in range(10_000):
        head, expect = _look(store)
        spooled, gone = _still_new(spooled, head, entry, author)
        tally.skipped += gone
        if not spooled:
            return _result(store, tally, [], expect)
        shards = [shard for shard, _ in spooled]
        try:
            files, remove = next_revision(head, shards, author, store.extras)
            add = Spool(files, {shard.path: path for shard, path in spooled})
            text = _message(message, [name for shard in shards for name in shard.bundles])
            revision = store.commit(add, remove, text, expect, author=author.actor)
        except Conflict:
            if time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.01, min(2.0, 0.05 * 2 ** min(attempt, 10))))
            continue
        except RemoteError:
            if not _arrived(store, shards):
                raise
            revision = store.head() or ""
        entry.mark("pushed", revision=revision)
        if not _arrived(store, shards):
            raise RemoteError(f"{store.spec} took the commit but does not show it. Run publish again.")
        entry.mark("verified", revision=revision)
        return _result(store, tally, shards, revision)
    raise Conflict(f"{store.spec}: others kept committing.")


def _look(store: Store) -> tuple[Sealed | None, str | None]:
    """Open the newest revision and return it with its name: what a commit on top of it must expect."""

    def look() -> tuple[Sealed | None, str | None]:
        tree = store.tree()
        return read_sealed(tree), tree.revision

    return steadily(look)


def _still_new(
    spooled: list[tuple[NewShard, Path]], head: Sealed | None, entry: Entry, author: Author
) -> tuple[list[tuple[NewShard, Path]], int]:
    """Drop what somebody else, or an earlier try of ours, brought in meanwhile."""
    known = head.state.published if head else frozenset()
    kept: list[tuple[NewShard, Path]] = []
    gone = 0
    for shard, path in spooled:
        double = known.intersection(shard.bundles)
        gone += len(double)
        if not double:
            kept.append((shard, path))
        elif rest := [bundle for bundle in read_shard(path) if bundle.bundle_id not in double]:
            kept.append(_spool(entry, [_Admitted(bundle, bundle.digest) for bundle in rest], author))
    return kept, gone


def _arrived(store: Store, shards: Sequence[NewShard]) -> bool:
    """Look: does the newest revision hold these shards, byte for byte, or at least every bundle of them?"""

    def look() -> bool:
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

    return steadily(look)


def default_message(bundles: Iterable[Bundle], message: str | None = None) -> str:
    """Return the commit message of a publish: a subject, and the digest of the set of ids."""
    return _message(message, [bundle.bundle_id for bundle in bundles])


def _message(message: str | None, names: Iterable[str]) -> str:
    names = sorted(names)
    subject = message or f"Publish {len(names)} bundle{'s' if len(names) != 1 else ''}"
    return f"{subject}\n\nBundle-Set: {digest(names)}\n"


def _plan(head: Sealed | None, shards: Sequence[NewShard], author: Author, store: Store) -> tuple[str, ...]:
    if not shards:
        return ()
    files, _ = next_revision(head, shards, author, store.extras)
    entries = {path: entry_of(data) for path, data in files.items()} | {one.path: one.entry for one in shards}
    return tuple(f"add {path} ({entry.size} bytes)" for path, entry in sorted(entries.items()))


def _result(
    store: Store, tally: _Tally, shards: Sequence[NewShard], revision: str | None, plan: tuple[str, ...] = ()
) -> Published:
    count = sum(len(shard.bundles) for shard in shards)
    return Published(count, tally.skipped, tally.refused, len(shards), revision, store.url, store.load, plan)
