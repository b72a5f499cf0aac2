"""What a Hugging Face Hub holds, in memory: repositories, commits, refs, pull requests, stored objects."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha1, sha256
from pathlib import Path
from typing import Any

ATTRIBUTES = b"*.parquet filter=lfs diff=lfs merge=lfs -text\n*.safetensors filter=lfs diff=lfs merge=lfs -text\n*.zst filter=lfs diff=lfs merge=lfs -text\n"
_COUNT = itertools.count(1)


def now() -> str:
    """Return the time as the Hub writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{datetime.now(UTC).microsecond // 1000:03}Z"


@dataclass(frozen=True)
class Lfs:
    """A stored object that a pointer stands for."""

    oid: str
    size: int


@dataclass(frozen=True)
class Blob:
    """A file in Git: its bytes, or the pointer to a stored object."""

    data: bytes
    lfs: Lfs | None = None

    @classmethod
    def pointer(cls, oid: str, size: int) -> Blob:
        """Return the three-line pointer to a stored object."""
        text = f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n"
        return cls(text.encode(), Lfs(oid, size))

    @property
    def oid(self) -> str:
        """Its id in Git."""
        return sha1(b"blob %d\0" % len(self.data) + self.data).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of the file itself."""
        return self.lfs.size if self.lfs else len(self.data)

    @property
    def content_id(self) -> str:
        """What the preupload reply calls its oid."""
        return self.lfs.oid if self.lfs else self.oid


@dataclass(frozen=True)
class Commit:
    """One revision."""

    oid: str
    parent: str | None
    tree: dict[str, Blob]
    title: str
    message: str
    author: str
    date: str


@dataclass
class Discussion:
    """A pull request."""

    num: int
    title: str
    author: str
    status: str
    created: str
    base: str
    events: list[dict[str, Any]] = field(default_factory=list)
    merge_commit: str | None = None

    @property
    def ref(self) -> str:
        """Where its commits are."""
        return f"refs/pr/{self.num}"

    def add(self, type: str, author: str, **data: Any) -> dict[str, Any]:
        """Add an event and return it."""
        event = {
            "id": f"{next(_COUNT):024x}",
            "type": type,
            "createdAt": now(),
            "author": {"name": author},
            "data": data,
        }
        self.events.append(event)
        return event


@dataclass
class Repo:
    """A dataset or model repository."""

    id: str
    owner: str
    private: bool = False
    gated: str | bool = False
    commits: dict[str, Commit] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)
    discussions: dict[int, Discussion] = field(default_factory=dict)
    access: dict[str, str] = field(default_factory=dict)
    """User -> pending, accepted or rejected."""

    def commit(
        self, ref: str, tree: dict[str, Blob], title: str, author: str, message: str = "", parent: str | None = None
    ) -> Commit:
        """Put a revision on a ref."""
        oid = sha1(f"{self.id} {next(_COUNT)} {parent} {title}".encode()).hexdigest()
        made = Commit(oid, parent, tree, title, message, author, now())
        self.commits[oid] = made
        self.refs[ref] = oid
        return made

    def find(self, revision: str) -> Commit | None:
        """Return the commit that a branch, tag, full ref, commit id or a prefix of one names."""
        for ref in (revision, f"refs/heads/{revision}", f"refs/tags/{revision}", f"refs/convert/{revision}"):
            if ref in self.refs:
                return self.commits[self.refs[ref]]
        found = [oid for oid in self.commits if len(revision) >= 7 and oid.startswith(revision)]
        return self.commits[found[0]] if len(found) == 1 else None

    @property
    def head(self) -> Commit:
        """The newest commit of main."""
        return self.commits[self.refs["refs/heads/main"]]

    def open_discussion(self, title: str, author: str, status: str, base: str) -> Discussion:
        """Number a pull request."""
        one = Discussion(len(self.discussions) + 1, title, author, status, now(), base)
        self.discussions[one.num] = one
        return one

    def may_read(self, user: str | None) -> bool:
        """Whether the repository shows itself to a user."""
        return not self.private or user == self.owner or self.access.get(user or "") == "accepted"

    def may_download(self, user: str | None) -> bool:
        """Whether files may be fetched."""
        return not self.gated or user == self.owner or self.access.get(user or "") == "accepted"


def model(name: str) -> str:
    """Return the key of a model repository: datasets and models have their names apart."""
    return f"models/{name}"


@dataclass
class World:
    """Everything a server holds."""

    users: dict[str, str]
    """Token -> name."""
    repos: dict[str, Repo] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    parts: dict[str, dict[int, tuple[str, bytes]]] = field(default_factory=dict)
    """Object -> the parts of it that have come, with their ETags."""
    part_size: int | None = None
    """Objects larger than this come in parts; None: every object comes whole."""
    xet: Path | None = None
    """Folder that plays the xet storage; None: there is none."""

    def create(self, name: str, owner: str, *, private: bool, key: str | None = None) -> Repo:
        """Make a repository with the one commit that every new one has."""
        repo = Repo(name, owner, private)
        repo.commit("refs/heads/main", {".gitattributes": Blob(ATTRIBUTES)}, "initial commit", owner)
        self.repos[key or name] = repo
        return repo

    def store(self, data: bytes) -> str:
        """Keep an object and return its name."""
        oid = sha256(data).hexdigest()
        self.objects[oid] = data
        return oid

    def bytes_of(self, blob: Blob) -> bytes:
        """Return the content of a file."""
        return self.objects.get(blob.lfs.oid, b"") if blob.lfs else blob.data
