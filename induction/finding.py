"""A finding: one diagnosis of one run, with what induction needs to know about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.diagnosis import Mode


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

    @cached_property
    def plain(self) -> str:
        """The text in lower case with single spaces: equal ones are counted once."""
        return " ".join(re.findall(r"\w+", self.text.casefold()))


def findings(bundles: Iterable[Bundle]) -> Iterator[Finding]:
    """Yield every diagnosis once, but those that failed grounding."""
    seen: set[str] = set()
    for bundle in bundles:
        run = bundle.trajectory
        for found, name, grade in zip(bundle.diagnoses, bundle.diagnosis_ids, bundle.grades, strict=True):
            if name in seen or grade == "rejected":
                continue
            seen.add(name)
            yield Finding(
                diagnosis_id=name, trajectory_id=bundle.trajectory_id, task=run.task_id, step=found.step,
                agent=found.agent, text=found.explanation, label=(found.novel_mode or "").strip() or None,
                mode=found.mode, confidence=found.confidence, author=found.author, harness=run.run.harness,
                policy=run.run.policy, environment=run.task.environment, goal=run.task.goal or "", agents=run.agents,
            )  # fmt: skip
