"""Keys that a prefix or a service's name gives away, and what stands beside such names without being a key."""

from __future__ import annotations

import random
import string
from functools import cache

import pytest

from errorhub.scrubber.detect import Detector
from errorhub.scrubber.rules.prefixes import PREFIXES, Prefix

DRAWN = {
    "alnum": string.ascii_letters + string.digits,
    "lower": string.ascii_lowercase + string.digits,
    "upper": string.ascii_uppercase + string.digits,
    "hex": "0123456789abcdef",
}
LONG = DRAWN["alnum"]
SHA = "3f786850e387550f" + "dab836ed7e6dc881de23001b"
MD5 = "5d41402abc4b2a76" + "b9719d911017c592"
PASSWORD = "Tr0ub4dor" + "!3"
UUID = "550e8400-e29b-41d4-" + "a716-446655440000"
KEY = "q8zr2lmx0vtby7wk" + "j4ncpd9s6hfe1ga3"


@cache
def detector() -> Detector:
    return Detector()


def found(text: str) -> list[str]:
    return [text[span.start : span.end] for span in detector().detect(text)]


def drawn(row: Prefix, seed: int) -> str:
    rng = random.Random(f"{row.text}{seed}")
    tail = "".join(rng.choices(DRAWN.get(row.alphabet, LONG), k=row.least - 3))
    return f"{row.text}{tail}" + ("a1B" if row.alphabet not in ("lower", "hex", "upper") else "7A2".lower())


@pytest.mark.parametrize("row", PREFIXES, ids=[row.text for row in PREFIXES])
def test_a_prefix_gives_its_token_away(row: Prefix) -> None:
    for seed in range(3):
        token = drawn(row, seed) if row.alphabet != "upper" else drawn(row, seed).upper()
        for text in (f"use {token} now", f'KEY="{token}"', f"\x1b[32m{token}\x1b[0m"):
            left = text
            for value in found(text):
                left = left.replace(value, "")
            assert token[len(row.text) :] not in left


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"heroku_api_key: {UUID}", id="uuid-after-a-key"),
        pytest.param(f"HEROKU={UUID}", id="uuid-assigned-to-a-service"),
        pytest.param(f'"mailgun": "{MD5}"', id="hex-in-json"),
        pytest.param(f"circleci?={SHA}", id="hex-after-a-default"),
        pytest.param(f"datadog::={KEY}", id="two-colons"),
        pytest.param(f"datadog || {KEY}", id="or"),
        pytest.param(f"okta => '{KEY}'", id="arrow"),
        pytest.param(f"virustotal>{KEY}<", id="element"),
        pytest.param(f"new_relic_license_key = {KEY}", id="words-between"),
        pytest.param(f'asana_key = "{"81955138" + "47023883"}"', id="digits-only"),
        pytest.param(f'ado_pat = "{KEY + KEY[:20]}"', id="devops"),
        pytest.param(f"mysqli_connect('db', 'admin', '{PASSWORD}', 'shop')", id="third-argument"),
    ],
)
def test_a_service_gives_its_key_away(text: str) -> None:
    assert len(found(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"github: {SHA}", id="commit"),
        pytest.param(f"gitlab commit {SHA}", id="commit-in-prose"),
        pytest.param(f"sentry, {UUID}", id="event"),
        pytest.param(f"heroku request_id={UUID}", id="request"),
        pytest.param(f'"call_id": "{UUID}"', id="call"),
        pytest.param(f"stripe event id: {KEY}", id="id-after-a-service"),
        pytest.param(f"slack_channel_id = {KEY}", id="id-of-a-channel"),
        pytest.param(f"docker pull redis@sha256:{SHA + MD5[:24]}", id="image"),
        pytest.param("elastic::search::QueryBuilder2Factory", id="scope"),
        pytest.param("microsoft: Windows-10.0.19045-SP0", id="version"),
        pytest.param("heroku: https://devcenter.heroku.com/articles/config-vars-2024", id="address"),
        pytest.param("facebook/wav2vec2-base-960h-finetuned", id="model"),
        pytest.param("datadog-agent_7.50.3-1_amd64.deb", id="package"),
        pytest.param("heroku config: release_phase=2024-build7", id="assignment"),
        pytest.param("from twilio.rest import Client  # twilio 8.2.0", id="import"),
        pytest.param("cs_course_list and ck_editor_config", id="short-prefix-in-a-name"),
        pytest.param("API-REFERENCE-FOR-DEVELOPERS", id="words-after-a-prefix"),
        pytest.param("al-" + "-".join(["khwarizmi"] * 5), id="words-after-a-short-prefix"),
    ],
)
def test_what_stands_beside_services_survives(text: str) -> None:
    assert found(text) == []
