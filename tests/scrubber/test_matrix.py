"""Every kind of value in every context: how much of it detection finds, class by class."""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from functools import cache
from typing import NamedTuple
from urllib.parse import quote

import pytest
from plants import CLASSES, NEAR_MISSES

from errorhub.scrubber.detect import Detector

SEEDS = range(4)


class Planted(NamedTuple):
    """A text and the part of it that must be covered."""

    text: str
    start: int
    end: int


def inside(text: str, part: str) -> Planted:
    """Say that one part of a text must be covered."""
    start = text.index(part)
    return Planted(text, start, start + len(part))


def raw(carrier: str, value: str) -> Planted:
    return inside(carrier % value, value)


def in_prose(carrier: str, value: str) -> Planted:
    return inside(f"Then I ran it:\n{carrier % value}\nand it failed with exit code 1.", value)


def after_unicode(carrier: str, value: str) -> Planted:
    return inside(f"naïve café — 日本語 🎉 \n{carrier % value}", value)


def as_key(carrier: str, value: str) -> Planted:
    text = json.dumps({carrier % value: 1})
    return inside(text, json.dumps(value)[1:-1])


def in_json(carrier: str, value: str) -> Planted:
    text = json.dumps({"cmd": carrier % value, "n": 3})
    return inside(text, json.dumps(value)[1:-1])


def in_json_twice(carrier: str, value: str) -> Planted:
    text = json.dumps({"a": json.dumps({"cmd": carrier % value})})
    return inside(text, json.dumps(json.dumps(value)[1:-1])[1:-1])


def in_repr(carrier: str, value: str) -> Planted:
    return inside(repr({"out": carrier % value}), repr(value)[1:-1])


def in_yaml(carrier: str, value: str) -> Planted:
    text = "job:\n  run: |\n" + "".join(f"    {line}\n" for line in (carrier % value).split("\n"))
    first = value.split("\n")[0]
    start = text.index(first)
    return Planted(text, start, text.rindex(value.split("\n")[-1]) + len(value.split("\n")[-1]))


def in_diff(carrier: str, value: str) -> Planted:
    text = "@@ -1,2 +1,2 @@\n context\n" + "".join(f"+{line}\n" for line in (carrier % value).split("\n"))
    first, last = value.split("\n")[0], value.split("\n")[-1]
    return Planted(text, text.index(first), text.rindex(last) + len(last))


def in_log(carrier: str, value: str) -> Planted:
    return inside(f"2026-03-04T10:11:12Z INFO [worker-1] {carrier % value}", value)


def coloured(carrier: str, value: str) -> Planted:
    return inside(carrier % f"\x1b[32m{value}\x1b[0m", value)


def coloured_escaped(carrier: str, value: str) -> Planted:
    return inside(carrier % f"\\u001b[1;31m{value}\\u001b[0m", value)


def coloured_inside(carrier: str, value: str) -> Planted:
    middle = len(value) // 2
    broken = f"{value[:middle]}\x1b[7m{value[middle:]}"
    return inside(carrier % broken, broken)


def unicode_escaped(carrier: str, value: str) -> Planted:
    hidden = "".join(f"\\u{ord(c):04x}" for c in value if ord(c) < 0x10000)
    return inside(carrier % hidden, hidden)


def percent_value(carrier: str, value: str) -> Planted:
    before, after = carrier.split("%s")
    hidden = quote(value, safe="")
    return inside(f"https://x.acme.io/p?q={quote(before)}{hidden}{quote(after)}&b=1", hidden)


def percent_all(carrier: str, value: str) -> Planted:
    text = "".join(f"%{b:02X}" for b in (carrier % value).encode())
    start = 3 * len(carrier.split("%s")[0].encode())
    return Planted(text, start, start + 3 * len(value.encode()))


def html(carrier: str, value: str) -> Planted:
    hidden = "".join(f"&#{ord(c)};" if not c.isalnum() else c for c in value)
    return inside(f"<td>{carrier % hidden}</td>", hidden)


def base64_line(carrier: str, value: str) -> Planted:
    blob = base64.b64encode((carrier % value).encode()).decode()
    return inside(f"echo {blob} | base64 -d", blob)


def base64_bare(carrier: str, value: str) -> Planted:
    blob = base64.urlsafe_b64encode((carrier % value).encode()).decode().rstrip("=")
    return inside(f'{{"data":"{blob}"}}', blob)


