"""What all views share: a candidate, its refusal, and the provenance of its row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from errorhub.hub.bundle import Bundle, Diagnosis
from errorhub.views.row import Row
from errorhub.views.splits import source_task


class Refusal(NamedTuple):
    """A rule and why it refused."""

    rule: str
    detail: str


@dataclass(frozen=True)
class Refused:
    """One line of the ledger."""

    view: str
    rule: str
    detail: str
    bundle_id: str
    diagnosis_id: str | None
    source: str
    """Format the run was read from."""

    def document(self) -> dict[str, Any]:
        """Return the line as a plain object."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Draft:
    """A bundle and the diagnosis a row would be made of."""

    bundle: Bundle
    diagnosis_id: str | None

    def refused(self, view: str, why: Refusal) -> Refused:
        """Return the line of the ledger."""
        form = self.bundle.trajectory.source.format
        return Refused(view, why.rule, why.detail, self.bundle.bundle_id, self.diagnosis_id, form)


def sound(draft: Draft) -> str | None:
    """A12: scrubbed, nothing left over, and with a licence."""
    receipt = draft.bundle.receipt
    if receipt is None:
        return "not scrubbed"
    if receipt.residual or receipt.digest != draft.bundle.certified_digest:
        return "its scrub receipt does not hold"
    return None if draft.bundle.rights.license else "no licence"


def provenance(draft: Draft, view: str, diagnosis: Diagnosis, **parts: Any) -> Row:
    """Return a row with everything that says where it comes from."""
    bundle, trajectory = draft.bundle, draft.bundle.trajectory
    return Row(
        view=view,
        bundle_id=bundle.bundle_id,
        trajectory_id=bundle.trajectory_id,
        diagnosis_id=draft.diagnosis_id or "",
        source_task=source_task(trajectory.task.id, trajectory.task.goal, trajectory.task_id, bundle.trajectory_id),
        task_family=trajectory.task.family,
        environment=trajectory.task.environment,
        harness=trajectory.run.harness,
        policy_model=trajectory.run.policy,
        license=bundle.rights.license,
        scrub_policy=bundle.receipt.policy if bundle.receipt else None,
        label_source=diagnosis.author,
        n_steps=len(trajectory.steps),
        gold_step=diagnosis.step,
        gold_agent=diagnosis.agent,
        agents=tuple(step.agent for step in trajectory.steps),
        **parts,
    )
