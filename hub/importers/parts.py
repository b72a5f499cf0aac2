"""Our own exports in foreign formats, put together again from what the format shows and the parts beside it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import RecordError
from errorhub.hub.importers.documents import is_document, restored
from errorhub.hub.importers.shapes import integer_or_none, items, mapping

KEY: Final = "errorhub"
"""Name under which our exports keep what a format has no place for."""


def own(extra: Any) -> dict[str, Any] | None:
    """Return our document without steps, when an export of ours left one here."""
    held = mapping(extra).get(KEY)
    return held if isinstance(held, dict) and is_document(held) else None


def together(document: dict[str, Any], shown: Iterator[tuple[Any, dict[str, Any]]]) -> Bundle | None:
    """Return the bundle of parts and of what the format showed of each; None when they do not fit any more.

    A part lists the fields that the format shows; the others it holds itself. A file that somebody changed is then read
    like any other of its format.
    """
    steps: dict[int, dict[str, Any]] = {}
    for part, fields in shown:
        held = dict(mapping(part))
        position, names = integer_or_none(held.pop("position", None)), items(held.pop("shown", None))
        if position is None or position in steps or any(name not in fields for name in names):
            return None
        steps[position] = {**held, **{name: fields[name] for name in names}}
    if sorted(steps) != list(range(len(steps))):
        return None
    trajectory = {**mapping(document.get("trajectory")), "steps": [steps[place] for place in sorted(steps)]}
    try:
        return restored({**document, "trajectory": trajectory})
    except RecordError:
        return None
