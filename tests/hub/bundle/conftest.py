"""Small bundles to test with."""

from collections.abc import Callable
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis, Repair, Rights, Step, Trajectory
from errorhub.hub.bundle.diagnosis import Attempt
from errorhub.hub.bundle.trajectory import Outcome, Source, Task


@pytest.fixture
def make() -> Callable[..., Bundle]:
    """Return a maker of one small failed run with a diagnosis and a repair; named parts replace its own."""

    def bundle(**parts: Any) -> Bundle:
        steps = parts.pop("steps", (
            Step(agent="user", kind="message", role="user", input="Delete the old backups."),
            Step(agent="ops", kind="tool.call", tool="bash", call_id="c1", input={"command": "rm -rf /backups"}),
            Step(agent="ops", kind="tool.result", tool="bash", call_id="c1", output="rm: cannot remove", error="exit 1"),
        ))  # fmt: skip
        trajectory = Trajectory(
            task=Task(id="backups-1", goal="Delete the old backups."),
            steps=steps,
            outcome=Outcome(status="failed"),
            source=Source(format="test"),
        )
        diagnosis = Diagnosis(
            step=1, agent="ops", explanation="Deleted all backups instead of the old ones.", author="ada",
            evidence=(Citation(step=1, quote="rm -rf /backups"),), correction=Correction(text="Filter by age first."),
        )  # fmt: skip
        repair = Repair(
            kind="directive", directive="List first.", diagnosis_id=diagnosis.id_in(trajectory.trajectory_id),
            attempts=(Attempt(arm="corrected", outcome=Outcome(status="passed", source="human")),),
        )  # fmt: skip
        whole = {"trajectory": trajectory, "diagnoses": (diagnosis,), "repairs": (repair,)}
        return Bundle(**whole | {"rights": Rights(license="MIT")} | parts)

    return bundle
