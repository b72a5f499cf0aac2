"""A mirror: the verified copy of a hub that everything else reads.

mirror/tree/…        verified copies, at the paths they have in the hub
mirror/incoming/     shards that are being checked; nothing reads them
mirror/quarantine/   files that failed, named by what they are, each with a note
mirror/state.json    which manifest the mirror stands at and which one was trusted last; written after all checks
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from errorhub.hub.bundle import Bundle, read_shard
from errorhub.hub.bundle.arrow import FLAT
from errorhub.hub.bundle.shards import read_flat, read_rows
from errorhub.hub.errors import ChainBroken
from errorhub.hub.log import Event, Publish, State, fold, parse_event
from errorhub.hub.manifest import Manifest, parse_manifest


class Trust(BaseModel):
    """The manifest that was trusted last."""

    model_config = ConfigDict(frozen=True)

    sha256: str
    """Of its bytes."""
    chain: tuple[str, ...] = ()
    """SHA-256 of those before it, oldest first."""

    @property
    def sequence(self) -> int:
        """Its number."""
        return len(self.chain) + 1

    def require_descent(self, manifest: Manifest, *, or_before: bool = False) -> None:
        """Raise ChainBroken unless a manifest is this one, descends from it or, if allowed, precedes it."""
        if manifest.sha256 == self.sha256 or (or_before and manifest.sha256 in self.chain):
            return
        told = f"manifest {manifest.sequence}, where {self.sequence} was trusted before. Nothing was changed."
        if manifest.sequence < self.sequence:
            raise ChainBroken(f"the hub went back: it shows {told}")
        if manifest.sequence == self.sequence or manifest.chain[self.sequence - 1] != self.sha256:
            raise ChainBroken(f"the hub was replaced by another: it shows {told}")


class Standing(BaseModel):
    """state.json."""

    model_config = ConfigDict(frozen=True)

    format: str = "errorhub.mirror/1"
    """Version of the record."""
    spec: str
    """The hub, without credentials."""
    revision: str | None
    """The revision it stands at."""
    manifest: str
    """Path of that revision's manifest."""
    trusted: Trust
    """The newest manifest that ever verified."""
    tombstones: dict[str, str] = {}
    """id -> reason class of every withdrawal ever seen."""


class Mirror:
    """A verified copy of a hub, read-only. Withdrawn and yanked bundles do not show."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._standing = _read_standing(folder)
        self._state: State | None = None
        self._events: tuple[Event, ...] = ()

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
    def withdrawn(self) -> dict[str, str]:
        """id -> reason class of every withdrawal that any pull ever saw."""
        return self._standing.tombstones if self._standing else {}

    @property
    def manifest(self) -> Manifest | None:
        """The manifest it stands at."""
        if self._standing is None:
            return None
        return parse_manifest(self._standing.manifest, self._kept(self._standing.manifest))

    @property
    def state(self) -> State:
        """What the hub's events fold into, every withdrawal ever seen included."""
        if self._state is None:
            manifest = self.manifest
            self._events = tuple(parse_event(self._kept(path)) for path in (manifest.of("event") if manifest else ()))
            folded = fold(self._events)
            gone = self.withdrawn | folded.tombstones
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
        announced = {
            event.shard.path for event in self._events if isinstance(event, Publish) and bundle_id in event.bundles
        }
        likely = [self.folder / "tree" / path for path in announced]
        places = sorted(self.shards(), key=lambda path: path not in likely)
        return next((found for path in places for found in read_rows(path, {bundle_id})), None)

    def _kept(self, path: str) -> bytes:
        try:
            return (self.folder / "tree" / path).read_bytes()
        except OSError:
            raise ChainBroken(f"mirror {self.folder}: {path} is missing.", hint=f"errorhub pull {self.spec}") from None

    def _once(self, read: Callable[[Path], Iterator[Any]], name: Callable[[Any], str]) -> Iterator[Any]:
        left = set(self.state.visible)
        for path in self.shards():
            for one in read(path):
                if name(one) in left:
                    left.remove(name(one))
                    yield one


def _read_standing(folder: Path) -> Standing | None:
    try:
        return Standing.model_validate_json((folder / "state.json").read_bytes())
    except FileNotFoundError:
        return None
    except ValueError:
        raise ChainBroken(f"mirror {folder}: its state is not readable. Delete the folder and pull again.") from None
