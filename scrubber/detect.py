"""Find secrets and personal data in one text: which code points hold what.

Hyperscan says which rules can match, RE2 says where, checks refuse look-alikes. The same is done on decoded views of
the text, and every span found there is mapped back. Overlapping spans become one span of the longest one's kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

from errorhub.scrubber import views
from errorhub.scrubber.rules import RULES, Rule, digest
from errorhub.scrubber.rules.prefilter import Shape, build
from errorhub.scrubber.rules.rule import Hit

DEPTH = 4
"""Layers of encoding that are opened: escapes in escapes, base64 in base64."""
SHORTEST = 6
"""No shape of the rules fits fewer characters."""
STEMS = 8
"""Starts of broken tokens that one shape holds; Hyperscan reads many small shapes faster than one large."""
LONGEST_NAMED = 1024
"""Bytes up to which a text can be the value that its key names."""
TELLING = re.compile(
    r"(?i)pass|pwd|pswd|pw$|secret|token|key|auth|cred|bearer|salt|cookie|session|csrf|xsrf|sid|signature|name|addr|street|zip"
    r"|post|dob|birth|born|phone|tel|mobile|cell|fax|whatsapp|msisdn|ssn|social|tax|tin|passport|licen|national|medical|mrn"
    r"|nhs|user|login|holder|host|node|machine|server|computer|account|routing|sort|cvv|cvc|card|pin|webhook|wallet|mnemonic"
)
"""Key names that can make their text a value."""
BEFORE, AFTER = 64, 32
PLACEHOLDER = re.compile(rb"<[A-Z][A-Z0-9_]*>")


class Span(NamedTuple):
    """Code points `start` to `end` of a text, what they hold and which rule says so."""

    start: int
    end: int
    kind: str
    rule: str


class Pattern(NamedTuple):
    """A user's own shape in RE2 syntax; its first group is the value, without groups the whole match is."""

    name: str
    kind: str
    regex: str


class Detector:
    """Find values of the given kinds (all by default) and of the user's own patterns in texts.

    Raises ValueError for a pattern that RE2 refuses; the message names the pattern.
    """

    def __init__(
        self, kinds: frozenset[str] | None = None, extra: Sequence[Pattern] = (), *, engine: str = "auto"
    ) -> None:
        self.rules: tuple[Rule, ...] = tuple(r for r in RULES if kinds is None or r.kind in kinds)
        self._regexes = [_compile(rule.regex) for rule in self.rules]
        self._extra = [(pattern, _compile_pattern(pattern)) for pattern in extra]
        self._wrapped = frozenset(number for number, rule in enumerate(self.rules) if rule.prefix)
        self._views = (views.UNIT.pattern.decode("latin-1"), views.BASE64, views.HEX, *self._broken())
        self._view_regexes = [_compile(regex) for regex in self._views]
        shapes = [Shape(rule.regex, rule.keywords) for rule in self.rules] + [Shape(regex, ()) for regex in self._views]
        self._prefilter = build(tuple(shapes), engine)

    def _broken(self) -> list[str]:
        """Return shapes of tokens that a line break cuts, in groups that stay small enough to compile."""
        stems = list(dict.fromkeys(rule.prefix for rule in self.rules if rule.prefix))
        groups = (stems[i : i + STEMS] for i in range(0, len(stems), STEMS))
        return [rf"(?:{'|'.join(group)}){views.TO_LINE_END}" for group in groups]

    @property
    def engine(self) -> str:
        """Name and version of the multi-pattern engine."""
        return self._prefilter.engine

    @property
    def version(self) -> str:
        """Version of the rules: changes with every row of the tables."""
        return f"rules-{digest()}"

    def detect(self, text: str, *, generic: bool = True, key: str = "") -> list[Span]:
        """Return the spans of values in a text, sorted and apart from each other.

        `generic=False` is for id paths: entropy, assignment and plain-number rules are left out. `key` is the name
        under which the text stands in its document; a telling one (`password`, `customer_name`) makes it a value.
        """
        if len(text) < SHORTEST and not self._extra and not key:
            return []
        data = text.encode("utf-8", "surrogatepass")
        found = list(self._scan(data, generic, 0))
        if key and len(data) <= LONGEST_NAMED and _telling(key):
            found += self._under_key(key, data, generic)
        for pattern, regex in self._extra:
            found += _pattern_spans(pattern, regex, data)
        return _code_points(text, data, merge(found))

    def _under_key(self, key: str, data: bytes, generic: bool) -> Iterator[Span]:
        quote = b'"' if b'"' not in data else b"'"
        lead = b'"' + key.encode("utf-8", "surrogatepass")[-200:] + b'": ' + quote
        for span in self._scan(lead + data + quote, generic, DEPTH):
            start, end = max(0, span.start - len(lead)), min(len(data), span.end - len(lead))
            if start < end:
                yield span._replace(start=start, end=end)

    def _scan(self, data: bytes, generic: bool, depth: int) -> Iterator[Span]:
        count = len(self.rules)
        for number in sorted(self._prefilter.fired(data)):
            if number < count:
                if generic or not self.rules[number].generic:
                    yield from _matches(self.rules[number], self._regexes[number], data)
            elif depth < DEPTH:
                yield from self._through_view(number - count, data, generic, depth + 1)

    def _through_view(self, number: int, data: bytes, generic: bool, depth: int) -> Iterator[Span]:
        if number == 0:
            yield from self._unescaped(data, generic, depth)
        elif number > 2:
            yield from self._joined(number, data)
        else:
            decode = views.base64_text if number == 1 else views.hex_text
            for match in self._view_regexes[number].expression.finditer(data):
                start, end, plain = decode(data, *match.span())
                inner = list(self._scan(plain, generic, depth))
                if inner:
                    longest = max(sorted(inner, key=_rank), key=_length)
                    yield longest._replace(start=start, end=end)

    def _unescaped(self, data: bytes, generic: bool, depth: int) -> Iterator[Span]:
        view = views.unescaped(data)
        if view.data == data or not view.data:
            return
        for span in self._scan(view.data, generic, depth):
            start, end = view.span(span.start, span.end)
            yield span._replace(start=start, end=end)

    def _joined(self, number: int, data: bytes) -> Iterator[Span]:
        starts = self._view_regexes[number].expression
        for match in starts.finditer(data):
            view = views.joined(data, match.start(), match.end(1))
            if view is None or starts.match(view.data[view.begins[1] :] + b"\n"):
                continue
            for rule in self._wrapped.intersection(self._prefilter.fired(view.data)):
                yield from self._over_break(rule, view)

    def _over_break(self, number: int, view: views.View) -> Iterator[Span]:
        rule, regex, cut = self.rules[number], self._regexes[number], view.begins[1]
        for span in _matches(rule, regex, view.data):
            if span.start < cut < span.end:
                whole = any(first.end == cut for first in _matches(rule, regex, view.data[:cut]))
                if not whole or views.goes_on(view.data[:cut], view.data[cut : span.end]):
                    start, end = view.span(span.start, span.end)
                    yield span._replace(start=start, end=end)


