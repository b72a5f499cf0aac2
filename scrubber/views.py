"""Decoded views of a text, each with a map back: what a value looks like before it was escaped, encoded or wrapped.

A view exists for detection only; nothing is ever written from it. Escapes and colours give one view of the whole text
(layers come from decoding again), base64 and hex give one plain text a blob, wrapped tokens one joined window each.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from html import unescape
from itertools import accumulate
from typing import NamedTuple

CONTROL = rb"(?:\[[0-9;:?]{0,24}[A-Za-z]|\][^\x07\x1b\\]{0,200}(?:\x07|\x1b\\)|\([AB0])"
LEADS = (rb"\x1b", rb"\\x1[bB]", rb"\\u001[bB]", rb"\\033", rb"\\e", rb"\^\[", rb"\xe2\x90\x9b")
COLOURS = (*(lead + CONTROL for lead in LEADS), rb"\[[0-9;]{1,12}m")
"""Terminal control sequences (ECMA-48): real, written as an escape, or with the escape character lost."""
ESCAPES = (
    rb"\\u[0-9a-fA-F]{4}",
    rb"\\u\{[0-9a-fA-F]{1,6}\}",
    rb"\\x[0-9a-fA-F]{2}",
    rb"\\[nrtbf\"'/\\`]",
    rb"%[0-9A-Fa-f]{2}",
    rb"&(?:#[0-9]{2,6}|#[xX][0-9a-fA-F]{2,5}|amp|lt|gt|quot|apos|nbsp|commat|period|colon|equals|sol);",
)
UNIT = re.compile(b"(" + b"|".join((*COLOURS, *ESCAPES)) + b")")
"""One flat alternation of branches that begin with a literal: Python skips ahead to their first characters. The group
around it is there to split by."""
COLOUR = re.compile(b"|".join(COLOURS))
SIMPLE = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b" ", b"f": b" "}

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def _sextets(allowed: frozenset[int]) -> str:
    letters = [ALPHABET[i] for i in sorted(allowed)]
    extra = "".join("\\-" if i == 62 else "_" for i in sorted(allowed) if i > 61)
    return "[" + "".join(letters) + extra + "]"


_TEXT = frozenset((9, 10, 13, *range(32, 127)))
_FIRST = _sextets(frozenset(b >> 2 for b in _TEXT))
_SECOND = _sextets(frozenset((a & 3) << 4 | b >> 4 for a in _TEXT for b in _TEXT))
_THIRD = _sextets(frozenset((a & 15) << 2 | b >> 6 for a in _TEXT for b in _TEXT))
_ANY = "[A-Za-z0-9+/\\-_]"
_GROUP = _FIRST + _SECOND + _THIRD + _ANY

BASE64 = rf"(?:{_GROUP}(?:\r?\n[ \t]{{0,12}})?){{3,}}(?:{_FIRST}{_SECOND}(?:{_THIRD}=?|={{0,2}}))?"
"""Groups of four characters that decode to three bytes of printable ASCII: what base64 of text is made of."""
HEX = r"(?:(?:[2-7][0-9a-fA-F]|0[9aAdD])[ :]?){8,}"
"""Pairs of hex digits that are printable ASCII."""

TO_LINE_END = r"([A-Za-z0-9_\-./+=~:$]*)[ \t]{0,4}\\?\r?\n"
"""The rest of a token that a line break cuts."""
BASE64_RUN = re.compile(rb"[A-Za-z0-9+/\-_]*={0,2}")
HEX_RUN = re.compile(rb"[0-9a-fA-F]*")
URL_SAFE = bytes.maketrans(b"-_", b"+/")
MARGIN = 1024
"""Bytes around what is escaped that are decoded with it."""
REACH = 2048
"""Bytes to both sides of a blob that are read as a part of it."""
PEEK = 128
"""Bytes of a blob that tell whether the rest is worth decoding."""
BREAK = re.compile(rb"[ \t]{0,4}\\?\r?\n[ \t]*(?:[+\-|>#][ \t]+|[+|>])?")
NEXT_LINE = re.compile(rb"(?>" + BREAK.pattern + rb")([A-Za-z0-9_\-./+=~:$]{1,1024})")
WORD_OR_DIGEST = re.compile(rb"[a-z]{5}|[A-Z]{5}|[./:]|^(?:[0-9a-f]{7,12}|[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$")
MOST_BREAKS, NARROWEST = 12, 40
"""Lines that one token may fill, and how wide a line is at least that is not its last."""

TOKEN_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:/"


class Joined(NamedTuple):
    """A token with the line breaks in it taken out, where each line begins in it, and where it stands."""

    data: bytes
    begins: list[int]
    origins: list[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the token to the original bytes."""
        return self._map(start), self._map(end - 1) + 1

    def _map(self, position: int) -> int:
        line = bisect_right(self.begins, position) - 1
        return self.origins[line] + position - self.begins[line]


