"""Inputs made to be slow, about a quarter of a megabyte each."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

SIZE = 250_000
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

REPEATED = {
    "dots": "a.", "at": "@", "keys": "key=", "spaces": " ", "schemes": "://", "escaped quotes": '\\"',
    "hex colons": "ab:", "brackets": "[", "open objects": '{"a":', "data uris": "data:image/png;base64,",
    "placeholders": "<EMAIL_1>", "digits": "1", "numbers": "1 ", "sentences": "x. Y", "names": "Maria Volkov ",
    "known value": "ab1 ", "percent": "%41", "unicode escapes": "\\u0041", "colours": "\x1b[31m", "mails": "a@b.co ",
    "passwords": "password=hunter2x ", "bearer": "Bearer ", "addresses": "10.1.2.3 ", "homes": "/home/x/",
    "entities": "&#65;", "quotes": '"', "tabs": "\t",
}  # fmt: skip


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text."""
    for name, part in REPEATED.items():
        yield name, part * (SIZE // len(part))
    rng = random.Random(7)
    yield "base64", "".join(rng.choices(BASE64, k=SIZE))
    yield "base64 lines", "\n".join("".join(rng.choices(BASE64, k=76)) for _ in range(SIZE // 77))
    yield "tiny keys", json.dumps({f"k{number}": "a b" for number in range(SIZE // 14)})
    yield "tiny lists", json.dumps([[number] for number in range(SIZE // 7)])
    yield "tiny strings", json.dumps([f"s{number} x" for number in range(SIZE // 12)])
