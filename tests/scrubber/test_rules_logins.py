"""Credentials beside their login, in several languages: each row has a text and its near misses.

The guillemets mark the value that must be covered as a password, no more and no less.
"""

from __future__ import annotations

from functools import cache

import pytest

from errorhub.scrubber.detect import Detector

WORD = "Summer" + "Rain"
LOGIN = "x-access-" + "token"
TOKEN = "FefYrOXPigEX" + "hfeHmCDpeiku"
SALT, B22 = "usesomesilly", "OlM7eljEB7F1" + "J4XYNnk81a"
B31, B43 = B22 + "Kx3.Zq9/w", B22 + "D4IrlXatmP7rx3P3InaxB"
HASHES = {
    "md5": f"$1$etNnh7FA${B22}",
    "apache": f"$apr1$r31.....${B22}",
    "bcrypt": f"$2b$12${B22}{B31}",
    "sha256": f"$5${SALT}${B43}",
    "sha512": f"$6$rounds=5000${SALT}${B43}{B43}",
    "yescrypt": f"$y$j9T$F5Jx5fExrKuPp53xLKQ..1${B43}",
    "argon2": f"$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ${B43}",
    "escaped": f"\\$6\\${SALT}\\${B43}{B43}",
    "doubled": f"$$2y$$05$${B22}{B31}",
}

ROWS: dict[str, tuple[str, ...]] = {
    f"db.acme.io:5432:shop:app:«{WORD}»": ("app.py:1120:error:main:failed", "src/a.c:1234:warning:unused:variable"),
    f"*:*:*:postgres:«{WORD}»": ("hostname:port:database:username:password", "a:1:b:c:d", "12:30:15:00:extra"),
    f"localhost:5432:*:app:«{WORD}»": ("localhost:5432:*:app:password", "localhost:5432:*:app:${PASSWORD}"),
    "PIN: «739251»": ("PIN: required", "GPIO pin: 1013", "PIN: 0000", "pin 739251 to the board", "pinned: 739251"),
    '"pin_code": "«739251»"': ('"pin": 13', '"LED_PIN": 1300'),
    f"the passphrase «{WORD}» opens it": ("enter passphrase for key", "a passphrase protected key"),
    f"user: joe pass: «{WORD}»": ("user: joe pass: required", "12 pass: 3 fail: 0", "{user: user, pass: hashed}"),
    f"login=joe password=«{WORD}»": ("login(user=user, password=secretValue)", "login=joe password=$PW"),
    f"Password is: «{WORD}»": ("Password is: required", "Password is: incorrect.", "Password is: not set"),
    f"the password was «{WORD}».": ("the password was forgotten", "the password is userPassword", "login is GitHub"),
    f"Passwort: «{WORD}»": ("Passwort: erforderlich", "Passwort vergessen", "Passwort: ${PASSWORT}"),
    f"Kennwort: «{WORD}»": ("Kennwort: ungültig",),
    f"Das Passwort lautet «{WORD}».": ("Das Passwort ist falsch.", "Das Passwort lautet anders"),
    f"contraseña: «{WORD}»": ("contraseña: obligatoria",),
    f"La contraseña es «{WORD}»": ("La contraseña es incorrecta",),
    f"mot de passe : «{WORD}»": ("mot de passe oublié", "mot de passe : requis"),
    f'"senha": "«{WORD}»"': ('"senha": "obrigatória"', '"senha": "Senha"'),
    f"wachtwoord: «{WORD}»": ("wachtwoord vergeten", "wachtwoord: vereist"),
    f"parola: «{WORD}»": ("parola: richiesta",),
    f"heslo: «{WORD}»": ("heslo: ${HESLO}",),
    f"hasło: «{WORD}»": ("hasło jest wymagane",),
    f"lösenord: «{WORD}»": ("lösenord krävs",),
    f"Пароль: «{WORD}»": ("Пароль неверный",),
    f"ENV API_TOKEN «{TOKEN}»": ("ENV API_TOKEN $TOKEN", "ENV TOKEN required"),
    f"https://{LOGIN}:«{TOKEN}»@github.com/a/b": (f"https://{LOGIN}:TOKEN@github.com/a/b", f"https://{LOGIN}@x.io"),
    "postgresql://app:«pw»@host:5432/shop": ("postgresql://app:password@host", "postgresql://localhost:5432/shop"),
}


@cache
def detector() -> Detector:
    return Detector()


@pytest.mark.parametrize("marked", ROWS)
def test_password_is_covered(marked: str) -> None:
    before, value, after = marked.replace("»", "«").split("«")
    spans = detector().detect(before + value + after)
    assert [(span.start, span.end) for span in spans] == [(len(before), len(before) + len(value))]
    assert spans[0].kind in ("PASSWORD", "SECRET")


@pytest.mark.parametrize("near", [near for row in ROWS.values() for near in row])
def test_near_miss_is_left_alone(near: str) -> None:
    assert [(span.rule, near[span.start : span.end]) for span in detector().detect(near)] == []


@pytest.mark.parametrize("value", HASHES.values(), ids=HASHES)
@pytest.mark.parametrize("carrier", ["root:%s:18000:0:99999:7:::", "hash %s", '"password": "%s"', "admin:%s"])
def test_hash_is_covered(value: str, carrier: str) -> None:
    before = carrier.index("%s")
    spans = detector().detect(carrier % value)
    assert [(span.start, span.end, span.kind) for span in spans] == [(before, before + len(value), "PASSWORD")]


@pytest.mark.parametrize("text", ["$1 and $2a costs $5$", "$1$2$3", "echo $6 $y$x", f"$6${'x' * 8}${'x' * 86}"])
def test_positional_arguments_are_no_hash(text: str) -> None:
    assert detector().detect(text) == []


def test_login_and_password_at_an_address() -> None:
    text = f"root:{WORD}@34.201.5.77"
    assert [(span.kind, text[span.start : span.end]) for span in detector().detect(text)] == [
        ("PASSWORD", WORD),
        ("IP", "34.201.5.77"),
    ]
    for near in ("ssh:deploy@localhost", "host:ubuntu@localhost", "root:password@localhost", "image:latest@sha256"):
        assert detector().detect(near) == []


@pytest.mark.parametrize(
    "carrier", ["%s", "origin\\t%s (fetch)", "\\n%s", "a%%20%s", "\x1b[32m%s\x1b[0m", "secret: %s", '{"url": "%s"}']
)
def test_a_git_remote_is_no_address(carrier: str) -> None:
    assert detector().detect(carrier % "git@github.com:acme-secret/repo.git") == []
