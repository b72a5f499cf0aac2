"""Real logs: how fast tools read them, in turns, and what they change in them."""

from __future__ import annotations

import gc
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from math import inf
from pathlib import Path
from typing import Any

from scrub_peers import Tool

SLOW_BYTES = 200_000
"""Bytes of traces given to a tool that reads less than a megabyte a second."""
PASSES = 6
"""Times that each trace is read by a tool that reads more, and each slow input; the fastest time counts."""

WORD = re.compile(r"\w+")
PAYLOAD = re.compile(r"[A-Za-z0-9+/=_-]{200,}")
IDENTIFIER = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b"
    r"|\b(?:toolu|call|msg|req|chatcmpl)[_-][A-Za-z0-9]{8,}\b"
    r"|\b20\d\d-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d:[0-5]\d[0-9.Z]*"
)


def leaves(value: Any) -> Iterator[str]:
    """Yield every string, key and number of a document as text."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield str(key)
            yield from leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif value is not None:
        yield str(value)


def traces(folder: Path) -> list[tuple[Any, int]]:
    """Return real logs, parsed, with their size in bytes."""
    found = []
    for path in sorted(folder.rglob("*.json*")):
        text = path.read_text("utf-8", errors="replace")
        try:
            found.append((json.loads(text), len(text.encode())))
        except ValueError:
            lines = [line for line in text.splitlines() if line.strip()]
            try:
                found.append(([json.loads(line) for line in lines], len(text.encode())))
            except ValueError:
                continue
    return found


class Lap:
    """One tool, the logs that it is given, and the least CPU time that each of them took."""

    def __init__(self, tool: Tool, logs: list[tuple[Any, int]]) -> None:
        self.tool = tool
        self.given: list[Any] = []
        self.read = 0
        for log, size in logs:
            if not (tool.slow and self.read and self.read + size > SLOW_BYTES):
                self.given.append(log)
                self.read += size
        self.cleaned = list(self.given)
        self.spent = [inf] * len(self.given)

    def run(self) -> None:
        """Read every log once."""
        redact = self.tool.anew() if self.tool.anew else self.tool.redact
        for number, log in enumerate(self.given):
            started = time.process_time()
            self.cleaned[number] = redact(log)
            self.spent[number] = min(self.spent[number], time.process_time() - started)

    @property
    def speed(self) -> float:
        """Megabytes a second of CPU time."""
        return self.read / 1e6 / max(sum(self.spent), 1e-9)

    def changes(self) -> tuple[float, int]:
        """Return the share of characters that changed in the logs, and how many identifiers did."""
        parts = [difference(before, after) for before, after in zip(self.given, self.cleaned, strict=True)]
        total, changed, altered = (sum(part) for part in zip(*parts, strict=True))
        return changed / max(1, total), altered


def timed(tools: Iterable[Tool], logs: list[tuple[Any, int]]) -> list[Lap]:
    """Let tools read real logs, in turns: other work on the machine would slow the one that reads just then."""
    laps = [Lap(tool, logs) for tool in tools]
    gc.collect()
    gc.freeze()  # the collector shall not walk over logs and models for whichever tool runs just then
    for turn in range(PASSES):
        for lap in laps:
            if not (turn and lap.tool.slow):
                lap.run()
    return laps


def difference(before: Any, after: Any) -> tuple[int, int, int]:
    """Return characters in all, those of words that are gone, and identifiers that are gone.

    Payloads that nobody can read (images, signatures) are left out: they are dropped on purpose.
    """
    old, new = (PAYLOAD.sub("", "\n".join(leaves(value))) for value in (before, after))
    if old == new:
        return len(old), 0, 0
    words = Counter(WORD.findall(old)) - Counter(WORD.findall(new))
    gone = Counter(IDENTIFIER.findall(old)) - Counter(IDENTIFIER.findall(new))
    return len(old), sum(len(word) * count for word, count in words.items()), gone.total()
