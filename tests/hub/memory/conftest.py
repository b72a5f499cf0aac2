"""Small cases for the memory: a run of a few steps and, mostly, one diagnosis."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import (
    Attempt,
    Bundle,
    Correction,
    Diagnosis,
    Outcome,
    Provenance,
    Repair,
    Rights,
    Step,
    Trajectory,
)
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.memory import Memory, Pile, Place

FAILURES = {
    "missing module": "Imported requests_cache without installing it, and went on after the ModuleNotFoundError.",
    "busy port": "The server could not bind because an old process held the port; restarted it without looking.",
    "stale answer": "Orchestrator accepted the first search result without opening the page, from an older edition.",
    "lost budget": "The planner handed the booking over without the budget limit of the customer.",
    "skipped test": "Marked the failing test as skipped and reported a green suite instead of fixing the rounding.",
}
"""What can go wrong -> why, in five unlike ways."""


def _run(*lines: str, task: str = "", goal: str | None = None) -> Trajectory:
    """Return a run from lines of the form "who: what"; user and system lines are inputs."""
    steps = []
    for line in lines:
        who, _, text = line.partition(": ")
        heard = who in ("user", "system")
        said: dict[str, Any] = {"input": text} if heard else {"output": text}
        kind = "message" if heard else "tool.result" if who == "tool" else "agent.step"
        steps.append(Step(agent=who, kind=kind, role=who if heard else None, **said))
    return Trajectory(task=Task(id=task, goal=goal), steps=tuple(steps), source=Source(format="test"))


def _case(
    explanation: str | None,
    *lines: str,
    task: str = "",
    fix: str | None = None,
    passed: bool | None = None,
    contributor: str | None = None,
    origin_key: str | None = None,
) -> Bundle:
    """Return a bundle; its run holds the explanation's first words when no line is given."""
    trajectory = _run(*(lines or ("assistant: begin", f"tool: output {explanation}", "assistant: done")), task=task)
    found = ()
    if explanation is not None:
        correction = Correction(text=fix) if fix else None
        found = (Diagnosis(step=1, agent="assistant", explanation=explanation, correction=correction, author="me"),)
    repairs = ()
    if passed is not None:
        outcome = Outcome(status="passed" if passed else "failed")
        repairs = (
            Repair(kind="directive", directive="try this", attempts=(Attempt(arm="corrected", outcome=outcome),)),
        )
    return Bundle(
        trajectory=trajectory,
        diagnoses=found,
        repairs=repairs,
        rights=Rights(contributor=contributor),
        provenance=Provenance(origin_key=origin_key),
    )


Held = tuple[Bundle, Place]


def _held(bundle: Bundle, **changes: Any) -> Held:
    """Return where a bundle is held: by default in the owner's own workspace."""
    place = {"source": "workspace", "revision": None, "trust": "mine", "reviewed": False, "local": True} | changes
    return bundle, Place(**place)


def _foreign(bundle: Bundle, **changes: Any) -> Held:
    """Return a reviewed bundle of somebody else's hub."""
    place = {"source": "git:hub", "revision": "r1", "trust": "unverified", "reviewed": True, "local": False}
    return bundle, Place(**(place | changes))


@pytest.fixture(name="run")
def make_run() -> Callable[..., Trajectory]:
    """Return a function that makes a run."""
    return _run


@pytest.fixture(name="case")
def make_case() -> Callable[..., Bundle]:
    """Return a function that makes a bundle."""
    return _case


@pytest.fixture(name="foreign")
def make_foreign() -> Callable[..., Held]:
    """Return a function that puts a bundle into somebody else's hub."""
    return _foreign


@pytest.fixture(name="held")
def make_held() -> Callable[..., Held]:
    """Return a function that puts a bundle into the own workspace."""
    return _held


@pytest.fixture
def remember(tmp_path: Path) -> Callable[..., Memory]:
    """Return a function that opens a memory of bundles or of held bundles."""

    def open_memory(things: Iterable[Bundle | Held], fingerprint: str = "one", **options: Any) -> Memory:
        shelf = Pile(_held(thing) if isinstance(thing, Bundle) else thing for thing in things)
        return Memory.open(tmp_path / "memory", shelf, fingerprint, **options)

    return open_memory


@pytest.fixture
def five(remember: Callable[..., Memory]) -> Memory:
    """Return a memory of five unlike failures."""
    return remember([_case(text, task=name) for name, text in FAILURES.items()])


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real logs, or skip."""
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip("the shared data folder is not there (ERRORHUB_SHARED_DATA)")
    return folder
