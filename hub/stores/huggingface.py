"""`hf:OWNER/NAME[@REVISION]`: a dataset repository on the Hugging Face Hub.

One publish is one `create_commit` on the expected parent. Reads go by commit id and straight to the Hub; only events,
which are written once, are kept: under their id in Git, which the Hub's listing must name and which is checked again.
`.gitattributes` is the Hub's own: it never shows here and is never written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha1
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from errorhub.hub.durable import write_file, writing
from errorhub.hub.errors import Conflict, NotFound, UsageError
from errorhub.hub.outbox import Spool
from errorhub.hub.paths import kind
from errorhub.hub.stores.hubapi import HubApi, Item
from errorhub.hub.stores.pulls import Pulls
from errorhub.hub.stores.store import MAX_READ, mask, require_safe, require_size

if TYPE_CHECKING:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}", re.ASCII)
_REVISION = re.compile(r"(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._/-]{0,199}", re.ASCII)
_THEIRS = ".gitattributes"
_AHEAD = 256
_KEPT = ("event", "taxonomy")


class HubTree:
    """The files of one commit."""

    def __init__(self, api: HubApi, revision: str | None, items: Iterable[Item], cache: Path | None) -> None:
        self.revision = revision
        self._api = api
        self._items = {one.path: one for one in sorted(items, key=lambda one: one.path) if one.path != _THEIRS}
        self._cache = cache

    def paths(self, prefix: str = "") -> list[str]:
        """Return the sorted paths of the files whose path starts with `prefix`."""
        return [path for path in self._items if path.startswith(prefix)]

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """Return a file's bytes as the Hub gives them."""
        if path not in self._items or self.revision is None:
            raise NotFound(f"no such file in the hub: {path}.")
        item = self._items[path]
        require_size(path, item.size, limit)
        kept = self._cache / item.oid if self._cache and kind(path) in _KEPT and not item.lfs else None
        if kept and kept.is_file() and _git_id(data := kept.read_bytes()) == item.oid:
            return data
        data = self._api.read(self.revision, item, list(self._ahead(path)))
        if kept and _git_id(data) == item.oid:
            with writing("hub cache", kept.parent):
                kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                write_file(kept, data)
        return data

    def holds(self, path: str, data: bytes) -> bool:
        """Compare with the id that the Hub lists."""
        item = self._items.get(path)
        return item is not None and item.lfs is None and item.oid == _git_id(data)

    def strange(self) -> list[str]:
        """Return nothing: a commit over the API holds plain files only."""
        return []

    def _ahead(self, path: str) -> Iterator[Item]:
        """Yield the stored files after this one."""
        yield from islice((one for name, one in self._items.items() if one.lfs and name > path), _AHEAD - 1)


