"""A store: a tree of files with atomic commits. Everything about hubs is written once, above this protocol."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from errorhub.hub.errors import RecordError, RemoteError, UsageError

STORES = {
    "local": "errorhub.hub.stores.local:LocalStore",
    "git": "errorhub.hub.stores.git:GitStore",
    "hf": "errorhub.hub.stores.huggingface:HubStore",
}
"""Kind of SPEC -> class, imported on use. Called as `Class(place, create=, cache=, revision=)`."""

MAX_READ = 1 << 30
"""Largest file that is ever read whole."""

_PART = re.compile(r"[A-Za-z0-9._-]+", re.ASCII)
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")
_TOKEN = re.compile(r"\b(?:hf_|gh[a-z]_|github_pat_|glpat-)[A-Za-z0-9_-]{8,}")


class Busy(RemoteError):
    """The remote is overloaded or hung up: what it did is not known. `wait` is what it asks for, in seconds."""

    code = "busy"

    def __init__(self, message: str, *, hint: str | None = None, wait: float | None = None) -> None:
        super().__init__(message, hint=hint)
        self.wait = wait


class Tree(Protocol):
    """One revision of a store; reading it never sees another."""

    revision: str | None
    """Its name; None for the empty tree."""

    def paths(self, prefix: str = "") -> list[str]:
        """Return the sorted paths of the plain files whose path starts with `prefix`."""

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """Return a file's bytes. Raise NotFound, or RecordError when it is larger than `limit`."""

    def holds(self, path: str, data: bytes) -> bool:
        """Whether a file is known to have exactly these bytes without being read."""

    def strange(self) -> list[str]:
        """Return the paths of what is no plain file: links, submodules, names that are not UTF-8."""


class Store(Protocol):
    """A place that holds revisions of a tree, and replaces its head in one step."""

    spec: str
    """The place as a person types it, without credentials."""
    url: str
    """The place for a browser or another tool, without credentials."""
    load: str
    """The line of Python that loads the hub."""
    location: str | None
    """OWNER/NAME when the hub has a name that `load_dataset` knows everywhere."""
    extras: Mapping[str, bytes]
    """Files that a new hub in this kind of store wants."""

    def head(self) -> str | None:
        """Return the newest revision, None when there is none yet."""

    def tree(self, revision: str | None = None) -> Tree:
        """Return one revision, the one asked for on opening or the head by default. Raise NotFound."""

    def commit(
        self, add: Mapping[str, bytes], remove: Iterable[str], message: str, expect: str | None, *, author: str = ...
    ) -> str:
        """Replace the head `expect` by one with these changes, all or nothing, and return the new revision.

        Raise Conflict when the head is not `expect` (None: the store must be empty), RemoteError for the rest.
        """


def open_store(spec: str, *, create: bool = False, cache: Path | None = None, revision: str | None = None) -> Store:
    """Open `local:DIR`, `git:URL[#BRANCH]` or `hf:OWNER/NAME[@REVISION]`. Nothing is written before the first commit.

    `create` allows a folder or dataset that does not exist yet; `cache` is where remote data may be kept.
    """
    name, colon, place = spec.partition(":")
    if not colon or not place or name not in STORES:
        choices = ", ".join(f"{one}:…" for one in STORES)
        raise UsageError(f"not a hub: {mask(spec)}. A hub is one of {choices}.")
    module, _, attribute = STORES[name].partition(":")
    return cast(Store, getattr(import_module(module), attribute)(place, create=create, cache=cache, revision=revision))


def mask(text: str) -> str:
    """Return text without credentials: what stands before the @ of a URL, and known tokens."""
    return _TOKEN.sub("***", _USERINFO.sub("***@", text))


def require_safe(paths: Iterable[str]) -> None:
    """Raise RemoteError for a path that could leave the tree or mean something to a store."""
    for path in paths:
        parts = path.split("/")
        plain = all(_PART.fullmatch(part) and part not in (".", "..") for part in parts)
        if not plain or parts[0] in (".git", ".hub") or len(path) > 400:
            raise RemoteError(f"path {path[:120]!r} is not allowed in a store.")


def require_size(path: str, size: int, limit: int) -> None:
    """Raise RecordError when a file is too large to read."""
    if size > limit:
        raise RecordError(f"{path}: {size} bytes, at most {limit} are read.")
