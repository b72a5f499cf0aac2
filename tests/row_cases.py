"""Scrubbed bundles of tasks of their own, and the rows that `views build` makes of them."""

from pathlib import Path

from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis, Outcome, Rights, Step, Trajectory
from errorhub.hub.bundle.grounding import grounded
from errorhub.hub.bundle.trajectory import Run, Source, Task
from errorhub.hub.stage import Stage
from errorhub.scrubber import Receipt
from errorhub.views.build import Plan, build
from errorhub.views.sources import of_stage


def clean_bundle(number: int, license: str = "MIT", text: str = "searched and found nothing useful") -> Bundle:
    """Return a scrubbed, diagnosed bundle of its own task."""
    steps = (
        Step(agent="user", kind="message", role="user", output=f"Find book {number}"),
        Step(agent="planner", kind="llm.response", role="assistant", output=f"{text} in shop {number}"),
        Step(agent="planner", kind="llm.response", role="assistant", output="so I gave up"),
    )
    run = Trajectory(
        task=Task(id=f"task-{number}", goal=f"Find book {number} of the series"), run=Run(harness="test"), steps=steps,
        outcome=Outcome(status="failed", verifier="tests"), source=Source(format="test"),
    )  # fmt: skip
    found = Diagnosis(
        step=1, agent="planner", explanation="It stopped at the first empty answer.", author="anon-1",
        evidence=(Citation(step=1, quote=f"{text} in shop {number}"),), correction=Correction(text="Try another shop."),
    )  # fmt: skip
    bundle = grounded(Bundle(trajectory=run, diagnoses=(found,), rights=Rights(license=license)))
    receipt = Receipt(policy="strict", policy_digest="0" * 64, scrubber="1", digest=bundle.certified_digest)
    return bundle.replace(receipt=receipt)


def build_rows(folder: Path, bundles: list[Bundle]) -> Path:
    """Build two views of bundles."""
    stage = Stage(folder.with_name("stage"))
    stage.put(bundles)
    build(of_stage(stage), Plan(("diagnosis_full", "diagnosis_compact")), folder)
    return folder
