"""Search for words in any case, quickly."""

from __future__ import annotations

import re


class Caseless:
    """Tell whether an expression in lower case is found in a text of any case.

    Only an expression that minds the case skips to the first letters of its words, so text in ASCII is lowered for
    one: that takes a fifth of the time. Beyond ASCII, lowering a text is not the same as passing over its case.
    """

    __slots__ = ("_any", "_lower")

    def __init__(self, expression: str) -> None:
        self._lower = re.compile(expression)
        self._any = re.compile(expression, re.IGNORECASE)

    def search(self, text: str) -> bool:
        """Tell whether the expression matches anywhere."""
        found = self._lower.search(text.lower()) if text.isascii() else self._any.search(text)
        return found is not None
