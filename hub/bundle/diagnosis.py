"""What was found about a run and what was tried: diagnoses, groundings, repairs. Layers beside the trajectory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field, FiniteFloat

from errorhub.hub.bundle.canonical import Json, Text, digest
from errorhub.hub.bundle.trajectory import Outcome, Record, Step

Grade = Literal["located", "evidenced", "actionable", "rejected"]


class Citation(Record):
    """Words of one step that support a claim."""

    step: Annotated[int, Field(ge=0)]
    """0-based position of the cited step."""
    quote: Text
    """The words, verbatim."""


class Correction(Record):
    """What should have been done instead."""

    text: Text = ""
    """In words."""
    action: Json = None
    """As an action of the environment or a tool call, when there is one."""


class Mode(Record):
    """A failure mode of one version of one scheme. Schemes are never merged by number."""

    scheme: Text
    """For example `agentdebugx`."""
    version: Text | None = None
    """The scheme's version or fingerprint."""
    id: Text
    """For example `planning.constraint_ignorance`."""
    text: Text | None = None
    """The mode in words."""


class Origin(Record):
    """Where a label was written, before its step number was translated."""

    name: Text
    """The label set, report or tool."""
    revision: Text | None = None
    """Its version."""
    step_as_written: Json = None
    """The step exactly as the source wrote it."""
    base: int | None = None
    """0 or 1: what the source counts from."""


class Diagnosis(Record):
    """Where a run went wrong, who is responsible and why. Free text first; many per trajectory."""

    step: Annotated[int, Field(ge=0)]
    """0-based position of the decisive error."""
    agent: Text
    """The responsible agent."""
    explanation: Text
    """Why, in words."""
    evidence: tuple[Citation, ...] = ()
    """Quotes that support it."""
    correction: Correction | None = None
    """What should have been done."""
    mode: Mode | None = None
    """A mode of a known scheme."""
    novel_mode: Text | None = None
    """A name for a mode that no scheme has yet."""
    confidence: Annotated[FiniteFloat, Field(ge=0, le=1)] | None = None
    """The author's own, 0 to 1."""
    author: Text
    """Who says so: a person's pseudonym, a label set, a program."""
    source: Origin | None = None
    """Where it was written."""
    conditions: dict[Text, Json] = {}
    """What the author saw beyond the trajectory, for example the reference answer."""
    metadata: dict[Text, Json] = {}
    """Everything else the source says about the diagnosis."""

    def id_in(self, trajectory_id: str) -> str:
        """Return the diagnosis_id: digest of the trajectory and of this diagnosis."""
        return digest({"trajectory_id": trajectory_id, "diagnosis": self.model_dump(mode="json")})


class Grounding(Record):
    """Whether a diagnosis holds up against its trajectory."""

    diagnosis_id: Text
    """Which diagnosis."""
    grade: Grade
    """located: step and agent hold · evidenced: also its quotes · actionable: also a correction · rejected."""
    rule: Text
    """The rule that decided."""
    detail: Text = ""
    """What it saw."""
    by: Text = "structure"
    """Who checked."""


class Approval(Record):
    """Leave to act on the world."""

    by: Text
    """A person's pseudonym or a policy."""
    at: Text | None = None
    """ISO 8601 time."""
    note: Text | None = None
    """Terms."""


class Milestone(Record):
    """A tool-independent stage of a solution (DoVer, section on metrics)."""

    name: Text
    """What should be reached."""
    status: Literal["achieved", "partial", "missed"]
    """Whether it was."""


class Attempt(Record):
    """One execution of one arm."""

    arm: Literal["corrected", "original"]
    """With the correction, or a fresh retry of the original action."""
    state_ref: Text | None = None
    """The checkpoint both arms start from."""
    settings_digest: Text | None = None
    """Digest of policy, harness, budget, verifier: arms with different ones are not comparable."""
    seed: int | None = None
    """Random seed."""
    steps: tuple[Step, ...] = ()
    """What happened."""
    outcome: Outcome = Outcome()
    """How it ended."""
    executed_faithfully: bool | None = None
    """Whether the correction was carried out as meant; None when nobody judged."""
    milestones: tuple[Milestone, ...] = ()
    """Stages reached."""


class Repair(Record):
    """What was tried against a diagnosis, and both arms of how it ended, negatives too."""

    diagnosis_id: Text | None = None
    """The diagnosis it answers; None when the source names none."""
    kind: Literal["correction", "directive", "intervention"]
    """An action, an instruction for a retry, or an edit of a message (DoVer)."""
    directive: Text = ""
    """The instruction in words."""
    action: Json = None
    """The action, when there is one."""
    approval: Approval | None = None
    """Who allowed it to act."""
    attempts: tuple[Attempt, ...] = ()
    """Executions of both arms."""
    metadata: dict[Text, Json] = {}
    """Everything else the source says about the repair."""

    @property
    def tried(self) -> tuple[Attempt, ...]:
        """Attempts of the corrected arm that were graded."""
        graded = ("passed", "failed")
        return tuple(a for a in self.attempts if a.arm == "corrected" and a.outcome.status in graded)

    @property
    def resolved(self) -> bool:
        """True when a corrected attempt passed, and was not judged unfaithful."""
        return any(a.outcome.status == "passed" and a.executed_faithfully is not False for a in self.tried)

    @property
    def verdict(self) -> Literal["validated", "partially_validated", "refuted", "inconclusive"]:
        """DoVer's four outcomes: carried out and passed, progressed, had no effect, or never carried out.

        A majority of the faithful corrected attempts must pass to validate. Progress is what the correction adds: where
        the original arm was run too, its milestones have to be outdone.
        """
        faithful = [a for a in self.tried if a.executed_faithfully is not False]
        if not faithful:
            return "inconclusive"
        if 2 * sum(a.outcome.status == "passed" for a in faithful) > len(faithful):
            return "validated"
        originals = [a for a in self.attempts if a.arm == "original" and a.outcome.status in ("passed", "failed")]
        if any(a.outcome.status == "passed" for a in faithful) or _progress(faithful) > _progress(originals):
            return "partially_validated"
        return "refuted"


def _progress(attempts: Sequence[Attempt]) -> float:
    """Return the milestones reached in an attempt, on average; a partly reached one is half."""
    worth = {"achieved": 1.0, "partial": 0.5, "missed": 0.0}
    return sum(worth[one.status] for a in attempts for one in a.milestones) / max(1, len(attempts))
