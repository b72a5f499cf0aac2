"""Signs that a foreign text speaks to its reader instead of telling of a failure.

Nothing is decided by them: a flag says "look twice" beside a text that is quoted anyway. Wide on purpose; of 383 real
explanations three are flagged.
"""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from errorhub.hub.memory.render import HIDDEN

READ = 20_000
"""Characters of a text that are searched."""

_SIGNS = {
    "overrides instructions": (
        r"\b(?:ignore|disregard|forget|override|bypass|neglect)\b[^.\n]{0,40}\b(?:instruction|prompt|rule|polic|guideline"
        r"|direction|context|above|previous|prior|system|safety)",
        r"\bnew instructions?\b",
        r"忽略.{0,12}(?:指令|指示|提示)",
        r"(?:無視|ignorier|ignore[rz]|ignora).{0,24}(?:指示|命令|anweisung|instruc)",
    ),
    "poses as a role": (
        r"<\|?/?(?:im_start|im_end|system|assistant|user|developer|tool_call|tool_result|function_calls?)\b",
        r"\[/?INST\]|<<SYS>>",
        r"(?m:^ *#{0,4} *(?:system|developer)(?: prompt| message)?:)",
    ),
    "addresses the reader": (
        r"\b(?:attention|important|note|message|instructions?)\b[^.\n]{0,16}\b(?:to|for)\b[^.\n]{0,16}"
        r"\b(?:ai|llm|agents?|assistants?|models?|readers?)\b",
        r"\byou (?:must|have to|are (?:now|required)|should now|will now)\b",
        r"\bas an? (?:ai|assistant|agent)\b[^.\n]{0,12}\byou\b",
    ),
    "asks for secrecy": (
        r"\b(?:do not|don['’]t|never|without)\b[^.\n]{0,12}\b(?:tell|inform|mention|reveal|ask|notif|warn)\w*"
        r"[^.\n]{0,16}\b(?:user|owner|anyone|human|operator|developer)",
    ),
    "carries a command": (
        r"\brm +-\w*[rf]|\bbase64 +-d|\bchmod +777\b",
        r"\b(?:curl|wget)\b[^\n]{0,200}\|[^\n]{0,20}\b(?:ba|z)?sh\b",
        r"\b(?:call|invoke|use|run|execute)\b[^.\n]{0,12}\bthe\b[^.\n]{0,24}\b(?:tool|function|command|script)\b[^.\n]{0,24}"
        r"\b(?:now|with|immediately)\b",
    ),
    "asks for secrets": (
        r"\b(?:send|post|upload|e-?mail|exfiltrat|forward|leak|print|reveal)\w*\b[^.\n]{0,60}\b(?:api[ _-]?keys?"
        r"|tokens?|passwords?|credentials?|secrets?|\.env|ssh|system prompt|conversation)\b",
    ),
}
"""What reads like an instruction -> RE2 patterns, without regard to case."""


def suspicious(*texts: str | None) -> tuple[str, ...]:
    """Return what in foreign texts reads like an instruction to the reader, by name, sorted."""
    read = [text[:READ] for text in texts if text]
    found = {name for text in read for name, sign in _signs().items() if sign.search(text)}
    if any(unicodedata.category(c) in HIDDEN[1:5] for text in read if not text.isascii() for c in text):
        found.add("hidden characters")
    return tuple(sorted(found))


@cache
def _signs() -> dict[str, Any]:
    import re2

    return {name: re2.compile(f"(?i){'|'.join(patterns)}") for name, patterns in _SIGNS.items()}
