"""A scripted oracle: blames a failed run's most wasteful stretch, by the environment's own walkthrough.

It knows the way at every state, which no student or judge does, so its author is `oracle:ENVIRONMENT` and the condition
is recorded. It is a source of corrections to test, not a debugger to be measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from errorhub.evidence.checkpoint import Checkpoint
from errorhub.evidence.episode import actions_of
from errorhub.hub.bundle import Bundle, Citation, Correction, Diagnosis, grounded
from errorhub.hub.bundle.diagnosis import Origin

_LOST = 10_000
_QUOTED = 160


@dataclass(frozen=True)
class _Wasted:
    """One action, and by how much it lengthened the way to the goal."""

    turn: int
    cost: int


def diagnosed(bundle: Bundle, whole: Checkpoint, opening_ahead: Sequence[str], environment: str) -> Bundle | None:
    """Return the bundle with the oracle's diagnosis, None when it has nothing to blame.

    `whole` is the run taken again to its end. A stretch is a row of actions none of which shortened the walkthrough;
    the costliest one is blamed at its first action, an action that loses the game before all others.
    """
    ways = [tuple(opening_ahead), *(turn.answer.ahead for turn in whole.turns)]
    stretch = _worst(ways)
    if stretch is None or not ways[stretch.turn]:
        return None
    place, said = actions_of(bundle.trajectory)[stretch.turn]
    right, wrong, answer = ways[stretch.turn][0], str(said.output), whole.turns[stretch.turn].answer
    if right == wrong:
        return None
    lost = stretch.cost >= _LOST
    effect = "and the game cannot be won any more" if lost else f"and the way to the goal grew by {stretch.cost}"
    refused = " The environment refused it and nothing changed." if answer.refused else ""
    line = next((one.strip() for one in answer.text.splitlines() if one.strip()), "")[:_QUOTED]
    quotes = [Citation(step=place, quote=wrong), *([Citation(step=place + 1, quote=line)] if line else [])]
    found = Diagnosis(
        step=place,
        agent=said.agent,
        explanation=f"The player said “{wrong}” where “{right}” leads on, {effect}.{refused}",
        evidence=tuple(quotes),
        correction=Correction(text=f"Say “{right}” instead: it leads on from here.", action=right),
        author=f"oracle:{environment}",
        source=Origin(name=f"oracle:{environment}", step_as_written=stretch.turn, base=0),
        conditions={"walkthrough": "the environment's own way to the goal, at every state"},
    )
    if found in bundle.diagnoses:
        return bundle
    return grounded(bundle.replace(diagnoses=(*bundle.diagnoses, found)))


def _worst(ways: Sequence[tuple[str, ...]]) -> _Wasted | None:
    """Return the first action of the costliest stretch with what the stretch cost; the first of several alike."""
    costs = [_cost(before, after) for before, after in pairwise(ways)]
    worst: _Wasted | None = None
    for wasted, stretch in groupby(enumerate(costs), key=lambda pair: pair[1] > 0):
        held = list(stretch)
        lost = next((turn for turn, cost in held if cost >= _LOST), None)
        if wasted and lost is not None:
            return _Wasted(lost, _LOST)
        total = sum(cost for _, cost in held)
        if wasted and (worst is None or total > worst.cost):
            worst = _Wasted(held[0][0], total)
    return worst


def _cost(before: tuple[str, ...], after: tuple[str, ...]) -> int:
    """Return by how many actions the way got longer, the action itself included; a lost way costs most."""
    if not after and len(before) != 1:
        return _LOST if before else 0
    return len(after) + 1 - len(before)
