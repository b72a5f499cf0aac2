"""The settled form of a JSON document and its canonical bytes: what digests and keyed hashes cover."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from errorhub.scrubber.errors import DocumentError
from errorhub.scrubber.members import pairs_of

MAX_DEPTH = 240
"""Deepest nesting of a document. Writers stop a little above: orjson at 254 levels."""

MAX_INTEGER_BITS = 14_000
"""About 4,200 decimal digits: below the limit of Python's integer parser."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def canonical(value: object) -> bytes:
    """Return canonical UTF-8 bytes: sorted keys, no spaces, exact integers, no NaN."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8")


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical bytes as lower-case hex."""
    return hashlib.sha256(canonical(value)).hexdigest()


def quick_digest(value: Any, exponents: Iterable[Any] = ()) -> str:
    """Return `digest` of a value that holds no NaN in a fifth of the time.

    `exponents` are the containers in it with floats that Python writes with an exponent: only there orjson would write
    other bytes. They hold other objects in the meantime.
    """
    import orjson

    floats = [(held, at, item) for held in exponents for at, item in pairs_of(held) if _is_exponential(item)]
    try:
        for held, at, item in floats:
            held[at] = orjson.Fragment(repr(item))
        written = quickly(value)
    finally:
        for held, at, item in floats:
            held[at] = item
    return digest(value) if written is None else hashlib.sha256(written).hexdigest()


def quickly(value: Any) -> bytes | None:
    """Return the canonical bytes of a value without NaN and exponents, or None where the fast writer gives up.

    That is at lone surrogates, at integers beyond 64 bits and below 254 levels.
    """
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return None


def has_exponent(value: float) -> bool:
    """Tell whether Python writes a float with an exponent."""
    return value != 0 and not 1e-4 <= abs(value) < 1e16


def _is_exponential(item: Any) -> bool:
    return isinstance(item, float) and has_exponent(item)


def fingerprint(value: Any) -> tuple[str, bool]:
    """Return a hash that is equal for equal JSON values, settled or not, and whether the fast writer sufficed for it.

    Then it is the `digest`, too, of a value without exponents. It is hashed again under a key, never stored. Raises
    DocumentError for what is no JSON.
    """
    quick = quickly(value)
    try:
        written = quick or json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError):
        raise DocumentError("document is not JSON, or nested too deep.") from None
    return hashlib.sha256(written).hexdigest(), quick is not None


def settle_text(text: str) -> str:
    """Write lone surrogates as their six-character escapes, because UTF-8 cannot hold them."""
    if text.isascii():
        return text
    try:
        text.encode()  # reads faster than any expression
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return text
