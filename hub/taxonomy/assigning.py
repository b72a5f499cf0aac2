"""Which open cases fall under an accepted mode: votes of the most similar decided cases, or nobody's.

Nothing is assigned by itself: a maintainer sees the votes, applies them or corrects them. Texts are compared as those
of an induction are, without who failed. How similar is similar enough has a least value, which labelled data gave, and
is measured on the decided cases themselves, each held out with its run and task: once with its mode among the voters,
where it should land, and once without, where everything that answers is wrong. That may ask for more, never for less.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from errorhub.hub.taxonomy.cases import Case, mode_of
from errorhub.hub.taxonomy.modes import KnownMode, Taxonomy
from errorhub.hub.taxonomy.space import Floats, Space
from errorhub.hub.taxonomy.vocabulary import CHARS, read

_CONCEPTS = 0.6
_CHUNK = 512
_DOUBT = 2
_NEVER: tuple[float, float | None, float | None] = (1.01, None, 0.0)


class Settings(BaseModel):
    """How votes are counted."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    neighbours: Annotated[int, Field(ge=1, le=50)] = 5
    """Voters: the most similar decided cases, at most one a run and one a wording."""
    quorum: Annotated[int, Field(ge=1)] = 2
    """Voters that the winner needs."""
    precision: Annotated[float, Field(ge=0, le=1)] = 0.8
    """Share of held-out answers that must be right, when every other case is of a mode that is missing."""
    least: Annotated[float, Field(ge=0, le=1)] = 0.15
    """Below this cosine nothing votes."""
    floor: Annotated[float, Field(ge=0, le=1)] = 0.65
    """Below this cosine nothing is suggested; `bench/assignment.py` chose it on AgentRx."""
    few: Annotated[int, Field(ge=1)] = 8
    """Held-out answers above the floor from which on it may be raised."""

    @property
    def method(self) -> str:
        """The settings in a line, for the record."""
        return f"knn k={self.neighbours} precision={self.precision:g}"


@dataclass(frozen=True)
class Suggestion:
    """What the voters say about one open case."""

    case: Case
    mode: KnownMode | None
    """The mode they agree on; None when they do not, or are too far away."""
    score: float
    """Cosine to the nearest voter for the winner."""
    votes: dict[str, int]
    """Mode -> voters; `none` for cases that maintainers put under no mode."""
    voters: tuple[str, ...]
    """Their diagnosis ids, nearest first."""
    reason: str
    """Why it abstains; empty when it does not."""


@dataclass(frozen=True)
class Suggestions:
    """What is suggested, and how far it may be trusted."""

    rows: tuple[Suggestion, ...]
    """Every open case, by diagnosis id."""
    floor: float
    """The cosine that was asked for; above 1 when the decided cases say that none is high enough."""
    held_out: int
    """Decided cases that the floor was measured on."""
    precision: float | None
    """Share of right answers above the floor, half of the cases being of a mode that is missing."""
    coverage: float | None
    """Share of held-out cases of accepted modes that landed where they belong."""
    settings: Settings


@dataclass(frozen=True)
class _Vote:
    winner: str | None
    score: float
    votes: dict[str, int]
    voters: tuple[str, ...]


def suggest(found: Iterable[Case], taxonomy: Taxonomy, settings: Settings | None = None) -> Suggestions:
    """Say for every case without a mode which accepted mode it falls under, or that it falls under none."""
    settings = settings or Settings()
    everything = sorted(found, key=lambda one: one.diagnosis_id)
    classes = [_class(one, taxonomy) for one in everything]
    decided = [at for at, name in enumerate(classes) if name is not None]
    opened = [at for at, name in enumerate(classes) if name is None]
    offered = {str(one.ref): one for one in taxonomy.accepted}
    if not offered or not opened or not any(classes[at] in offered for at in decided):
        rows = tuple(_row(everything[at], _Vote(None, 0.0, {}, ()), offered, 1.0) for at in opened)
        return Suggestions(rows, settings.floor, 0, None, None, settings)
    said = [read(one.text[:CHARS]) for one in everything]
    vectors = Space(said, (), concepts=_CONCEPTS, agent=0).texts(said)
    electorate = [(everything[at], classes[at] or "") for at in decided]
    held = _ask(vectors, decided, electorate, electorate, decided, settings)
    missing = _ask(vectors, decided, electorate, electorate, decided, settings, own_class=False)
    floor, precision, coverage = _floor(held, missing, [name for _, name in electorate], offered, settings)
    asked = _ask(vectors, opened, [(everything[at], None) for at in opened], electorate, decided, settings)
    rows = tuple(_row(everything[at], vote, offered, floor) for at, vote in zip(opened, asked, strict=True))
    return Suggestions(rows, floor, len(held), precision, coverage, settings)