def base64_file(carrier: str, value: str) -> Planted:
    content = f"# settings\nDEBUG=1\n{carrier % value}\nLOG_LEVEL=info\n" * 2
    return inside("blob: " + (blob := base64.b64encode(content.encode()).decode()), blob)


def base64_wrapped(carrier: str, value: str) -> Planted:
    blob = (
        base64.encodebytes(f"# settings of the service\n{carrier % value}\nLOG_LEVEL=info\n".encode()).decode().strip()
    )
    return inside(f"$ base64 .env\n{blob}\n$", blob)


def base64_twice(carrier: str, value: str) -> Planted:
    blob = base64.b64encode(base64.b64encode((carrier % value).encode())).decode()
    return inside(f"data={blob}", blob)


def hexadecimal(carrier: str, value: str) -> Planted:
    blob = (carrier % value).encode().hex()
    return inside(f"x'{blob}'", blob)


def wrapped(carrier: str, value: str) -> Planted:
    middle = len(value) // 2
    broken = f"{value[:middle]}\n{value[middle:]}"
    return inside(f"the output was {carrier % broken}\nfoo", broken)


def wrapped_indented(carrier: str, value: str) -> Planted:
    middle = len(value) * 2 // 3
    broken = f"{value[:middle]}\n      {value[middle:]}"
    return inside(f"  | {carrier % broken}\n", broken)


Context = Callable[[str, str], Planted]
PLAIN: tuple[Context, ...] = (
    raw, in_prose, after_unicode, as_key, in_json, in_json_twice, in_repr, in_yaml, in_diff, in_log,
    coloured, coloured_escaped, coloured_inside,
)  # fmt: skip
ENCODED: tuple[Context, ...] = (
    unicode_escaped, percent_value, percent_all, html, base64_line, base64_bare, base64_file, base64_wrapped,
    base64_twice, hexadecimal,
)  # fmt: skip
BROKEN: tuple[Context, ...] = (wrapped, wrapped_indented)


@cache
def detector() -> Detector:
    return Detector()


def covered(planted: Planted) -> bool:
    """Tell whether at least nine tenths of the planted part are found."""
    spans = detector().detect(planted.text)
    hit = sum(max(0, min(s.end, planted.end) - max(s.start, planted.start)) for s in spans)
    return hit >= 0.9 * (planted.end - planted.start)


def misses(family: str, contexts: tuple[Context, ...]) -> tuple[int, list[str]]:
    """Count cases and name the missed ones."""
    total, missed = 0, []
    for kind, (carrier, make) in CLASSES[family].items():
        for context in contexts:
            for seed in SEEDS:
                planted = context(carrier, make(random.Random(f"{kind}-{seed}")))
                total += 1
                if not covered(planted):
                    missed.append(f"{kind}/{context.__name__}")
    return total, missed


@pytest.mark.parametrize(
    ("family", "contexts", "target"),
    [
        pytest.param("known", PLAIN, 0.995, id="known-plain"),
        pytest.param("known", ENCODED, 0.95, id="known-encoded"),
        pytest.param("known", BROKEN, 0.95, id="known-broken"),
        pytest.param("generic", PLAIN, 0.95, id="generic-plain"),
        pytest.param("generic", ENCODED, 0.90, id="generic-encoded"),
        pytest.param("personal", PLAIN, 0.97, id="personal-plain"),
        pytest.param("personal", ENCODED, 0.90, id="personal-encoded"),
        pytest.param("places", PLAIN, 0.97, id="places-plain"),
        pytest.param("places", ENCODED, 0.90, id="places-encoded"),
    ],
)
def test_recall_reaches_its_target(family: str, contexts: tuple[Context, ...], target: float) -> None:
    total, missed = misses(family, contexts)
    recall = 1 - len(missed) / total
    assert recall >= target, f"{recall:.3f} of {total}: {sorted(set(missed))}"


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_a_near_miss_stays_in_every_context(name: str) -> None:
    carrier, make = NEAR_MISSES[name]
    for context in (context for context in PLAIN if context is not coloured_inside):
        for seed in SEEDS:
            planted = context(carrier, make(random.Random(f"{name}-{seed}")))
            touched = [s for s in detector().detect(planted.text) if s.end > planted.start and s.start < planted.end]
            assert touched == [], f"{context.__name__}: {planted.text}"
