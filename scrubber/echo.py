"""Strict's rule for what was dropped: no other string may repeat it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from errorhub.scrubber.draft import Draft
from errorhub.scrubber.nodes import Entry
from errorhub.scrubber.repeat import forms, repeats
from errorhub.scrubber.spans import Region


class Echo:
    """Hold what was dropped, in all the ways it is written, and find where it comes back."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._forms: dict[str, None] = {}
        self._texts: set[str] = set()

    def add(self, dropped: list[Any], texts: list[str]) -> None:
        """Take in dropped values and the texts inside them."""
        self._texts |= {text.strip() for text in texts}
        long = dict.fromkeys(text for text in texts if len(text) >= self._length)
        values = [*long, *(value for value in dropped if not isinstance(value, str) or value not in long)]
        self._forms |= dict.fromkeys(form for value in values for form in forms(value))

    def regions(self, entries: list[Entry]) -> Iterator[tuple[Entry, list[Region]]]:
        """Yield the repeats in entries; identifiers stay, because inputs name tools and calls.

        A text that only counts as a whole, such as the goal, goes too when it is what was dropped, however short.
        """
        if not self._texts:
            return
        texts = ["" if not mode.generic and _is_identifier(text) else text for text, mode in entries]
        for (text, mode), found in zip(entries, repeats(list(self._forms), texts, self._length), strict=True):
            if mode.whole and (found or (text.strip() and text.strip() in self._texts)):
                found = [(0, len(text))]
            if found:
                yield (text, mode), [Region(start, end, "DROPPED", "repeats-dropped") for start, end in found]

    def open_json(self, draft: Draft) -> None:
        """Read JSON in strings as plain text when, across its members, it still repeats something."""
        if not self._forms:
            return
        draft.write_strings()
        alive = [embedded for embedded in draft.embedded if not embedded.dead]
        found = repeats(list(self._forms), [embedded.current() for embedded in alive], self._length)
        for embedded, spans in zip(alive, found, strict=True):
            if spans and not embedded.dead:
                draft.as_text(embedded)


def _is_identifier(text: str) -> bool:
    return len(text) <= 200 and not any(c.isspace() for c in text)
