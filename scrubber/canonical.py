"""The settled form of a JSON document and its canonical bytes: what digests and keyed hashes cover."""

from __future__ import annotations

import hashlib
import json
import math
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


def settle_text(text: str) -> str:
    """Write lone surrogates as their six-character escapes, because UTF-8 cannot hold them."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return _SURROGATE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def settle(value: Any, depth: int = 0) -> Any:
    """Return a copy that JSON and UTF-8 can hold: tuples become lists, NaN and infinities become strings.

    Raises DocumentError for other objects, keys that are no strings, and nesting beyond `MAX_DEPTH`.
    """
    if isinstance(value, str):
        return settle_text(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        if value.bit_length() > MAX_INTEGER_BITS:
            raise DocumentError("document holds an integer longer than 4,200 digits. Store it as text.")
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else json.dumps(value)
    if depth >= MAX_DEPTH:
        raise DocumentError(f"document is nested deeper than {MAX_DEPTH} levels. Store the inner part as text.")
    if isinstance(value, dict):
        return {_settle_key(key): settle(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [settle(item, depth + 1) for item in value]
    raise DocumentError(f"document holds a {type(value).__name__}, which is not JSON. Encode it as text first.")


def _settle_key(key: object) -> str:
    if not isinstance(key, str):
        raise DocumentError(f"document has an object key of type {type(key).__name__}. JSON keys are strings.")
    return settle_text(key)
