"""Bring a diagnosis of a clean run home to the raw one: the same step, raw words where the clean ones have holes."""

from __future__ import annotations

import re
from typing import Final

from errorhub.hub.bundle import Citation, Diagnosis, Step, Trajectory
from errorhub.hub.bundle.grounding import quotable, same_agent
from errorhub.scrubber.spans import PLACEHOLDER

_SPACES: Final = re.compile(r"\s+")
_HOLE: Final = "\0"
_WIDEST: Final = 4_000
"""Characters that may stand where a clean text has a placeholder."""


def same_steps(one: Trajectory, other: Trajectory) -> bool:
    """Return whether two readings of a run have the same steps, whatever a scrubber took out of them."""
    return [step.kind for step in one.steps] == [step.kind for step in other.steps]


def carry(found: Diagnosis, seen: Trajectory, home: Trajectory) -> Diagnosis:
    """Return a diagnosis of `seen` in the words of `home`, which has the same steps.

    A quote that stands nowhere at home stays as it is, and is rejected there as it was in what was seen.
    """
    agent = found.agent
    if found.step < len(home.steps) and same_agent(seen.steps[found.step].agent, agent):
        agent = home.steps[found.step].agent
    return found.replace(agent=agent, evidence=tuple(_carried(one, home) for one in found.evidence))


def _carried(citation: Citation, home: Trajectory) -> Citation:
    if citation.step >= len(home.steps):
        return citation
    quote = _at_home(citation.quote, home.steps[citation.step])
    return citation if quote is None else citation.replace(quote=quote)


def _at_home(quote: str, step: Step) -> str | None:
    """Return the words of a step that a clean quote stands for, without the placeholders at its ends."""
    pieces = [_plain(piece) for piece in PLACEHOLDER.sub(_HOLE, quote).split(_HOLE)]
    wanted = [piece for piece in pieces if piece.strip()]
    if len(pieces) == 1 or not wanted:
        return None
    return next((found for text in quotable(step) if (found := _stretch(_plain(text), wanted))), None)


def _stretch(text: str, pieces: list[str]) -> str | None:
    """Return the first stretch of a text that holds the pieces in order, close to each other."""
    pieces = [pieces[0].lstrip(), *pieces[1:]]
    pieces[-1] = pieces[-1].rstrip()
    start = text.find(pieces[0])
    while start >= 0:
        end = start + len(pieces[0])
        for piece in pieces[1:]:
            place = text.find(piece, end, end + _WIDEST + len(piece))
            if place < 0:
                break
            end = place + len(piece)
        else:
            return text[start:end]
        start = text.find(pieces[0], start + 1)
    return None


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text)
