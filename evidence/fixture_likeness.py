"""Likeness: when two texts of two runs say the same, though clocks, ids, folders, spaces and key order differ.

| differs                                      | in a state or an error     | in an action                           |
|----------------------------------------------|----------------------------|----------------------------------------|
| spaces, line ends, terminal colours          | does not count             | counts at the start of a line only     |
| order of keys, keys without a value          | does not count             | does not count                         |
| dates, clock times, durations                | do not count               | count, but for a machine's timestamps  |
| UUIDs, digests, `call_9f3…`                  | numbered as they come      | numbered on from the state             |
| home, temporary and project folder           | do not count               | do not count                           |
| line numbers, addresses in memory, processes | do not count               | count                                  |

A placeholder of the scrubber stands for anything.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from errorhub.hub.bundle.canonical import canonical

LONGEST: Final = 4_000
"""Characters of one text that are kept and compared: half from its beginning, half from its end."""

NEAR: Final = 0.9
"""Share of words that two long states have in common when they are the same state."""

_LONG: Final = 200
_HELD: Final = re.compile(r"<(?:[A-Z][A-Z_]*_\d+|DROPPED)>")
_SPACE: Final = re.compile(r"\s+")
_INNER: Final = re.compile(r"(?<=\S)[ \t]{2,}")
_STAMP: Final = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d"
_MONTH: Final = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_ALWAYS: Final = (
    (re.compile(r"\x1b\[[0-9;?]*[A-Za-z]"), ""),
    (re.compile(_STAMP + r"(?:\.\d+(?:Z|[+-]\d\d:?\d\d)?|Z|[+-]\d\d:?\d\d)"), "<time>"),
    (re.compile(r"(?:/private)?/(?:tmp/[^/\s\"'<>]+|var/folders/\w+/\w+/\w)(?=/)"), "<tmp>"),
    (re.compile(r"(?:/home|/Users|[A-Za-z]:(?:\\\\?|/)Users(?=[\\/]))[\\/]+(?:[\w.-]+|<USER_\d+>)"), "~"),
    (re.compile(r"/root(?=[/\s\"']|$)"), "~"),
)  # fmt: skip
_LOOSELY: Final = (
    (re.compile(_STAMP + r"|\d{4}-\d\d-\d\d|\b" + _MONTH + r"\w* +\d{1,2},? +(?:\d\d:\d\d|\d{4})"), "<time>"),
    (re.compile(r"\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?: ?[AaPp]\.?[Mm]\b)?"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|µs|us|ns|s|secs?|seconds?|minutes?)\b"), "<time>"),
    (re.compile(r"\b0x[0-9a-fA-F]{4,}\b"), "<address>"),
    (re.compile(r"(\bline |\.[a-z]{1,5}:|\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0):)\d+(?::\d+)?\b"), r"\1<n>"),
    (re.compile(r"(?i)\b((?:pid|process|thread)[ =:#]*)\d+"), r"\1<n>"),
)  # fmt: skip
_ID: Final = re.compile(
    r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
    r"|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{16,64}\b"
    r"|\b[A-Za-z]{2,12}[_-](?=[A-Za-z0-9]*\d)(?=[A-Za-z0-9]*[A-Za-z])[A-Za-z0-9]{8,}\b"
    r"|\b1[5-9]\d{11}\b"
)
_PATH: Final = re.compile(r"(?<![\w.~:/<>-])/(?:[\w.@+-]+/)+[\w.@+-]+")
_SYSTEM: Final = ("usr", "etc", "bin", "lib", "lib64", "opt", "proc", "dev", "sys", "sbin", "var", "run")
_BOOKKEEPING: Final = frozenset(
    {"call_id", "tool_call_id", "request_id", "trace_id", "span_id", "session_id", "run_id", "message_id", "timestamp",
     "created_at", "nonce"}
)  # fmt: skip
_COMMENT: Final = frozenset({"description", "thought", "reasoning", "explanation", "security_risk", "is_input"})


class Plain:
    """Texts of one moment of one run in their plain form: ids are numbered over all of them, in the order they come."""

    def __init__(self, root: str | None = None) -> None:
        self._root = re.compile(re.escape(root) + r"(?![\w.-])") if root else None
        self._ids: dict[str, str] = {}

    def loosely(self, value: Any) -> str:
        """Return a state or an error in plain form."""
        text = self._fixed(text_of(value))
        for pattern, instead in _LOOSELY:
            text = pattern.sub(instead, text)
        return _SPACE.sub(" ", text).strip()

    def strictly(self, value: Any) -> str:
        """Return an action in plain form: its numbers and dates count."""
        return self._fixed(text_of(_meant(value)))

    def _fixed(self, text: str) -> str:
        if self._root:
            text = self._root.sub("<root>", text)
        for pattern, instead in _ALWAYS:
            text = pattern.sub(instead, text)
        return _ID.sub(lambda found: self._ids.setdefault(found[0], f"<id {len(self._ids) + 1}>"), text)


def cut(text: str) -> str:
    """Return a long text without its middle."""
    half = LONGEST // 2
    return text if len(text) <= LONGEST else f"{text[:half]}\n[…]\n{text[-half:]}"


def text_of(value: Any) -> str:
    """Return a value as text, the same for the same value: a JSON text as its value, an object with sorted keys."""
    if isinstance(value, str):
        inner = _inside(value)
        return _tidy(value) if inner is None else text_of(inner)
    return "" if value is None else canonical(_deep(value)).decode()


def known(text: str) -> int:
    """Count the letters and digits of a text that nobody withheld."""
    return sum(c.isalnum() for c in re.sub(r"<[^<>]{1,40}>", "", text))


def equal(recorded: str, found: str) -> bool:
    """Whether two plain texts are the same; a placeholder of the scrubber in the recorded one stands for anything."""
    pieces = [piece.strip() for piece in _HELD.split(recorded)]
    if len(pieces) == 1:
        return recorded == found
    if not found.startswith(pieces[0]) or not found.endswith(pieces[-1]):
        return False
    at, end = len(pieces[0]), len(found) - len(pieces[-1])
    for piece in pieces[1:-1]:
        place = found.find(piece, at, end)
        if place < 0:
            return False
        at = place + len(piece)
    return at <= end


def alike(recorded: str, found: str) -> bool:
    """Whether two plain texts are the same, or long and nearly the same."""
    if equal(recorded, found):
        return True
    if min(len(recorded), len(found)) < _LONG:
        return False
    one, other = Counter(_HELD.sub(" ", recorded).split()), Counter(found.split())
    return 2 * (one & other).total() >= NEAR * (one.total() + other.total())


def root_of(texts: Iterable[str]) -> str | None:
    """Return the folder that most paths of a run lie in, at least two levels deep; None when there is none."""
    paths = {path for text in texts for path in _PATH.findall(text) if path.split("/")[1] not in _SYSTEM}
    if len(paths) < 2:
        return None
    above: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")[1:-1]
        above.update("/" + "/".join(parts[:depth]) for depth in range(2, len(parts) + 1))
    common = [folder for folder, count in above.items() if count >= 0.6 * len(paths)]
    return max(common, key=lambda folder: (folder.count("/"), folder), default=None)


def _meant(value: Any) -> Any:
    """Return the arguments that say what is done: without bookkeeping, empty ones and comments on a command."""
    value = inner if isinstance(value, str) and (inner := _inside(value)) is not None else value
    if not isinstance(value, dict):
        return value
    aside = _BOOKKEEPING | (_COMMENT if {"command", "cmd", "code"} & value.keys() else frozenset())
    return {name: held for name, held in value.items() if name not in aside and held is not None}


def _inside(text: str) -> Any:
    text = text.strip()
    if text[:1] not in ("{", "[") or text[-1:] not in ("}", "]"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _tidy(text: str) -> str:
    """Return a text without spaces that mean nothing; indentation may."""
    lines = (_INNER.sub(" ", line.rstrip()) for line in text.splitlines())
    return "\n".join(line for line in lines if line).strip()


def _deep(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _deep(held) for name, held in value.items() if held is not None}
    if isinstance(value, list):
        return [_deep(held) for held in value]
    if not isinstance(value, str):
        return value
    inner = _inside(value)
    return _tidy(value) if inner is None else _deep(inner)
