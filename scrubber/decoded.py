"""Find literals through what hides them: escapes, colours, percent signs, entities, base64 of what is around them."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator

from errorhub.scrubber.literals import Hit, Literals

LAYERS = 3
"""Encodings in encodings that are opened."""

_NO_TEXT = re.compile("[\udc80-\udcff]")
_TRIGGER = re.compile("[\\\\%&\x1b]")
_RUN = re.compile(r"[A-Za-z0-9+/_-]{16,}(?:\r?\n[A-Za-z0-9+/_-]{4,})*={0,2}")
_PRINTABLE = bytes((9, 10, 13, *range(32, 127)))
_URL_SAFE = str.maketrans("-_", "+/", "\r\n=")


def find_decoded(literals: Literals, text: str, layers: int = LAYERS) -> Iterator[Hit]:
    """Yield the literals that stand in a text only after decoding; in base64, the whole run goes."""
    if layers == 0:
        return
    if _TRIGGER.search(text):
        yield from _in_view(literals, text, layers)
    for run in _RUN.finditer(text):
        for plain in _opened(run.group()):
            hit = next(_find(literals, plain, layers - 1), None)
            if hit is not None:
                yield (*run.span(), *hit[2:])


def may_hide(text: str) -> bool:
    """Tell whether there is anything in a text to decode."""
    return _TRIGGER.search(text) is not None or _RUN.search(text) is not None


def _find(literals: Literals, text: str, layers: int) -> Iterator[Hit]:
    yield from literals.find(text)
    yield from find_decoded(literals, text, layers)


def _in_view(literals: Literals, text: str, layers: int) -> Iterator[Hit]:
    """Search the view without escapes and map what is found back to code points of the text."""
    from errorhub.scrubber.views import unescaped

    data = text.encode("utf-8", "surrogatepass")
    view = unescaped(data)
    if view.data == data or not view.data:
        return
    plain = view.data.decode("utf-8", "surrogateescape")
    for start, end, kind, value in _find(literals, _NO_TEXT.sub("\ufffd", plain), layers - 1):
        first = len(plain[:start].encode("utf-8", "surrogateescape"))
        last = first + len(plain[start:end].encode("utf-8", "surrogateescape"))
        start, end = view.span(first, last)
        yield _points(data, start), _points(data, end), kind, value


def _points(data: bytes, position: int) -> int:
    return len(data[:position].decode("utf-8", "surrogatepass"))


def _opened(run: str) -> Iterator[str]:
    compact = run.translate(_URL_SAFE)
    for offset in range(4):  # text that touches the run on the left shifts its groups
        part = compact[offset : len(compact) - (len(compact) - offset) % 4] if offset else compact
        try:
            data = binascii.a2b_base64(part + "=" * (-len(part) % 4))
        except binascii.Error:
            continue
        if len(data.translate(None, _PRINTABLE)) <= len(data) // 4:  # else it was no base64 of text
            yield data.decode("utf-8", "replace")
