"""The corpus: what a workspace may learn from. Its own accepted clean bundles, and what pulled hubs show."""

from __future__ import annotations

from collections.abc import Iterator

from errorhub.hub.bundle import Bundle
from errorhub.hub.mirrors import mirrors
from errorhub.hub.review import Desk
from errorhub.hub.workspace import Workspace


def corpus(workspace: Workspace) -> Iterator[Bundle]:
    """Yield each bundle once: clean ones that a person accepted, then those of pulled hubs.

    Left out: what is pending or rejected here, and what a hub withdrew, yanked or did not accept.
    """
    seen: set[str] = set()
    desk = Desk(workspace, lambda _: [])
    for bundle in workspace.clean.bundles():
        if desk.verdict(bundle) == "accepted":
            seen.add(bundle.bundle_id)
            yield bundle
    for mirror in mirrors(workspace):
        verdicts = mirror.state.reviews
        for bundle in mirror.bundles():
            name = bundle.bundle_id
            if name not in seen and verdicts.get(name, "accept") == "accept":
                seen.add(name)
                yield bundle