@lru_cache(maxsize=8192)
def _telling(key: str) -> bool:
    return TELLING.search(key) is not None


def merge(spans: Iterable[Span]) -> list[Span]:
    """Join overlapping spans into their union, with kind and rule of the longest; the more telling rule wins a tie."""
    merged: list[Span] = []
    longest = 0
    for span in sorted(spans, key=_order):
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            if _length(span) > longest:
                longest = _length(span)
                last = last._replace(kind=span.kind, rule=span.rule)
            merged[-1] = last._replace(end=max(last.end, span.end))
        else:
            merged.append(span)
            longest = _length(span)
    return merged


def _length(span: Span) -> int:
    return span.end - span.start


def _order(span: Span) -> tuple[int, int, int]:
    return span.start, -span.end, _rank(span)


def _rank(span: Span) -> int:
    return _ranks().get(span.rule, -1)


@cache
def _ranks() -> dict[str, int]:
    return {rule.name: number for number, rule in enumerate(RULES)}


def _matches(rule: Rule, regex: Regex, data: bytes) -> Iterator[Span]:
    """Yield the confirmed values of one rule; after a refused one the search goes on inside it."""
    search, groups = regex.expression.search, regex.groups
    position, size = 0, len(data)
    while position < size:
        match = search(data, position)
        if match is None:
            return
        first, last = match.span()
        start, end = _value(match, groups)
        kept = start + _accepted(rule, data[start:end], data[max(0, start - BEFORE) : start], data[end : end + AFTER])
        if kept > start:
            yield Span(start, kept, rule.kind, rule.name)
            position = max(kept, first + 1)
        else:
            position = start if first < start and end - start <= 256 else max(last, first + 1)


def _value(match: Any, groups: range) -> tuple[int, int]:
    for group in groups:
        span: tuple[int, int] = match.span(group)
        if span[0] >= 0:
            return span
    whole: tuple[int, int] = match.span()
    return whole


@lru_cache(maxsize=16384)
def _accepted(rule: Rule, value: bytes, before: bytes, after: bytes) -> int:
    """Return how many bytes of a value count, 0 when it is refused; what holds a placeholder was done before."""
    if b"<" in value and PLACEHOLDER.search(value):
        return 0
    if rule.check is None and rule.trim is None:
        return len(value)
    text = value.decode("utf-8", "replace")
    if rule.trim is not None:
        text = rule.trim(text)
        value, after = (
            value[: len(text.encode("utf-8", "replace"))],
            value[len(text.encode("utf-8", "replace")) :] + after,
        )
    hit = Hit(text, before.decode("utf-8", "replace"), after.decode("utf-8", "replace"))
    return len(value) if rule.check is None or rule.check(hit) else 0


def _pattern_spans(pattern: Pattern, regex: Regex, data: bytes) -> Iterator[Span]:
    for match in regex.expression.finditer(data):
        start, end = _value(match, regex.groups)
        if start < end:
            yield Span(start, end, pattern.kind, pattern.name)


def _code_points(text: str, data: bytes, spans: list[Span]) -> list[Span]:
    if not spans or len(text) == len(data):
        return spans
    result: list[Span] = []
    at_byte = at_point = 0
    for span in spans:
        start = at_point + _points(data, at_byte, span.start)
        end = start + _points(data, span.start, span.end)
        result.append(span._replace(start=start, end=end))
        at_byte, at_point = span.end, end
    return result


def _points(data: bytes, start: int, end: int) -> int:
    return len(data[start:end].decode("utf-8", "surrogatepass"))


class Regex(NamedTuple):
    """A compiled expression and its groups."""

    expression: Any
    groups: range


def _with_groups(expression: Any) -> Regex:
    return Regex(expression, range(1, expression.groups + 1))


@lru_cache(maxsize=1024)
def _compile(regex: str) -> Regex:
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return _with_groups(re2.compile(regex.encode("latin-1"), options))


def _compile_pattern(pattern: Pattern) -> Regex:
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        return _with_groups(re2.compile(pattern.regex.encode(), options))
    except re2.error as error:
        reason = error.args[0].decode() if error.args and isinstance(error.args[0], bytes) else str(error)
        raise ValueError(f"pattern {pattern.name!r} is no valid RE2 expression: {reason}") from error
