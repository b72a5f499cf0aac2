"""Release: what is accepted leaves for a hub, through the gate, and nothing else does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import Blocked
from errorhub.hub.gate import allowed, gate, without_names
from errorhub.hub.known import vault
from errorhub.hub.publish import Published, Refusal, card_preview, publish
from errorhub.hub.review import Desk
from errorhub.hub.stores import open_store
from errorhub.hub.workspace import Workspace, append_event, now
from errorhub.scrubber import Policy, Vault, reread_personal, scrub


@dataclass(frozen=True)
class Released:
    """The result of a publish and what it means for the caller."""

    spec: str
    published: Published
    rejected: int
    proposed: bool = False
    """Whether it waits as a pull request."""

    def document(self) -> dict[str, Any]:
        """Return the JSON result CLI.md fixes."""
        done = self.published
        document: dict[str, Any] = {
            "published": done.published, "skipped": done.skipped,
            "refused": [{"bundle_id": one.bundle_id, "reason": one.reason} for one in done.refused],
            "rejected": self.rejected, "shards": done.shards, "revision": done.revision, "url": done.url,
            "load": done.load, "plan": done.plan,
        }  # fmt: skip
        if any(one.reason.startswith("not_reviewed") for one in done.refused):
            document["next_command"] = "errorhub review list"
        elif done.plan:
            document["next_command"] = f"errorhub publish --to {self.spec}"
        elif done.published and self.proposed:
            document["next_command"] = f"errorhub inbox {self.spec}"
        elif done.published:
            document["next_command"] = f"errorhub pull {self.spec}"
        return document

    @property
    def exit_code(self) -> int:
        """0 done, 1 nothing passed the gate, 3 some did."""
        if not self.published.refused:
            return 0
        return 3 if self.published.published or self.published.skipped else 1


def desk(workspace: Workspace) -> Desk:
    """Return the review desk, reading with the second reader under each bundle's own paths."""
    from errorhub.hub.bundle.paths import PATHS

    policy = Policy.load("strict").with_paths(**PATHS)
    return Desk(workspace, lambda bundle: reread_personal(bundle.document(), policy))


def release(
    workspace: Workspace,
    spec: str,
    *,
    by: str,
    review: str = "human",
    only: set[str] | None = None,
    create: bool = False,
    create_pr: bool = False,
    no_ner: bool = False,
    message: str | None = None,
    dry_run: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Released:
    """Publish every clean bundle that may leave, or those of the origins in `only`.

    Raise Blocked when there is nothing to publish at all.
    """
    mode = allowed(review, spec)
    verdicts = desk(workspace)
    bundles = [one for one in workspace.clean.bundles() if only is None or one.provenance.origin_key in only]
    if not bundles:
        raise Blocked("nothing to publish: no clean bundles here.", hint="errorhub import LOG && errorhub scrub")
    wanted = [one for one in bundles if verdicts.verdict(one) != "rejected"]
    strict, secrets, local = Policy.load("strict"), vault(workspace), spec.startswith("local:")
    passes = gate(verdicts, strict, secrets, review=mode, no_ner=no_ner or local)
    by, message = said(by, strict, secrets) or "", said(message, strict, secrets)
    store = open_store(spec, create=create or local, cache=workspace.folder / "cache")
    if no_ner and not local and not dry_run:
        _record_no_ner(workspace, wanted, spec=store.spec, by=pseudonym(by))
    done = publish(
        wanted, store, outbox=workspace.outbox, actor=pseudonym(by), gate=passes, message=message, dry_run=dry_run,
        create_pr=create_pr, progress=progress,
    )  # fmt: skip
    return Released(store.spec, done, len(bundles) - len(wanted), create_pr)


def _record_no_ner(workspace: Workspace, bundles: Iterable[Bundle], *, spec: str, by: str) -> None:
    """Write down that somebody let bundles leave whose names nobody read; their receipts say `ner: none` for good."""
    digests = sorted(bundle.digest for bundle in bundles if without_names(bundle))
    if digests:
        event = {"type": "no-ner", "digests": digests, "spec": spec, "by": by, "at": now()}
        append_event(workspace.log, event)


def said(text: str | None, policy: Policy, vault: Vault) -> str | None:
    """Return a name or message as it leaves: scrubbed like everything, known values included."""
    return str(scrub(text, policy, vault).document) if text else None


def outbound_files(
    bundles: Iterable[Bundle], workspace: Workspace, *, actor: str, message: str | None = None
) -> dict[str, bytes]:
    """Return every text that would leave beside the bundles: card, event, manifest, commit message."""
    strict, secrets = Policy.load("strict"), vault(workspace)
    name = pseudonym(said(actor, strict, secrets) or "")
    return card_preview(bundles, None, actor=name, message=said(message, strict, secrets))


def pseudonym(name: str) -> str:
    """Return a name as hubs write it: lower-case letters, digits and dashes, 32 at most."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:32] or "anon"


__all__ = ["Refusal", "Released", "desk", "outbound_files", "release"]
