"""Inputs made to be slow: scrub, strict scrub and both second readers together take moments for 200 kB on one line."""

from __future__ import annotations

import json
import random
import time

import pytest

from errorhub.scrubber import KnownValue, Policy, Vault, reread, reread_personal, scrub

SIZE = 200_000
LIMIT = 30
"""Seconds of CPU for all four on a slow machine that measures coverage; what grows with the square takes minutes."""

SOURCE = random.Random(7)
BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
VAULT = Vault(b"k" * 32, (KnownValue("Northwind Traders", "CUSTOMER"), KnownValue("90210471108", "ORDER")))
SHARE = Policy.load("share")
STRICT = Policy.load("strict").with_paths(drop=["in"], whole=["goal"])


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    document = {"content": "Yesterday Maria Volkov wrote to a.b" + "@" + "gmail.com about it."}
    scrub(document, SHARE, VAULT)
    reread(document, SHARE, VAULT)
    reread_personal(document, SHARE)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("".join(SOURCE.choices(BASE64, k=SIZE)), id="base64"),
        pytest.param("\n".join("".join(SOURCE.choices(BASE64, k=76)) for _ in range(SIZE // 77)), id="base64-lines"),
        pytest.param("a." * (SIZE // 2), id="dots"),
        pytest.param("@" * SIZE, id="at"),
        pytest.param("key=" * (SIZE // 4), id="keys"),
        pytest.param(" " * SIZE, id="spaces"),
        pytest.param("://" * (SIZE // 3), id="schemes"),
        pytest.param('\\"' * (SIZE // 2), id="escaped-quotes"),
        pytest.param("ab:" * (SIZE // 3), id="hex-colons"),
        pytest.param("[" * SIZE, id="brackets"),
        pytest.param('{"a":' * (SIZE // 5), id="open-objects"),
        pytest.param("data:image/png;base64," * (SIZE // 22), id="data-uris"),
        pytest.param("<EMAIL_1>" * (SIZE // 9), id="placeholders"),
        pytest.param("1" * SIZE, id="digits"),
        pytest.param("x. Y" * (SIZE // 4), id="sentences"),
        pytest.param("Maria Volkov " * (SIZE // 13), id="names"),
        pytest.param("<EMAIL_1>a@b.co " * (SIZE // 16), id="addresses-between-placeholders"),
        pytest.param("jdbc:a:?password=" * (SIZE // 17), id="a-password-that-repeats-itself"),
        pytest.param(b"password=hunter2x ".hex() * (SIZE // 36), id="hex-of-passwords"),
        pytest.param("(415) 555-2671 " * (SIZE // 15), id="phones"),
        pytest.param(" ".join("".join(SOURCE.choices(BASE64, k=90)) for _ in range(SIZE // 91)), id="base64-words"),
        pytest.param(json.dumps({f"key{n}": n for n in range(SIZE // 12)}), id="many-keys"),
        pytest.param(json.dumps([[n] for n in range(SIZE // 6)]), id="many-lists"),
    ],
)
def test_no_input_is_slow(text: str) -> None:
    started = time.process_time()
    scrub({"content": text}, SHARE, VAULT)
    scrub({"in": text, "content": text[: SIZE // 2], "goal": text[10:90]}, STRICT, VAULT)
    reread({"content": text}, SHARE, VAULT)
    reread_personal({"content": text}, SHARE)
    assert time.process_time() - started < LIMIT


def test_addresses_of_which_the_password_went_do_not_stop_the_second_engine() -> None:
    clean = scrub({"content": "https://a:pw0123456789@git.codecatalyst.aws/" * (SIZE // 44)}, SHARE, VAULT).document
    started = time.process_time()
    assert "pw0123456789" not in clean["content"]
    assert reread(clean, SHARE, VAULT) == []
    assert time.process_time() - started < LIMIT


def nested(levels: int, leaf: object) -> object:
    for _ in range(levels):
        leaf = [leaf]
    return leaf


MANY = [f"u{number}@northwind.dev" for number in range(5_000)]


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(" ".join(f"password={n:x}Qz!" for n in range(SIZE // 18)), id="passwords"),
        pytest.param(nested(230, MANY), id="deep"),
        pytest.param(nested(90, [json.dumps({"a": mail}) for mail in MANY]), id="deep-json"),
        pytest.param(dict.fromkeys(MANY, 1), id="keys"),
        pytest.param(
            {f"a@{number:013b}.dev".replace("0", "o").replace("1", "O"): 1 for number in range(5_000)}, id="equal"
        ),
        pytest.param(
            [{"name": f"K{number}_TOKEN", "value": f"q8Zr{number}LmX"} for number in range(5_000)], id="named"
        ),
        pytest.param([part for mail in MANY for part in ("--token", f"q8Zr{mail[:-14]}LmX")], id="options"),
    ],
)
def test_no_document_is_slow(document: object) -> None:
    started = time.process_time()
    scrub(document, SHARE.without_names(), VAULT)
    assert time.process_time() - started < LIMIT / 2
