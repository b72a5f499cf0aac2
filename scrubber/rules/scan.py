"""Read bytes for what the rules look for, in plain sight and through decoded views."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from errorhub.scrubber import views
from errorhub.scrubber.rules.confirm import (
    Regex,
    begins,
    compile_rule,
    compile_text,
    confirmed,
    found_in,
    matches,
    values,
)
from errorhub.scrubber.rules.prefilter import Place, Shape, build
from errorhub.scrubber.rules.rule import BORDER, Pattern, Rule, Span
from errorhub.scrubber.spans import APART

DEPTH = 4
"""Layers of encoding that are opened: escapes in escapes, base64 in base64."""
MANY = 1000
"""Different values of one rule after which a text is a dump: what follows goes as a whole."""
CROWD, CLOSE = 5000, 32
"""So many values of one rule with at most so many bytes for each are a dump, too, whatever they are."""
ESCAPED, BASE64, HEX, BROKEN = range(4)
"""Numbers of the views' shapes, which follow the rules'; each token that may be broken over lines has its own."""


class Scanner:
    """Read texts for one set of rules and patterns; spans count bytes and may overlap."""

    def __init__(self, rules: tuple[Rule, ...], extra: Sequence[Pattern], engine: str) -> None:
        self._rules = rules
        self._extra = [(pattern, _compiled(pattern)) for pattern in extra]
        self._broken = [number for number, rule in enumerate(rules) if rule.prefix]
        shapes = [Shape(shape, ()) for shape in (views.UNIT.pattern.decode("latin-1"), views.BASE64, views.HEX)]
        self._tokens = [rf"((?:{rules[n].prefix}){views.TO_LINE_END})" for n in self._broken]
        for n, token in zip(self._broken, self._tokens, strict=True):
            border = BORDER if rules[n].regex.startswith(BORDER) else ""
            shapes.append(Shape(f"(?m){border}{token}", rules[n].keywords))
        self._views = [shape.regex for shape in shapes]  # compiled when one is announced, as those of the rules are
        rows = [Shape(rule.hint or rule.regex, rule.keywords) for rule in rules]
        self._prefilter = build((*rows, *shapes), engine)
        self.engine = self._prefilter.engine

    def met(self, texts: Sequence[str]) -> Iterable[int]:
        """Return the numbers of those of some texts in which a shape is met first: none when nothing can match in any.

        They are read in one pass. A shape that matches a text alone also matches it as lines of a longer one.
        """
        if self._extra:
            return range(len(texts))
        data = APART.join(texts).encode("utf-8", "surrogatepass")
        ends = self._prefilter.fired(data).values()
        if not ends or 0 in ends:
            return range(len(texts)) if ends else ()
        sizes = texts if data.isascii() else [text.encode("utf-8", "surrogatepass") for text in texts]
        begins = list(accumulate((len(text) + len(APART) for text in sizes), initial=0))
        return {bisect_right(begins, end - 1) - 1 for end in ends}

    def scan(self, data: bytes, generic: bool, depth: int = 0) -> Iterable[Span]:
        """Return what a text holds; `depth` layers of encoding are open already."""
        announced = self._prefilter.announce(data)
        return self._read(data, announced, generic, depth) if announced or self._extra else ()

    def _read(self, data: bytes, announced: Iterable[Place], generic: bool, depth: int) -> Iterator[Span]:
        for pattern, regex in self._extra:
            for start, end in values(regex, data):
                yield Span(start, end, pattern.kind, pattern.name)
        limit = len(data)
        seen: dict[int, set[bytes]] = {}
        counts: dict[int, int] = {}
        for number, start, stop in announced:
            if start >= limit:
                continue
            ordered = number != len(self._rules) + ESCAPED
            values_seen, count = seen.setdefault(number, set()), counts.get(number, 0)
            for span in self._spans(number, data, start, min(stop, limit), generic, depth):
                yield span
                if ordered:
                    first, last, _, _ = span
                    values_seen.add(data[first:last])
                    count += 1
                    if len(values_seen) >= MANY or (count >= CROWD and last <= CLOSE * count):
                        limit = last
                        yield Span(limit, len(data), "BLOB", "many-values")
                        break
            counts[number] = count

    def _spans(self, number: int, data: bytes, start: int, stop: int, generic: bool, depth: int) -> Iterable[Span]:
        view = number - len(self._rules)
        if view < 0:
            rule = self._rules[number]
            return confirmed(rule, data, start, stop) if generic or not rule.generic else ()
        if depth >= DEPTH:
            return ()
        if view == ESCAPED:
            return self._unescaped(data, max(0, start - views.MARGIN), stop + views.MARGIN, generic, depth + 1)
        return self._decoded(view, data, start, stop, generic, depth + 1)

    def _unescaped(self, data: bytes, start: int, stop: int, generic: bool, depth: int) -> Iterator[Span]:
        for at, view in views.around_units(data[start:stop]):
            for span in self.scan(view.data, generic, depth):
                first, last = view.span(span.start, span.end)
                yield span.at(start + at + first, start + at + last)

    def _decoded(self, view: int, data: bytes, start: int, stop: int, generic: bool, depth: int) -> Iterator[Span]:
        for spans in matches(compile_rule(self._views[view]), data, start, stop):
            begin, end = spans[0]
            if view >= BROKEN:
                yield from self._joined(view - BROKEN, data, spans[1][0], spans[2][1])
                continue
            decode = views.base64_text if view == BASE64 else views.hex_text
            first, last, plain = decode(data, begin, end)
            if data[begin:end].isdigit() and not plain.isalnum():
                continue  # a long number reads as hex too, but as noise
            hit = next(iter(self.scan(plain, generic, depth)), None)
            if hit is not None:  # the most telling rule comes first
                yield hit.at(first, last)

    def _joined(self, number: int, data: bytes, start: int, end: int) -> Iterator[Span]:
        token, rule = compile_rule(self._tokens[number]), self._rules[self._broken[number]]
        gap = views.BREAK.match(data, end)
        if gap is None or begins(token, data, gap.end()) or begins(token, data, gap.end() + 1):  # one behind a bullet
            return
        view = views.joined(data, start, end)
        if view is None or begins(token, view.data[view.begins[1] :] + b"\n"):
            return
        for span in found_in(rule, view.data, view.begins[1]):
            if view.begins[1] < span.end and _continues(rule, view, span):
                first, last = view.span(span.start, span.end)
                yield span.at(first, last)


def _continues(rule: Rule, view: views.Joined, span: Span) -> bool:
    """Tell whether a token goes on over a break: it is not whole without, or what follows looks like the rest."""
    cut = view.begins[1]
    head = view.data[:cut]
    whole = any(first.end == cut for first in found_in(rule, head, cut))
    return not whole or views.goes_on(head, view.data[cut : span.end])


def _compiled(pattern: Pattern) -> Regex:
    try:
        return compile_text(pattern.regex)
    except ValueError as error:
        raise ValueError(f"pattern {pattern.name!r} is no valid RE2 expression: {error}") from error
