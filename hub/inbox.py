"""The inbox: contributions that wait as pull requests. Read as a stranger's, scanned again, sealed when accepted.

A pull request is never merged as it is: merging would leave a revision that does not verify. What it brings, shards
and the events that announce them, is put on main in one commit with the next manifest; anything else in it is ignored.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from errorhub.hub.admission import Gate, refusal
from errorhub.hub.bundle import Bundle, read_shard
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.bundle.shards import MAX_SHARD_BYTES
from errorhub.hub.durable import writing
from errorhub.hub.errors import Blocked, HubError, RecordError, UsageError
from errorhub.hub.facts import counts_of
from errorhub.hub.log import Publish, Review, parse_event, ulid
from errorhub.hub.manifest import MAX_BYTES, entry_of
from errorhub.hub.outbox import in_flight, sweep
from errorhub.hub.paths import bystander, kind, named_digest, shown
from errorhub.hub.seal import MAX_BUNDLES, Author, NewShard
from errorhub.hub.sealed import flat_rows
from errorhub.hub.sending import Parcel, look, send
from errorhub.hub.stores import Store, Tree
from errorhub.hub.stores.huggingface import HubStore
from errorhub.hub.stores.pulls import Pull


@dataclass(frozen=True)
class Contribution:
    """One pull request, read and checked."""

    pull: Pull
    shards: list[tuple[NewShard, bytes]] = field(default_factory=list)
    """What holds together: shard, bytes."""
    bundles: list[Bundle] = field(default_factory=list)
    """The bundles in them that the hub does not have yet."""
    problems: list[str] = field(default_factory=list)
    """Why it may not be accepted, one sentence each."""
    ignored: list[str] = field(default_factory=list)
    """What else it holds; never taken over."""


@dataclass(frozen=True)
class Accepted:
    """What accepting a contribution did."""

    published: int
    """Bundles that came in."""
    skipped: int
    """Bundles that were there already."""
    revision: str | None
    """The revision that seals them."""


def hub_with_pulls(store: Store) -> HubStore:
    """Return the store when it has pull requests. Raise UsageError for the others."""
    if not isinstance(store, HubStore):
        raise UsageError(f"{store.spec} has no pull requests to look at: only hf: hubs do.")
    return store


def contribution(store: Store, number: int, gate: Gate) -> Contribution:
    """Read pull request `number` and list everything that speaks against accepting it."""
    hub = hub_with_pulls(store)
    head, _ = look(hub)
    tree = hub.tree(pull_revision(number))
    found = Contribution(hub.pulls.get(number))
    known = head.manifest.files if head else {}
    new = [path for path in tree.paths() if path not in known]
    wanted = {path for path in new if kind(path) == "shard"}
    for path in (path for path in new if kind(path) == "event"):
        try:
            shard, data = _announced(tree, path, wanted)
            wanted.discard(shard.path)
            found.shards.append((shard, data))
        except RecordError as problem:
            found.problems.append(f"{shown(path)}: {problem}")
    found.problems.extend(f"{path}: no event announces this shard." for path in sorted(wanted))
    published = head.state.published if head else frozenset()
    tombstones = head.state.tombstones if head else {}
    for _, data in found.shards:
        found.bundles.extend(one for one in read_shard(data) if one.bundle_id not in published)
    found.problems.extend(_objections(found.bundles, gate, tombstones))
    found.ignored.extend(shown(path) for path in new if kind(path) not in ("shard", "event") and not _usual(path))
    return found


def accept(store: Store, number: int, *, outbox: Path, actor: str, gate: Gate, message: str | None = None) -> Accepted:
    """Seal a contribution into main in one commit and close its pull request. Raise Blocked when anything objects.

    Accepting again, also after a kill, finds nothing new in it and only closes what is still open.
    """
    hub = hub_with_pulls(store)
    found = contribution(hub, number, gate)
    if found.problems:
        raise Blocked(
            f"pull request {number} may not come in: {found.problems[0]}",
            hint=f"errorhub inbox {store.spec} show {number}",
        )
    if not found.shards:
        _close(hub, found.pull, "Nothing in it that the hub does not have.")
        return Accepted(0, 0, hub.head())
    author = Author(actor, f"errorhub {version('agent-error-hub')}", datetime.now(UTC))
    total = sum(len(shard.bundles) for shard, _ in found.shards)
    with ExitStack() as flight:
        flight.enter_context(writing("outbox", outbox))
        sweep(outbox, hub.url)
        entry = flight.enter_context(in_flight(outbox, hub.url, author.at))
        parcels = [
            Parcel(shard, entry.put(data, f"{shard.entry.sha256}.parquet")) for shard, data in found.shards
        ]  # fmt: skip
        text = message or f"Accept pull request {number}"
        sent = send(hub, entry, parcels, author, text, seen=look(hub), reviews=_reviews(found, author))
    _close(hub, found.pull, f"Accepted: sealed in {sent.revision}.")
    came = sum(len(shard.bundles) for shard in sent.shards)
    return Accepted(came, total - came, sent.revision)


def reject(store: Store, number: int, reason: str) -> None:
    """Close a pull request with a reason; nothing of it comes in."""
    hub = hub_with_pulls(store)
    hub.pulls.get(number)
    hub.pulls.close(number, f"Not accepted: {reason}")


def pull_revision(number: int) -> str:
    """Return the revision of a pull request's files."""
    return f"refs/pr/{number}"


