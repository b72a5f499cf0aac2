"""raw → clean: the only privacy boundary. A bundle that cannot be proved clean is not written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from pydantic import ValidationError

from errorhub.hub.bundle import Bundle, grounded
from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.errors import RecordError
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy, Receipt, ScrubError, Vault, reread, scrub, source_key
from errorhub.scrubber.reread import engine_name
from errorhub.scrubber.spans import PLACEHOLDER

_CHUNK = 50


@dataclass
class Cleaning:
    """What a scrub of the raw stage did."""

    scrubbed: int = 0
    unchanged: int = 0
    findings: Counter[str] = field(default_factory=Counter)
    dropped: Counter[str] = field(default_factory=Counter)
    ner: str = "none"
    refused: list[dict[str, str]] = field(default_factory=list)

    def add(self, receipt: Receipt, *, fresh: bool = True) -> None:
        """Count one scrubbed document."""
        self.scrubbed += fresh
        self.unchanged += not fresh
        self.findings.update(receipt.counts)
        self.dropped.update(receipt.dropped)
        self.ner = receipt.ner

    def document(self) -> dict[str, Any]:
        """Return the JSON result CLI.md fixes."""
        return {
            "scrubbed": self.scrubbed, "unchanged": self.unchanged, "findings": dict(self.findings),
            "dropped": dict(self.dropped), "residual": sum(one["code"] == "leak" for one in self.refused),
            "ner": self.ner, "refused": self.refused,
        }  # fmt: skip

    @property
    def exit_code(self) -> int:
        """0 all clean, 1 a leak or nothing could be scrubbed, 3 some refused."""
        if not self.refused:
            return 0
        return 3 if self.scrubbed + self.unchanged and not any(r["code"] == "leak" for r in self.refused) else 1


class Leak(ScrubError):
    """The second engine still finds something in the output: nothing is written."""

    exit_code = 1
    code = "leak"


def clean(
    workspace: Workspace,
    policy: Policy,
    vault: Vault,
    *,
    only: set[str] | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Cleaning:
    """Scrub every raw bundle, or those of the origins in `only`, that changed since it was last scrubbed.

    Another policy, other known values and another scrubber version count as a change.
    """
    result, policy = Cleaning(), policy.with_paths(**PATHS)
    raw = (one for one in workspace.raw.bundles() if only is None or one.provenance.origin_key in only)
    while chunk := list(islice(raw, _CHUNK)):
        before = workspace.clean.held({bundle.provenance.origin_key or "" for bundle in chunk})
        fresh = list(_cleaned(chunk, before, policy, vault, result))
        if fresh:
            workspace.clean.put(fresh)
        progress(len(chunk))
    return result


def scrubbed(bundle: Bundle, policy: Policy, vault: Vault) -> Bundle:
    """Return the clean bundle, its ids and the references between them computed anew.

    Raise Leak when the second engine finds anything in it, ScrubError when it cannot be scrubbed.
    """
    result = scrub(_document(bundle), policy, vault)
    fresh = _relinked(bundle, Bundle.from_document(_typed(result.document)))
    document = _document(fresh)
    if found := reread(document, policy, vault):
        kinds = ", ".join(sorted({finding.kind for finding in found}))
        raise Leak(f"second engine finds {kinds} in the output of bundle {bundle.bundle_id[:12]}. Nothing was written.")
    return fresh.replace(receipt=result.receipt.bound_to(document, engine_name()))


def _cleaned(
    chunk: list[Bundle], before: dict[str, Bundle], policy: Policy, vault: Vault, result: Cleaning
) -> Iterator[Bundle]:
    for bundle in chunk:
        held = before.get(bundle.provenance.origin_key or "")
        if held and held.receipt and held.receipt.source_key == source_key(_document(bundle), policy, vault):
            result.add(held.receipt, fresh=False)
            continue
        try:
            fresh = scrubbed(bundle, policy, vault)
        except (ScrubError, RecordError) as problem:
            result.refused.append({"bundle_id": bundle.bundle_id, "reason": str(problem), "code": problem.code})
            continue
        if fresh.receipt:
            result.add(fresh.receipt)
        yield fresh


def _document(bundle: Bundle) -> dict[str, Any]:
    """Return the bundle without its receipt: what is scrubbed and what the receipt certifies."""
    document = bundle.document()
    del document["receipt"]
    return document


def _typed(document: dict[str, Any]) -> dict[str, Any]:
    """Leave out members where a number was replaced by a placeholder and the schema takes nothing but numbers."""
    try:
        Bundle.model_validate(document)
    except ValidationError as problem:
        for error in problem.errors(include_url=False, include_context=False):
            if isinstance(error["input"], str) and PLACEHOLDER.fullmatch(error["input"]):
                *way, member = error["loc"]
                holder: Any = document
                for part in way:
                    holder = holder[part]
                del holder[member]
    return document


def _relinked(raw: Bundle, fresh: Bundle) -> Bundle:
    """Point groundings and repairs of the fresh bundle at its own diagnoses, and ground them again."""
    name = dict(zip(raw.diagnosis_ids, fresh.diagnosis_ids, strict=True))
    repairs = tuple(one.replace(diagnosis_id=name.get(one.diagnosis_id or "")) for one in fresh.repairs)
    groundings = tuple(
        one.replace(diagnosis_id=name[one.diagnosis_id]) for one in fresh.groundings if one.diagnosis_id in name
    )
    return grounded(fresh.replace(repairs=repairs, groundings=groundings))
