"""Contribute: who may not write to a hub opens a pull request with shard and event, and never two for the same set."""

from __future__ import annotations

from collections.abc import Sequence

from errorhub.hub.bundle.canonical import digest
from errorhub.hub.errors import RemoteError
from errorhub.hub.inbox import contribution, hub_with_pulls
from errorhub.hub.log import event_bytes
from errorhub.hub.outbox import Entry, Spool
from errorhub.hub.paths import event_path
from errorhub.hub.sending import Parcel, message_of
from errorhub.hub.stores import Store
from errorhub.hub.stores.huggingface import HubStore
from errorhub.hub.stores.pulls import Pull


def propose(store: Store, entry: Entry, parcels: Sequence[Parcel], message: str | None) -> tuple[Pull, bool]:
    """Return the pull request that holds these bundles, and whether it is new.

    One of this account's that is open and has the same set is taken instead; a lost reply is settled by looking.
    """
    hub = hub_with_pulls(store)
    names = sorted(name for one in parcels for name in one.shard.bundles)
    mark = f"(set {digest(names)[:16]})"
    if (waiting := _waiting(hub, mark, names)) is not None:
        return waiting, False
    events = [one.shard.event for one in parcels]
    files = {event_path(one.id, data := event_bytes(one), one.at): data for one in events}
    subject, _, rest = message_of(message, names).partition("\n")
    try:
        add = Spool(files, {one.shard.path: one.path for one in parcels})
        pull = hub.pulls.get(hub.propose(add, f"{subject} {mark}\n{rest}"))
    except RemoteError:
        waiting = _waiting(hub, mark, names)
        if waiting is None:
            raise
        pull = waiting
    entry.mark("pushed", pull=pull.number)
    _require_arrived(hub, pull, names)
    entry.mark("verified", pull=pull.number)
    return pull, True


def _waiting(hub: HubStore, mark: str, names: Sequence[str]) -> Pull | None:
    """Return an open pull request of this account with exactly these bundles."""
    for pull in hub.pulls.waiting(mine=True):
        if pull.title.endswith(mark):
            found = contribution(hub, pull.number, lambda *_: None)
            if sorted(name for shard, _ in found.shards for name in shard.bundles) == list(names):
                return pull
    return None


def _require_arrived(hub: HubStore, pull: Pull, names: Sequence[str]) -> None:
    found = contribution(hub, pull.number, lambda *_: None)
    if found.problems or sorted(name for shard, _ in found.shards for name in shard.bundles) != list(names):
        raise RemoteError(f"pull request {pull.number} does not hold what was sent. Close it and publish again.")
