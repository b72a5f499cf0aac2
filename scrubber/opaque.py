"""Payloads nobody can read, so nobody can scrub: images, encrypted content, signatures.

They are replaced by `{"dropped": type, "bytes": n, "key": keyed hash}`, which keeps equal payloads recognisable.
"""

from __future__ import annotations

import re
from typing import Any

from errorhub.scrubber.vault import Vault

UNKNOWN = "application/octet-stream"
TYPES = frozenset(
    {
        UNKNOWN,
        "application/gzip",
        "application/pdf",
        "application/zip",
        "audio/mpeg",
        "audio/wav",
        "font/woff2",
        "image/gif",
        "image/jpeg",
        "image/png",
        "image/svg+xml",
        "image/webp",
        "text/html",
        "text/plain",
        "video/mp4",
    }
)
MAGIC = {
    "iVBORw0K": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
    "UEsDB": "application/zip",
    "H4sI": "application/gzip",
    "SUQz": "audio/mpeg",
    "d09GMg": "font/woff2",
}
"""First base64 characters of binary formats."""

OPAQUE_STARTS = ("data:", *MAGIC)
"""With one of these a payload begins, or it stands where the policy says."""

OPAQUE_FROM = 64
"""Shortest payload; below that a field named `signature` is read as text."""

_DATA_URI = re.compile(r"data:([\w.+-]+/[\w.+-]+)?(?:;[\w=.-]+)*;base64,[A-Za-z0-9+/=_-]{40,}")
_PAYLOAD = re.compile(r"[A-Za-z0-9+/=_.\r\n-]+")


def as_opaque(text: str, marked: bool, vault: Vault) -> dict[str, Any] | None:
    """Return the replacement of an unreadable payload, or None for text that can be read.

    `marked` says that the policy names this place as opaque; elsewhere only data URIs and binary magic count.
    """
    kind = _type_of(text, marked)
    if kind is None:
        return None
    data = text.encode("utf-8")
    return {"dropped": kind, "bytes": len(data), "key": vault.hmac("opaque", data)[:16]}


def is_mark(value: Any) -> bool:
    """Recognise a replacement made here, so that a second scrub leaves it alone."""
    return (
        isinstance(value, dict)
        and value.keys() == {"dropped", "bytes", "key"}
        and value["dropped"] in TYPES
        and type(value["bytes"]) is int
        and isinstance(value["key"], str)
        and re.fullmatch(r"[0-9a-f]{16}", value["key"]) is not None
    )


def inline(text: str) -> list[tuple[int, int]]:
    """Return the data URIs inside a longer text."""
    if ";base64," not in text:
        return []
    return [found.span() for found in _DATA_URI.finditer(text)]


def _type_of(text: str, marked: bool) -> str | None:
    if len(text) < OPAQUE_FROM:
        return None
    if text.startswith("data:"):
        found = _DATA_URI.fullmatch(text)
        return None if found is None else found[1] if found[1] in TYPES else UNKNOWN
    magic = next((kind for start, kind in MAGIC.items() if text.startswith(start)), None)
    if magic is None and not marked:
        return None
    return (magic or UNKNOWN) if _PAYLOAD.fullmatch(text) else None
