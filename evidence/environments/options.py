"""What a person types about worlds and players: `KEY=VALUE` settings and ranges of seeds."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from errorhub.hub.errors import UsageError

MOST_SEEDS: Final = 100_000


def settings_of(pairs: Iterable[str]) -> dict[str, Any]:
    """Read `KEY=VALUE`; a value that is JSON is that value, any other is text. Raise UsageError when it is no pair."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"not a setting: {pair[:60]}. Write KEY=VALUE, for example rooms=6.")
        try:
            found[name.strip()] = json.loads(text)
        except ValueError:
            found[name.strip()] = text
    return found


def seeds_of(text: str) -> tuple[int, ...]:
    """Read `0-59` or `3,5,8-10`. Raise UsageError when it names no seeds."""
    found: dict[int, None] = {}
    for part in text.split(","):
        first, dash, last = (one.strip() for one in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise UsageError(f"not seeds: {text[:60]}. Write 0-59, or 3,5,8-10.")
        low, high = int(first), int(last or first)
        if high < low or high - low >= MOST_SEEDS:
            raise UsageError(f"not a range of seeds: {part.strip()[:60]}. At most {MOST_SEEDS}, smallest first.")
        found |= dict.fromkeys(range(low, high + 1))
    return tuple(found)
