"""What a diagnoser may see of a run: the scrubbed one where there is one, the raw one only when it stays here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from errorhub.evidence.chat import Endpoint
from errorhub.evidence.diagnose_carry import same_steps
from errorhub.evidence.diagnose_proposals import Refusal, Seen, StageName, known_to_graders
from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import UsageError
from errorhub.hub.memory import Memory, hints
from errorhub.hub.recall import memory
from errorhub.hub.workspace import Workspace


@dataclass(frozen=True)
class Terms:
    """What may be shown, and what goes with it."""

    stage: StageName | None = None
    """Read this stage. None: clean where a run was scrubbed; else raw, if it may be shown."""
    allow_raw: bool = False
    """Raw runs may leave this machine."""
    reference: bool = False
    """Show what only graders knew, too."""
    cases: int = 0
    """Similar past cases to show, from pulled hubs and one's own scrubbed runs."""
    same_task: bool = True
    """Past cases may be of the same task."""


class Sight:
    """Decides what is shown to one diagnoser."""

    def __init__(self, workspace: Workspace, terms: Terms, endpoint: Endpoint | None, *, whole: bool = False) -> None:
        """`whole`: a clean copy counts only if it has every diagnosis of the raw one.

        Raise UsageError when raw runs are asked for and would leave this machine without leave, or when more than the
        run is to be shown to rules.
        """
        self.workspace, self.terms, self.model, self.whole = workspace, terms, endpoint is not None, whole
        self.here = endpoint is None or endpoint.loopback
        self.may_raw = self.here or terms.allow_raw
        if endpoint is None and (terms.reference or terms.cases):
            raise UsageError("rules see the run alone. Leave --reference and --with-memory out.")
        if terms.stage == "raw" and not self.may_raw:
            raise UsageError(
                "raw runs would leave this machine. Use the clean stage, a model on this machine, or --allow-raw.",
                hint="errorhub scrub",
            )

    def of(self, bundles: Iterable[Bundle]) -> Iterator[tuple[Bundle, Seen | Refusal]]:
        """Yield raw bundles with what is seen of them, or why nothing is."""
        held = list(bundles)
        clean = self.workspace.clean.held({origin(bundle) for bundle in held}) if self._reads_clean else {}
        for raw in held:
            yield raw, self._one(raw, clean.get(origin(raw)))

    @property
    def _reads_clean(self) -> bool:
        return self.terms.stage == "clean" or (self.terms.stage is None and self.model) or bool(self.terms.cases)

    def _one(self, raw: Bundle, clean: Bundle | None) -> Seen | Refusal:
        if not raw.trajectory.steps:
            return Refusal("no_steps", "the run has no steps.")
        if clean is not None and not self._current(raw, clean):
            if self.terms.stage == "clean" or not self.may_raw:
                return Refusal("stale", "its clean copy is older than the raw one: errorhub scrub.")
            clean = None
        wanted = self.terms.stage or ("clean" if self.model and clean else "raw")
        if wanted == "clean":
            return self._seen(clean, "clean", clean) if clean else Refusal("not_scrubbed", _SCRUB)
        return self._seen(raw, "raw", clean) if self.may_raw else Refusal("not_scrubbed", _SCRUB)

    def _current(self, raw: Bundle, clean: Bundle) -> bool:
        known = len(raw.diagnoses) == len(clean.diagnoses) or not self.whole
        return known and same_steps(raw.trajectory, clean.trajectory)

    def _seen(self, shown: Bundle, stage: StageName, clean: Bundle | None) -> Seen:
        reference = known_to_graders(shown) if self.terms.reference else ""
        conditions: dict[str, Any] = {"stage": stage, "reference": bool(reference)}
        if stage == "clean" and shown.receipt:
            conditions["scrub_policy"] = shown.receipt.policy
        if stage == "raw" and not self.here:
            conditions["allow_raw"] = True
        if not self.terms.cases:
            return Seen(shown, stage, reference, None, conditions)
        found = hints(
            (clean or shown).trajectory, self._memory, self.terms.cases, same_task=self.terms.same_task,
            origin_key=shown.provenance.origin_key,
        )  # fmt: skip
        return Seen(shown, stage, reference, found, conditions | found.conditions)

    @cached_property
    def _memory(self) -> Memory:
        """The memory of what was scrubbed: ids of raw bundles must not get into conditions, which may be published."""
        return memory(self.workspace, raw=False)


_SCRUB = "it was not scrubbed, and raw runs stay on this machine: errorhub scrub, or --allow-raw."


def origin(bundle: Bundle) -> str:
    """Return what makes a run unique in a stage."""
    return bundle.provenance.origin_key or bundle.trajectory_id
