"""`git:URL[#BRANCH]`: a branch of any Git remote, read and written without a checkout."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from weakref import finalize

from errorhub.hub.errors import Conflict, NotFound
from errorhub.hub.stores.plumbing import Cache, Remote, require_branch
from errorhub.hub.stores.store import MAX_READ, require_safe, require_size

_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PLAIN = ("100644", "100755")


class GitTree:
    """The files of one commit."""

    def __init__(self, cache: Cache, revision: str | None) -> None:
        self.revision = revision
        self._cache = cache
        self._blobs: dict[str, tuple[str, int]] = {}
        self._strange: list[str] = []
        if revision is not None:
            self._list(cache.run("ls-tree", "-r", "-z", "-l", "--full-tree", "--end-of-options", revision))

    def paths(self, prefix: str = "") -> list[str]:
        """Return the sorted paths of the plain files whose path starts with `prefix`."""
        return sorted(path for path in self._blobs if path.startswith(prefix))

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """Return a file's bytes, as committed: no filter or line ending touches them."""
        if path not in self._blobs:
            raise NotFound(f"no such file in the hub: {path}.")
        name, size = self._blobs[path]
        require_size(path, size, limit)
        return self._cache.blob(name)

    def holds(self, path: str, data: bytes) -> bool:
        """Return False: reading a blob costs as little as hashing one."""
        return False

    def strange(self) -> list[str]:
        """Return the paths of links, submodules and names that are not UTF-8."""
        return sorted(self._strange)

    def _list(self, listing: bytes) -> None:
        for line in listing.split(b"\0")[:-1]:
            facts, _, raw = line.partition(b"\t")
            mode, _, name, size = facts.decode().split()
            try:
                path = raw.decode()
            except UnicodeDecodeError:
                self._strange.append(raw.decode(errors="backslashreplace"))
                continue
            if mode in _PLAIN:
                self._blobs[path] = (name, int(size))
            else:
                self._strange.append(path)


class GitStore:
    """A hub on a branch of a Git remote."""

    location: str | None = None
    extras: Mapping[str, bytes] = {".gitattributes": b"*.parquet -delta -text\n"}

    def __init__(self, place: str, *, create: bool, cache: Path | None, revision: str | None) -> None:
        url, _, branch = place.partition("#")
        self._remote = Remote.parse(url)
        self._branch = require_branch(branch) if branch else None
        self._pinned = revision
        self._known: tuple[str | None, str] | None = None
        self.url = self._remote.url
        self.spec = f"git:{self.url}" + (f"#{branch}" if branch else "")
        name = re.sub(r"[^A-Za-z0-9._-]", "", self.url.rstrip("/").rpartition("/")[2].removesuffix(".git")) or "hub"
        where = f"--branch {branch} " if branch else ""
        self.load = f"load_dataset({json.dumps(name)})  # after: git clone {where}{self.url} {name}"
        folder = (cache or _default_cache()) / f"{sha256(self.url.encode()).hexdigest()[:16]}.git"
        self._cache = Cache(folder, self._remote)
        finalize(self, self._cache.close)

    def head(self) -> str | None:
        """Ask the remote for the newest commit of the branch."""
        return self._tip()[0]

    def tree(self, revision: str | None = None) -> GitTree:
        """Return a commit, given by id, branch or tag; the head by default."""
        wanted = revision or self._pinned
        commit = self._named(wanted) if wanted else self._tip()[0]
        if commit is not None:
            self._cache.fetch(commit)
        return GitTree(self._cache, commit)

    def commit(
        self,
        add: Mapping[str, bytes],
        remove: Iterable[str],
        message: str,
        expect: str | None,
        *,
        author: str = "errorhub",
    ) -> str:
        """Push one commit on top of `expect`; nobody's commit is ever overwritten."""
        remove = sorted(set(remove) - set(add))
        require_safe([*add, *remove])
        head, branch = self._known if self._known and self._known[0] == expect else self._tip()
        if head != expect:
            raise Conflict(f"somebody else pushed to {self.url} first.")
        if expect is None:
            self._cache.spare_deltas()
        else:
            self._cache.fetch(expect)
        commit = self._cache.write_commit(add, remove, message, expect, author)
        self._cache.push(commit, branch, expect)
        return commit

    def _tip(self) -> tuple[str | None, str]:
        """Return the newest commit and the branch: the one asked for, the remote's HEAD, or main."""
        refs, default = self._cache.heads()
        branch = self._branch or default
        if branch is None:
            branch = "main" if any(name.startswith("refs/heads/") for name in refs) else self._cache.unborn()
        head = refs.get(f"refs/heads/{require_branch(branch)}")
        self._known = (head, branch)
        return head, branch

    def _named(self, revision: str) -> str:
        if _COMMIT.fullmatch(revision):
            return revision
        refs, _ = self._cache.heads()
        for name in (f"refs/tags/{revision}^{{}}", f"refs/tags/{revision}", f"refs/heads/{revision}"):
            if name in refs:
                return refs[name]
        raise NotFound(f"no revision {revision[:80]} at {self.spec}. Give a full commit id, a branch or a tag.")


def _default_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "errorhub" / "git"
