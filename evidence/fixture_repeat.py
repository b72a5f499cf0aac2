"""Repeats: whether a new run shows a recorded failure again, and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from difflib import unified_diff
from itertools import islice
from pathlib import Path
from typing import Literal

from errorhub.evidence.fixture_likeness import Plain, alike, known
from errorhub.evidence.fixture_match import Looked, same_actions, same_errors
from errorhub.evidence.fixture_record import TELLING, Action, Error, Fixture, Move, Unmet
from errorhub.hub.bundle import Trajectory
from errorhub.hub.errors import FormatError
from errorhub.hub.intake import intake

_TOLD = {
    "action": "same tool and arguments after the same state",
    "error": "same error window",
    "verifier": "same unmet verifier",
}
_WIDTH = 160


@dataclass(frozen=True)
class Repeat:
    """One way in which a new run repeats a recorded failure; printed as a diff of both."""

    kind: Literal["action", "error", "verifier"]
    recorded_step: int | None
    """0-based step of the recorded run; None for the verifier."""
    step: int | None
    """0-based step of the new run."""
    recorded: str
    found: str
    """What both show, a line each for state, action and answer; of the new run without its secrets."""
    because: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return the diff: what is equal once, what differs with - and +."""
        where = (
            "" if self.step is None else f", step {self.step} of this run, step {self.recorded_step} of the recorded"
        )
        one, other = self.recorded.splitlines(), self.found.splitlines()
        lines = list(unified_diff(one, other, lineterm="", n=99))[3:] or [f" {line}" for line in one]
        told = [f"  because: {text}" for text in self.because] + [f"  instead: {text}" for text in self.instead]
        return "\n".join([f"the recorded failure is back: {_TOLD[self.kind]}{where}", *lines, *told])


def repeats(fixture: Fixture, run: Trajectory) -> list[Repeat]:
    """Return every way in which a run repeats the recorded failure; none when it does not.

    A run that passes the verifier which the recorded one failed repeats nothing, whatever it met on its way.
    """
    if _passed(fixture, run):
        return []
    looked = Looked(run)
    found = [one for check in fixture.checks if (one := _first(check, looked))]
    return [*found[:-1], *(replace(one, because=fixture.because, instead=fixture.instead) for one in found[-1:])]


def runs_of(fixture: Fixture, path: Path) -> list[Trajectory]:
    """Read the runs of a log, or of a folder of logs, that are of the fixture's task.

    Raise FormatError when a log cannot be read or none is of the task: neither is a pass. A log of one run is taken
    as it is: whoever names it knows which task it is of.
    """
    read = intake([path], None)
    if not read.bundles or (read.refused and path.is_file()):
        reason = read.refused[0].reason if read.refused else "it holds no run."
        raise FormatError(f"log of the new run cannot be read: {path.name}: {reason}")
    runs = [bundle.trajectory for bundle, _ in read.bundles]
    own = runs if len(runs) == 1 else [run for run in runs if _same_task(fixture, run)]
    if not own:
        raise FormatError(f"none of the {len(runs)} runs in {path.name} is of the task {fixture.task or 'recorded'}.")
    return own


def _passed(fixture: Fixture, run: Trajectory) -> bool:
    unmet = next((check for check in fixture.checks if isinstance(check, Unmet)), None)
    return unmet is not None and run.outcome.status == "passed" and _same_verifier(unmet, run)


def _same_verifier(check: Unmet, run: Trajectory) -> bool:
    named = (check.verifier, run.outcome.verifier)
    return None in named or named[0] == named[1]


def _first(check: Action | Error | Unmet, looked: Looked) -> Repeat | None:
    if isinstance(check, Unmet):
        return _verdict(check, looked.run)
    for folder in looked.folders:
        found = _action(check, looked, folder) if isinstance(check, Action) else _error(check, looked, folder)
        if one := next(islice(found, check.times - 1, None), None):
            return one
    return None


def _action(check: Action, looked: Looked, folder: str | None) -> Iterator[Repeat]:
    recorded = _shown(check.state, check.moves, check.answer)
    for step, state, moves, answer in same_actions(check, looked, folder):
        yield Repeat("action", check.step, step, recorded, _shown(state, moves, answer))


def _error(check: Error, looked: Looked, folder: str | None) -> Iterator[Repeat]:
    for step, one in same_errors(check, looked, folder):
        lines = [f"{each.tool or 'error'}: {each.error}" for each in (check, one)]
        yield Repeat("error", check.step, step, lines[0], _without_secrets(lines[1]))


def _verdict(check: Unmet, run: Trajectory) -> Repeat | None:
    if run.outcome.status != "failed" or not _same_verifier(check, run):
        return None
    name = check.verifier or run.outcome.verifier or "verdict"
    one, other = (f"{name}: not met. {reason or ''}".strip() for reason in (check.reason, run.outcome.reason))
    return Repeat("verifier", None, None, one, _without_secrets(other))


def _shown(state: str | None, moves: tuple[Move, ...], answer: str | None) -> str:
    lines = [f"saw     {_brief(state)}"] if state else []
    lines += [f"did     {move.tool or 'said'} {_brief(move.did or '(withheld)')}" for move in moves]
    return _without_secrets("\n".join(lines + ([f"got     {_brief(answer)}"] if answer else [])))


def _brief(text: str) -> str:
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH // 2]} … {text[-_WIDTH // 2 :]}"


def _without_secrets(text: str) -> str:
    """Return what of a raw log may stand in the output of a test: CI keeps it where many read it."""
    from errorhub.scrubber import Policy, Vault, scrub

    return str(scrub({"text": text}, Policy.load("internal"), Vault(bytes(32))).document["text"])


def _same_task(fixture: Fixture, run: Trajectory) -> bool:
    """Whether a run is of the task: by its ids, else by its words; unknown counts as yes."""
    ids = {run.task.id, *run.task.aliases} - {""}
    if fixture.task and fixture.task in ids:
        return True
    if fixture.goal and run.task.goal and known(fixture.goal) >= TELLING:
        one, other = Plain().loosely(fixture.goal), Plain().loosely(run.task.goal)
        return alike(one, other) or one in other
    return not (fixture.task and ids)