class HubStore:
    """A hub in a dataset repository."""

    extras: Mapping[str, bytes] = {}
    kind = "dataset"

    def __init__(self, place: str, *, create: bool, cache: Path | None, revision: str | None) -> None:
        name, at, pinned = place.partition("@")
        if not _NAME.fullmatch(name) or (at and not pinned):
            raise UsageError(
                f"not a dataset on the Hub: {_shown(place)!r}. Use hf:OWNER/NAME or hf:OWNER/NAME@REVISION."
            )
        self._pinned = _require_revision(revision or pinned) if revision or pinned else None
        self._api = HubApi(name, self.kind)
        self._create = create
        self._cache = cache / "hf" if cache else None
        self._listed: tuple[str, list[Item]] | None = None
        self.spec = f"hf:{place}"
        self.url = self._api.page
        more = f", revision={json.dumps(self._pinned)}" if self._pinned else ""
        self.load = f"load_dataset({json.dumps(name)}{more})"
        self.location: str | None = name
        self.pulls = Pulls(self._api)

    def head(self) -> str | None:
        """Ask the Hub for the newest commit; None for a repository with nothing of ours in it."""
        return self._head()[0]

    def tree(self, revision: str | None = None) -> HubTree:
        """Return a commit, given by id, branch, tag or `refs/pr/N`; the head by default."""
        wanted = revision or self._pinned
        if wanted:
            commit, empty = self._resolved(_require_revision(wanted))
        else:
            head, at = self._head()
            commit, empty = at or "", head is None
        return HubTree(self._api, None if empty else commit, [] if empty else self._files(commit), self._cache)

    def commit(
        self,
        add: Mapping[str, bytes],
        remove: Iterable[str],
        message: str,
        expect: str | None,
        *,
        author: str = "errorhub",
    ) -> str:
        """Make one commit on top of `expect`. The Hub signs it with the account of the token, not with `author`."""
        remove = sorted(set(remove) - set(add))
        require_safe([*add, *remove])
        if self._pinned:
            raise UsageError(f"{self.spec} names a revision; nothing can be added to the past.")
        parent = expect if expect and self._listed and self._listed[0] == expect else self._parent(expect)
        here = {one.path for one in self._files(parent)} if remove else set()
        operations = _operations(add, [path for path in remove if path in here])
        title, _, text = message.partition("\n")
        with self._api.telling():
            done = self._api.api.create_commit(
                self._api.name, operations, commit_message=title, commit_description=text.strip(),
                parent_commit=parent, repo_type=self.kind,
            )  # fmt: skip
        return done.oid

    def propose(self, add: Mapping[str, bytes], message: str) -> int:
        """Open a pull request that adds files, and return its number."""
        require_safe(add)
        title, _, text = message.partition("\n")
        with self._api.telling():
            done = self._api.api.create_commit(
                self._api.name, _operations(add, []), commit_message=title, commit_description=text.strip(),
                create_pr=True, repo_type="dataset",
            )  # fmt: skip
        return int(done.pr_num or 0)

    def _parent(self, expect: str | None) -> str:
        """Return the commit to build on. Raise Conflict when the head is not the expected one."""
        head, parent = self._head()
        if head != expect:
            raise Conflict(f"somebody else committed to {self.spec} first.")
        return parent or self._made()

    def _head(self) -> tuple[str | None, str | None]:
        """Return the newest revision, None while there is nothing of ours, and the commit that a next one builds on."""
        try:
            commit, empty = self._resolved("main")
        except NotFound:
            if self._create:
                return None, None
            raise
        return None if empty else commit, commit

    def _resolved(self, revision: str) -> tuple[str, bool]:
        commit, names = self._api.newest(revision)
        return commit, set(names) <= {_THEIRS}

    def _files(self, commit: str) -> list[Item]:
        if self._listed is None or self._listed[0] != commit:
            self._listed = commit, self._api.files(commit)
        return self._listed[1]

    def _made(self) -> str:
        """Create the repository, private, and return its first commit."""
        with self._api.telling():
            self._api.api.create_repo(self._api.name, repo_type=self.kind, visibility="private", exist_ok=True)
        return self._api.newest()[0]


class ModelStore(HubStore):
    """A student in a model repository."""

    kind = "model"


def _operations(add: Mapping[str, bytes], remove: Iterable[str]) -> list[CommitOperationAdd | CommitOperationDelete]:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    source = add.source if isinstance(add, Spool) else add.__getitem__
    return [
        *(CommitOperationAdd(path, source(path)) for path in add if path != _THEIRS),
        *(CommitOperationDelete(path, is_folder=False) for path in remove if path != _THEIRS),
    ]


def _git_id(data: bytes) -> str:
    return sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _shown(place: str) -> str:
    return mask(re.sub(r"^[^@]*:[^@]*@", "***@", place))[:120]


def _require_revision(name: str) -> str:
    if not _REVISION.fullmatch(name):
        raise UsageError(f"not a revision: {name[:80]!r}. Use a commit id, a branch or a tag.")
    return name
