"""Recall: what the memory is made of and how a question reaches it: own runs and every pulled hub."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import FormatError, NotFound, UsageError
from errorhub.hub.intake import intake, origin_key
from errorhub.hub.memory import Answer, Held, Memory, Query
from errorhub.hub.mirrors import mirrors
from errorhub.hub.where import parse
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Vault


def memory(workspace: Workspace, *, rebuild: bool = False) -> Memory:
    """Open the memory over everything at hand, building its index when it is stale or when told to."""
    return Memory.open(workspace.memory, lambda: held(workspace), _fingerprint(workspace), rebuild=rebuild)


def held(workspace: Workspace) -> Iterator[Held]:
    """Yield one's own raw runs, marked local, and the bundles of every pulled hub; one's own come first."""
    own = set()
    for bundle in workspace.raw.bundles():
        own.add(bundle.provenance.origin_key)
        yield Held(bundle, source="workspace", revision=None, trust="mine", reviewed=True, local=True)
    for mirror in mirrors(workspace):
        for bundle in mirror.bundles():
            if bundle.provenance.origin_key not in own:
                yield Held(
                    bundle, source=mirror.spec or "unknown hub", revision=mirror.revision, trust="unverified",
                    reviewed=True, local=False,
                )  # fmt: skip


def look_up(
    workspace: Workspace,
    *,
    text: str | None = None,
    bundle: str | None = None,
    log: Path | None = None,
    k: int = 5,
    resolved: bool = False,
    include_unreviewed: bool = False,
    where: str | None = None,
) -> Answer:
    """Return past cases like this one. Raise UsageError unless exactly one of text, bundle and log is given."""
    if sum(given is not None for given in (text, bundle, log)) != 1:
        raise UsageError("ask with exactly one of --text, --bundle and --log.")
    query = _query(workspace, text, bundle, log)
    chosen = parse(where) if where else None
    return memory(workspace).similar(
        query, k, where=chosen, resolved=resolved, include_unreviewed=include_unreviewed
    )  # fmt: skip


def _query(workspace: Workspace, text: str | None, bundle: str | None, log: Path | None) -> Query:
    if text is not None:
        return Query.from_text(text)
    if bundle is not None:
        return Query.from_bundle(find_anywhere(workspace, bundle))
    runs = intake([log], None).bundles if log else []
    if len(runs) != 1:
        raise FormatError(f"log is not one run: {log}: {len(runs)} runs in it. Import it and use --bundle.")
    run = runs[0][0]
    return Query.from_log(run.trajectory, origin_key=origin_key(run, Vault.open()))


def find_anywhere(workspace: Workspace, prefix: str) -> Bundle:
    """Return a bundle of one's own, raw before clean, or of a pulled hub. Raise NotFound when there is none."""
    for stage in (workspace.raw, workspace.clean):
        try:
            return workspace.find(prefix, stage)
        except NotFound as problem:
            missing = problem
    found = {
        bundle.bundle_id: bundle
        for mirror in mirrors(workspace)
        for bundle in mirror.bundles()
        if bundle.bundle_id.startswith(prefix) or bundle.trajectory_id.startswith(prefix)
    }
    if len(found) == 1 and len(prefix) >= 8:
        return next(iter(found.values()))
    if found:
        raise NotFound(f"{len(found)} bundles have the id {prefix}. Type more of it.")
    raise missing


def _fingerprint(workspace: Workspace) -> str:
    """Return what changes when any bundle at hand does: shard names, sizes and times, and hub revisions."""
    shards = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in workspace.raw.shards()]
    pulled = [(mirror.spec, mirror.revision) for mirror in mirrors(workspace)]
    return sha256(repr((shards, pulled)).encode()).hexdigest()
