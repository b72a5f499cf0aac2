"""What a finding says: its words without topic and names, and the concepts of failure it touches."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from errorhub.hub.memory.words import terms
from errorhub.hub.taxonomy.vocabulary import CHARS, Saying, read
from errorhub.induction.finding import Finding

_ENTITY = re.compile(
    r"https?://\S+|\"[^\"\n]{1,200}\"|“[^”\n]{1,200}”|(?<!\w)'[^'\n]{1,200}'(?!\w)"
    r"|(?<=[\w,;:] )[A-Z][\w.&-]*(?: [A-Z][\w.&-]*)*"
)


def saying(found: Finding, *, mask_entities: bool = False) -> Saying:
    """Return what a finding says. Names of agents, and words of the goal that name no failure, are topic."""
    text = _without_names(found.text[:CHARS], found.agents, found.agent)
    if found.label:
        text = f"{found.label.replace('_', ' ').replace('.', ' ')}. {text}"
    text = _ENTITY.sub(" ", text) if mask_entities else text
    said = read(text, _topic(found.goal))
    return said if said.words or said.concepts else read(text)


@lru_cache(maxsize=20_000)
def _topic(goal: str) -> frozenset[str]:
    return frozenset(terms(goal[:CHARS]))


def _without_names(text: str, agents: Sequence[str], agent: str) -> str:
    names = _names(tuple(agents), agent)
    return names.sub(" ", text) if names else text


@lru_cache(maxsize=20_000)
def _names(agents: tuple[str, ...], agent: str) -> re.Pattern[str] | None:
    """Return what finds the names of a run's agents, longest first; names of one or two letters are words."""
    names = sorted({name for name in (*agents, agent) if len(name) > 2}, key=lambda name: (-len(name), name))
    return re.compile("|".join(map(re.escape, names)), re.IGNORECASE) if names else None
