"""raw → clean: the only privacy boundary. A bundle that cannot be proved clean is not written."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Any, cast

from pydantic import ValidationError

from errorhub.hub.bundle import Bundle, grounded
from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.errors import RecordError
from errorhub.hub.hands import Map, hands
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy, Receipt, ScrubError, Vault, reread, scrub, source_key
from errorhub.scrubber.reread import engine_name
from errorhub.scrubber.spans import PLACEHOLDER

_FIRST, _CHUNK = 8, 64
_PAYS = 20.0
"""Seconds of work from which starting processes, each with its own engines and model, pays."""
_SAVED = 5.0
"""Seconds of work after which it is written down."""


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
    processes: int = 1,
) -> Cleaning:
    """Scrub every raw bundle, or those of the origins in `only`, that changed since it was last scrubbed.

    Another policy, other known values and another scrubber version count as a change. More than one process is used
    when the first bundles took so long that it pays to start others; the result is the same.
    """
    result, policy = Cleaning(), policy.with_paths(**PATHS)
    raw = (one for one in workspace.raw.bundles() if only is None or one.provenance.origin_key in only)
    first = list(islice(raw, _FIRST))
    started = time.monotonic()
    _clean_chunk(workspace, first, policy, vault, result, map)
    progress(len(first))
    ahead = (time.monotonic() - started) / max(1, len(first)) * _count(workspace, only)
    with hands(processes if ahead > _PAYS else 1) as apply:
        while chunk := list(islice(raw, _CHUNK)):
            _clean_chunk(workspace, chunk, policy, vault, result, apply)
            progress(len(chunk))
    return result


def scrubbed(bundle: Bundle, policy: Policy, vault: Vault) -> Bundle:
    """Return the clean bundle, its ids and the references between them computed anew.

    Raise Leak when the second engine finds anything in it, ScrubError when it cannot be scrubbed.
    """
    result = scrub(bundle.certified_document(), policy, vault)
    fresh = _relinked(bundle, Bundle.from_document(_typed(result.document)))
    document = fresh.certified_document()
    if found := reread(document, policy, vault):
        kinds = ", ".join(sorted({finding.kind for finding in found}))
        raise Leak(f"second engine finds {kinds} in the output of bundle {bundle.bundle_id[:12]}. Nothing was written.")
    return fresh.replace(receipt=result.receipt.bound_to(document, engine_name()))


def _count(workspace: Workspace, only: set[str] | None) -> int:
    return len(only) if only is not None else sum(1 for _ in workspace.raw.rows(()))


def _clean_chunk(
    workspace: Workspace, chunk: list[Bundle], policy: Policy, vault: Vault, result: Cleaning, apply: Map
) -> None:
    """Scrub what changed in a chunk and write it, every few seconds when it takes long, so that a kill loses little."""
    before = workspace.clean.held({bundle.provenance.origin_key or "" for bundle in chunk})
    todo: list[Bundle] = []
    for bundle in chunk:
        held = before.get(bundle.provenance.origin_key or "")
        if held and held.receipt and held.receipt.source_key == source_key(bundle.certified_document(), policy, vault):
            result.add(held.receipt, fresh=False)
        else:
            todo.append(bundle)
    fresh: list[Bundle] = []
    begun = time.monotonic()
    try:
        for done in apply(partial(_attempt, policy=policy, vault=vault), todo):
            if isinstance(done, Bundle):
                fresh.append(done)
                result.add(cast(Receipt, done.receipt))
            else:
                result.refused.append(done)
            if time.monotonic() - begun > _SAVED:
                workspace.clean.put(fresh)
                fresh, begun = [], time.monotonic()
    finally:
        if fresh:
            workspace.clean.put(fresh)


def _attempt(bundle: Bundle, policy: Policy, vault: Vault) -> Bundle | dict[str, str]:
    """Return the clean bundle, or why it is refused."""
    try:
        return scrubbed(bundle, policy, vault)
    except (ScrubError, RecordError) as problem:
        return {"bundle_id": bundle.bundle_id, "reason": str(problem), "code": problem.code}


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
