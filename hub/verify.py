"""Verify: read a hub from end to end and list everything that does not hold."""

from __future__ import annotations

import math
import random
import re
from dataclasses import dataclass, field
from hashlib import sha256

from errorhub.hub.admission import Gate, refusal
from errorhub.hub.bundle.shards import MAX_SHARD_BYTES, read_shard
from errorhub.hub.errors import ChainBroken, RecordError, UsageError
from errorhub.hub.mirror import Trust
from errorhub.hub.paths import bystander, kind, named_digest, shown
from errorhub.hub.sealed import Damaged, Sealed, check_shard, check_taxonomy, read_file, read_sealed, steadily
from errorhub.hub.stores import Store, Tree


@dataclass(frozen=True)
class Verified:
    """What a verification found."""

    ok: bool
    checked: int
    """Files that were read and hashed."""
    problems: list[str] = field(default_factory=list)
    """One sentence each."""


def verify(
    store: Store,
    *,
    subset: float | None = None,
    absent: str | None = None,
    trust: Trust | None = None,
    rescan: Gate | None = None,
) -> Verified:
    """Check every file of the newest revision, and that it descends from `trust`.

    `subset` reads only that percentage of the shards, chosen by chance; `absent` is an id that must be nowhere;
    `rescan` says why a bundle should not be here.
    """
    return steadily(lambda: _verify(store.tree(), subset, absent, trust, rescan))


def share_of(text: str | None) -> float | None:
    """Read a share such as `10%` or `10`. Raise UsageError for what is none."""
    if text is None:
        return None
    number = text.strip().removesuffix("%")
    if not re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]+)?", number) or not 0 < float(number) <= 100:
        raise UsageError(f"not a share of the shards: {text[:20]!r}. Use a percentage, for example 10%.")
    return float(number)


def _verify(tree: Tree, subset: float | None, absent: str | None, trust: Trust | None, rescan: Gate | None) -> Verified:
    try:
        sealed = read_sealed(tree)
    except ChainBroken as problem:
        problems = [str(problem), *_by_name(tree)]
        return Verified(False, len(tree.paths()), problems)
    if sealed is None:
        return Verified(trust is None, 0, [] if trust is None else ["the hub is empty, but was not before."])
    problems = [*_strangers(sealed), *_descent(sealed, trust)]
    checked = 1
    for path in _chosen(sealed, subset):
        checked += 1
        problems += _file(sealed, path, absent, rescan)
    if absent and any(name.startswith(absent) for name in sealed.state.live):
        problems.append(f"bundle {absent[:12]} is not withdrawn.")
    return Verified(not problems, checked, problems)


def _chosen(sealed: Sealed, subset: float | None) -> list[str]:
    files = sealed.manifest.files
    if subset is None or subset >= 100:
        return list(files)
    shards = [path for path in files if kind(path) == "shard"]
    some = set(random.sample(shards, min(len(shards), math.ceil(len(shards) * subset / 100))))
    return [path for path in files if kind(path) != "shard" or path in some]


def _file(sealed: Sealed, path: str, absent: str | None, rescan: Gate | None) -> list[str]:
    entry = sealed.manifest.files[path]
    try:
        data = read_file(sealed.tree, path, entry, limit=MAX_SHARD_BYTES)
        names = check_shard(path, data, entry, sealed.state) if kind(path) == "shard" else []
        if kind(path) == "taxonomy":
            check_taxonomy(path, data)
    except Damaged as problem:
        return [str(problem)]
    problems = [f"{path}: holds bundle {name[:12]}." for name in names if absent and name.startswith(absent)]
    if names and rescan:
        for bundle in read_shard(data):
            if reason := refusal(bundle) or rescan(bundle, b""):
                problems.append(f"{path}: bundle {bundle.bundle_id[:12]}: {reason}.")
    return problems


def _strangers(sealed: Sealed) -> list[str]:
    """Name what the manifest does not: it may be a contribution that waits, or something that was put there."""
    listed = sealed.manifest.files.keys() | {sealed.manifest.path}
    extra = [path for path in sealed.tree.paths() if path not in listed and not bystander(path)]
    extra = [path for path in extra if path != ".gitattributes"]
    return [f"{shown(path)}: the manifest does not list it." for path in (*extra, *sealed.tree.strange())]


def _descent(sealed: Sealed, trust: Trust | None) -> list[str]:
    try:
        if trust:
            trust.require_descent(sealed.manifest)
    except ChainBroken as problem:
        return [str(problem)]
    return []


def _by_name(tree: Tree) -> list[str]:
    """Name the files that are not what their own name promises, when no manifest can be trusted."""
    problems: list[str] = []
    for path in tree.paths():
        wanted = named_digest(path)
        try:
            if wanted and sha256(tree.read(path, limit=MAX_SHARD_BYTES)).hexdigest() != wanted:
                problems.append(f"{path}: its bytes are not those its name promises.")
        except RecordError as problem:
            problems.append(str(problem))
    return problems
