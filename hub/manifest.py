"""The manifest: the seal of one revision. It lists every live file, so a revision verifies itself.

A tree holds exactly one manifest; the SHA-256 of every earlier one is in its `chain`, oldest first, so who trusted
any of them recognises a descendant, and a rollback or a fork, from this one file.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.errors import ChainBroken, SchemaFromFuture
from errorhub.hub.log import Actor, Sha, Time
from errorhub.hub.paths import kind, manifest_path, named_digest
from errorhub.hub.stores import Tree

MAX_BYTES = 64 * 2**20
"""Largest manifest, event or card that is read."""

Counts = dict[str, dict[str, int]]
"""Column -> label -> bundles, with `total` for plain sums."""


class _Sealed(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Entry(_Sealed):
    """One live file."""

    sha256: Sha
    """Of its bytes."""
    size: int = Field(ge=0)
    """Of its bytes."""
    rows: int | None = Field(None, ge=0)
    """Bundles in a shard."""
    counts: Counts = {}
    """What is in a shard, for the card: whitelisted labels only."""


class Manifest(_Sealed):
    """Every live file of one revision and the digest of the state its events fold into."""

    format: Literal["errorhub.manifest/1"]
    """Version of the record."""
    chain: tuple[Sha, ...]
    """SHA-256 of every earlier manifest, oldest first."""
    created_at: Time
    """When it was sealed."""
    actor: Actor
    """Who sealed it: a pseudonym."""
    tool: str
    """The program and version that wrote it."""
    files: dict[str, Entry]
    """Path -> file, the manifest itself left out."""
    state: Sha
    """`State.digest` after all events in `files`."""

    @property
    def sequence(self) -> int:
        """1 for the first."""
        return len(self.chain) + 1

    @property
    def data(self) -> bytes:
        """Its canonical bytes."""
        return canonical(self.model_dump(mode="json", exclude_defaults=True))

    @property
    def sha256(self) -> str:
        """Digest of its bytes: what trust is bound to."""
        return sha256(self.data).hexdigest()

    @property
    def path(self) -> str:
        """Where it lies."""
        return manifest_path(self.sequence, self.data)

    def of(self, what: str) -> dict[str, Entry]:
        """Return the files of one kind, sorted by path."""
        return {path: entry for path, entry in sorted(self.files.items()) if kind(path) == what}


def entry_of(data: bytes, *, rows: int | None = None, counts: Counts | None = None) -> Entry:
    """Return the entry of a file with these bytes."""
    return Entry(sha256=sha256(data).hexdigest(), size=len(data), rows=rows, counts=counts or {})


def read_manifest(tree: Tree) -> Manifest | None:
    """Return the one manifest of a tree, None for a tree with no hub in it. Raise ChainBroken for anything else."""
    names = tree.paths("manifests/")
    if not names and not any(kind(path) in ("shard", "event") or path == "hub.json" for path in tree.paths()):
        return None
    if len(names) != 1 or kind(names[0]) != "manifest":
        raise ChainBroken(f"{len(names)} manifests in the hub: exactly one seals a revision.")
    return parse_manifest(names[0], tree.read(names[0], limit=MAX_BYTES))


def parse_manifest(path: str, data: bytes) -> Manifest:
    """Read a manifest and check it against its own name and the grammar of paths."""
    if sha256(data).hexdigest() != named_digest(path):
        raise ChainBroken(f"manifest {path}: its bytes are not those its name promises.")
    try:
        document: Any = json.loads(data)
        _refuse_newer(document)
        manifest = Manifest.model_validate(document)
    except ValidationError as problem:
        detail = problem.errors(include_input=False)[0]["msg"]
        raise ChainBroken(f"manifest {path}: {detail}.") from None
    except (ValueError, RecursionError):
        raise ChainBroken(f"manifest {path}: not JSON.") from None
    if manifest.path != path:
        raise ChainBroken(f"manifest {path}: not in canonical form, or its number does not fit its chain.")
    for name, entry in manifest.files.items():
        if kind(name) in (None, "manifest") or named_digest(name) not in (None, entry.sha256):
            raise ChainBroken(f"manifest {path}: lists the path {name[:120]!r}, which no hub has.")
    return manifest


def _refuse_newer(document: Any) -> None:
    text = str(document.get("format", "")) if isinstance(document, dict) else ""
    prefix, _, number = text.rpartition("/")
    if prefix == "errorhub.manifest" and number.isdecimal() and int(number) > 1:
        raise SchemaFromFuture(f"hub of version {number}: this errorhub reads up to 1. Upgrade errorhub.")
