"""`--where`: a small filter language over the flat columns. Parsed here, never evaluated as code.

```
filter     := all ("or" all)*
all        := one ("and" one)*
one        := "not" one | "(" filter ")" | COLUMN test?          a bare COLUMN must be true
test       := ("==" | "!=" | "<" | "<=" | ">" | ">=") value
            | ["not"] "in" "[" [value ("," value)*] "]" | ["not"] "contains" STRING
value      := "text" | 'text' | number | true | false | null
```

Text compares exactly; `contains` ignores case. Nothing is less or greater than null, and null contains nothing.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import pyarrow as pa

from errorhub.hub.bundle.arrow import FLAT, SCHEMA
from errorhub.hub.errors import UsageError

MAX_CHARS = 4_000_000
"""Longest filter: some 200,000 comparisons."""

MAX_DEPTH = 60
"""Deepest nesting of parentheses and nots."""

Row = Mapping[str, object]
Test = Callable[[Row], bool]
Value = str | int | float | bool | None

_TOKEN = re.compile(
    r"""\s*(?:(?P<number>-?\d{1,18}(?:\.\d{1,18})?(?![\w.]))|(?P<name>[A-Za-z_]\w*)|(?P<sign>==|!=|<=|>=|[<>()\[\],])"""
    r"""|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'))""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_CONSTANTS: Mapping[str, Value] = {"true": True, "false": False, "null": None}
_ORDER: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


@dataclass(frozen=True)
class Where:
    """A parsed filter: call it with a row of flat columns."""

    text: str
    """As a person wrote it."""
    columns: frozenset[str]
    """The columns it reads."""
    test: Test

    def __call__(self, row: Row) -> bool:
        """Return whether a row passes."""
        return self.test(row)


@dataclass(frozen=True)
class _Among:
    """Tests whether a column's value is, or is not, one of these: ten thousand comparisons at the price of one."""

    column: str
    values: frozenset[Value]
    wanted: bool

    def __call__(self, row: Row) -> bool:
        return (row[self.column] in self.values) is self.wanted


def _merged(tests: list[Test], *, wanted: bool) -> list[Test]:
    """Join the tests of one column that are (not) equal to something into one."""
    sets: dict[str, set[Value]] = {}
    rest: list[Test] = []
    for test in tests:
        if isinstance(test, _Among) and test.wanted is wanted:
            sets.setdefault(test.column, set()).update(test.values)
        else:
            rest.append(test)
    return [*(_Among(column, frozenset(values), wanted) for column, values in sets.items()), *rest]


def parse(text: str) -> Where:
    """Parse a filter. Raise UsageError saying where it goes wrong, with the columns when one is unknown."""
    if len(text) > MAX_CHARS:
        raise UsageError(f"filter of {len(text)} characters: at most {MAX_CHARS} are read.")
    reader = _Reader(text)
    test = reader.alternatives(0)
    if reader.kind:
        reader.fail("expected `and`, `or` or the end")
    return Where(text, frozenset(reader.columns), test)


class _Reader:
    """Recursive descent over the tokens; `kind` and `token` are the one ahead, with kind empty at the end."""

    def __init__(self, text: str) -> None:
        self.text, self.at, self.next_at = text, 0, 0
        self.kind = self.token = ""
        self.columns: set[str] = set()
        self.advance()

    def advance(self) -> str:
        """Take the token ahead and look at the next one."""
        taken = self.token
        self.at = self.next_at
        found = _TOKEN.match(self.text, self.at)
        if found:
            self.next_at, self.kind = found.end(), found.lastgroup or ""
            self.token = found[self.kind]
        elif self.text[self.at :].strip():
            self.fail("cannot read")
        else:
            self.kind = self.token = ""
        return taken

    def fail(self, problem: str) -> NoReturn:
        """Raise UsageError pointing at the token ahead."""
        rest = self.text[self.at :].strip()[:20] or "the end"
        raise UsageError(f"filter: {problem} at: {rest}.", hint='for example: --where "n_steps > 10 and grade != null"')

    def takes(self, *tokens: str) -> bool:
        """Take the token ahead when it is one of these words or signs."""
        ahead = self.kind in ("name", "sign") and self.token in tokens
        if ahead:
            self.advance()
        return ahead

    def alternatives(self, depth: int) -> Test:
        """Read alternatives."""
        tests = [self.conditions(depth)]
        while self.takes("or"):
            tests.append(self.conditions(depth))
        tests = _merged(tests, wanted=True)
        return tests[0] if len(tests) == 1 else lambda row: any(test(row) for test in tests)

    def conditions(self, depth: int) -> Test:
        """Read conditions that must hold together."""
        tests = [self.condition(depth)]
        while self.takes("and"):
            tests.append(self.condition(depth))
        tests = _merged(tests, wanted=False)
        return tests[0] if len(tests) == 1 else lambda row: all(test(row) for test in tests)

    def condition(self, depth: int) -> Test:
        """Read a negation, a group or a comparison."""
        if depth > MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH} levels")
        if self.takes("not"):
            test = self.condition(depth + 1)
            return lambda row: not test(row)
        if self.takes("("):
            test = self.alternatives(depth + 1)
            if not self.takes(")"):
                self.fail("expected `)`")
            return test
        return self.comparison()

    def comparison(self) -> Test:
        """Read a column and what is asked of it."""
        column = self.column()
        if self.kind == "sign" and self.token in (*_ORDER, "==", "!="):
            return self.compared(column, self.advance())
        negated = self.takes("not")
        if self.takes("in"):
            test = self.among(column)
        elif self.takes("contains"):
            test = self.contains(column)
        elif negated:
            self.fail("expected `in` or `contains`")
        else:
            return lambda row: row[column] is True
        return (lambda row: not test(row)) if negated else test

    def column(self) -> str:
        """Read the name of a column."""
        if self.kind != "name":
            self.fail("expected a column")
        if self.token not in FLAT:
            raise UsageError(f"filter: no column {self.token}. Columns: {', '.join(FLAT)}.")
        self.columns.add(self.token)
        return self.advance()

    def compared(self, column: str, sign: str) -> Test:
        """Read the value behind a sign."""
        value = self.value(column)
        if sign in ("==", "!="):
            return _Among(column, frozenset((value,)), sign == "==")
        if value is None or isinstance(value, bool):
            self.fail(f"{sign} needs a number or a text")
        ordered = _ORDER[sign]
        return lambda row: row[column] is not None and bool(ordered(row[column], value))

    def among(self, column: str) -> Test:
        """Read a list of values."""
        if not self.takes("["):
            self.fail("expected `[`")
        values: set[Value] = set()
        while not self.takes("]"):
            values.add(self.value(column))
            if not self.takes(",") and self.token != "]":
                self.fail("expected `,` or `]`")
        return _Among(column, frozenset(values), True)

    def contains(self, column: str) -> Test:
        """Read the text to look for."""
        if self.kind != "text" or not pa.types.is_string(SCHEMA.field(column).type):
            self.fail("`contains` needs a text column and a text")
        part = str(self.value(column)).casefold()
        return lambda row: part in str(row[column] or "").casefold()

    def value(self, column: str) -> Value:
        """Read a value of the column's type, or null."""
        kind, token = self.kind, self.token
        value: Value
        if kind == "text":
            value = _ESCAPE.sub(r"\1", token[1:-1])
        elif kind == "number":
            value = float(token) if "." in token else int(token)
        elif token in _CONSTANTS:
            value = _CONSTANTS[token]
        else:
            self.fail("expected a value")
        if value is not None and not _fits(column, value):
            self.fail(f"{column} is a {_type_name(column)}, so it cannot be compared with the value")
        self.advance()
        return value


def _type_name(column: str) -> str:
    kind = SCHEMA.field(column).type
    return "text" if pa.types.is_string(kind) else "true or false value" if pa.types.is_boolean(kind) else "number"


def _fits(column: str, value: Value) -> bool:
    kind = _type_name(column)
    if kind == "text":
        return isinstance(value, str)
    return (
        isinstance(value, bool) if kind != "number" else isinstance(value, int | float) and not isinstance(value, bool)
    )
