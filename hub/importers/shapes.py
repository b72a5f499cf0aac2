"""Values of a log as the shape that is expected there: anything else is as good as absent."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def mapping(value: Any) -> dict[str, Any]:
    """Return an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return a list, or an empty one."""
    return value if isinstance(value, list) else []


def objects(value: Any) -> list[dict[str, Any]]:
    """Return the objects of a list."""
    return [item for item in items(value) if isinstance(item, dict)]


def type_of(value: Any, name: str = "type") -> str:
    """Return what an object says it is; empty when it says nothing."""
    held = value.get(name) if isinstance(value, dict) else None
    return held if isinstance(held, str) else ""


def text_or_none(value: Any) -> str | None:
    """Return a non-empty string, or None for anything else."""
    return value if isinstance(value, str) and value else None


def number_or_none(value: Any) -> int | float | None:
    """Return a finite number, or None for anything else."""
    fits = isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) < 1e300
    return value if fits else None


def integer_or_none(value: Any) -> int | None:
    """Return a whole number, or None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def fingerprint(value: Any) -> str:
    """Return a digest of any JSON value as it was read, lone surrogates and NaN included."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
