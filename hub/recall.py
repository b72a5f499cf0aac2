"""Recall: what the memory is made of and how a question reaches it: own runs and every pulled hub."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Set
from hashlib import sha256
from pathlib import Path

from errorhub.hub.bundle import Bundle, Trajectory
from errorhub.hub.bundle.shards import read_flat, read_rows
from errorhub.hub.errors import FormatError, NotFound, UsageError
from errorhub.hub.intake import intake, origin_key
from errorhub.hub.log import Publish, parse_event
from errorhub.hub.memory import Answer, Hints, Hit, Memory, Place, Query
from errorhub.hub.memory import hints as hints_from
from errorhub.hub.memory.encoders import open_encoder
from errorhub.hub.mirror import Mirror
from errorhub.hub.mirrors import mirrors
from errorhub.hub.taxonomy import load_taxonomy
from errorhub.hub.where import parse
from errorhub.hub.workspace import MIN_PREFIX, Workspace
from errorhub.scrubber import Vault

EMBED = "ERRORHUB_EMBED"
"""Environment variable that chooses an encoder, as `hub/memory/encoders.py` has it; none by default."""

VECTORS = "ERRORHUB_VECTORS"
"""Environment variable that chooses where vectors are kept: numpy (default) or lance."""


class Everything:
    """The shelf of a workspace: its own runs, marked local, and the bundles of every pulled hub."""

    def __init__(self, workspace: Workspace, *, raw: bool = True) -> None:
        self.workspace = workspace
        self.own = workspace.raw if raw else workspace.clean
        """Raw runs are for their owner's eyes; whatever may leave the machine gets the scrubbed ones."""

    def places(self) -> Iterator[tuple[str, Place]]:
        """Yield the id and the place of every bundle; a hub's copy of one's own run is left out."""
        own = set()
        for row in self.own.rows(("bundle_id", "origin_key")):
            own.add(row["origin_key"])
            yield row["bundle_id"], Place(local=True, reviewed=True, trust="mine", source="workspace")
        for mirror in mirrors(self.workspace):
            verdicts, actors = mirror.state.reviews, _actors(mirror)
            for row in mirror.rows(("origin_key",)):
                name = row["bundle_id"]
                if row["origin_key"] is None or row["origin_key"] not in own:
                    yield name, Place(
                        local=False, reviewed=verdicts.get(name, "accept") == "accept", trust="unverified",
                        source=mirror.spec or "unknown hub", revision=mirror.revision, publisher=actors.get(name),
                    )  # fmt: skip

    def read(self, bundle_ids: Set[str]) -> Iterator[Bundle]:
        """Yield each of these bundles once, one's own first, decoding no other."""
        left = set(bundle_ids)
        for shard in [
            *self.own.shards(),
            *(path for one in mirrors(self.workspace) for path in one.shards()),
        ]:
            here = {row["bundle_id"] for row in read_flat(shard, ("bundle_id",))} & left
            for bundle in read_rows(shard, here) if here else ():
                if bundle.bundle_id in left:
                    left.discard(bundle.bundle_id)
                    yield bundle

    @property
    def fingerprint(self) -> str:
        """What changes when any bundle at hand does: shard names, sizes and times, revisions and withdrawals."""
        shards = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in self.own.shards()]
        pulled = [(one.spec, one.revision, sorted(one.withdrawn)) for one in mirrors(self.workspace)]
        return sha256(repr((shards, pulled)).encode()).hexdigest()


def memory(workspace: Workspace, *, rebuild: bool = False, raw: bool = True) -> Memory:
    """Open the memory over everything at hand, bringing its index up to date; from nothing when told to.

    Without `raw` one's own runs are those that were scrubbed, as they were scrubbed. With ERRORHUB_EMBED there is a
    dense leg.
    """
    shelf = Everything(workspace, raw=raw)
    folder = workspace.memory if raw else workspace.memory / "clean"
    choice = os.environ.get(EMBED)
    encoder = open_encoder(choice, raw=raw) if choice else None
    return Memory.open(folder, shelf, shelf.fingerprint, rebuild=rebuild, encoder=encoder, lance=_in_lance())


