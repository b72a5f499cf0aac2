"""Failing runs of our own making, one a seed: a warehouse agent checks shelves, and one check goes wrong.

They show that training works: the decisive error can be read from every run. They say nothing about real runs.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final

from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis, Outcome, Step, Trajectory
from errorhub.hub.bundle.bundle import Rights
from errorhub.hub.bundle.trajectory import Run, Source, Task
from errorhub.scrubber import Receipt

_AGENTS: Final = ("picker", "packer", "driver")
_FINE: Final = ("counted", "labelled", "moved", "sealed", "weighed")
_WRONG: Final = "dropped"
LENGTHS: Final = (3, 8)
"""Fewest and most steps of a run."""


def synthetic(number: int, *, seed: int = 0) -> Iterator[Bundle]:
    """Yield runs with an actionable diagnosis each; the error stands anywhere. The same seed gives the same runs."""
    generator = random.Random(seed)
    for place in range(number):
        yield _run(f"{seed}-{place}", generator)


def _run(name: str, generator: random.Random) -> Bundle:
    length = generator.randint(*LENGTHS)
    wrong = generator.randrange(length)
    said = [_WRONG if place == wrong else generator.choice(_FINE) for place in range(length)]
    agents = [generator.choice(_AGENTS) for _ in said]
    steps = tuple(Step(agent=agent, kind="agent.step", output=word) for agent, word in zip(agents, said, strict=True))
    trajectory = Trajectory(
        task=Task(id=f"shelf-{name}", family="warehouse"), run=Run(harness="synthetic", policy="none"), steps=steps,
        outcome=Outcome(status="failed", source="rule"), source=Source(format="synthetic"),
    )  # fmt: skip
    diagnosis = Diagnosis(
        step=wrong, agent=agents[wrong], explanation="The parcel fell.",
        evidence=(Citation(step=wrong, quote=_WRONG),), correction=Correction(text="Hold it."), author="synthetic",
    )  # fmt: skip
    bundle = Bundle(trajectory=trajectory, diagnoses=(diagnosis,), rights=Rights(license="CC0-1.0"))
    receipt = Receipt(policy="none", policy_digest="", scrubber="none", digest=bundle.certified_digest)
    return bundle.replace(receipt=receipt)
