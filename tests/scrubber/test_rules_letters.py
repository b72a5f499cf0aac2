"""Secrets of letters alone: each row has a text and its near misses.

The guillemets mark the value that must be covered, no more and no less; near misses must not be touched.
"""

from __future__ import annotations

from functools import cache

import pytest

from errorhub.scrubber.detect import Detector

MIXED = "vAqnx" + "BauhYjp"
LOWER = "correct" + "horse"
HUMPED = "Summer" + "Rain"
LONG = "FefYrOXPigEX" + "hfeHmCDpeiku"
ALPHABET = "abcdefghijklm" + "nopqrstuvwxyz"

ROWS: dict[str, tuple[str, ...]] = {
    f"DB_PASSWORD=«{MIXED}»": ("DB_PASSWORD=${DB_PASSWORD}", "DB_PASSWORD=changeme", "DB_PASSWORD=get_password()"),
    f"DB_PASSWORD=«{LOWER}»": ("DB_PASSWORD=password", "DB_PASSWORD_FILE=secretfile", "DB_PASSWORD=required"),
    f"PGPASSWORD=«{HUMPED}» psql": ("PGPASSWORD=$PGPASSWORD psql", "PGPASSWORD=userPassword psql"),
    f"export TOKEN=«{ALPHABET}»": (
        "export TOKEN=$(cat token)",
        "TOKEN=TOKEN",
        "TOKEN_TYPE=Bearer",
        "PAD_TOKEN=padding",
    ),
    f"VAULT_TOKEN=«{ALPHABET[:12]}»": ("VAULT_TOKEN=", "SORT_KEY=createdat", "AUTH=disabled", "KEY=identifier"),
    f'$env:DB_PASSWORD = "«{HUMPED}»"': ("$env:DB_PASSWORD = $secret", 'DB_PASSWORD = "Password"'),
    f"docker run -e MYSQL_ROOT_PASSWORD=«{HUMPED}» mysql": ("docker run -e MYSQL_ALLOW_EMPTY_PASSWORD=yes mysql",),
    f"--password=«{MIXED}»": ("--password=PASSWORD", "--password=<password>", "--password=user_password"),
    f"--password=«{LOWER}»": ("--password=prompt", "--password=yourpassword", "--password=getPassword()"),
    f"deploy --password «{MIXED}» --all": ("the --password option of deploy", "use --password twice to confirm"),
    f"deploy --token «{LOWER}» --all": ("--token TOKEN", "the --token argument", "--token string"),
    f"deploy --api-key=«{LONG}»": ("--api-key=APIKEY", "--api-key=apiKey"),
    f"password: «{HUMPED}»": (
        "password: String",
        "password: SecretStr",
        "password: PasswordInput",
        "password: userInput",
    ),
    f"password: «{LOWER}»": ("password: required", "password: forgotten, sorry", "{password: hashed, user}"),
    f"ansible_user=joe ansible_ssh_pass=«{HUMPED}»": ("connect(user=user, password=database)", "password=password"),
    f"apikey=«{LONG}»": ("apikey=apikeyValue", "api_key=getenv", "apikey=identifier"),
    f'{{"password": "«{MIXED}»"}}': ('{"password": "string"}', '{"password": "Required"}', '{"password": "Kennwort"}'),
    f'password = "«{HUMPED}»"': ('password = "PasswordField"', "password = SecretProvider", "password = hashed"),
    f'secret_key = "«djangoinsecure{ALPHABET[:6]}»"': ('secret_key = "secretKey"', "secret_key = secrets"),
    f'{{"api_key": "«{LONG}»"}}': ('{"api_key": "string"}', '{"token": "Identifier"}', '{"eos_token": "EndOfText"}'),
    f"<password>«{HUMPED}»</password>": ("<password>Password</password>", "<token>Identifier</token>"),
    f'<add key="DbPassword" value="«{HUMPED}»" />': ('<add key="Password" value="Password" />',),
    f"define('DB_PASSWORD', '«{HUMPED}»');": ("define('DB_PASSWORD', 'Password');", "('password', 'username')"),
    f"user=joe&password=«{HUMPED}»&x=1": ("user=joe&password=password&x=1", "?token=identifier", "a.b?pass=changed"),
    f"https://x.io/?token=«{LONG}»": ("https://x.io/?token=required", "https://x.io/?state=California"),
    f"client_secret: «{LOWER}»": ("client_secret: clientSecret", "client_secret: required", "{client_secret: hashed}"),
    f"token: «{LONG}»": ("token: Identifier", "token: IdentifierToken", "const token: Lexer"),
    f"<token>«{LONG}»</token>": ("<token>keyword</token>",),
    f'psk="«{LOWER}»"': ("psk=required", "mypsk: none"),
    f'click password "«{HUMPED}»"': ('the password "field" is empty', 'click password "ForgotPassword"'),
}


@cache
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize("marked", ROWS)
def test_word_is_covered(marked: str) -> None:
    before, value, after = marked.replace("»", "«").split("«")
    spans = detector().detect(before + value + after)
    assert [(span.start, span.end) for span in spans] == [(len(before), len(before) + len(value))]


@pytest.mark.parametrize("near", [near for row in ROWS.values() for near in row])
def test_near_miss_is_left_alone(near: str) -> None:
    assert [(span.rule, near[span.start : span.end]) for span in detector().detect(near)] == []


def test_a_key_makes_a_word_its_value() -> None:
    assert [span.kind for span in detector().detect(HUMPED, key="password")] == ["PASSWORD"]
    for key, text in (("token", "Identifier"), ("password", "Incorrect"), ("forgot_password", "Recover")):
        assert detector().detect(text, key=key) == []
