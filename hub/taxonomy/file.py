"""taxonomy/v1/<sha256>.json: the accepted modes of a hub, and every decision that led to them.

`decisions` are what counts: readers fold them. `modes` is what they fold into, for other tools. One file holds
everything, so a hub keeps the newest alone; earlier versions are earlier revisions.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from errorhub.hub.bundle.canonical import MAX_DEPTH, canonical
from errorhub.hub.errors import RecordError, SchemaFromFuture
from errorhub.hub.taxonomy.decision import Decision, parse_decision, refuse_newer
from errorhub.hub.taxonomy.fold import fold, in_order
from errorhub.hub.taxonomy.modes import KnownMode, Taxonomy
from errorhub.hub.taxonomy.seed import SCHEME, VERSION

FORMAT = "errorhub.taxonomy/1"
MAX_FILE = 32 * 2**20
"""Largest taxonomy file that is read."""
MAX_DECISIONS = 50_000
"""Most decisions in one file."""
MAX_ANSWERS = 200
"""Most answers about one diagnosis, the undone ones included."""


def taxonomy_path(data: bytes) -> str:
    """Return where a taxonomy file goes."""
    return f"taxonomy/v1/{sha256(data).hexdigest()}.json"


def taxonomy_bytes(decisions: Iterable[Decision]) -> bytes:
    """Return the file of these decisions: the same for the same set in any order."""
    return canonical(taxonomy_document(fold(decisions)))


def taxonomy_document(taxonomy: Taxonomy) -> dict[str, Any]:
    """Return a taxonomy as its file holds it."""
    return {
        "format": FORMAT,
        "seed": {"scheme": SCHEME, "version": VERSION},
        "modes": [mode_document(one) for one in (*taxonomy.accepted, *taxonomy.retired)],
        "decisions": [one.document() for one in in_order(taxonomy.decisions)],
    }


def mode_document(one: KnownMode) -> dict[str, Any]:
    """Return a mode as files and results show it."""
    return {
        "scheme": one.scheme, "version": one.version, "id": one.id, "name": one.name, "family": one.family,
        "description": one.description, "status": one.status, "members": sorted(one.members),
        "merged_from": list(one.merged_from), "parents": list(one.parents),
        "successors": [ref.model_dump() for ref in one.successors], "aliases": list(one.aliases),
        "by": one.by, "at": one.at, "decision": one.decision,
    }  # fmt: skip


def read_taxonomy(path: str, data: bytes) -> tuple[Decision, ...]:
    """Return the decisions of a taxonomy file, whole or not at all.

    Raise RecordError when it is none, over a cap or runs in circles, SchemaFromFuture when a newer version wrote it.
    """
    version = path.split("/")[1:2]
    if version and version != ["v1"] and path.startswith("taxonomy/"):
        raise SchemaFromFuture(f"taxonomy file of version {version[0][:6]}: this errorhub reads v1. Upgrade errorhub.")
    if len(data) > MAX_FILE:
        raise RecordError(f"taxonomy file of {len(data)} bytes: at most {MAX_FILE} are read.")
    document = _parsed(data)
    refuse_newer("errorhub.taxonomy", str(document.get("format", "")))
    if document.get("format") != FORMAT:
        raise RecordError("not a taxonomy file: another format.")
    listed, modes = document.get("decisions"), document.get("modes")
    if not isinstance(listed, list) or not isinstance(modes, list) or len(listed) > MAX_DECISIONS:
        raise RecordError(f"not a taxonomy file: it needs modes and at most {MAX_DECISIONS} decisions.")
    _refuse_circles(modes)
    decisions = tuple(in_order(parse_decision(one) for one in listed))
    _refuse_crowds(decisions)
    return decisions


def _parsed(data: bytes) -> dict[str, Any]:
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise RecordError("not a taxonomy file: not JSON.") from None
    if not isinstance(document, dict) or _deeper(document, min(MAX_DEPTH, 12)):
        raise RecordError("not a taxonomy file: no plain JSON object.")
    return document


def _deeper(value: object, levels: int) -> bool:
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_deeper(one, levels - 1) for one in inner)


def _refuse_crowds(decisions: Iterable[Decision]) -> None:
    """Raise RecordError when so many answers are about one diagnosis that comparing them all would take forever."""
    counts = Counter(name for one in decisions for name in one.members)
    if counts and max(counts.values()) > MAX_ANSWERS:
        raise RecordError(f"taxonomy file answers one diagnosis {max(counts.values())} times: at most {MAX_ANSWERS}.")


def _refuse_circles(modes: list[Any]) -> None:
    """Raise RecordError when following the successors of modes never ends."""
    leads: dict[str, list[str]] = {}
    for one in modes:
        if not isinstance(one, dict) or not isinstance(one.get("id"), str):
            raise RecordError("not a taxonomy file: a mode has no id.")
        leads[_key(one)] = [_key(ref) for ref in one.get("successors") or () if isinstance(ref, dict)]
    done: set[str] = set()
    for start in leads:
        open_: set[str] = set()
        todo = [(start, False)]
        while todo:
            name, left = todo.pop()
            if left:
                open_.discard(name)
                done.add(name)
            elif name in open_:
                raise RecordError(f"taxonomy file runs in circles: mode {name[:80]!r} was merged into itself.")
            elif name not in done:
                open_.add(name)
                todo += [(name, True), *((other, False) for other in leads.get(name, ()))]


def _key(one: dict[str, Any]) -> str:
    return f"{one.get('scheme')}:{one.get('id')}@{one.get('version')}"
