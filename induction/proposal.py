"""A proposal: one cluster of failures that may become a mode, and everything a maintainer needs to judge it."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from errorhub.induction.finding import Finding
from errorhub.induction.settings import Settings

Status = Literal["proposed", "unstable", "duplicate"]


class Value(BaseModel):
    """A frozen value that refuses unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Example(Value):
    """One member, as it was explained."""

    diagnosis_id: str
    """Which diagnosis."""
    trajectory_id: str
    """Which run."""
    agent: str
    """Who was responsible."""
    text: str
    """The explanation, shortened."""


class Nearest(Value):
    """The known mode that is most like a proposal."""

    scheme: str
    """Its scheme."""
    version: str
    """The scheme's version."""
    id: str
    """`family.mode`."""
    name: str
    """In words."""


class Proposal(Value):
    """A cluster that may become a mode. Nothing is decided by it."""

    id: str
    """Digest of its members: the same set of failures, in any order, has the same id."""
    name: str
    """Suggested: the authors' label, a model's, or its most telling words."""
    named_by: str = "terms"
    """label, terms, or the model that named it."""
    family: str
    """Suggested family of the seed."""
    description: str = ""
    """The most typical explanation, or a model's sentence."""
    terms: tuple[str, ...] = ()
    """Words that set it apart, most telling first."""
    status: Status = "proposed"
    """unstable: seldom found again in part of the data; duplicate: says what a known mode says."""
    support: int
    """Distinct runs."""
    tasks: int
    """Distinct source tasks."""
    trajectories: tuple[str, ...]
    """The runs."""
    members: tuple[str, ...]
    """Diagnosis ids, sorted."""
    examples: tuple[Example, ...]
    """The most typical member first, then up to five that differ most."""
    nearest: Nearest | None = None
    """The known mode most like it."""
    similarity: float | None = None
    """How much, 0 to 1."""
    stability: float
    """Mean best-match Jaccard over resamples, 0 to 1; 1 for a label."""
    kin: tuple[str, ...] = ()
    """Ids of other proposals that may be the same."""
    agents: dict[str, int] = {}
    """Runs by responsible agent."""
    harnesses: dict[str, int] = {}
    """Runs by harness."""
    xy: tuple[float, float] | None = None
    """Its place on a map: alike ones lie near."""


class Assignment(Value):
    """Where one finding ended."""

    diagnosis_id: str
    """Which diagnosis."""
    trajectory_id: str
    """Which run."""
    task: str
    """Its source task."""
    step: int
    """0-based position of the error."""
    agent: str
    """Who was responsible."""
    cluster: str
    """Its cluster, also one of a single finding; `mode:…` for findings of a known mode."""
    proposal: str | None = None
    """Id of the proposal, when the cluster is one."""
    label: str | None = None
    """What its author called it."""
    mode: str | None = None
    """The known mode it falls under."""
    rejected: str | None = None
    """The rule of grounding that it breaks: then it stands alone."""

    @classmethod
    def of(cls, found: Finding, cluster: str, *, proposal: str | None = None, mode: str | None = None) -> Assignment:
        """Return where a finding ended."""
        label = found.label or (found.mode.text or found.mode.id if found.mode else None)
        return cls(
            diagnosis_id=found.diagnosis_id, trajectory_id=found.trajectory_id, task=found.task, step=found.step,
            agent=found.agent, cluster=cluster, proposal=proposal, label=label, mode=mode,
            rejected=found.rejected,
        )  # fmt: skip


class Induction(Value):
    """What one run of the induction found."""

    proposals: tuple[Proposal, ...]
    """Best first: stable ones by support, then duplicates, then unstable ones."""
    unclustered: int
    """Candidates that are in no proposal."""
    candidates: int
    """Findings without a known mode."""
    rejected: dict[str, int]
    """Findings set aside, by the rule of grounding that they break."""
    known: dict[str, int]
    """Findings under each known mode."""
    decided: tuple[str, ...]
    """Ids of clusters that a maintainer answered before; they are not proposed again."""
    settings: Settings
    """What it was run with."""
    assignments: tuple[Assignment, ...]
    """Every finding, by diagnosis id."""
