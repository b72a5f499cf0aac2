"""A finding: one diagnosis of one run, with what induction needs to know about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from errorhub.hub.bundle import Bundle
from errorhub.hub.taxonomy.cases import Case, readings


@dataclass(frozen=True)
class Finding(Case):
    """A case that may belong to a mode nobody has named yet."""

    step: int = 0
    """0-based position of the error."""
    agent: str = ""
    """Who is responsible."""
    confidence: float | None = None
    """The author's own."""
    author: str = ""
    """Who says so."""
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
    for one in readings(bundles):
        run, said = one.bundle.trajectory, one.diagnosis
        yield Finding(
            **vars(one.case), step=said.step, agent=said.agent, confidence=said.confidence, author=said.author,
            goal=run.task.goal or "", agents=run.agents, rejected=one.refuted,
        )  # fmt: skip
