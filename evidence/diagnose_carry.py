"""Bring a diagnosis of a clean run home to the raw one: the same step, raw words where the clean ones have holes."""

from __future__ import annotations

import re
from typing import Final

from errorhub.hub.bundle import Citation, Diagnosis, Step, Trajectory
from errorhub.hub.bundle.grounding import WITHHELD, quotable, same_agent
from errorhub.scrubber.spans import PLACEHOLDER

_SPACES: Final = re.compile(r"\s+")
_HOLE: Final = "\0"
_START, _END = "\1", "\2"
_AROUND: Final = 40
"""Characters around a quote that are looked for with it, so that a hole ends where it did."""
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
    evidence = tuple(_carried(one, seen, home) for one in found.evidence)
    return found.replace(agent=agent, evidence=evidence)


def _carried(citation: Citation, seen: Trajectory, home: Trajectory) -> Citation:
    if citation.step >= min(len(seen.steps), len(home.steps)):
        return citation
    shown, step, wanted = seen.steps[citation.step], home.steps[citation.step], _plain(citation.quote).strip()
    if not wanted.replace(WITHHELD, "").strip() or any(wanted in _plain(text) for text in quotable(step)):
        return citation
    quote = _at_home(wanted, shown, step)
    return citation if quote is None else citation.replace(quote=quote)


def _at_home(quote: str, shown: Step, home: Step) -> str | None:
    """Return the words of a step that a clean quote stands for, None when they cannot be told."""
    raw = [f"{_START}{_plain(text)}{_END}" for text in quotable(home)]
    for clean in (f"{_START}{_plain(text)}{_END}" for text in quotable(shown)):
        if (place := clean.find(quote)) < 0:
            continue
        start, end = _whole(clean, place, place + len(quote))
        before, after = _pieces(clean[:start])[-1][-_AROUND:], _pieces(clean[end:])[0][:_AROUND]
        for text in raw:
            if found := _stretch(text, _pieces(before + clean[start:end] + after)):
                return found[len(before) : len(found) - len(after)].strip(_START + _END + " ") or None
    return None


def _whole(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span widened to the placeholders that it cuts through."""
    for hole in PLACEHOLDER.finditer(text, max(0, start - _AROUND), end + _AROUND):
        if hole.start() < start < hole.end():
            start = hole.start()
        if hole.start() < end < hole.end():
            end = hole.end()
    return start, end


def _stretch(text: str, pieces: list[str]) -> str | None:
    """Return the first stretch of a text that holds the pieces in order, close to each other."""
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


def _pieces(text: str) -> list[str]:
    """Return what stands between the placeholders of a text."""
    return PLACEHOLDER.sub(_HOLE, text).split(_HOLE)


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text)
