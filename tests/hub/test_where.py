"""The filter language."""

import random
import time
from typing import Any

import pytest

from errorhub.hub.bundle.arrow import FLAT
from errorhub.hub.errors import UsageError
from errorhub.hub.where import parse

ROW: dict[str, Any] = dict.fromkeys(FLAT) | {
    "environment": "webshop", "n_steps": 12, "mode": "a.b", "resolved": True, "goal": "It's Über", "grade": "located",
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('environment == "webshop" and n_steps > 10', True),
        ("environment == 'webshop' and n_steps > 12", False),
        ("n_steps >= 12 and n_steps <= 12 and n_steps < 12.5", True),
        ("n_steps != 12", False),
        ('environment < "x"', True),
        ("resolved", True),
        ("not resolved", False),
        ("resolved == true and not resolved == false", True),
        ("agent == null and mode != null", True),
        ("step < 3", False),
        ("step > 3", False),
        ("not step < 3", True),
        ('mode in ["x", "a.b"]', True),
        ('mode not in ["x", "a.b",]', False),
        ("mode in []", False),
        ("agent in [null]", True),
        ("n_steps in [1, 12]", True),
        ('goal contains "ÜBER"', True),
        ('goal not contains "über"', False),
        ('agent contains "x"', False),
        ("goal contains 'it\\'s'", True),
        ('grade == "evidenced" or grade == "located" and n_steps == 1', False),
        ('(grade == "evidenced" or grade == "located") and n_steps == 12', True),
        ("n_steps==12\n\tand\nnot(resolved==false)", True),
    ],
)
def test_filters(text: str, wanted: bool) -> None:
    assert parse(text)(ROW) is wanted


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "expected a column", id="empty"),
        pytest.param("colour == 1", "no column colour. Columns: bundle_id, ", id="unknown column"),
        pytest.param("agents == 1", "no column agents", id="nested column"),
        pytest.param('__import__("os")', "no column __import__", id="code"),
        pytest.param("n_steps > 3 n_steps", "expected `and`, `or` or the end at: n_steps", id="two filters"),
        pytest.param("n_steps >", "expected a value at: the end", id="no value"),
        pytest.param("n_steps > n_steps", "expected a value", id="two columns"),
        pytest.param("(n_steps > 1", "expected `)`", id="open group"),
        pytest.param('mode in "x"', "expected `[`", id="in a text"),
        pytest.param('mode in ["x" "y"]', "expected `,` or `]`", id="no comma"),
        pytest.param('mode in ["x"', "expected `,` or `]`", id="open list"),
        pytest.param("not", "expected a column", id="not alone"),
        pytest.param("mode not == null", "expected `in` or `contains`", id="not equal"),
        pytest.param('n_steps == "3"', "n_steps is a number", id="text for number"),
        pytest.param("n_steps == true", "n_steps is a number", id="truth for number"),
        pytest.param("mode == 3", "mode is a text", id="number for text"),
        pytest.param("resolved == 1", "resolved is a true or false value", id="number for truth"),
        pytest.param("resolved > true", "> needs a number or a text", id="order of truths"),
        pytest.param("n_steps contains 1", "`contains` needs", id="contains on a number"),
        pytest.param('mode == "open', "cannot read", id="open quote"),
        pytest.param("mode = 1", "cannot read", id="one equals sign"),
        pytest.param("n_steps == 1; resolved", "cannot read at: ; resolved", id="semicolon"),
        pytest.param(f"n_steps == {'9' * 30}", "cannot read", id="huge number"),
    ],
)
def test_refusals(text: str, said: str) -> None:
    with pytest.raises(UsageError) as problem:
        parse(text)
    assert said in str(problem.value)


@pytest.mark.parametrize("opening", ["(", "not ", "not ("])
def test_deep_nesting_is_refused(opening: str) -> None:
    with pytest.raises(UsageError, match="nested deeper"):
        parse(opening * 100_000)


def test_a_hundred_thousand_filters() -> None:
    assert parse(" or ".join(["n_steps == 1"] * 100_000))(ROW) is False
    assert parse(f"n_steps in [{','.join(map(str, range(100_000)))}]")(ROW) is True


def test_a_longer_one_is_refused() -> None:
    with pytest.raises(UsageError, match="at most"):
        parse("x" * 5_000_000)


def test_columns_are_those_it_reads() -> None:
    assert parse("not (n_steps > 1 or resolved)").columns == {"n_steps", "resolved"}


def test_garbage_raises_nothing_else() -> None:
    words = [
        *FLAT[:5],
        "and",
        "or",
        "not",
        "in",
        "contains",
        "==",
        "<",
        "(",
        ")",
        "[",
        "]",
        ",",
        "1",
        '"x"',
        "'",
        "null",
        "$",
    ]
    chance = random.Random(0)
    for _ in range(2_000):
        text = " ".join(chance.choices(words, k=chance.randrange(12)))
        try:
            assert parse(text)(ROW) in (True, False)
        except UsageError as problem:
            assert str(problem).startswith("filter")


@pytest.mark.parametrize(("word", "sign", "held"), [("or", "==", True), ("and", "!=", False)])
def test_a_hundred_thousand_comparisons_cost_as_much_as_one(word: str, sign: str, held: bool) -> None:
    where = parse(f" {word} ".join(f"task {sign} 'T{n}'" for n in range(100_000)))
    started = time.process_time()
    assert all(where({"task": f"T{n}"}) is held for n in range(50_000))
    assert where({"task": "other"}) is not held
    assert time.process_time() - started < 1
