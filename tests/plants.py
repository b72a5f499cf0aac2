"""Values to plant in tests: secrets and personal data of every kind, with the text that carries them.

They are generated from the providers' public formats, never from the scrubber's rules, and put together from pieces, so
that nothing here looks like a secret before it runs.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

UPPER, LOWER, DIGIT = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM = UPPER + LOWER + DIGIT
URLSAFE = ALNUM + "-_"
HEX = DIGIT + "abcdef"

Make = Callable[[random.Random], str]


def pick(alphabet: str, size: int) -> Make:
    """Return a maker of random runs."""
    return lambda rng: "".join(rng.choice(alphabet) for _ in range(size))


def joined(*parts: str | Make) -> Make:
    """Return a maker of a value from literal and random parts."""
    return lambda rng: "".join(part if isinstance(part, str) else part(rng) for part in parts)


def base64url(data: bytes) -> str:
    """Encode without padding, URL-safe."""
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def jwt(rng: random.Random) -> str:
    """Make a signed token."""
    claims = {"sub": pick(DIGIT, 10)(rng), "iat": rng.randint(1_500_000_000, 1_800_000_000)}
    head = base64url(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    return f"{head}.{base64url(json.dumps(claims).encode())}.{pick(URLSAFE, 43)(rng)}"


def pem(rng: random.Random) -> str:
    """Make a private key block of a random algorithm."""
    label = rng.choice(["RSA ", "EC ", "OPENSSH ", ""]) + "PRIVATE" + " KEY"
    lines = "\n".join(pick(ALNUM + "+/", 64)(rng) for _ in range(rng.randint(3, 12)))
    return f"-----BEGIN {label}-----\n{lines}\n-----END {label}-----"


TOKENS: dict[str, Make] = {
    "aws": joined("AK", "IA", pick(UPPER + "234567", 16)),
    "aws-temporary": joined("AS", "IA", pick(UPPER + "234567", 16)),
    "github-classic": joined("gh", "p_", pick(ALNUM, 36)),
    "github-oauth": joined("gh", "o_", pick(ALNUM, 36)),
    "github-app": joined("gh", "s_", pick(ALNUM, 36)),
    "github-fine": joined("github", "_pat_", pick(ALNUM, 22), "_", pick(ALNUM, 59)),
    "gitlab": joined("gl", "pat-", pick(URLSAFE, 20)),
    "openai": joined("sk", "-", pick(ALNUM, 48)),
    "openai-project": joined("sk", "-proj-", pick(URLSAFE, 120)),
    "anthropic": joined("sk", "-ant-api03-", pick(URLSAFE, 93), "AA"),
    "openrouter": joined("sk", "-or-v1-", pick(HEX, 64)),
    "huggingface": joined("h", "f_", pick(UPPER + LOWER, 34)),
    "groq": joined("gs", "k_", pick(ALNUM, 52)),
    "langsmith": joined("ls", "v2_pt_", pick(HEX, 32), "_", pick(HEX, 10)),
    "tavily": joined("tv", "ly-", pick(ALNUM, 32)),
    "replicate": joined("r", "8_", pick(ALNUM, 37)),
    "nvidia": joined("nv", "api-", pick(URLSAFE, 64)),
    "xai": joined("xa", "i-", pick(ALNUM, 80)),
    "perplexity": joined("pp", "lx-", pick(ALNUM, 48)),
    "fireworks": joined("f", "w_", pick(ALNUM, 24)),
    "google": joined("AI", "za", pick(URLSAFE, 35)),
    "google-oauth": joined("GOC", "SPX-", pick(URLSAFE, 28)),
    "slack-bot": joined("xo", "xb-", pick(DIGIT, 12), "-", pick(DIGIT, 12), "-", pick(ALNUM, 24)),
    "slack-user": joined("xo", "xp-", pick(DIGIT, 12), "-", pick(DIGIT, 12), "-", pick(HEX, 32)),
    "slack-webhook": joined(
        "https://hooks.sl", "ack.com/services/T", pick(UPPER, 8), "/B", pick(UPPER, 8), "/", pick(ALNUM, 24)
    ),
    "stripe": joined("sk", "_live_", pick(ALNUM, 24)),
    "stripe-restricted": joined("rk", "_live_", pick(ALNUM, 99)),
    "sendgrid": joined("S", "G.", pick(URLSAFE, 22), ".", pick(URLSAFE, 43)),
    "npm": joined("np", "m_", pick(ALNUM, 36)),
    "pypi": joined("py", "pi-AgEIcHlwaS5vcmc", pick(URLSAFE, 120)),
    "digitalocean": joined("do", "p_v1_", pick(HEX, 64)),
    "telegram": joined(pick("123456789", 10), ":A", "A", pick(URLSAFE, 33)),
    "discord": joined("M", pick(ALNUM, 23), ".", pick(URLSAFE, 6), ".", pick(URLSAFE, 27)),
    "vault": joined("hv", "s.", pick(URLSAFE, 90)),
    "databricks": joined("da", "pi", pick(HEX, 32)),
    "linear": joined("lin", "_api_", pick(ALNUM, 40)),
    "shopify": joined("sh", "pat_", pick(HEX, 32)),
    "jwt": jwt,
}

UUID = joined(pick(HEX, 8), "-", pick(HEX, 4), "-4", pick(HEX, 3), "-a", pick(HEX, 3), "-", pick(HEX, 12))

PASSWORD = joined(pick(UPPER, 2), pick(LOWER, 4), pick("!@#^*", 1), pick(DIGIT, 3), pick(ALNUM, 2))

GENERIC: dict[str, tuple[str, Make]] = {
    "env-password": ("DB_PASSWORD=%s", PASSWORD),
    "env-secret": ("export CLIENT_SECRET=%s", pick(ALNUM, 32)),
    "env-token": ("SERVICE_AUTH_TOKEN=%s", pick(HEX, 40)),
    "pgpassword": ("PGPASSWORD=%s psql -h db", PASSWORD),
    "mysql-pwd": ("MYSQL_PWD=%s mysql -u app", PASSWORD),
    "yaml-password": ("  password: %s", PASSWORD),
    "yaml-key": ("api_key: '%s'", pick(ALNUM, 28)),
    "json-secret": ('"client_secret": "%s"', pick(URLSAFE, 40)),
    "json-hex": ('"secret_key": "%s"', pick(HEX, 64)),
    "json-uuid-key": ('"api_key": "%s"', UUID),
    "code": ("auth_token = '%s'", pick(ALNUM, 40)),
    "go": ('apiKey := "%s"', pick(ALNUM, 32)),
    "ruby": (":password => '%s'", PASSWORD),
    "option": ("deploy --password %s --host x", PASSWORD),
    "option-equals": ("deploy --api-key=%s", pick(ALNUM, 32)),
    "mysql-p": ("mysql -u root -p%s shop", PASSWORD),
    "sshpass": ("sshpass -p %s ssh web", PASSWORD),
    "curl-user": ("curl -u admin:%s https://api.acme.io", pick(ALNUM, 14)),
    "netrc": ("machine api.acme.io login bot password %s", PASSWORD),
    "postgres-url": ("postgresql://app:%s@db.acme.io:5432/shop", pick(ALNUM, 14)),
    "redis-url": ("redis://:%s@cache:6379/0", pick(ALNUM, 20)),
    "mongo-url": ("mongodb+srv://svc:%s@c0.ab1cd.mongodb.net", pick(ALNUM, 16)),
    "git-remote": ("https://x-access-token:%s@github.com/a/b.git", pick(ALNUM, 40)),
    "odbc": ("Server=db1;Database=shop;Uid=app;Pwd=%s;Encrypt=yes", PASSWORD),
    "azure": ("AccountKey=%s;EndpointSuffix=x", joined(pick(ALNUM + "+/", 86), "==")),
    "bearer": ("Authorization: Bearer %s", pick(URLSAFE, 40)),
    "bearer-short": ("Authorization: Bearer %s", joined(pick(ALNUM, 9), "7")),
    "basic": ("Authorization: Basic %s", lambda rng: base64.b64encode(b"admin:" + PASSWORD(rng).encode()).decode()),
    "token-header": ("Authorization: Token %s", pick(HEX, 40)),
    "key-header": ("X-Api-Key: %s", pick(ALNUM, 32)),
    "docker-auth": ('"auth": "%s"', lambda rng: base64.b64encode(b"user:" + PASSWORD(rng).encode()).decode()),
    "cookie": ("Cookie: sessionid=%s; theme=dark", pick(LOWER + DIGIT, 32)),
    "jsessionid": ("JSESSIONID=%s", pick(UPPER + DIGIT, 32)),
    "query-token": ("https://api.acme.io/v1?access_token=%s&page=2", pick(ALNUM, 32)),
    "query-key": ("https://maps.acme.io/js?key=%s", pick(ALNUM, 30)),
    "query-signature": ("https://s3.acme.io/f?sig=%s&se=1", pick(ALNUM, 43)),
    "aws-secret": ("aws_secret_access_key = %s", pick(ALNUM + "/+", 40)),
    "wandb": ("WANDB_API_KEY=%s", pick(HEX, 40)),
    "prose": ("the password is %s, keep it", PASSWORD),
    "prose-quoted": ('use password "%s" to log in', PASSWORD),
    "env-letters": ("DB_PASSWORD=%s", pick(UPPER + LOWER, 12)),
    "option-letters": ("deploy --password=%s --host x", pick(UPPER + LOWER, 12)),
    "json-letters": ('"password": "%s"', pick(LOWER, 12)),
    "key-letters": ("export SERVICE_API_KEY=%s", pick(UPPER + LOWER, 24)),
    "pin": ("PIN: %s", pick("123456789", 6)),
    "german": ("Passwort: %s", PASSWORD),
    "spanish": ("contraseña: %s", PASSWORD),
    "pgpass": ("db.acme.io:5432:shop:app:%s", PASSWORD),
    "bcrypt": ("admin:%s", joined("$2", "b$12$", pick(ALNUM + "./", 53))),
    "sha512-crypt": ("hash %s", joined("$6", "$", pick(ALNUM, 16), "$", pick(ALNUM + "./", 86))),
    "pem": ("%s", pem),
    "service": ("openweathermap: %s", pick(HEX, 32)),
    "service-json": ('"mailgun": "%s"', pick(HEX, 32)),
    "service-env": ("DATADOG=%s", pick(HEX, 40)),
    "service-uuid": ("heroku_api_key: %s", UUID),
    "service-arrow": ("okta => '%s'", pick(ALNUM, 42)),
    "service-words": ("new_relic_license_key = %s", pick(LOWER + DIGIT, 40)),
}

NEAR_MISSES: dict[str, tuple[str, Make]] = {
    "commit": ("openweathermap commit %s", pick(HEX, 40)),
    "digest": ("docker pull mailgun@sha256:%s", pick(HEX, 64)),
    "request": ("heroku request_id=%s", UUID),
    "event": ("sentry, %s", UUID),
    "trace": ("datadog trace_id=%s", pick(HEX, 32)),
    "channel": ("slack_channel_id = %s", joined("C0", pick(UPPER + DIGIT, 9))),
    "version": ("new_relic: %s", joined("10.", pick(DIGIT, 2), ".", pick(DIGIT, 4), "-rc1")),
    "call": ('"tool_call_id": "%s"', joined("call_", pick(ALNUM, 24))),
    "reference": ("openweathermap: %s", joined("${OWM_", pick(UPPER, 6), "}")),
}
"""What stands beside the names of services, or looks like a key of theirs, and stays."""


def card(rng: random.Random) -> str:
    """Make a number of a large issuer with a right check digit."""
    body = rng.choice(["4" + pick(DIGIT, 14)(rng), "5" + rng.choice("12345") + pick(DIGIT, 13)(rng)])
    total = sum(d * 2 - 9 * (d > 4) if i % 2 == 0 else d for i, d in enumerate(map(int, body)))
    number = body + str(-total % 10)
    return number if rng.random() < 0.4 else rng.choice(" -").join(number[i : i + 4] for i in range(0, 16, 4))


def iban(rng: random.Random) -> str:
    """Make a German or British bank account number, spaced or compact."""
    country, body = rng.choice([("DE", pick(DIGIT, 18)(rng)), ("GB", pick(UPPER, 4)(rng) + pick(DIGIT, 14)(rng))])
    rest = int("".join(str(int(c, 36)) for c in body + country + "00")) % 97
    number = f"{country}{98 - rest:02d}{body}"
    return number if rng.random() < 0.5 else " ".join(number[i : i + 4] for i in range(0, len(number), 4))


def area(rng: random.Random) -> str:
    """Make three digits of a North American number."""
    return f"{rng.randint(2, 9)}{rng.randint(0, 9)}{rng.randint(0, 9)}"


def person(rng: random.Random) -> str:
    """Make a login-like name."""
    return (
        rng.choice("abcdefgjkmr")
        + rng.choice(["moreau", "okafor", "lindqvist", "tanaka", "ferreira"])
        + rng.choice(["", "2", "77"])
    )


PERSONAL: dict[str, tuple[str, Make]] = {
    "email": ("mail %s today", joined(person, "@", pick(LOWER, 7), ".com")),
    "email-plus": ("<%s>", joined(person, ".x+news@mail.", pick(LOWER, 6), ".co.uk")),
    "email-unicode": ("an %s geschickt", joined("jürgen.", pick(LOWER, 4), "@müller-", pick(LOWER, 3), ".de")),
    "phone-dashes": ("call %s now", joined(area, "-", area, "-", pick(DIGIT, 4))),
    "phone-parens": ("tel. (%s", joined(area, ") ", area, "-", pick(DIGIT, 4))),
    "phone-dots": ("reach me: %s", joined(area, ".", area, ".", pick(DIGIT, 4))),
    "phone-e164": ("sms %s sent", joined("+1", area, area, pick(DIGIT, 4))),
    "phone-uk": ("ring %s", joined("+44 20 ", pick("23456789", 4), " ", pick("23456789", 4))),
    "phone-de": ("Tel: %s", joined("+49 171 ", pick("23456789", 7))),
    "phone-national": ("ring %s", joined("0171 ", pick("23456789", 7))),
    "vat": ("VAT: %s", joined("ATU", pick("23456789", 8))),
    "email-spelled": ("write %s", joined(pick(LOWER, 7), " (at) ", pick(LOWER, 7), " (dot) de")),
    "phone-key": ('"phone": "%s"', joined(area, area, pick("123456789", 4))),
    "ssn": ("ssn on file %s", lambda rng: f"{rng.randint(100, 599)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}"),
    "ssn-plain": ("SSN: %s", lambda rng: f"{rng.randint(100, 599)}{rng.randint(10, 99)}{rng.randint(1000, 9999)}"),
    "card": ("charged %s ok", card),
    "iban": ("to %s please", iban),
    "ipv4": (
        "from %s port 22",
        lambda rng: f"{rng.randint(31, 99)}.{rng.randint(1, 254)}.{rng.randint(1, 254)}.{rng.randint(1, 254)}",
    ),
    "ipv4-private": ("inet %s/24", lambda rng: f"10.{rng.randint(1, 254)}.{rng.randint(1, 254)}.{rng.randint(1, 254)}"),
    "ipv6": ("addr %s up", lambda rng: "2a02:" + ":".join(f"{rng.randint(4096, 65535):x}" for _ in range(7))),
    "mac": ("ether %s", lambda rng: ":".join(f"{rng.randint(0, 255):02x}" for _ in range(6))),
    "customer": ('"customer_name": "%s"', joined(pick(UPPER, 1), pick(LOWER, 5), " ", pick(UPPER, 1), pick(LOWER, 7))),
    "street": ('"street_address": "%s"', joined(pick("123456789", 3), " ", pick(UPPER, 1), pick(LOWER, 6), " Lane")),
    "birth": (
        '"date_of_birth": "%s"',
        lambda rng: f"19{rng.randint(40, 99)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}",
    ),
    "passport": ("passport number %s", joined(pick(UPPER, 1), pick(DIGIT, 8))),
}

PLACES: dict[str, tuple[str, Make]] = {
    "home-linux": ("cd /home/%s/src && ls", person),
    "home-mac": ("/Users/%s/Library/x", person),
    "home-windows": (r"C:\Users\%s\code", person),
    "home-dashed": ("projects/-Users-%s-code-app/x.jsonl", person),
    "ls-owner": ("-rw-r--r--  1 %s users  120 Jan  3 10:11 a.txt", person),
    "prompt": ("%s@build:~/src$ make", person),
    "git-author": (
        "Author: %s <x@acme.io>",
        joined(pick(UPPER, 1), pick(LOWER, 5), " ", pick(UPPER, 1), pick(LOWER, 6)),
    ),
    "host-internal": ("ssh db-%s", joined(pick(DIGIT, 2), ".", pick(LOWER, 5), ".internal")),
    "host-corp": ("ping %s", joined("web", pick(DIGIT, 2), ".corp.", pick(LOWER, 6), ".com")),
    "host-lan": ("http://%s:8080/", joined("nas", pick(DIGIT, 1), ".", pick(LOWER, 5), ".lan")),
    "host-aws": ("node %s ready", joined("ip-10-2-", pick("123456789", 2), "-7.eu-west-1.compute.internal")),
    "prompt-host": ("ada@%s:~$ uptime", joined("build-", pick(DIGIT, 2))),
}

CLASSES: dict[str, dict[str, tuple[str, Make]]] = {
    "known": {name: ("%s", make) for name, make in TOKENS.items()},
    "generic": GENERIC,
    "personal": PERSONAL,
    "places": PLACES,
}
"""Kinds by class: the text that carries a value, with `%s` in its place, and the maker of the value."""
