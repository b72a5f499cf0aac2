"""Find where texts repeat something that was dropped, by hashing every window of characters."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

BLOCK = 1 << 20
"""Characters hashed at once: bounds the memory, however long a text is."""

FEW_CHARACTERS = 4
"""A window with so few different characters (a rule of dashes, spaces) repeats by chance and says nothing."""

_BASE = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class _Block(NamedTuple):
    codes: NDArray[np.uint32]
    starts: list[tuple[int, int, int]]
    """(offset in the block, number of the text, offset in that text), sorted."""


def repeats(dropped: Sequence[str], texts: Sequence[str], length: int) -> list[list[tuple[int, int]]]:
    """Return per text the spans in which every window of `length` characters also stands in a dropped text.

    Windows of at most four different characters do not count. Two windows with one hash only cost a few more
    characters; no repeat is ever missed.
    """
    import numpy as np

    spans: list[list[tuple[int, int]]] = [[] for _ in texts]
    total = sum(len(text) for text in texts if len(text) >= length)
    if not total or not dropped:
        return spans
    mask = np.uint64((1 << min(27, max(16, total.bit_length() + 3))) - 1)
    present = np.zeros(int(mask) + 1, dtype=bool)
    for block in _blocks(texts, "\U0010ffff", length):
        present[_windows(block.codes, length) & mask] = True
    shared = [np.empty(0, dtype=np.uint64)]
    for block in _blocks(dropped, "\U0010fffe", length):
        hashes = _windows(block.codes, length)
        shared.append(_distinct(hashes[present[hashes & mask]]))
    wanted = _distinct(np.concatenate(shared))
    if not wanted.size:
        return spans
    present[:] = False
    present[wanted & mask] = True
    for block in _blocks(texts, "\U0010ffff", length):
        hashes = _windows(block.codes, length)
        maybe = np.flatnonzero(present[hashes & mask])
        hits = maybe[_among(hashes[maybe], wanted)]
        _record(spans, block, hits[_varied(block.codes, hits, length)], length)
    return [_joined(found) for found in spans]


def forms(value: Any) -> list[str]:
    """Return the ways in which a dropped value is written elsewhere: as it is, as JSON, as JSON in JSON, as Python."""
    if isinstance(value, str):
        plain = [value]
    else:
        plain = [json.dumps(value, ensure_ascii=False, separators=separators) for separators in _SEPARATORS]
        plain.append(repr(value))
    written = dict.fromkeys(plain)
    for text in plain:
        for ascii_only in (False, True):
            once = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            written |= {once: None, json.dumps(once, ensure_ascii=ascii_only)[1:-1]: None}
        if "\\" in text:
            written[text.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"').replace("\\\\", "\\")] = None
    return list(written)


_SEPARATORS = ((", ", ": "), (",", ":"))


def _blocks(texts: Sequence[str], border: str, length: int) -> Iterator[_Block]:
    """Pack texts into blocks with a border character between them; long texts overlap by one window."""
    parts: list[str] = []
    starts: list[tuple[int, int, int]] = []
    size = 0
    for number, text in enumerate(texts):
        if len(text) < length:
            continue
        for at in range(0, len(text) - length + 1, BLOCK):
            part = text[at : at + BLOCK + length - 1]
            starts.append((size, number, at))
            parts.append(part)
            size += len(part) + 1
            if size >= BLOCK:
                yield _Block(_codes(border.join(parts)), starts)
                parts, starts, size = [], [], 0
    if parts:
        yield _Block(_codes(border.join(parts)), starts)


def _codes(text: str) -> NDArray[np.uint32]:
    import numpy as np

    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _windows(codes: NDArray[np.uint32], length: int) -> Hashes:
    """Return a polynomial hash of every window, built from windows of 1, 2, 4, … characters."""
    import numpy as np

    part = (codes.astype(np.uint64) + np.uint64(1)) * np.uint64(_BASE)
    size, power = 1, _BASE | 1
    hashes: Hashes | None = None
    covered = 0
    while True:
        if length & size:
            if hashes is None:
                hashes = part
            else:
                count = len(codes) - covered - size + 1
                hashes = hashes[:count] * np.uint64(power) + part[covered : covered + count]
            covered += size
        if size * 2 > length:
            break
        part = part[:-size] * np.uint64(power) + part[size:]
        size, power = size * 2, power * power & _MASK
    assert hashes is not None
    hashes = hashes[: len(codes) - length + 1]
    return (hashes ^ (hashes >> np.uint64(29))) * np.uint64(_BASE) >> np.uint64(3)


def _distinct(hashes: Hashes) -> Hashes:
    """Sort and keep one of each; numpy's own way for this hashes them, which takes ten times as long."""
    import numpy as np

    ordered = np.sort(hashes)
    keep = np.ones(len(ordered), dtype=bool)
    keep[1:] = ordered[1:] != ordered[:-1]
    return ordered[keep]


def _among(hashes: Hashes, ordered: Hashes) -> NDArray[np.bool_]:
    import numpy as np

    at = np.minimum(np.searchsorted(ordered, hashes), len(ordered) - 1)
    found: NDArray[np.bool_] = ordered[at] == hashes
    return found


def _varied(codes: NDArray[np.uint32], hits: NDArray[np.intp], length: int) -> NDArray[np.bool_]:
    """Tell which windows have more than `FEW_CHARACTERS` different characters."""
    import numpy as np
    from numpy.lib.stride_tricks import sliding_window_view

    varied = np.zeros(len(hits), dtype=bool)
    if not len(hits):
        return varied
    windows = sliding_window_view(codes, length)
    for at in range(0, len(hits), 1 << 16):
        rows = np.sort(windows[hits[at : at + (1 << 16)]], axis=1)
        varied[at : at + (1 << 16)] = (rows[:, 1:] != rows[:, :-1]).sum(axis=1) >= FEW_CHARACTERS
    return varied


def _record(spans: list[list[tuple[int, int]]], block: _Block, hits: NDArray[np.intp], length: int) -> None:
    """Join neighbouring windows of a block and put them down with the text that they stand in.

    A run never reaches into the next text: the border character keeps their windows more than `length` apart.
    """
    import numpy as np

    if not len(hits):
        return
    breaks = np.flatnonzero(np.diff(hits) > length)
    firsts = hits[np.concatenate(([0], breaks + 1))].tolist()
    lasts = hits[np.concatenate((breaks, [len(hits) - 1]))].tolist()
    offsets = np.array([start for start, _, _ in block.starts])
    owners = (np.searchsorted(offsets, firsts, side="right") - 1).tolist()
    for first, last, owner in zip(firsts, lasts, owners, strict=True):
        start, number, at = block.starts[owner]
        spans[number].append((first - start + at, last + length - start + at))


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
