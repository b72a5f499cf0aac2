"""Where a run shows a recorded action or error again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from errorhub.evidence.fixture_likeness import Plain, alike, equal, known
from errorhub.evidence.fixture_record import TELLING, Action, Error, Move, answer_of, error_of, moves_of, state_of
from errorhub.evidence.fixture_turns import Fault, Turn, faults, root, turns
from errorhub.hub.bundle import Trajectory


class Looked:
    """A run, looked at once for all checks."""

    def __init__(self, run: Trajectory) -> None:
        self.run = run
        self.turns = turns(run)
        self.folders = tuple(dict.fromkeys((root(run), None)))
        """The folder it worked in, taken out of its paths; and its paths as they stand."""

    @cached_property
    def faults(self) -> list[Fault]:
        """The errors it met."""
        return list(faults(self.run))


class Match(NamedTuple):
    """A place where a run does the same."""

    step: int
    state: str | None
    moves: tuple[Move, ...]
    answer: str


def same_actions(check: Action, looked: Looked, folder: str | None) -> Iterator[Match]:
    """Yield the turns that do what was recorded, in the state that was recorded."""
    wanted = {_name(move.tool) for move in check.moves}
    for turn in looked.turns:
        if not wanted <= {_name(call.tool) for call in turn.calls} | {""}:
            continue
        plain = Plain(folder)
        state = None if check.state is None else state_of(turn, plain)
        moves = moves_of(turn, plain)
        mine = tuple(move for move in moves if any(_same_move(one, move) for one in check.moves))
        if not _same_state(check, turn, state) or not all(_comes(move, moves) for move in check.moves):
            continue
        call = next((one for one in turn.calls if _name(one.tool) == _name(check.moves[0].tool)), None)
        answer = answer_of(looked.run, turn, call, plain)
        if _same_answer(check, answer, spoken=not turn.calls):
            yield Match(call.step if call and len(check.moves) == 1 else turn.steps.start, state, mine, answer)


def same_errors(check: Error, looked: Looked, folder: str | None) -> Iterator[tuple[int, Error]]:
    """Yield the step and the window of every error that is the recorded one."""
    for fault in looked.faults:
        one = error_of(fault, Plain(folder))
        same_tool = not check.tool or not one.tool or _name(check.tool) == _name(one.tool)
        if not same_tool or not equal(check.error, one.error):
            continue
        if known(check.error) >= TELLING or equal(check.did or "", one.did or ""):
            yield fault.step, one


def _same_state(check: Action, turn: Turn, state: str | None) -> bool:
    if check.state_ref and check.state_ref == turn.state_ref:
        return True
    return check.state is None or state is None or alike(check.state, state)


def _same_answer(check: Action, answer: str, *, spoken: bool) -> bool:
    """Whether the world answered alike, asked where that is needed to know that it stood alike."""
    if any(move.did is None for move in check.moves):
        return alike(check.answer or "", answer)
    poor = check.state is not None and known(check.state) < TELLING and not check.state_ref
    return spoken or not poor or not check.answer or not answer or alike(check.answer, answer)


def _comes(move: Move, moves: tuple[Move, ...]) -> bool:
    return any(_same_move(move, one) for one in moves)


def _same_move(recorded: Move, found: Move) -> bool:
    if _name(recorded.tool) != _name(found.tool):
        return False
    return recorded.did is None or equal(recorded.did, found.did or "")


def _name(tool: str | None) -> str:
    return (tool or "").casefold()
