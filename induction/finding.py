"""A finding: one diagnosis of one run, with what induction needs to know about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from errorhub.hub.bundle import Bundle, Diagnosis
from errorhub.hub.bundle.diagnosis import Grounding, Mode


@dataclass(frozen=True)
class Finding:
    """One diagnosis that may belong to a mode nobody has named yet."""

    diagnosis_id: str
    """Digest of run and diagnosis."""
    trajectory_id: str
    """The run."""
    task: str
    """Its source task."""
    step: int
    """0-based position of the error."""
    agent: str
    """Who is responsible."""
    text: str
    """The explanation."""
    label: str | None = None
    """A name that its author suggests for a mode that no scheme has."""
    mode: Mode | None = None
    """The mode its author names, of whatever scheme."""
    confidence: float | None = None
    """The author's own."""
    author: str = ""
    """Who says so."""
    harness: str | None = None
    """The program that ran the agent."""
    policy: str | None = None
    """The model that decided."""
    environment: str | None = None
    """Where the task lives."""
    goal: str = ""
    """What the run was asked to do: its words are topic, not failure."""
    agents: tuple[str, ...] = ()
    """Everybody in the run."""
    rejected: str | None = None
    """The rule of grounding that it breaks: then it is set aside."""

    @cached_property
    def plain(self) -> str:
        """The text in lower case with single spaces: equal ones are counted once."""
        return " ".join(re.findall(r"\w+", self.text.casefold()))


def findings(bundles: Iterable[Bundle]) -> Iterator[Finding]:
    """Yield every diagnosis once, those that failed grounding with the rule that failed."""
    seen: set[str] = set()
    for bundle in bundles:
        run, broken = bundle.trajectory, {one.diagnosis_id: one for one in bundle.groundings if one.grade == "rejected"}
        for found, name in zip(bundle.diagnoses, bundle.diagnosis_ids, strict=True):
            if name in seen:
                continue
            seen.add(name)
            yield Finding(
                diagnosis_id=name, trajectory_id=bundle.trajectory_id, task=run.task_id, step=found.step,
                agent=found.agent, text=found.explanation, label=(found.novel_mode or "").strip() or None,
                mode=found.mode, confidence=found.confidence, author=found.author, harness=run.run.harness,
                policy=run.run.policy, environment=run.task.environment, goal=run.task.goal or "", agents=run.agents,
                rejected=_refuted(found, broken.get(name)),
            )  # fmt: skip


def _refuted(found: Diagnosis, grounding: Grounding | None) -> str | None:
    """Return the rule that refutes a diagnosis. A wrong place alone does not: what went wrong may hold all the same."""
    misplaced = grounding is not None and grounding.rule == "agent_not_at_step" and not found.evidence
    return None if grounding is None or misplaced else grounding.rule
