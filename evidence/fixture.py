"""Fixture: a bundle as a regression test. What a scrubber withheld is not compared; a fixture says so."""

from __future__ import annotations

from collections.abc import Iterator

from errorhub.evidence.fixture_likeness import Plain, cut, known
from errorhub.evidence.fixture_match import Looked, same_actions, same_errors
from errorhub.evidence.fixture_record import (
    TELLING,
    Action,
    Error,
    Fixture,
    Unmet,
    answer_of,
    error_of,
    moves_of,
    state_of,
    told,
)
from errorhub.evidence.fixture_turns import Turn, seen
from errorhub.hub.bundle import Bundle, Step, Trajectory
from errorhub.hub.bundle.grounding import WITHHELD
from errorhub.hub.errors import Blocked

MOST = 20
"""Checks of one fixture."""
AFTER = 10
"""Steps after the blamed one among which its error is looked for."""


def make_fixture(bundle: Bundle, *, allow_raw: bool = False) -> Fixture:
    """Return the fixture of a bundle.

    Raise Blocked for an unscrubbed bundle unless raw is allowed, and for one in which nothing tells the failure.
    """
    if bundle.receipt is None and not allow_raw:
        raise Blocked("bundle is not scrubbed. A fixture is kept beside code and read by many.", hint="errorhub scrub")
    run, withheld = _marked(bundle), list[str]()
    pairs = zip(bundle.diagnoses, bundle.grades, strict=True)
    blamed = sorted({one.step for one, grade in pairs if grade != "rejected" and one.step < len(run.steps)})
    looked = Looked(run)
    checks: list[Action | Error | Unmet] = [
        *_actions(looked, blamed, withheld),
        *_errors(looked, blamed),
        *_verdict(run),
    ]
    if not checks:
        raise Blocked(
            "nothing in this bundle tells its failure: no diagnosis of a step that can be compared, no verdict, and "
            "it did not end in an error.",
            hint=f"errorhub annotate {bundle.bundle_id[:12]} --step N --because …",
        )
    return Fixture(
        bundle_id=bundle.bundle_id, task=run.task.id, goal=cut(run.task.goal) if run.task.goal else None,
        because=tuple(one.explanation for one in bundle.diagnoses if one.step in blamed),
        instead=tuple(fix.text for one in bundle.diagnoses if (fix := one.correction) and fix.text),
        checks=tuple(checks[:MOST]), withheld=tuple(withheld),
    )  # fmt: skip


def _marked(bundle: Bundle) -> Trajectory:
    """Return the run with a mark where inputs were dropped: an input that is not there is not an empty one."""
    run = bundle.trajectory
    if bundle.receipt is None or "trajectory.steps[*].input" not in bundle.receipt.dropped:
        return run
    steps = [one.replace(input=WITHHELD) if one.input is None and _wants_input(one) else one for one in run.steps]
    return run.replace(steps=tuple(steps))


def _wants_input(step: Step) -> bool:
    return step.kind == "tool.call" or (step.output is None and step.error is None)


def _actions(looked: Looked, blamed: list[int], withheld: list[str]) -> Iterator[Action]:
    found = dict[tuple[int, int | None], Turn]()
    for step in blamed:
        if turn := _turn_at(looked.turns, step):
            single = any(call.step == step for call in turn.calls)
            found.setdefault((turn.steps.start, step if single else None), turn)
    for (start, only), turn in found.items():
        plain, step = Plain(looked.folders[0]), start if only is None else only
        hidden = _hidden(turn.state)
        state = None if hidden else state_of(turn, plain)
        moves = tuple(told(move) for move in moves_of(turn, plain, only))
        call = next((one for one in turn.calls if only in (None, one.step)), None)
        answer = answer_of(looked.run, turn, call, plain)
        check = Action(step=step, state=state, state_ref=turn.state_ref, moves=moves, answer=answer or None)
        withheld += [f"what the agent saw before step {step}"] if hidden else []
        withheld += [f"arguments of step {step}"] if any(move.did is None for move in moves) else []
        if telling(check):
            matches = same_actions(check, looked, looked.folders[0])
            yield check.replace(times=max(1, sum(one.step <= step for one in matches)))
        else:
            withheld.append(f"the action of step {step}: too little is left of it to be told from others")


def telling(check: Action) -> bool:
    """Whether an action can be told from others by what is known of it."""
    done = [move.did for move in check.moves if move.did is not None]
    if len(done) < len(check.moves):
        return check.state is not None and known(check.answer or "") >= TELLING
    return check.state is not None or known(" ".join(done)) >= TELLING


def _errors(looked: Looked, blamed: list[int]) -> Iterator[Error]:
    """Yield the first error that each blamed step met; without a diagnosis the one that the run ended in."""
    met, folder, last = looked.faults, looked.folders[0], looked.turns[-2:]
    if blamed:
        near = [next((one for one in met if step <= one.step <= step + AFTER), None) for step in blamed]
    else:
        near = [next((one for one in reversed(met) if last and one.step >= last[0].steps.start), None)]
    for fault in {one.step: one for one in near if one}.values():
        check = error_of(fault, Plain(folder))
        if known(check.error) >= TELLING or (check.did and known(check.error + check.did) >= TELLING):
            times = sum(step <= fault.step for step, _ in same_errors(check, looked, folder))
            yield check.replace(times=max(1, times))


def _verdict(run: Trajectory) -> Iterator[Unmet]:
    if run.outcome.status == "failed":
        yield Unmet(verifier=run.outcome.verifier, reason=run.outcome.reason)


def _turn_at(turns: list[Turn], step: int) -> Turn | None:
    """Return the turn of a step; of a result, that of the call it answers, else the one before it."""
    before = [turn for turn in turns if turn.steps.start <= step]
    answered = [turn for turn in before if any(call.answer == step for call in turn.calls)]
    return answered[0] if answered else before[-1] if before else None


def _hidden(step: Step | None) -> bool:
    if step is None:
        return False
    text = Plain().loosely(seen(step))
    return WITHHELD in text and known(text) < TELLING
