"""Ten failures, each with a run in which it is fixed. Five are real logs."""

from collections.abc import Callable
from functools import partial
from typing import Any

from fixture_cases import asked, blamed, call, mended, result, run_of, said, shared_runs

from errorhub.hub.bundle import Bundle, Outcome, Trajectory

Example = tuple[Bundle, Trajectory]
FLIGHTS = {"fares": [{"id": "F1", "price": 210, "refundable": False}, {"id": "F2", "price": 390, "refundable": True}]}


def booked(flight: str = "F1", **outcome: Any) -> Trajectory:
    return run_of(
        asked("Book a refundable flight"), call("search", {"q": "NYC SFO", "max": 9}), result("search", FLIGHTS),
        said("Booking the cheapest."), call("book", {"id": flight, "seats": 1}, "c2"),
        result("book", {"ok": True, "ticket": "T-9"}, "c2"), **outcome,
    )  # fmt: skip


def missing_file(path: str) -> Trajectory:
    return run_of(
        asked("Fix the test"), call("bash", {"command": "ls /home/alice/shop"}), result("bash", "app.py\ntests\n"),
        call("bash", {"command": f"python /home/alice/shop/{path}", "description": "run it"}, "c2"),
        result("bash", "", "c2", error=f"python: can't open file '/home/alice/shop/{path}': [Errno 2] No such file"),
    )  # fmt: skip


def own(name: str) -> Example:
    """Return a failed run and a fixed run of our own."""
    if name == "wrong argument":
        return blamed(booked(), 4), booked("F2")
    if name == "ended in an error":
        bad = missing_file("ap.py")
        return blamed(bad), bad.replace(steps=(*missing_file("app.py").steps[:4], result("bash", "ok", "c2")))
    if name == "verifier not met":
        bad = booked(status="failed", verifier="reward")
        return blamed(bad), bad.replace(outcome=Outcome(status="passed", verifier="reward"))
    if name == "words":
        bad = run_of(
            said("Votes: 31 of 43.", "counter"), said("I overrule this, the motion fails.", "critic"), asked("Thanks")
        )
        return blamed(bad, 1), mended(bad, 1, "Two thirds of 43 is 29, so the motion is carried.")
    bad = run_of(
        asked("Check"), said("THOUGHT: look first\n```bash\nrm -rf build\n```\nThat clears it."), asked("observation: gone")
    )  # fmt: skip
    return blamed(bad, 1), mended(bad, 1, "THOUGHT: look first\n```bash\nls build\n```\nThat shows it.")


def same_task_runs(source: str) -> Example:
    """Return a failed trial blamed at its last write, and a passing trial of the same task."""
    bundles = shared_runs(source)
    for bad in bundles:
        run = bad.trajectory
        calls = [number for number, step in enumerate(run.steps) if step.kind == "tool.call"]
        good = [
            one.trajectory
            for one in bundles
            if one.trajectory.task.id == run.task.id and one.trajectory.outcome.status == "passed"
        ]
        if run.outcome.status == "failed" and calls and good:
            return blamed(run, calls[-1]), good[0]
    raise AssertionError("no task was both failed and passed")


def last_of(source: str, kinds: tuple[str, ...], instead: Any, *, diagnosed: bool = False) -> Example:
    """Return a real run blamed by its label, or at its last such step, and the run up to there with another action."""
    for bundle in shared_runs(source):
        run = bundle.trajectory
        places = [number for number, step in enumerate(run.steps) if step.kind in kinds and step.agent != "user"]
        if diagnosed:
            places = [one.step for one in bundle.diagnoses if one.step > 0 and run.steps[one.step].output]
        if places and run.outcome.status != "passed":
            return bundle if diagnosed else blamed(run, places[-1]), mended(run, places[-1], instead)
    raise AssertionError("no such run")


OWN: dict[str, Callable[[], Example]] = {
    name: partial(own, name)
    for name in ("wrong argument", "ended in an error", "verifier not met", "words", "code among words")
}
REAL: dict[str, Callable[[], Example]] = {
    "tau-bench": lambda: same_task_runs("tau-bench"),
    "who-and-when": lambda: last_of("who-and-when", (), "Let me count again, with the given rule.", diagnosed=True),
    "mini-swe-agent": lambda: last_of("mini-swe-agent", ("tool.call",), {"command": "python -m pytest -q"}),
    "swe-agent": lambda: last_of("swe-agent", ("tool.call",), {"command": "python -m pytest -q"}),
    "claude-code-log": lambda: last_of("claude-code-log", ("tool.call",), {"command": "make check"}),
}
