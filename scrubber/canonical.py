"""The settled form of a JSON document and its canonical bytes: what digests and keyed hashes cover."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

from errorhub.scrubber.errors import DocumentError

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


def quick_digest(value: Any) -> str:
    """Return `digest` of a value that holds no NaN and no float that Python writes with an exponent.

    Only there orjson may write other bytes, and it takes a fifth of the time.
    """
    import orjson

    try:
        return hashlib.sha256(orjson.dumps(value, option=orjson.OPT_SORT_KEYS)).hexdigest()
    except orjson.JSONEncodeError:  # integers beyond 64 bits, more than 254 levels
        return digest(value)


def fingerprint(value: Any) -> bytes:
    """Return bytes that are equal for equal JSON values, settled or not; they are hashed and never stored.

    Raises DocumentError for what is no JSON.
    """
    import orjson

    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:  # lone surrogates, integers beyond 64 bits, more than 254 levels
        pass
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode("ascii")
    except (TypeError, ValueError, RecursionError):
        raise DocumentError("document is not JSON, or nested too deep.") from None


def settle_text(text: str) -> str:
    """Write lone surrogates as their six-character escapes, because UTF-8 cannot hold them."""
    if text.isascii():
        return text
    try:
        text.encode()  # reads faster than any expression
    except UnicodeEncodeError:
        return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
    return text
