"""Public fixtures: texts drawn from the patterns that other scanners ship, each confirmed by the scanner it is from.

Their own test cases are not in their packages, so this is what the packages hold.
"""

from __future__ import annotations

import inspect
import random
import re
import string
from collections.abc import Iterator
from re import _constants as code
from re import _parser as parser
from typing import Any

from scrub_cases import Case, document

PRINTABLE = string.ascii_letters + string.digits + "-_=+/.:, "
LONGEST_REPEAT = 24
"""Characters that an open repetition draws at most beyond what it must; what may be left out is."""


def kingfisher(each: int = 2) -> Iterator[Case]:
    """Yield texts drawn from the rules of the kingfisher SDK."""
    from kingfisher_sdk import Rules, Scanner

    rules = Rules(confidence="medium")
    scanner = Scanner(rules, base64=False)
    for rule in rules.metadata():
        for text in drawn(rules.detail(rule["id"])["pattern"], each):
            hits = [hit for hit in scanner.scan(text.encode()) if hit.visible]
            if hits:
                start, end = (hits[0].location[side] for side in ("start_offset", "end_offset"))
                yield Case("kingfisher", rule["id"], document(text), text.encode()[start:end].decode())


def detect_secrets(each: int = 12) -> Iterator[Case]:
    """Yield texts drawn from the deny lists of the plugins of detect-secrets."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    for name, plugin in sorted(get_mapping_from_secret_type_to_class().items()):
        if not issubclass(plugin, RegexBasedDetector) or inspect.isabstract(plugin):
            continue
        detector = plugin()
        for pattern in detector.denylist:
            for text in drawn(pattern.pattern, each):
                values = [value for value in detector.analyze_string(text) if value]
                if values:
                    yield Case("detect-secrets", name, document(text), max(values, key=len))


def drawn(pattern: str, each: int) -> list[str]:
    """Return texts that a pattern matches, always the same ones; none for syntax that Python does not know."""
    rng = random.Random(pattern)
    try:
        tree = parser.parse(re.sub(r"\\z", r"\\Z", pattern))
        texts = ["".join(_draw(tree, rng, {})) for _ in range(each)]
    except (re.error, KeyError, OverflowError):
        return []
    return [text for text in texts if text.strip()]


def _draw(tree: Any, rng: random.Random, groups: dict[int, str]) -> Iterator[str]:
    for op, value in tree:
        if op is code.LITERAL:
            yield chr(value)
        elif op in (code.ANY, code.NOT_LITERAL):
            yield rng.choice(PRINTABLE)
        elif op is code.IN:
            yield _one_of(value, rng)
        elif op is code.BRANCH:
            yield from _draw(rng.choice(value[1]), rng, groups)
        elif op is code.SUBPATTERN:
            groups[value[0]] = "".join(_draw(value[3], rng, groups))
            yield groups[value[0]]
        elif op is code.GROUPREF:
            yield groups[value]
        elif op in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
            low, high, inner = value
            high = low if low == 0 or op is code.MIN_REPEAT else min(int(high), low + LONGEST_REPEAT)
            for _ in range(rng.randint(low, high)):
                yield from _draw(inner, rng, groups)
        elif op is code.ATOMIC_GROUP:
            yield from _draw(value, rng, groups)


def _one_of(members: Any, rng: random.Random) -> str:
    negated = members[0][0] is code.NEGATE
    allowed = [c for c in map(chr, range(9, 127)) if any(_fits(member, c) for member in members) != negated]
    plain = [c for c in allowed if c in PRINTABLE]
    return rng.choice(plain or allowed or ["x"])


def _fits(member: Any, character: str) -> bool:
    op, value = member
    if op is code.LITERAL:
        return ord(character) == value
    if op is code.RANGE:
        return value[0] <= ord(character) <= value[1]
    if op is code.CATEGORY:
        word, digit = character.isalnum() or character == "_", character.isdigit()
        return {
            code.CATEGORY_WORD: word,
            code.CATEGORY_NOT_WORD: not word,
            code.CATEGORY_DIGIT: digit,
            code.CATEGORY_NOT_DIGIT: not digit,
            code.CATEGORY_SPACE: character.isspace(),
            code.CATEGORY_NOT_SPACE: not character.isspace(),
        }[value]
    return False
