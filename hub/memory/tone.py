"""How much a text sounds like the report of an agent's failure, whatever the failure: the prior of the floor.

A diagnosis such as "the code is wrong" shares no telling word with any case, a question how generators work shares two.
What tells them apart is that one of them complains. Each row below counts once a text, in nats; what documentation and
questions how to do things say counts against. Raw logs of good runs hold errors, too, so of a log only complaints
count. The weights follow those of a logistic regression beside `surprise`, about halved, on the sets named in `floor`;
with larger or equal ones about as much is answered.
"""

from __future__ import annotations

from functools import cache
from typing import Any

MOST = 2.0
"""Most nats that tone adds. Something telling has to be shared all the same (`floor.LEAST`)."""

_COMPLAINTS = {
    r"(?i)\b(?:wrong(?:ly)?|incorrect(?:ly)?|mistak\w+|inaccura\w+|irrelevant|erroneous\w*|invent(?:s|ed)"
    r"|hallucinat\w+|fabricat\w+|mis(?:read|understood|interpret\w*|took|calculat\w+|match\w*)|confus(?:es|ed|ing)"
    r"|flaw(?:ed|s)?|claim(?:s|ed|ing)|guess(?:ed|es)|assum(?:ed|es|ing)|unreasonable|incomplete"
    r"|ma(?:de|kes?) (?:\w+ ){0,3}up|mixed up|contradict\w*)\b": 1.2,
    r"(?i)\buser: (?:no|that|why|you|i (?:said|asked|only|told)|stop|but|these|this is not|please just)\b"
    r"|\b(?:i (?:said|told you|asked for)|you (?:did not|didn['’]t|made)|sorry|apologi[sz]\w+|complain\w*)\b": 1.2,
}
"""A verdict on what was done; a user who objects, or is asked for pardon."""
_REPORTS = {
    r"(?i)\b(?:(?:sub-?)?agents?|orchestrator|(?:web|file)[ _]?surfer|\w+_expert"
    r"|(?:the|our|my|this) (?:assistant|bot|llm))(?:[^:\w]|\z)": 1.2,
    r"(?i)\b(?:fail(?:s|ed|ing|ures?)?|unable|cannot|(?:ca|could|does|did|is|was|wo)n['’]t"
    r"|(?:could|does|did|is|was) not|not found|no such|crash\w*|broke\w*|stuck|hangs?|hung|timed? ?out|lost|gone"
    r"|missing|deleted|wiped|overw\w+|refused|denied|reject\w+|exceed\w*|conflict\w*|exhausted|expired|unexpected\w*"
    r"|undefined|invalid|violat\w+|leak\w+|stale|outdated|corrupt\w*|nothing)\b": 0.6,
    r"(?i)\b(?:should(?:n['’]t)?|instead|rather than|never|ignor(?:es|ed|ing)|forg[eo]t\w*|skip(?:s|ped|ping)"
    r"|(?:al)?though|despite|without (?:\w+ing|any)|only|not (?:what|been|the|asked|have|in)|unverified|unchecked"
    r"|before \w+ing)\b": 0.3,
    r"(?i)\b(?:again|keeps?|over and over|endless\w*|loops?|repeat\w*|retr(?:y|ies|ied|ying)|attempts?|times)\b": 0.3,
    r"(?m)Traceback \(most recent call last\)|(?:Error|Exception|Failure|Warning)\b ?[:(]"
    r"|^(?:\w+: )?(?:error|fatal|panic)\b|\berror\[\w+\]|\bERR!|\bexit(?:ed with)? ?(?:code|status)?:? *[1-9]"
    r"|<returncode>[1-9]|\bFAILED\b|\b[45]\d\d\b|\b(?:ERROR|CONFLICT)\b": 0.3,
}
"""Who acted; what failed; what should have been done; how often; what a machine said."""
_OTHERS = {
    r"(?m)^ *(?:Args|Arguments|Parameters|Returns?|Raises|Examples?|Attributes|Yields|Notes?):? *$"
    r"|:(?:param|returns?|raises|rtype|type)\b|>>>|^ *-{5,}$|\bRaises? \w+|\b\w+ : \w+"
    r"|^(?:Returns?|Raises?|Gets?|Sets?|Creates?|Converts?|Computes?|Builds?|Checks?)"
    r" (?:the|an?|[Tt]rue|if|whether|this)\b"
    r"|\b(?:str|int|bool|dict|list)\b, (?:optional|default)": -1.5,
    r"(?i)\A(?:how (?:do|can|should|does|many|to)|what(?:'s| is| are| does)|which|write|explain|give me|suggest"
    r"|recommend|can you|could you|please|translate|plan|when|why (?:is|are|do)|compare|who)\b": -0.6,
}
"""Documentation; a question or a task that tells of nothing that happened."""


def tone(text: str, *, log: bool = False) -> float:
    """Return how much speaks for a report of a failure, in nats: less than 0 for what is something else."""
    rows = _COMPLAINTS if log else _COMPLAINTS | _REPORTS
    found = min(MOST, sum(nats for pattern, nats in rows.items() if _compiled(pattern).search(text)))
    return found if log else found + sum(nats for pattern, nats in _OTHERS.items() if _compiled(pattern).search(text))


@cache
def _compiled(pattern: str) -> Any:
    import re2

    return re2.compile(pattern)
