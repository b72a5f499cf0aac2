"""One row of a rule table: a shape, where its value lies, and what must hold for it to count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

BORDER = r"(?:^|[^A-Za-z0-9])"
"""Left boundary of a prefix that also occurs inside words; an underscore may stand before it."""


class Hit(NamedTuple):
    """A candidate value with the text around it, as its check sees it."""

    value: str
    """The value alone, without key name or quotes."""
    before: str
    """Up to 64 bytes of text before the value."""
    after: str
    """Up to 32 bytes of text after the value."""


Check = Callable[[Hit], bool]
Trim = Callable[[str], str]


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """Describe one kind of value by a regex that both Hyperscan and RE2 read alike.

    The regex runs over UTF-8 bytes; its first group that took part in the match is the value, without groups the
    whole match is. Repetition is bounded (or stops at a character the value cannot hold), so that no text is slow.
    """

    name: str
    """Unique name, as findings report it."""
    kind: str
    """Upper-case word of the placeholder, such as `GITHUB_TOKEN`."""
    regex: str
    """The shape, in the subset of syntax that both engines share: no look-around, no back references."""
    keywords: tuple[str, ...] = ()
    """Lower-case literals of which every match holds one (any case); none means that the regex is always tried."""
    check: Check | None = None
    """Refuse look-alikes; sees the value and the text around it."""
    trim: Trim | None = None
    """Cut what a greedy match took too much: returns a prefix of the value."""
    generic: bool = False
    """Entropy, assignment and plain-number rules, which are skipped on id paths."""
    hint: str = ""
    """A simpler shape of which every match that is accepted holds one, where that is cheaper to look for."""
    prefix: str = ""
    """Regex of how the value starts, when it is distinctive enough to find the value broken over two lines.

    Where the regex begins with `BORDER`, this stands right after it.
    """


class Span(NamedTuple):
    """Positions `start` to `end` of a text, what they hold and which rule says so."""

    start: int
    end: int
    kind: str
    rule: str

    def at(self, start: int, end: int) -> Span:
        """Return the same find at another place."""
        return Span(start, end, self.kind, self.rule)


class Pattern(NamedTuple):
    """A user's own shape in RE2 syntax; its first group is the value, without groups the whole match is."""

    name: str
    kind: str
    regex: str
