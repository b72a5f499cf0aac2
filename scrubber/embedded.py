"""JSON inside strings: taken apart when it is sound, written back in the layout it had."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any


def parse(text: str, depth: int) -> Any:
    """Parse a text that is a JSON object or array, else return None.

    Text with doubled keys, or nested deeper than `depth`, gives None: it is read as plain text.
    """
    stripped = text.strip()
    if len(stripped) < 2 or stripped[0] + stripped[-1] not in ("{}", "[]"):
        return None
    try:
        value = _DECODER.decode(stripped)
        shallow = stripped.count("{") + stripped.count("[") < depth
        return value if shallow or _fits(value, depth) else None
    except (ValueError, RecursionError):
        return None


def _fits(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            item
            for outer in level
            for item in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return True
    return False


def dump_like(value: Any, text: str) -> str:
    """Write JSON in the layout that a text of JSON has: its indent, its blanks after separators, its escapes."""
    body = text.strip()
    before, _, after = text.partition(body)
    indented = _INDENT.match(body)
    colon = body.find('":')
    spaced = body.startswith('": ', colon) if colon >= 0 else ", " in body
    written = _encoder(
        body.isascii() and "\\u" in body,
        len(indented[1]) if indented else None,
        (",", ": ") if indented else (", ", ": ") if spaced else (",", ":"),
    ).encode(value)
    return f"{before}{written}{after}"


_INDENT = re.compile(r"[{\[]\n( {1,8})")


@cache
def _encoder(ascii_only: bool, indent: int | None, separators: tuple[str, str]) -> json.JSONEncoder:
    return json.JSONEncoder(ensure_ascii=ascii_only, indent=indent, separators=separators)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise ValueError("an object key stands twice")
    return entries


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