class Unescaped:
    """One layer of escapes, percent signs and entities decoded, and terminal colours left out.

    The map back is made when a span is asked for: most views hold nothing.
    """

    def __init__(self, written: list[bytes]) -> None:
        """Take what stands as it is, and between that the units."""
        self._written = written
        self._shown = written.copy()
        self._shown[1::2] = map(_plain, written[1::2])
        self.data = b"".join(self._shown)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the view to the original bytes that it was decoded from."""
        shown, written = self._begins
        first = bisect_right(shown, start) - 1
        last = first if end <= shown[first + 1] else bisect_right(shown, end - 1) - 1
        return (
            written[first] if first % 2 else written[first] + start - shown[first],
            written[last + 1] if last % 2 else written[last] + end - shown[last],
        )

    @cached_property
    def _begins(self) -> tuple[list[int], list[int]]:
        """Where each piece begins in the view and in the original."""
        return _sums(self._shown), _sums(self._written)


def unescaped(data: bytes) -> Unescaped:
    """Return the view of a whole text."""
    return Unescaped(UNIT.split(data))


def around_units(data: bytes) -> Iterator[tuple[int, Unescaped]]:
    """Yield views of the parts of a text that have units, and where each part begins.

    Lines that are `MARGIN` bytes and more from every unit read the same in a view, so they are left out.
    """
    written, at, first = UNIT.split(data), 0, 0
    for number in [number for number, size in enumerate(map(len, written)) if size > MARGIN]:  # no unit is so long
        piece = written[number]
        left = piece.find(b"\n", MARGIN) if number else 0
        right = piece.rfind(b"\n", 0, -MARGIN) if number + 1 < len(written) else len(piece)
        if 0 <= left < right:
            part = [*written[first:number], piece[:left]]
            if len(part) > 1:
                yield at, Unescaped(part)
            at += sum(map(len, part)) + right - left
            first, written[number] = number, piece[right:]
    if first + 1 < len(written):
        yield at, Unescaped(written[first:])


def _sums(pieces: Iterable[bytes]) -> list[int]:
    return list(accumulate(map(len, pieces), initial=0))


@lru_cache(maxsize=4096)
def _plain(unit: bytes) -> bytes:
    if COLOUR.fullmatch(unit):
        return b""
    if unit.startswith(b"%"):
        return bytes.fromhex(unit[1:].decode())
    if unit.startswith(b"&"):
        return unescape(unit.decode()).encode("utf-8", "surrogatepass")
    if len(unit) == 2:
        return SIMPLE.get(unit[1:], unit[1:])
    code = int(unit[2:].strip(b"{}"), 16)
    return chr(code).encode("utf-8", "surrogatepass") if code < 0x110000 else b""


def base64_text(data: bytes, start: int, end: int) -> tuple[int, int, bytes]:
    """Decode base64 groups found in `data`; return where the blob begins and ends, and its plain text.

    Bytes outside ASCII break the groups, so the run around them is tried first.
    """
    left = start - len(_run(BASE64_RUN, data[max(0, start - REACH) : start][::-1])) // 4 * 4
    reach = 0 if data[end - 1 : end] == b"=" else REACH
    near = end + len(_run(BASE64_RUN, data[end : end + min(PEEK, reach)]))
    for first in (left, start) if left < start else (start,):
        plain = _base64(data[first : min(near, first + PEEK)])
        if _readable(plain, cut=True):
            last = end + len(_run(BASE64_RUN, data[end : end + reach]))
            plain = _base64(data[first:last]) if last > first + PEEK else plain
            if _readable(plain):
                return first, last, plain
    return start, min(near, end + 3), _base64(data[start:end])


def hex_text(data: bytes, start: int, end: int) -> tuple[int, int, bytes]:
    """Decode pairs of hex digits found in `data`; return where the blob begins and ends, and its plain text."""
    end -= len(data[start:end]) - len(data[start:end].rstrip(b" :"))
    left = start - len(_run(HEX_RUN, data[max(0, start - REACH) : start][::-1])) // 2 * 2
    right = end + len(_run(HEX_RUN, data[end : end + REACH])) // 2 * 2
    for first, last in ((left, right), (start, right)):
        plain = bytes.fromhex(data[first:last].replace(b":", b"").decode())
        if _readable(plain):
            return first, last, plain
    return start, end, bytes.fromhex(data[start:end].replace(b":", b"").decode())


def _run(alphabet: re.Pattern[bytes], data: bytes) -> bytes:
    match = alphabet.match(data)
    return match.group() if match else b""


def _base64(blob: bytes) -> bytes:
    compact = blob.translate(URL_SAFE, b" \t\n\r\f\v=")
    compact = compact[: len(compact) - (len(compact) % 4 == 1)]
    return a2b_base64(compact + b"=" * (-len(compact) % 4))


def _readable(plain: bytes, *, cut: bool = False) -> bool:
    """Tell whether bytes are text; where they were `cut`, half a character at the end is no reason against it."""
    try:
        return plain.decode().replace("\n", "").replace("\r", "").replace("\t", "").isprintable()
    except UnicodeDecodeError as error:
        return cut and error.reason == "unexpected end of data" and _readable(plain[: error.start])


def joined(data: bytes, start: int, end: int) -> Joined | None:
    """Return the token at `start` with the line breaks after it taken out, when it may go on over them.

    `end` is where the first line ends. A following line belongs to the token when it is a run of its characters; the
    last such line is the first that is shorter than a wrapped line would be.
    """
    floor = max(0, start - 48)
    start = floor + len(data[floor:start].rstrip(TOKEN_BYTES))
    lines = [(max(0, start - 1), end)]
    while len(lines) <= MOST_BREAKS and (line := NEXT_LINE.match(data, end)):
        end = line.end()
        lines.append(line.span(1))
        if end - line.start(1) < NARROWEST:
            break
    if len(lines) == 1:
        return None
    pieces = [data[start:end] for start, end in lines]
    return Joined(b"".join(pieces), _sums(pieces[:-1]), [start for start, _ in lines])


def goes_on(head: bytes, tail: bytes) -> bool:
    """Tell whether the line after a complete token is random enough to go on with it: no words, number or digest.

    A token that ends with a hyphen is not complete.
    """
    if head.endswith((b"-", b"_")):
        return True
    lower, upper = tail.lower() != tail, tail.upper() != tail
    figures = len(tail) - len(tail.translate(None, b"0123456789"))
    if len(tail) < 8 or not figures or not (lower or upper):
        return False
    return (lower and upper) or (figures > 2 and not WORD_OR_DIGEST.search(tail))