def hints(workspace: Workspace, run: Trajectory, k: int = 3, *, raw: bool = False, same_task: bool = True) -> Hints:
    """Return cases like a run as evidence for a diagnoser. `raw` only for a model on this machine."""
    return hints_from(run, memory(workspace, raw=raw), k, same_task=same_task)


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
    raw: bool = True,
) -> Answer:
    """Return past cases like this one. Raise UsageError unless exactly one of text, bundle and log is given."""
    if sum(given is not None for given in (text, bundle, log)) != 1:
        raise UsageError("ask with exactly one of --text, --bundle and --log.")
    query = _query(workspace, text, bundle, log)
    chosen = parse(where) if where else None
    answer = memory(workspace, raw=raw).similar(
        query, k, where=chosen, resolved=resolved, include_unreviewed=include_unreviewed
    )  # fmt: skip
    return with_modes(workspace, answer) if answer.hits else answer


def with_modes(workspace: Workspace, answer: Answer) -> Answer:
    """Return an answer whose hits name the mode that maintainers put them under, here or in a pulled hub."""
    under = load_taxonomy(workspace).under
    if not under:
        return answer
    scrubbed = _scrubbed_ids(workspace, (hit for hit in answer.hits if hit.local))
    modes = (
        under.get(hit.diagnosis_id or "") or under.get(scrubbed.get(hit.diagnosis_id or "", "")) for hit in answer.hits
    )
    hits = (hit.replace(assigned=mode and mode.id) for hit, mode in zip(answer.hits, modes, strict=True))
    return answer.replace(hits=tuple(hits))


def _scrubbed_ids(workspace: Workspace, hits: Iterable[Hit]) -> dict[str, str]:
    """Return diagnosis of one's own raw run -> the same as it was scrubbed."""
    origins = set().union(*(workspace.raw.origins(hit.bundle_id) for hit in hits))
    raw, clean = workspace.raw.held(origins), workspace.clean.held(origins)
    pairs = (zip(raw[one].diagnosis_ids, clean[one].diagnosis_ids, strict=False) for one in raw.keys() & clean.keys())
    return {before: after for pair in pairs for before, after in pair}


def _query(workspace: Workspace, text: str | None, bundle: str | None, log: Path | None) -> Query:
    if text is not None:
        return Query.from_text(text)
    if bundle is not None:
        return Query.from_bundle(find_anywhere(workspace, bundle))
    run = _only_run(log or Path())
    return Query.from_log(run.trajectory, origin_key=origin_key(run, Vault.open()))


def _only_run(log: Path) -> Bundle:
    found = intake([log], None)
    if len(found.bundles) == 1:
        return found.bundles[0][0]
    if found.bundles:
        raise FormatError(f"log is not one run: {log}: {len(found.bundles)} in it. Import it and use --bundle.")
    raise FormatError(f"no run in {log}: {found.refused[0].reason if found.refused else 'no log'}.")


def find_anywhere(workspace: Workspace, prefix: str, *, raw: bool = True) -> Bundle:
    """Return a bundle of one's own, raw before clean, or of a pulled hub. Raise NotFound when there is none."""
    for stage in (workspace.raw, workspace.clean) if raw else (workspace.clean,):
        try:
            return workspace.find(prefix, stage)
        except NotFound as problem:
            missing = problem
    places = {
        row["bundle_id"]: mirror
        for mirror in mirrors(workspace)
        for row in mirror.rows(("trajectory_id",))
        if row["bundle_id"].startswith(prefix) or row["trajectory_id"].startswith(prefix)
    }
    if len(places) > 1:
        raise NotFound(f"{len(places)} bundles have the id {prefix}. Type more of it.")
    for name, mirror in places.items() if len(prefix) >= MIN_PREFIX else ():
        if found := mirror.get(name):
            return found
    raise missing


def _in_lance() -> bool:
    choice = os.environ.get(VECTORS, "numpy")
    if choice not in ("numpy", "lance"):
        raise UsageError(f"{VECTORS} is not known: {choice}. Use numpy or lance.")
    return choice == "lance"


def _actors(mirror: Mirror) -> dict[str, str]:
    """Return who published each bundle of a hub, by the hub's own log; the first one who did."""
    manifest = mirror.manifest
    actors: dict[str, str] = {}
    for path in manifest.of("event") if manifest else ():
        event = parse_event((mirror.folder / "tree" / path).read_bytes())
        for name in event.bundles if isinstance(event, Publish) else ():
            actors.setdefault(name, event.actor)
    return actors
