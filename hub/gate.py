"""accepted → hub: the only network boundary. What may pass, and why something may not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import UsageError
from errorhub.hub.review import Desk
from errorhub.scrubber import Policy, Vault, reread

Mode = Literal["human", "auto"]


def gate(
    desk: Desk, policy: Policy, vault: Vault, *, review: Mode, no_ner: bool = True
) -> Callable[[Bundle, bytes], str | None]:
    """Return the function that gives the reason why a bundle may not leave, or None.

    human: a verdict of accept on exactly these bytes. auto: policy strict and nothing left for the second readers;
    only for local hubs. Both: names in prose were read, or `no_ner` says to go without; a fresh scan of the document by
    the second secret engine, with every known value.
    """

    again = rescan(policy, vault)

    def reason(bundle: Bundle, data: bytes) -> str | None:
        verdict = desk.verdict(bundle)
        if verdict == "rejected":
            return "rejected: a reviewer rejected exactly these bytes"
        if verdict != "accepted" and (why := _unreviewed(desk, bundle, review)):
            return why
        if not no_ner and without_names(bundle):
            return "no_ner: names in prose were not read. Install errorhub's [ner] extra or pass --no-ner"
        return again(bundle, data)

    return reason


def without_names(bundle: Bundle) -> bool:
    """Whether inputs and prose are kept (any policy but strict) and nobody read them for names."""
    receipt = bundle.receipt
    return receipt is not None and receipt.policy != "strict" and receipt.ner == "none"


def rescan(policy: Policy, vault: Vault) -> Callable[[Bundle, bytes], str | None]:
    """Return the function that gives what the second secret engine sees in somebody else's bundle, or None."""

    def reason(bundle: Bundle, _: bytes) -> str | None:
        if found := reread(bundle.certified_document(), policy, vault):
            return f"leak: the second engine finds {', '.join(sorted({one.kind for one in found}))}"
        return None

    return reason


def allowed(review: str, spec: str) -> Mode:
    """Return the review mode. Raise UsageError for an unknown one, and for auto on anything but a local hub."""
    if review not in ("human", "auto"):
        raise UsageError(f"no such review policy: {review}. Use human or auto.")
    if review == "auto" and not spec.startswith("local:"):
        raise UsageError("automatic review is for local: hubs only. A person must accept what leaves the machine.")
    return "auto" if review == "auto" else "human"


def _unreviewed(desk: Desk, bundle: Bundle, review: Mode) -> str | None:
    if review == "human":
        return "not_reviewed: nobody accepted exactly these bytes"
    if bundle.receipt is None or bundle.receipt.policy != "strict":
        return "not_strict: automatic review needs the policy strict"
    if kinds := {finding.kind for finding in desk.residue(bundle)}:
        return f"residue: the second reader still sees {', '.join(sorted(kinds))}, so a person must look"
    return None