def _class(case: Case, taxonomy: Taxonomy) -> str | None:
    """Return what a decided case votes for; None for an open one. Labels of other schemes vote for themselves."""
    if (mode := mode_of(case, taxonomy)) is not None:
        return str(mode.ref)
    if case.diagnosis_id in taxonomy.assigned:
        return "none"
    return f"{case.mode.scheme}:{case.mode.id}" if case.mode is not None else None


def _ask(
    vectors: Floats,
    asked: Sequence[int],
    askers: Sequence[tuple[Case, str | None]],
    electorate: Sequence[tuple[Case, str]],
    places: Sequence[int],
    settings: Settings,
    *,
    own_class: bool = True,
) -> list[_Vote]:
    """Let the electorate vote on each asked case; its own run never does, nor, held out, its task and class."""
    voters = vectors[list(places)]
    votes: list[_Vote] = []
    for start in range(0, len(asked), _CHUNK):
        near = vectors[list(asked[start : start + _CHUNK])] @ voters.T
        for row, asker in zip(near, askers[start : start + _CHUNK], strict=True):
            votes.append(_vote(row, asker, electorate, settings, own_class))
    return votes


def _vote(
    row: Floats,
    asker: tuple[Case, str | None],
    electorate: Sequence[tuple[Case, str]],
    settings: Settings,
    own_class: bool,
) -> _Vote:
    chosen: list[tuple[float, Case, str]] = []
    runs: set[str] = {asker[0].trajectory_id}
    said: set[str] = set()
    for at in np.argsort(-row, kind="stable"):
        score, (voter, name) = float(row[at]), electorate[at]
        if score < settings.least or len(chosen) == settings.neighbours:
            break
        held_out = asker[1] is not None and (voter.task == asker[0].task or (not own_class and name == asker[1]))
        if voter.trajectory_id in runs or voter.text in said or held_out:
            continue
        runs.add(voter.trajectory_id)
        said.add(voter.text)
        chosen.append((score, voter, name))
    mass: dict[str, float] = {}
    for score, _, name in chosen:
        mass[name] = mass.get(name, 0.0) + score
    top = max(mass, key=lambda name: (mass[name], name), default=None)
    votes = {name: sum(one[2] == name for one in chosen) for name in sorted(mass, key=lambda name: -mass[name])}
    best = max((score for score, _, name in chosen if name == top), default=0.0)
    agreed = top is not None and votes[top] >= settings.quorum and 2 * mass[top] > sum(mass.values())
    return _Vote(top if agreed else None, best, votes, tuple(one.diagnosis_id for _, one, _ in chosen))


def _floor(
    held: Sequence[_Vote],
    missing: Sequence[_Vote],
    truth: Sequence[str],
    offered: dict[str, KnownMode],
    settings: Settings,
) -> tuple[float, float | None, float | None]:
    """Return the lowest floor above which enough answers are right, with their precision and coverage.

    Answers are those of held-out cases, and of the same ones when their mode is missing: the latter are all wrong. Two
    wrong answers are added, so that a handful of right ones proves little.
    """
    answers = [(v.score, v.winner == name) for v, name in zip(held, truth, strict=True) if v.winner in offered]
    answers += [(v.score, False) for v in missing if v.winner in offered]
    answers = sorted((one for one in answers if one[0] >= settings.floor), reverse=True)
    if len(answers) < settings.few or len(set(truth)) < 2:
        return settings.floor, None, None
    belong, right, best = sum(name in offered for name in truth), 0, _NEVER
    for number, (score, hit) in enumerate(answers, 1):
        right += hit
        below = answers[number][0] if number < len(answers) else None
        if below != score and right / (number + _DOUBT) >= settings.precision:
            floor = settings.floor if below is None else (score + below) / 2
            best = (floor, right / (number + _DOUBT), right / belong)
    return best


def _row(case: Case, vote: _Vote, offered: dict[str, KnownMode], floor: float) -> Suggestion:
    mode = offered.get(vote.winner or "")
    reason = ""
    if not vote.votes:
        reason = "no decided case says anything like it"
    elif vote.winner is None:
        reason = "the nearest decided cases do not agree"
    elif mode is None:
        reason = f"it is nearest to {vote.winner}"
    elif vote.score < floor:
        reason = f"the nearest is at {vote.score:.2f}, the floor at {floor:.2f}"
    return Suggestion(case, None if reason else mode, vote.score, vote.votes, vote.voters, reason)
