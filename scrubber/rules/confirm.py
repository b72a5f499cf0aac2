"""Confirm what the prefilter announced: RE2 says where a rule matches, its check says whether that counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any, NamedTuple

from errorhub.scrubber.rules.rule import Hit, Rule, Span

BEFORE, AFTER = 64, 32
"""Bytes around a value that its check sees."""
REREAD = 256
"""A refused value of up to so many bytes is searched again from its start; a longer one is passed over."""
REMEMBERED, MOST_REMEMBERED = 1024, 16384
"""Bytes of a match up to which it is remembered what came of it, and how many are: values repeat."""
BEYOND = 1 << 16
"""Bytes after a part of a text into which a match that begins there may reach."""
PATIENCE = 2000
"""Refusals in one text after which refused values are passed over whole."""
GLUED = re.compile(rb"[_\-][A-Za-z0-9_\-]{16,4096}")
"""What is left of a second token when the first one took its prefix."""
PLACEHOLDER = re.compile(rb"<[A-Z][A-Z0-9_]*>")
MARK = b"<VALUE_1>"
"""What the check of the next value sees in the place of one that was accepted, as if it had been replaced."""


Spans = list[tuple[int, int]]
"""Where a match and then each of its groups lies: (-1, -1) for a group that took no part, and where nothing matches."""


class Regex(NamedTuple):
    """Ask RE2 for a match between two positions; its own wrapper builds objects that cost more than most matches."""

    search: Callable[[bytes, int, int], Spans]
    """Find the first match."""
    match: Callable[[bytes, int, int], Spans]
    """Find the match that begins at the first position."""


@lru_cache(maxsize=2048)
def compile_rule(regex: str, groups: bool = True) -> Regex:
    """Compile a rule's shape over bytes, as Hyperscan reads it; to find groups takes three times as long as a match."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.never_capture = not groups
    return _compiled(regex.encode("latin-1"), options)


def compile_text(regex: str) -> Regex:
    """Compile a user's shape over characters; raise ValueError with RE2's reason."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return _compiled(regex.encode(), options)
    except re2.error as error:
        reason = error.args[0] if error.args else error
        raise ValueError(reason.decode() if isinstance(reason, bytes) else str(reason)) from error


def _compiled(regex: bytes, options: Any) -> Regex:
    import re2

    engine = re2.compile(regex, options)._regexp
    return Regex(partial(engine.Match, re2._Anchor.UNANCHORED), partial(engine.Match, re2._Anchor.ANCHOR_START))


def matches(regex: Regex, data: bytes, start: int = 0, stop: int | None = None) -> Iterator[Spans]:
    """Yield the matches that begin in a part of a text; they may end up to `BEYOND` bytes after it."""
    stop = len(data) if stop is None else stop
    position, limit = start, min(len(data), stop + BEYOND)
    while position < stop:
        spans = regex.search(data, position, limit)
        first, last = spans[0]
        if not 0 <= first < stop:
            return
        yield spans
        position = max(last, position + 1)


def begins(regex: Regex, data: bytes, position: int = 0) -> bool:
    """Tell whether a match begins at a position."""
    return regex.match(data, position, len(data))[0][0] >= 0


def values(regex: Regex, data: bytes) -> Iterator[tuple[int, int]]:
    """Yield where values lie, without any check."""
    for spans in matches(regex, data):
        start, end = _value(spans)
        if start < end:
            yield start, end


def confirmed(rule: Rule, data: bytes, start: int, stop: int) -> Iterator[Span]:
    """Yield the values of one rule whose match begins in a part of a text.

    After a refused one the search goes on inside it, until there were so many that the text cannot be in earnest.
    """
    search, kind, name = compile_rule(rule.regex, groups=False).search, rule.kind, rule.name
    refused, position, limit = 0, start, min(len(data), stop + BEYOND)
    gone, last = -1, -1  # where the last accepted value lies
    while position < stop:
        first, at = search(data, position, limit)[0]
        if not 0 <= first < stop:
            return
        near = (first - gone, first - last) if first - last < BEFORE else None
        seen = data[first - BEFORE if first > BEFORE else 0 : at + AFTER]
        key = rule, seen, first if first < BEFORE else BEFORE, at - first, near  # all that the verdict depends on
        verdict = _verdicts.get(key)
        if verdict is None:
            verdict = _judged(rule, data, first, at, gone, last)
            if at - first <= REMEMBERED:
                if len(_verdicts) >= MOST_REMEMBERED:
                    _verdicts.clear()
                _verdicts[key] = verdict
        begin, kept, end = first + verdict[0], first + verdict[1], first + verdict[2]
        if kept > begin:
            if rule.prefix and (glued := GLUED.match(data, kept)):
                kept = glued.end()
            yield Span(begin, kept, kind, name)
            gone, last, position = begin, kept, kept
        else:
            refused += 1
            again = first < begin and end - begin <= REREAD and refused < PATIENCE
            position = begin if again else max(at, first + 1)


_verdicts: dict[tuple[Rule, bytes, int, int, tuple[int, int] | None], tuple[int, int, int]] = {}


@lru_cache(maxsize=256)
def found_in(rule: Rule, data: bytes, stop: int) -> tuple[Span, ...]:
    """Return what `confirmed` yields for the first bytes of a short text, which may come again and again."""
    return tuple(confirmed(rule, data, 0, stop))


def _judged(rule: Rule, data: bytes, first: int, at: int, gone: int, last: int) -> tuple[int, int, int]:
    """Return where the value in a match begins, how far it counts and where it ends, from where the match begins."""
    begin, end = _value(compile_rule(rule.regex).match(data, first, at))
    edge = begin - BEFORE if begin > BEFORE else 0
    before = data[edge:gone] + MARK + data[last:begin] if last > edge and begin >= last else data[edge:begin]
    kept = begin + _accepted(rule, data[begin:end], before, data[end : end + AFTER])
    return begin - first, kept - first, end - first


def _value(spans: Spans) -> tuple[int, int]:
    """Return where the first group lies that took part, or the whole match."""
    for span in spans[1:]:
        if span[0] >= 0:
            return span
    return spans[0]


def _accepted(rule: Rule, value: bytes, before: bytes, after: bytes) -> int:
    """Return how many bytes of a value count, 0 when it is refused; what holds a placeholder was done before."""
    if b"<" in value and PLACEHOLDER.search(value):
        return 0
    if rule.check is None and rule.trim is None:
        return len(value)
    text = value.decode("utf-8", "replace")
    if rule.trim is not None:
        text = rule.trim(text)
        size = len(text.encode("utf-8", "replace"))
        value, after = value[:size], value[size:] + after
    hit = Hit(text, before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))
    return len(value) if rule.check is None or rule.check(hit) else 0
