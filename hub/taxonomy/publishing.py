"""Publish a taxonomy: a workspace's decisions join those of a hub, in one commit that seals both.

Nothing is overwritten: on conflict the newest file is read again and both sets of decisions go into the next one.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any

from errorhub.hub.bundle.canonical import digest
from errorhub.hub.errors import Conflict, RecordError, RemoteError, UsageError
from errorhub.hub.facts import counts_of_modes
from errorhub.hub.log import TaxonomyChange, TaxonomyFile, ulid
from errorhub.hub.manifest import entry_of
from errorhub.hub.seal import Author, NewTaxonomy, next_revision
from errorhub.hub.sealed import Sealed, read_file, read_sealed, steadily
from errorhub.hub.sending import PATIENCE, trying
from errorhub.hub.stores import Store
from errorhub.hub.taxonomy.decision import Decision
from errorhub.hub.taxonomy.file import MAX_FILE, read_taxonomy, taxonomy_document, taxonomy_path
from errorhub.hub.taxonomy.fold import fold, undone_of
from errorhub.hub.taxonomy.modes import Conflict as Disagreement
from errorhub.hub.taxonomy.modes import Taxonomy

Gate = Callable[[Decision], str | None]
"""A decision -> why it may not leave, or None."""


@dataclass(frozen=True)
class PublishedTaxonomy:
    """What publishing a taxonomy did, or with `dry_run` would do."""

    decisions: tuple[Decision, ...]
    """Those that came in."""
    skipped: int
    """Those that were there already."""
    refused: tuple[tuple[str, str], ...]
    """(decision, reason) of those left out."""
    taxonomy: Taxonomy
    """The hub's after it."""
    path: str | None
    """Its file; None while the hub has none."""
    revision: str | None
    """The revision that holds it."""

    @property
    def conflicts(self) -> tuple[Disagreement, ...]:
        """What the hub's maintainers still have to agree on."""
        return self.taxonomy.conflicts


def publish_taxonomy(
    own: Sequence[Decision],
    store: Store,
    *,
    author: Author,
    gate: Gate,
    message: str | None = None,
    dry_run: bool = False,
) -> PublishedTaxonomy:
    """Bring decisions into a hub, each at most once, without losing anybody's.

    Raise Conflict when others kept committing for 60 seconds, RemoteError when the store fails; running again settles
    both.
    """
    deadline = time.monotonic() + PATIENCE
    for attempt in range(10_000):
        head, expect, held = _look(store)
        news, refused = _admitted(own, held, gate)
        skipped = len({one.id for one in own} & held.keys())
        taxonomy = fold([*held.values(), *news])
        new = _file(taxonomy, news, author)
        if not news or dry_run:
            path = new.path if held or news else None
            return PublishedTaxonomy(tuple(news), skipped, refused, taxonomy, path, expect)
        with trying(store, partial(_arrived, store, news), deadline, attempt) as tried:
            files, remove = next_revision(head, [], author, store, taxonomy=new)
            tried.revision = store.commit(files, remove, _message(message, news), expect, author=author.actor)
        if tried.revision is None:
            continue
        if not _arrived(store, news):
            raise RemoteError(f"{store.spec} took the commit but does not show it. Run taxonomy publish again.")
        return PublishedTaxonomy(tuple(news), skipped, refused, taxonomy, new.path, tried.revision)
    raise Conflict(f"{store.spec}: others kept committing.")


def published_decisions(head: Sealed | None) -> dict[str, Decision]:
    """Return the decisions of a revision by id. Raise RecordError for a taxonomy file that is none."""
    found: dict[str, Decision] = {}
    for path, entry in head.manifest.of("taxonomy").items() if head else ():
        for one in read_taxonomy(path, read_file(head.tree, path, entry, limit=MAX_FILE) if head else b""):
            found[one.id] = one
    return found


def _admitted(
    own: Sequence[Decision], held: dict[str, Decision], gate: Gate
) -> tuple[list[Decision], tuple[tuple[str, str], ...]]:
    """Return what may go and is new, and what may not. What was taken back before it ever left stays here."""
    undone = undone_of([*own, *held.values()])
    fresh = [one for one in own if one.id not in held and one.id not in undone]
    there = held.keys() | {one.id for one in fresh}
    fresh = [one for one in fresh if one.target is None or one.target in there]
    reasons = {one.id: reason for one in fresh if (reason := gate(one)) is not None}
    return [one for one in fresh if one.id not in reasons], tuple(sorted(reasons.items()))


def _file(taxonomy: Taxonomy, news: Iterable[Decision], author: Author) -> NewTaxonomy:
    from errorhub.hub.bundle.canonical import canonical

    data = canonical(taxonomy_document(taxonomy))
    if len(data) > MAX_FILE:
        raise UsageError(f"taxonomy of {len(data)} bytes: at most {MAX_FILE} are read. Merge or undo decisions.")
    path = taxonomy_path(data)
    if read_taxonomy(path, data) != taxonomy.decisions:
        raise RecordError("the taxonomy file does not hold what was decided; nothing was sent.")
    event = TaxonomyChange(
        format="errorhub.event/1", id=ulid(author.at), type="taxonomy", at=author.time, actor=author.actor,
        tool=author.tool, file=TaxonomyFile(path=path, sha256=sha256(data).hexdigest(), size=len(data)),
        decisions=tuple(sorted(one.id for one in news)), modes=len(taxonomy.accepted),
    )  # fmt: skip
    counts = counts_of_modes({one.id: len(one.members) for one in taxonomy.accepted})
    return NewTaxonomy(data, entry_of(data, counts=counts), event)


def _arrived(store: Store, news: Iterable[Decision]) -> bool:
    """Look: does the newest revision hold these decisions?"""
    return _look(store)[2].keys() >= {one.id for one in news}


def _look(store: Store) -> tuple[Sealed | None, str | None, dict[str, Decision]]:
    """Open the newest revision and read its decisions, anew when another maintainer replaces the file meanwhile."""

    def read() -> tuple[Sealed | None, str | None, dict[str, Decision]]:
        tree = store.tree()
        head = read_sealed(tree)
        return head, tree.revision, published_decisions(head)

    return steadily(read)


def _message(message: str | None, news: Sequence[Decision]) -> str:
    subject = message or f"Decide {len(news)} time{'s' if len(news) != 1 else ''} about failure modes"
    return f"{subject}\n\nDecision-Set: {digest(sorted(one.id for one in news))}\n"


def describe(done: PublishedTaxonomy) -> dict[str, Any]:
    """Return the result as JSON."""
    return {
        "published": len(done.decisions), "skipped": done.skipped,
        "refused": [{"decision": name, "reason": reason} for name, reason in done.refused],
        "modes": len(done.taxonomy.accepted), "conflicts": len(done.conflicts), "path": done.path,
        "revision": done.revision,
    }  # fmt: skip
