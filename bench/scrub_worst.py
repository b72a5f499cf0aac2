"""Inputs made to be slow, about a quarter of a megabyte each."""

from __future__ import annotations

import json
import random
from base64 import b64encode
from collections.abc import Iterator

SIZE = 250_000
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

REPEATED = {
    "dots": "a.", "at": "@", "keys": "key=", "spaces": " ", "schemes": "://", "escaped quotes": '\\"',
    "hex colons": "ab:", "brackets": "[", "open objects": '{"a":', "data uris": "data:image/png;base64,",
    "placeholders": "<EMAIL_1>", "digits": "1", "numbers": "1 ", "sentences": "x. Y", "names": "Maria Volkov ",
    "known value": "ab1 ", "percent": "%41", "unicode escapes": "\\u0041", "colours": "\x1b[31m", "mails": "a@b.co ",
    "passwords": "password=hunter2x ", "bearer": "Bearer ", "addresses": "10.1.2.3 ", "homes": "/home/x/",
    "entities": "&#65;", "quotes": '"', "tabs": "\t", "mails in marks": "<EMAIL_1>a@b.co ", "phones": "(415) 555-2671 ",
    "long password": "jdbc:a:?password=", "digest": "authorization: digest a=b,", "connections": "host=x;pwd=",
    "glued tokens": "tk-us-" "xHcjbJVl596fAXn70ZvJc", "lines of tokens": "-sk_" "test_qGjqE8sz93HxMM3pAnERVk35yNWik\n",
    "glued base64": "IQoJ" "tkHYDG5K6TjRLO6LIGHh+OpnihFq3w5xCUjiOnfCxuXC9ydwF7A",
    "hex of passwords": b"password=hunter2x ".hex(), "cut tokens": "sk-\n",
    "repositories": "https://a:pw0123456789" "@git.codecatalyst.aws/",
    "quoted connections": '{\\"a\\": \\"Server=db;Uid=app;' 'Pwd=Kq7pLx2vTn9#55;\\", \\"n\\": 3}\n',
    "key starts": "-----BEGIN PRIVATE KEY-----",
}  # fmt: skip


def texts() -> Iterator[tuple[str, str]]:
    """Yield name and text."""
    for name, part in REPEATED.items():
        yield name, part * (SIZE // len(part))
    rng = random.Random(7)
    yield "base64", "".join(rng.choices(BASE64, k=SIZE))
    yield "base64 lines", "\n".join("".join(rng.choices(BASE64, k=76)) for _ in range(SIZE // 77))
    alnum = BASE64[:62]
    yield "many mails", " ".join(f"u{number}@northwind.dev" for number in range(SIZE // 21))
    yield "many passwords", "\n".join(f"password={''.join(rng.choices(alnum, k=9))}" for _ in range(SIZE // 19))
    yield "many tokens", "\n".join(f"ghp_{''.join(rng.choices(alnum, k=36))}" for _ in range(SIZE // 41))
    yield "many addresses", " ".join(f"45.{number % 251}.{number // 251}.7" for number in range(SIZE // 11))
    yield "many secrets", " ".join(f"secret={''.join(rng.choices(BASE64[26:52], k=9))}" for _ in range(SIZE // 17))
    yield "base64 in base64", " ".join(_twice(f"TOKEN=u{number}@northwind.dev") for number in range(SIZE // 60))
    yield "tiny keys", json.dumps({f"k{number}": "a b" for number in range(SIZE // 14)})
    yield "tiny lists", json.dumps([[number] for number in range(SIZE // 7)])
    yield "tiny strings", json.dumps([f"s{number} x" for number in range(SIZE // 12)])


def _twice(text: str) -> str:
    return b64encode(b64encode(text.encode())).decode()
