"""The members of one container: which are some text, which say what another one is, and their new names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any


def pairs_of(container: Any) -> Iterable[tuple[Any, Any]]:
    """Return the members of an object or a list with their keys or indices."""
    return container.items() if isinstance(container, dict) else enumerate(container)


def members_of(container: Any, texts: set[str], numbers: set[str]) -> dict[str, list[str | int]]:
    """Return at which keys or indices a container holds some texts, or numbers that read like some of them."""
    found: dict[str, list[str | int]] = {}
    for segment, item in pairs_of(container):
        if type(item) is str:
            if item in texts:
                found.setdefault(item, []).append(segment)
        elif numbers and is_number(item) and (digits := digits_of(item)) in numbers:
            found.setdefault(digits, []).append(segment)
    return found


def is_number(value: Any) -> bool:
    """Tell whether a JSON value is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def digits_of(value: int | float) -> str:
    """Return the text as which a number is read."""
    whole = isinstance(value, int) or value.is_integer()
    return str(int(value)) if whole and abs(value) < 1e18 else repr(value)


def tells_of_another(text: str, container: Any, segment: str | int) -> bool:
    """Tell whether a text names the value beside or after it, which may read differently once it has changed."""
    return text.startswith("-") if isinstance(segment, int) else segment in ("name", "key") and "value" in container


def name_beside(value: dict[Any, Any]) -> str | None:
    """Return the name in `{"name": "DB_PASSWORD", "value": …}`, the way containers and CI write their settings."""
    name = value.get("name", value.get("key"))
    return name if isinstance(name, str) else None


def rename_members(members: dict[str, Any], renamed: dict[str, str]) -> None:
    """Rename keys in place and in order; keys that became equal are numbered, so that no member is lost."""
    if renamed.keys().isdisjoint(members):
        return
    old = list(members.items())
    members.clear()
    taken: Counter[str] = Counter()
    for key, value in old:
        name = key = renamed.get(key, key)
        while name in members:
            taken[key] += 1
            name = f"{key}#{taken[key] + 1}"
        members[name] = value
