"""JSON values in one settled form, their canonical bytes and their digest.

What JSON or UTF-8 cannot hold is settled once, when a value enters a record:

| value                                  | becomes                                          |
|----------------------------------------|--------------------------------------------------|
| lone surrogate in a string or key      | its six-character escape, backslash-u-d800       |
| NaN, Infinity, -Infinity in free JSON  | the strings "NaN", "Infinity", "-Infinity"       |
| integer up to 4,300 digits             | itself, exact; longer ones are refused           |
| tuple                                  | list                                             |
| bytes, sets, other objects, non-string keys, more than 200 levels | refused               |
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from functools import cache
from typing import Annotated, Any

import orjson
from pydantic import AfterValidator, BeforeValidator

MAX_DEPTH = 200
"""Deepest nesting of lists and objects in one free value."""

MAX_INTEGER_BITS = 14_000
"""About 4,200 decimal digits: below the limit of Python's own integer parser."""

_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_OTHERWISE = rb"[:,\[]-?(?:0\.0000\d*|\d+(?:\.\d+)?[eE][-+]?\d+)[,\]}]"
"""Floats that orjson writes in another way: below 0.0001 and with an exponent."""

_NESTED = frozenset((b"{", b"["))
_EXACT = frozenset((b'"', b"n", b"t", b"f"))
"""First bytes: of values in which a float may stand, and of those that are none."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical(value: object) -> bytes:
    """Return the canonical UTF-8 bytes of a JSON value: sorted keys, no spaces, exact integers, no NaN."""
    return _ENCODER.encode(value).encode("utf-8")


def settled_bytes(value: Any) -> bytes:
    """Return the canonical bytes of a value that is settled, as those of a record are, several times faster.

    orjson writes what `canonical` does but for very large and very small floats and integers past 64 bits; where one of
    them may stand, `canonical` decides. On values that are not settled the two differ: orjson writes NaN as null.
    """
    try:
        data = orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return canonical(value)
    first = data[:1]
    return data if first in _EXACT or (first in _NESTED and not _otherwise().search(data)) else canonical(value)


@cache
def _otherwise() -> Any:
    """Return the pattern, compiled by RE2: it reads four times faster than `re`, and bodies are long."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    return re2.compile(_OTHERWISE, options)


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical bytes, 64 lower-case hex digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def settle_text(text: object) -> object:
    """Replace lone surrogates by their escapes; anything that is not a string passes through."""
    if not isinstance(text, str) or text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def settle(value: Any, depth: int = 0) -> Any:
    """Return the settled form of a JSON value; raise ValueError for what has none."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return settle_text(value)
    if isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            raise ValueError("integer longer than 4,300 digits. Store it as text.")
        return int(value)
    if isinstance(value, float):
        return _settle_float(value)
    if depth >= MAX_DEPTH:
        raise ValueError(f"value nested deeper than {MAX_DEPTH} levels. Store the inner part as text.")
    if isinstance(value, dict):
        return {_settle_key(key): settle(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [settle(item, depth + 1) for item in value]
    raise ValueError(f"{type(value).__name__} is not JSON. Encode it as text first.")


def _settle_float(value: float) -> float | str:
    if math.isfinite(value):
        return float(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _settle_key(key: object) -> str:
    if not isinstance(key, str):
        raise ValueError(f"object key of type {type(key).__name__}. JSON keys are strings.")
    return str(settle_text(key))


Text = Annotated[str, BeforeValidator(settle_text)]
"""A string that UTF-8 can hold."""

Json = Annotated[Any, AfterValidator(settle)]
"""Any settled JSON value."""
