"""The corpus: what a workspace may learn from. Its own accepted clean bundles, and what pulled hubs show."""

from __future__ import annotations

from collections.abc import Iterator

from errorhub.hub.bundle import Bundle
from errorhub.hub.mirrors import mirrors
from errorhub.hub.review import Desk
from errorhub.hub.workspace import Workspace


def corpus(workspace: Workspace, *, pending: bool = False) -> Iterator[Bundle]:
    """Yield each bundle once: clean ones that a person accepted, then those of pulled hubs.

    Left out: what is pending here, unless it is asked for, or rejected, and what a hub withdrew, yanked or did not
    accept.
    """
    seen: set[str] = set()
    desk, verdicts = Desk(workspace, lambda _: []), ("accepted", "pending") if pending else ("accepted",)
    for bundle in workspace.clean.bundles():
        if desk.verdict(bundle) in verdicts:
            seen.add(bundle.bundle_id)
            yield bundle
    for mirror in mirrors(workspace):
        reviews = mirror.state.reviews
        for bundle in mirror.bundles():
            name = bundle.bundle_id
            if name not in seen and reviews.get(name, "accept") == "accept":
                seen.add(name)
                yield bundle
