"""Words that tell what a step does, and names that tell who acts. Data; the ranker counts them."""

from __future__ import annotations

import re
from typing import Final

PATTERNS: Final = {
    name: re.compile("|".join(words.split(" | ")))
    for name, words in {
        "error": "error | exception | traceback | failed | failure | unable | cannot | could not | not found | invalid "
        "| denied | timed? ?out | exitcode: [1-9]",
        "assume": "assum | likely | probably | approximat | estimat | appears to | seems | presum | typically "
        "| generally | hypothetical | simulat | example",
        "regret": "apolog | sorry | mistake | incorrect | let me correct | oversight | misunderst",
        "verify": "verif | confirm | double.check | validat | cross.check | correct",
        "final": "final answer | terminate | in conclusion | therefore | thus | the answer is | solution is | summary",
        "plan": r"plan | step \d | steps to | first, | next, | let's | we need to | i will | task",
        "ran": "exitcode | execution succeeded | code output",
        "browse": "click | scroll | search | webpage | screenshot | viewport | browser | url",
        "nothing": "no (?:results|information|data) | not (?:available|provided|specified|mention) | without "
        "| unfortunately",
    }.items()
}
"""What a step talks about."""

ROLES: Final = {
    name: re.compile(pattern)
    for name, pattern in {
        "planner": "orchestrat|planner|manager",
        "thought": "thought",
        "web": "web|brows|search",
        "terminal": "terminal|computer|tool|exec",
        "person": "^human$|^user$",
        "files": "file",
        "expert": "expert",
        "handoff": "->",
        "checker": "verif|valid|check|critic",
        "assistant": "assistant",
    }.items()
}
"""Who an agent's name says it is."""
