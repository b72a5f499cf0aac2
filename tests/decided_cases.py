"""Failed runs of four kinds, said in different words: enough for an induction to find what they share."""

from __future__ import annotations

from itertools import product

from errorhub.hub.bundle import Bundle, Diagnosis, Outcome, Provenance, Rights, Step, Trajectory, grounded
from errorhub.hub.bundle.trajectory import Run, Source, Task

SAID = {
    "wait": (
        ["The planner keeps waiting for the reviewer", "Both agents wait for each other to answer", "The coder waits for a reply",
         "The reviewer is waiting for the planner"],
        ["and nobody continues, a deadlock.", "so the two agents are deadlocked.", "until the deadlock ends the run."],
    ),
    "stale": (
        ["The file was read before it was rewritten", "An outdated cached copy of the page was used",
         "The stale cache answered instead of the database", "The cached file was outdated"],
        ["so the copy in the cache was stale.", "and the stale copy decided the answer.", "although the cache was outdated."],
    ),
    "unit": (
        ["Kilometres were taken for miles", "The amount in cents was read as dollars", "Celsius was converted as if it were Fahrenheit",
         "Inches were added to centimetres"],
        ["so the conversion of units is wrong.", "a unit conversion error.", "without converting the units."],
    ),
    "login": (
        ["The session token had expired", "The login page came back instead of the report", "The password prompt was never answered",
         "The authentication cookie was missing"],
        ["so the login failed.", "and the agent was not logged in.", "because authentication was refused."],
    ),
}  # fmt: skip
HARNESSES = ("claude-code", "swe-agent", "autogen")


def case(text: str, number: int, *, harness: str = "claude-code") -> Bundle:
    """Return a raw bundle with one diagnosis."""
    run = Trajectory(
        task=Task(id=f"task-{number}", goal=f"Do job {number}.", environment=("shop", "office")[number % 2]),
        run=Run(harness=harness, policy=("model-a", "model-b")[number // 2 % 2]),
        steps=(Step(agent="planner", kind="llm.response", output=f"I begin with job {number}."),
               Step(agent="planner", kind="llm.response", output="Done.")),
        outcome=Outcome(status="failed", source="human"), source=Source(format="test"),
    )  # fmt: skip
    found = Diagnosis(step=0, agent="planner", explanation=text, author="ada")
    origin = f"{number:064x}"
    return grounded(
        Bundle(
            trajectory=run, diagnoses=(found,), rights=Rights(license="MIT"), provenance=Provenance(origin_key=origin)
        )
    )


def cases_of(kind: str, first: int, count: int = 12) -> list[Bundle]:
    """Return failed runs of one kind, numbered from `first`."""
    texts = [" ".join(pair) for pair in product(*SAID[kind])]
    return [
        case(texts[at % len(texts)], first + at, harness=HARNESSES[at % 3 if kind != "login" else 0])
        for at in range(count)
    ]
