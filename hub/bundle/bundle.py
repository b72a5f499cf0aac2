"""The bundle: one failed run, what was found about it, what was tried."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Any, Literal

from pydantic import Field, ValidationError

from errorhub.hub.bundle.canonical import Text, canonical, settled_bytes
from errorhub.hub.bundle.diagnosis import Diagnosis, Grounding, Repair
from errorhub.hub.bundle.trajectory import Record, Trajectory
from errorhub.hub.bundle.upgrades import SCHEMA, upgrade
from errorhub.hub.errors import RecordError
from errorhub.scrubber import Receipt


class Rights(Record):
    """Who allows what."""

    license: Text | None = None
    """SPDX expression. Without a valid one nothing is published."""
    consent: Text | None = None
    """How the people in the run agreed, when they had to."""
    contributor: Text | None = None
    """A pseudonym."""
    organisation: Text | None = None
    """Only when its owner wants it named."""
    note: Text | None = None
    """Terms in words."""


class Provenance(Record):
    """How the bundle came to be. Not part of its identity."""

    tool: Text = "errorhub"
    """The program that made it."""
    version: Text = ""
    """Its version."""
    imported_at: Text | None = None
    """ISO 8601 time."""
    origin_key: Text | None = None
    """Keyed HMAC of the run as imported: its owner recognises it, nobody else learns anything."""
    file: Text | None = None
    """Name of the log, without its folder."""


class Bundle(Record):
    """One failed trajectory, its diagnoses and its repairs. Named by the hash of its content."""

    schema_: Literal["errorhub.bundle/1"] = Field(default=SCHEMA, alias="schema")
    """Version of the record."""
    trajectory: Trajectory
    """What happened."""
    diagnoses: tuple[Diagnosis, ...] = ()
    """What was found, by whom."""
    repairs: tuple[Repair, ...] = ()
    """What was tried."""
    groundings: tuple[Grounding, ...] = ()
    """Which diagnoses hold up."""
    rights: Rights = Rights()
    """Who allows what."""
    provenance: Provenance = Provenance()
    """How it came to be."""
    receipt: Receipt | None = None
    """None means unscrubbed."""

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Bundle:
        """Read a plain JSON object of any known version. Raise RecordError when it is not a bundle."""
        try:
            return cls.model_validate(upgrade(document))
        except ValidationError as problem:
            first = problem.errors(include_input=False, include_url=False)[0]
            place = ".".join(str(part) for part in first["loc"])
            raise RecordError(f"not a valid bundle: {place}: {first['msg']}.") from None

    def document(self) -> dict[str, Any]:
        """Return the bundle as one plain JSON object; `from_document` reads it back."""
        return self.model_dump(mode="json")

    @property
    def trajectory_id(self) -> str:
        """Digest of what happened: the same run from two sources has the same one."""
        return self.trajectory.trajectory_id

    @property
    def bundle_id(self) -> str:
        """Digest of everything but receipt and provenance."""
        return self._digests[0]

    def certified_document(self) -> dict[str, Any]:
        """Return the bundle without its receipt: what is scrubbed, re-read and certified."""
        document = self.document()
        del document["receipt"]
        return document

    @property
    def certified_digest(self) -> str:
        """Digest of `certified_document`."""
        return self._digests[1]

    @property
    def digest(self) -> str:
        """Digest of every byte, receipt and provenance included: what a review verdict is bound to."""
        return self._digests[2]

    @cached_property
    def _digests(self) -> tuple[str, str, str]:
        """Encode each part once and digest the canonical bytes of the whole, with fewer and fewer parts left out."""
        parts = {name: canonical(name) + b":" + settled_bytes(part) for name, part in self.document().items()}
        left_out = (("receipt", "provenance"), ("receipt",), ())
        a, b, c = (sha256(b"{" + b",".join(parts[n] for n in sorted(parts) if n not in out) + b"}") for out in left_out)
        return a.hexdigest(), b.hexdigest(), c.hexdigest()

    @cached_property
    def diagnosis_ids(self) -> tuple[str, ...]:
        """The ids of `diagnoses`, in their order."""
        return tuple(found.id_in(self.trajectory_id) for found in self.diagnoses)

    @property
    def grades(self) -> tuple[str | None, ...]:
        """The grade of each diagnosis, None where nobody checked; a judge's opinion never outranks structure."""
        by_rank = sorted(self.groundings, key=lambda one: one.by == "structure")
        known = {grounding.diagnosis_id: grounding.grade for grounding in by_rank}
        return tuple(known.get(name) for name in self.diagnosis_ids)

    @property
    def resolved(self) -> bool:
        """True when some repair's corrected attempt passed."""
        return any(repair.resolved for repair in self.repairs)
