"""Factories: bundles with every kind of evidence, scrubbed on paper, and a build of them."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Attempt, Bundle, Citation, Correction, Diagnosis, Outcome, Repair, Step, Trajectory
from errorhub.hub.bundle.bundle import Rights
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Source, Task
from errorhub.scrubber import Receipt
from errorhub.views import VIEWS, Budget, Plan, build, of_bundles
from errorhub.views.tokens import ByteBound

GOAL = "Book the cheapest direct flight from Oslo to Porto for team number {0} and report the fare class {0}"


@pytest.fixture(scope="session")
def certified() -> Callable[[Bundle], Bundle]:
    """Return a bundle with a licence and a receipt that certifies it."""

    def give(bundle: Bundle) -> Bundle:
        held = bundle.replace(rights=Rights(license="MIT"))
        return held.replace(
            receipt=Receipt(policy="share", policy_digest="", scrubber="test", digest=held.certified_digest)
        )

    return give


@pytest.fixture(scope="session")
def make(certified: Callable[[Bundle], Bundle]) -> Callable[..., Bundle]:
    """Return a failed run number `n` with an actionable diagnosis and a replay of both arms; parts can be replaced."""

    def give(n: int = 0, *, certify: bool = True, **parts: Any) -> Bundle:
        words = f"alpha{n} bravo{n} charlie{n} delta{n}"
        steps = (
            Step(agent="user", kind="message", role="user", input=GOAL.format(words)),
            Step(agent="booker", kind="agent.step", output=f"I will look for flights of {words}.", state_ref=f"s1-{n}"),
            Step(agent="booker", kind="tool.call", tool="book", input={"fare": f"flex-{n}"}, state_ref=f"s2-{n}"),
            Step(
                agent="shop", kind="tool.result", output="refused", error="fare class not offered", state_ref=f"s2-{n}"
            ),
            Step(agent="booker", kind="agent.step", output=f"Booked the flight for {words}.", state_ref=f"s2-{n}"),
        )
        trajectory = Trajectory(
            task=parts.get("task", Task(id=f"t{n}", family=f"f{n % 3}", goal=GOAL.format(words))),
            run=Run(harness="test", policy="m"),
            steps=parts.get("steps", steps),
            outcome=parts.get(
                "outcome", Outcome(status="failed", reason=f"hidden verifier says no to number {n} here")
            ),
            source=Source(format="made"),
            construction_only=parts.get("construction_only", ConstructionOnly(reference_answer=f"ANSWERCANARY{n}")),
        )
        diagnosis = Diagnosis(
            step=2, agent="booker", explanation=f"It asked for a fare that nobody offers, case {n}.",
            evidence=(Citation(step=2, quote=f"flex-{n}"), Citation(step=3, quote="not offered")),
            correction=Correction(text=f"Ask which fares are on offer before booking one, case {n}."), author="person",
        )  # fmt: skip
        diagnosis = diagnosis.replace(**parts.get("diagnosis", {}))
        bundle = Bundle(trajectory=trajectory, diagnoses=(diagnosis,))
        repairs = parts.get("repairs", (_repair(bundle.diagnosis_ids[0], n),))
        bundle = bundle.replace(repairs=repairs)
        return certified(bundle) if certify else bundle

    return give


@pytest.fixture(scope="session")
def made(make: Callable[..., Bundle]) -> list[Bundle]:
    """Forty failed runs, admitted by every view."""
    return [make(n) for n in range(40)]


@pytest.fixture
def built(tmp_path: Path) -> Callable[..., tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Build views of bundles and return the report and the ledger."""

    def give(
        bundles: Sequence[Bundle],
        *views: str,
        out: Path = tmp_path / "rows",
        max_length: int | None = None,
        **plan: Any,
    ) -> Any:
        plan |= {"budget": Budget(ByteBound(), max_length)}
        report = build(of_bundles(bundles), Plan(views or VIEWS, **plan), out)
        ledger = [json.loads(line) for line in (out / "refused.jsonl").read_text().splitlines()]
        return report, ledger

    return give


def _repair(diagnosis_id: str, n: int) -> Repair:
    def attempt(arm: Any, status: Any, fare: str) -> Attempt:
        step = Step(agent="booker", kind="tool.call", tool="book", input={"fare": fare})
        outcome = Outcome(status=status, reason=f"OUTCOMECANARY{n} was seen by the hidden verifier")
        return Attempt(arm=arm, state_ref=f"s2-{n}", settings_digest="same", steps=(step,), outcome=outcome)

    arms = (attempt("corrected", "passed", f"basic-{n}"), attempt("original", "failed", f"flex-{n}"))
    return Repair(diagnosis_id=diagnosis_id, kind="correction", directive="Ask first, then book, please", attempts=arms)