def _close(hub: HubStore, pull: Pull, comment: str) -> None:
    if pull.status in ("open", "draft"):
        hub.pulls.close(pull.number, comment)


def _announced(tree: Tree, path: str, shards: set[str]) -> tuple[NewShard, bytes]:
    """Return the shard that an event announces, whole and as announced. Raise RecordError."""
    raw = tree.read(path, limit=MAX_BYTES)
    if sha256(raw).hexdigest() != named_digest(path):
        raise RecordError("its bytes are not those its name promises.")
    event = parse_event(raw)
    if not isinstance(event, Publish):
        raise RecordError(f"an event of type {event.type[:40]!r}; only maintainers write those.")
    if event.shard.path not in shards:
        raise RecordError("announces a shard that is not there.")
    data = tree.read(event.shard.path, limit=MAX_SHARD_BYTES)
    if sha256(data).hexdigest() != event.shard.sha256 or named_digest(event.shard.path) != event.shard.sha256:
        raise RecordError("announces a shard with other bytes.")
    try:
        names = tuple(sorted(bundle.bundle_id for bundle in read_shard(data)))
        counts = counts_of(flat_rows(data))
    except (HubError, ValueError, TypeError, KeyError, AttributeError) as problem:
        raise RecordError(f"its shard cannot be read: {type(problem).__name__}.") from None
    if names != event.bundles or len(set(names)) != len(names) or not 0 < len(names) <= MAX_BUNDLES:
        raise RecordError("its shard does not hold the bundles that it names.")
    return NewShard(event.shard.path, entry_of(data, rows=len(names), counts=counts), event), data


def _objections(bundles: list[Bundle], gate: Gate, tombstones: dict[str, str]) -> Iterator[str]:
    """Yield why a bundle may not come in: the rules of every publish, a takedown, or what scanning again finds."""
    for bundle in bundles:
        gone = "taken_down: this hub has withdrawn it" if bundle.bundle_id in tombstones else None
        if reason := gone or refusal(bundle) or gate(bundle, canonical(bundle.document())):
            yield f"bundle {bundle.bundle_id[:12]}: {reason}."


def _reviews(found: Contribution, author: Author) -> list[Review]:
    names = tuple(sorted(bundle.bundle_id for bundle in found.bundles))
    if not names:
        return []
    event = Review(
        format="errorhub.event/1", id=ulid(author.at), type="review", at=author.time, actor=author.actor,
        tool=author.tool, bundles=names, verdict="accept",
    )  # fmt: skip
    return [event]


def _usual(path: str) -> bool:
    """Whether a file is of the revision that the pull request started from."""
    return bystander(path) or kind(path) in ("root", "manifest")
