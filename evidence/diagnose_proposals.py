"""What a diagnoser gets and what it gives: a run as it may see it, proposals, refusals with a rule, their cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

from errorhub.evidence.chat import Usage
from errorhub.hub.bundle import Bundle, Diagnosis, Trajectory
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.memory import Hints

StageName = Literal["raw", "clean"]


class Refusal(NamedTuple):
    """An answer, or part of one, that cannot be kept as a diagnosis, by the rule that refuses it."""

    rule: str
    detail: str


@dataclass(frozen=True)
class Seen:
    """One run as a diagnoser sees it: what a student sees, unless `reference` or `hints` say more."""

    bundle: Bundle
    """The bundle of the stage that is read; diagnosers look at its run only."""
    stage: StageName
    """Where it is from."""
    reference: str = ""
    """What only graders knew; empty unless it was asked for."""
    hints: Hints | None = None
    """Similar cases; None unless they were asked for."""
    conditions: dict[str, Any] = field(default_factory=dict)
    """What the diagnosis has to say of all that."""

    @property
    def run(self) -> Trajectory:
        """The run, without what only graders knew."""
        return self.bundle.trajectory

    @property
    def told(self) -> str:
        """Similar cases as quoted evidence, empty when there are none."""
        return self.hints.text if self.hints else ""


@dataclass(frozen=True)
class Proposals:
    """What a diagnoser said of one run."""

    diagnoses: tuple[Diagnosis, ...] = ()
    """Best first; nobody has looked yet whether they hold."""
    refused: tuple[Refusal, ...] = ()
    """What could not be made one."""
    usage: Usage = field(default_factory=Usage)


class Diagnoser(Protocol):
    """Whoever says where a run went wrong."""

    @property
    def author(self) -> str:
        """Who the diagnoses are by."""

    @property
    def settings(self) -> dict[str, Any]:
        """What the answer depends on, beside the run."""

    async def propose(self, seen: Seen) -> Proposals:
        """Return diagnoses of a run. Raise NoAnswer or Down when a model gives none."""


def known_to_graders(bundle: Bundle) -> str:
    """Return what only graders knew of a run, as text for a prompt; empty when nothing is recorded."""
    only = bundle.trajectory.construction_only
    parts = {
        "reference answer": only.reference_answer, "what the verifier knew": only.verifier_context or None,
        "notes": only.notes, "why it counts as failed": bundle.trajectory.outcome.reason,
    }  # fmt: skip
    return "\n".join(f"{name}: {_text(value)}" for name, value in parts.items() if value is not None)


def distinct(found: Sequence[Diagnosis]) -> tuple[Diagnosis, ...]:
    """Return diagnoses that say something of their own, the first of each."""
    said: dict[bytes, Diagnosis] = {}
    for one in found:
        quotes: list[Any] = [[quote.step, quote.quote] for quote in one.evidence]
        said.setdefault(canonical([one.step, one.agent, one.explanation, quotes]), one)
    return tuple(said.values())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else canonical(value).decode()
