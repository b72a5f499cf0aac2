"""The hub's log: write-once events, and the state they fold into.

State never depends on the order in which events are read: publishing and taking down are set unions, a takedown wins
over everything, and yanks and reviews are settled by the latest (`at`, `id`). A mistake is a new event.
"""

from __future__ import annotations

import json
import secrets
import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, TypeAdapter, ValidationError

from errorhub.hub.bundle.canonical import canonical, digest
from errorhub.hub.errors import RecordError, SchemaFromFuture

FORMAT = "errorhub.event/1"

Sha = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}\z")]
Actor = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,32}\z")]
Ulid = Annotated[str, StringConstraints(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}\z")]
Time = Annotated[str, StringConstraints(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z\z")]

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class UnknownEvent(UserWarning):
    """An event of a type this version does not know was kept and ignored."""


class Event(BaseModel):
    """One thing that happened to a hub. Unknown fields are ignored: a newer version may say more."""

    model_config = ConfigDict(frozen=True, extra="ignore", serialize_by_alias=True, validate_by_name=True)

    format: Literal["errorhub.event/1"]
    """Version of the record."""
    id: Ulid
    """Sorts by time."""
    type: str
    """What happened."""
    at: Time
    """UTC, microseconds."""
    actor: Actor
    """A pseudonym."""
    tool: str
    """The program and version that wrote it."""


class Shard(BaseModel):
    """A file of bundles."""

    model_config = ConfigDict(frozen=True, extra="ignore", serialize_by_alias=True, validate_by_name=True)

    path: str
    """Where it lies in the hub."""
    sha256: Sha
    """Of its bytes."""
    size: int
    """Of its bytes."""
    schema_: int = Field(alias="schema")
    """Version of its Arrow schema."""
    rows: int
    """Number of bundles."""


class Publish(Event):
    """Bundles came in."""

    type: Literal["publish"]
    shard: Shard
    """Where they came in; a later compaction may move them."""
    bundles: tuple[Sha, ...]
    """Their ids, sorted."""
    set_digest: Sha
    """Digest of the sorted ids."""
    policies: dict[str, int] = {}
    """Digest of the scrub policy -> bundles."""
    licenses: dict[str, int] = {}
    """SPDX expression -> bundles."""


class Review(Event):
    """A maintainer judged bundles."""

    type: Literal["review"]
    bundles: tuple[Sha, ...]
    """Whom it concerns."""
    verdict: Literal["accept", "reject", "needs-work"]
    """The judgement."""
    reason: str | None = None
    """A class, never text."""


class Yank(Event):
    """Bundles are hidden, or shown again; their data stays."""

    type: Literal["yank", "unyank"]
    bundles: tuple[Sha, ...]
    """Whom it concerns."""
    reason: str = "other"
    """bad_label, superseded, duplicate or other."""
    superseded_by: Sha | None = None
    """What to use instead."""


class Takedown(Event):
    """Bundles are withdrawn for good."""

    type: Literal["takedown"]
    bundles: tuple[Sha, ...]
    """Whom it concerns."""
    reason: str = "other"
    """privacy, secret, rights, illegal or other."""


class TaxonomyFile(BaseModel):
    """A file of accepted modes."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str
    """Where it lies in the hub."""
    sha256: Sha
    """Of its bytes."""
    size: int
    """Of its bytes."""


class TaxonomyChange(Event):
    """Maintainers decided about failure modes; the decisions are in the file, which a later one replaces."""

    type: Literal["taxonomy"]
    file: TaxonomyFile
    """The whole taxonomy after it."""
    decisions: tuple[Sha, ...]
    """Ids of the decisions that came in."""
    modes: int = 0
    """Accepted modes after it."""


Known = Publish | Review | Yank | Takedown | TaxonomyChange
_KNOWN: TypeAdapter[Known] = TypeAdapter(Annotated[Known, Field(discriminator="type")])
_TYPES = ("publish", "review", "yank", "unyank", "takedown", "taxonomy")


@dataclass(frozen=True)
class State:
    """What a hub holds, after all its events."""

    published: frozenset[str] = frozenset()
    """Every id that ever came in, also those taken down."""
    yanked: dict[str, str] = field(default_factory=dict)
    """id -> reason class."""
    tombstones: dict[str, str] = field(default_factory=dict)
    """id -> reason class."""
    reviews: dict[str, str] = field(default_factory=dict)
    """id -> latest verdict."""

    @property
    def live(self) -> frozenset[str]:
        """Ids that are published and not taken down; yanked ones included."""
        return self.published - self.tombstones.keys()

    @property
    def visible(self) -> frozenset[str]:
        """Ids that new views and searches may use."""
        return self.live - self.yanked.keys()

    @property
    def digest(self) -> str:
        """Digest of the state, the same for the same events in any order."""
        return digest([sorted(self.live), self.yanked, self.tombstones, self.reviews])


def fold(events: Iterable[Event]) -> State:
    """Return the state after events in (`at`, `id`) order. Unknown types are ignored with a warning."""
    published: set[str] = set()
    yanked: dict[str, str | None] = {}
    tombstones: dict[str, str] = {}
    reviews: dict[str, str] = {}
    for event in _in_order(events):
        match event:
            case Publish():
                published.update(event.bundles)
            case Takedown():
                tombstones.update(dict.fromkeys(event.bundles, event.reason))
            case Yank():
                yanked.update(dict.fromkeys(event.bundles, event.reason if event.type == "yank" else None))
            case Review():
                reviews.update(dict.fromkeys(event.bundles, event.verdict))
            case TaxonomyChange():
                pass
            case _:
                message = f"event {event.id}: type {event.type[:40]!r} is not known and was ignored. Upgrade errorhub."
                warnings.warn(message, UnknownEvent, stacklevel=2)
    hidden = {name: why for name, why in yanked.items() if why is not None and name not in tombstones}
    judged = {name: verdict for name, verdict in reviews.items() if name not in tombstones}
    return State(frozenset(published), hidden, tombstones, judged)


def _in_order(events: Iterable[Event]) -> list[Event]:
    """Sort by (`at`, `id`); the bytes, which are costly to make, only decide between events that share both."""
    ordered = sorted(events, key=lambda one: (one.at, one.id))
    names = {(one.at, one.id) for one in ordered}
    if len(names) < len(ordered):
        ordered.sort(key=lambda one: (one.at, one.id, event_bytes(one)))
    return ordered


def event_bytes(event: Event) -> bytes:
    """Return the canonical bytes of an event, as stored."""
    return canonical(event.model_dump(mode="json", exclude_none=True))


def parse_event(data: bytes) -> Event:
    """Read an event. One of an unknown type becomes a plain Event. Raise RecordError when it is none."""
    try:
        document: Any = json.loads(data)
        if not isinstance(document, dict):
            raise RecordError("not an event: no JSON object.")
        prefix, _, number = str(document.get("format", "")).rpartition("/")
        if prefix == "errorhub.event" and number.isdecimal() and int(number) > 1:
            raise SchemaFromFuture(f"event of version {number}: this errorhub reads up to 1. Upgrade errorhub.")
        return _KNOWN.validate_python(document) if document.get("type") in _TYPES else Event.model_validate(document)
    except (ValueError, RecursionError) as problem:
        detail = problem.errors(include_input=False)[0]["msg"] if isinstance(problem, ValidationError) else "bad JSON"
        raise RecordError(f"not an event: {detail}.") from None


def ulid(at: datetime) -> str:
    """Return a fresh ULID: 48 bits of milliseconds, 80 bits of chance, Crockford base 32."""
    number = int(at.timestamp() * 1000) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def stamp(at: datetime) -> str:
    """Return a time as events write it; text order is time order."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
