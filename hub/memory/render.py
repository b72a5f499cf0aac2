"""Other people's text, made safe to show: fenced, without control characters, bounded."""

from __future__ import annotations

import unicodedata

LIMIT = 2_000
"""Characters shown of one text."""

HIDDEN = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
"""Unicode categories that can move a cursor, reorder or hide text, or break a line unseen."""


def fence(text: str, limit: int = LIMIT) -> str:
    """Quote untrusted text: every line behind `│ `, control characters escaped, at most `limit` characters of it.

    The result holds no control character but line feeds, no chat template's `<|`, and every line of it starts with the
    mark, so nothing in the text can end the quotation.
    """
    cut = text[:limit]
    left = len(text) - len(cut)
    lines = [_visible(line) for line in cut.replace("\r\n", "\n").split("\n")]
    if left:
        lines.append(f"… {left} more characters")
    return "\n".join(f"│ {line}" for line in lines)


def inline(text: str, limit: int = 200) -> str:
    """Return untrusted text as one line, control characters escaped, at most `limit` characters of it."""
    cut = " ".join(text[: limit + 1].split())
    return _visible(cut if len(text) <= limit else f"{cut[: limit - 1]}…")


def _visible(line: str) -> str:
    line = line.replace("<|", "< |").replace("|>", "| >")
    if line.isascii() and line.isprintable():
        return line
    return "".join(_escape(c) if unicodedata.category(c) in HIDDEN else c for c in line)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65_536 else f"\\U{code:08x}"
