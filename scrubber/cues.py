"""Names that their surroundings give away: titles, greetings, signatures, the legal forms of companies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from errorhub.scrubber.nonames import WORDS
from errorhub.scrubber.spans import Region

_CAPITAL = r"[A-ZÀ-ÖØ-Þ][\w'’-]*[^\W\d_]"
_NAME = rf"{_CAPITAL}(?: {_CAPITAL}){{0,2}}"
_FORMS = (
    r"Inc|Incorporated|Corp|Corporation|Ltd|Limited|LLC|LLP|PLC|GmbH|AG|KG|SE|SAS|SARL|S\.A|B\.V|N\.V|Pty|Oy|AB|Co"
    r"|Company|Holdings|Industries|Logistics|Insurance|Consulting|Partners|Ventures|Laboratories|Pharmaceuticals"
)


class Cue(NamedTuple):
    """A surrounding that gives a name away; group 1 is the name."""

    kind: str
    regex: re.Pattern[str]


CUES = (
    Cue("PERSON", re.compile(rf"\b(?:Mr|Mrs|Ms|Mx|Dr|Prof)\.? ({_NAME})")),
    Cue("PERSON", re.compile(rf"\b[Mm]y name(?: is|'s) ({_NAME})")),
    Cue("PERSON", re.compile(rf"^\W{{0,3}}(?:Hi|Hello|Hey|Dear|Good (?:morning|afternoon|evening)),? ({_NAME})[,!.]")),
    Cue("PERSON", re.compile(rf"\b(?:[Rr]egards|[Ss]incerely|[Cc]heers|[Tt]hanks|[Yy]ours),? ({_NAME})\.?\W{{0,3}}$")),
    Cue("ORGANIZATION", re.compile(rf"\b((?:{_CAPITAL} (?:& )?){{1,4}}(?:{_FORMS})\b\.?)")),
)


def cued(sentence: str) -> Iterator[Region]:
    """Yield the names in a sentence that a cue gives away."""
    for kind, regex in CUES:
        for found in regex.finditer(sentence):
            words = found[1].split()
            if not all(word.strip(".").lower() in WORDS for word in words):
                yield Region(*found.span(1), kind, "name-cue", 0)
