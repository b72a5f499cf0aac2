"""What a recorded failure looked like, in one small JSON file, and the plain forms that are compared.

A check is one way in which the failure shows: the blamed action in its state, the error it met, the verifier that was
not met.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from errorhub.evidence.fixture_likeness import Plain, cut, known
from errorhub.evidence.fixture_turns import Call, Fault, Turn, seen, spoken
from errorhub.hub.bundle import Trajectory
from errorhub.hub.bundle.canonical import Text
from errorhub.hub.bundle.grounding import WITHHELD
from errorhub.hub.bundle.trajectory import Record
from errorhub.hub.errors import FormatError, SchemaFromFuture

TELLING = 12
"""Letters and digits that a text needs to tell one thing from another by itself."""


class Move(Record):
    """One thing an agent did: a tool call, or what it said."""

    tool: Text | None = None
    """The tool; None when it only spoke."""
    did: Text | None = None
    """Arguments or words in plain form; None when they were withheld."""


class Action(Record):
    """The blamed action in its state: tools and arguments, and what they were answered."""

    kind: Literal["action"] = "action"
    step: int
    """0-based step of the recorded run."""
    state: Text | None = None
    """What the agent saw last, in plain form; None when it was withheld."""
    state_ref: Text | None = None
    """Checkpoint, when the log names one."""
    moves: tuple[Move, ...]
    """What it did; all of it must come again."""
    answer: Text | None = None
    """What came back; compared where the arguments were withheld, or where the state tells little."""
    times: int = 1
    """How often all this had come by then: that often it must come again."""


class Error(Record):
    """An error window: which tool failed, and the lines that tell it."""

    kind: Literal["error"] = "error"
    step: int
    """0-based step of the recorded run."""
    tool: Text | None = None
    """The tool."""
    error: Text
    """The lines, in plain form."""
    did: Text | None = None
    """Arguments, compared where the lines alone could be any error."""
    times: int = 1
    """How often it had come by then."""


class Unmet(Record):
    """The verifier that the recorded run did not satisfy."""

    kind: Literal["verifier"] = "verifier"
    verifier: Text | None = None
    """What judged."""
    reason: Text | None = None
    """Why, in its words; shown, not compared."""


class Fixture(Record):
    """What a recorded failure looked like."""

    schema_: Literal["errorhub.fixture/1"] = Field(default="errorhub.fixture/1", alias="schema")
    """Version of the record."""
    bundle_id: Text
    """The bundle."""
    task: Text = ""
    """Id of its task, when the source named one."""
    goal: Text | None = None
    """Its task in words."""
    because: tuple[Text, ...] = ()
    """What the diagnoses say."""
    instead: tuple[Text, ...] = ()
    """What should have been done."""
    checks: tuple[Action | Error | Unmet, ...]
    """Ways in which the failure shows."""
    withheld: tuple[Text, ...] = ()
    """What could not be recorded, so that nobody takes silence for a pass."""


def read_fixture(path: Path) -> Fixture:
    """Read a fixture. Raise FormatError when the file is none."""
    try:
        return Fixture.model_validate_json(path.read_bytes())
    except ValidationError as problem:
        if any(error["loc"] == ("schema",) for error in problem.errors()):
            raise SchemaFromFuture(f"fixture of another version: {path.name}. Make it again or upgrade.") from None
        raise FormatError(f"not a fixture: {path.name}. Make it again: errorhub fixture ID --out DIR.") from None


def moves_of(turn: Turn, plain: Plain, step: int | None = None) -> tuple[Move, ...]:
    """Return what a turn did: its calls, one call when its step is given, else what it said."""
    calls = [call for call in turn.calls if step is None or call.step == step] or list(turn.calls)
    if calls:
        return tuple(Move(tool=call.tool, did=plain.strictly(call.input)) for call in calls)
    return (Move(did=plain.strictly(spoken(turn.text))),)


def state_of(turn: Turn, plain: Plain) -> str:
    """Return what a turn saw last, in plain form; empty at the start of a run."""
    return cut(plain.loosely(seen(turn.state))) if turn.state else ""


def answer_of(run: Trajectory, turn: Turn, call: Call | None, plain: Plain) -> str:
    """Return what came back, in plain form."""
    number = call.answer if call and call.answer is not None else turn.answer
    return "" if number is None else cut(plain.loosely(seen(run.steps[number])))


def error_of(fault: Fault, plain: Plain) -> Error:
    """Return the error window of a fault."""
    did = told(Move(did=plain.strictly(fault.input))).did if fault.input is not None else None
    return Error(step=fault.step, tool=fault.tool, error=cut(plain.loosely(fault.text)), did=did)


def told(move: Move) -> Move:
    """Return a move without arguments of which nothing is left."""
    gone = move.did is not None and WITHHELD in move.did and not known(move.did)
    return move.replace(did=None) if gone else move
