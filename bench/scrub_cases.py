"""Cases for the scrub benchmark, made from public formats; no rule of the scrubber is imported here.

A case is a JSON document as agents log them and the text planted in it. Values are drawn at random from the providers'
published shapes, so nothing here looks like a secret before it runs.
"""

from __future__ import annotations

import base64
import json
import random
import string
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

UPPER, LOWER, DIGIT = string.ascii_uppercase, string.ascii_lowercase, string.digits
ALNUM, HEX = UPPER + LOWER + DIGIT, "0123456789abcdef"
URL = ALNUM + "-_"

BARS = {
    "known prefix": 0.995,
    "encoded": 0.95,
    "generic": 0.90,
    "personal, structured": 0.97,
    "home, user, host": 0.98,
    "names in prose": 0.80,
}
"""Class -> recall that must be reached."""

LOOKALIKES = "look-alikes"

TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PREFIXED: dict[str, str] = TABLES["prefixed"]
GENERIC: dict[str, tuple[str, str]] = TABLES["generic"]
FIRST, LAST, FIRMS = (TABLES["people"][name] for name in ("first", "last", "firms"))
NUMBERS: tuple[Any, ...] = (
    {"created": 1712345678901, "usage": {"prompt_tokens": 123456, "total_tokens": 151643}},
    [0.123456789, 1e-05, 3.14159265358979],
    {"max_tokens": 4096, "temperature": 0.7},
)
"""JSON that must stay, beside the texts."""


class Case(NamedTuple):
    """One document and the text that must not be in it afterwards; look-alikes must stay as they are."""

    group: str
    name: str
    document: Any
    planted: str


def shape(pattern: str) -> Callable[[random.Random], str]:
    """Return a maker from a template as the tables have them: `{A36}` draws 36 alphanumeric characters."""
    alphabets = {
        "A": ALNUM,
        "H": HEX,
        "U": UPPER,
        "L": LOWER,
        "D": DIGIT,
        "u": URL,
        "B": ALNUM + "+/",
        "T": UPPER + "234567",
    }

    def make(rng: random.Random) -> str:
        parts = pattern.split("{")
        text = parts[0]
        for part in parts[1:]:
            spec, _, rest = part.partition("}")
            text += "".join(rng.choices(alphabets[spec[0]], k=int(spec[1:]))) + rest
        return text

    return make


CONTEXTS: dict[str, Callable[[str], Any]] = {
    "log": lambda v: f"2026-03-01 12:00:01 INFO connecting with {v} to the service",
    "env": lambda v: f"export SERVICE_VALUE={v}\nexport DEBUG=1",
    "quoted": lambda v: f'{{\\"auth\\": \\"{v}\\", \\"retries\\": 3}}',
    "header": lambda v: f"> GET /v1/items HTTP/1.1\n> X-Custom: {v}\n> Accept: */*",
    "query": lambda v: f"GET https://svc.acme.io/a?x=1&k={quote(v, safe='')}&y=2",
    "colour": lambda v: f"\x1b[32m{v}\x1b[0m done",
    "yaml": lambda v: f"service:\n  value: {v}\n  port: 80",
    "repr": lambda v: repr({"value": v, "n": None}),
    "diff": lambda v: f"@@ -1 +1 @@\n-old\n+{v}\n",
    "unicode": lambda v: f"Grüße aus Köln – 東京 🚀 {v} ✓",
    "alone": lambda v: v,
    "key": lambda v: {v: "cached"},
    "json": lambda v: json.dumps({"args": json.dumps({"value": v})}),
    "markdown": lambda v: f"Use `{v}` here, **not** the old one.",
    "list": lambda v: ["run", "--with", v],
}

ENCODERS: dict[str, Callable[[str], str]] = {
    "percent": lambda v: "".join(f"%{ord(c):02X}" for c in v),
    "unicode": lambda v: "".join(f"\\u{ord(c):04x}" for c in v),
    "hex": lambda v: v.encode().hex(),
    "entities": lambda v: "".join(f"&#{ord(c)};" for c in v),
    "base64": lambda v: base64.b64encode(v.encode()).decode(),
    "base64-url": lambda v: base64.urlsafe_b64encode(f"k={v}".encode()).decode().rstrip("="),
    "base64-file": lambda v: base64.b64encode(f"PORT=80\nMODE=fast\nTOKEN={v}\nDEBUG=1\n".encode()).decode(),
    "base64-twice": lambda v: base64.b64encode(base64.b64encode(f"TOKEN={v}".encode())).decode(),
    "wrapped": lambda v: f"{v[: len(v) // 2]}\n{v[len(v) // 2 :]}",
    "escapes": lambda v: "".join(f"\\x{ord(c):02x}" for c in v),
}


def person(rng: random.Random) -> str:
    return f"{rng.choice(FIRST)} {rng.choice(LAST)}"


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(DIGIT, k=count))


def card(rng: random.Random) -> str:
    """Draw a card number of a large issuer with a right check digit (ISO/IEC 7812)."""
    body = rng.choice(("4539", "4929", "5425", "5189")) + digits(rng, 11)
    total = sum(d * 2 - 9 * (d > 4) if at % 2 == 0 else d for at, d in enumerate(map(int, body)))
    return body + str(-total % 10)


def iban(rng: random.Random) -> str:
    """Draw a German account number with right check digits (ISO 13616)."""
    body = digits(rng, 18)
    return f"DE{98 - int(body + '131400') % 97:02d}{body}"


def personal(rng: random.Random) -> dict[str, tuple[str, Any]]:
    """Return name -> (planted, leaf or object that holds it)."""
    first, last = person(rng).split()
    mail = f"{first}.{last}{rng.randint(1, 99)}@{rng.choice(('gmail.com', 'acmecorp.io', 'web.de'))}".lower()
    area, number = f"{rng.randint(201, 989)}", f"{rng.randint(201, 998)}-{digits(rng, 4)}"
    phone, abroad = f"({area}) {number}", f"+49 {rng.randint(151, 179)} {digits(rng, 4)} {digits(rng, 4)}"
    paid, ssn = card(rng), f"{rng.randint(101, 665)}-{rng.randint(10, 99)}-{digits(rng, 3)}7"
    spaced = " ".join(paid[at : at + 4] for at in range(0, 16, 4))
    account = iban(rng)
    apart = " ".join(account[at : at + 4] for at in range(0, 22, 4))
    ip = f"{rng.choice((81, 93, 185, 203))}.{rng.randint(1, 250)}.{rng.randint(1, 250)}.{rng.randint(1, 250)}"
    mac = ":".join(f"{rng.randint(0, 255):02x}" for _ in range(6))
    street, born = (
        f"{rng.randint(2, 990)} {last} Street",
        f"19{rng.randint(50, 99)}-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}",
    )
    six = "2a02:8109:" + ":".join(f"{rng.randint(4096, 65535):x}" for _ in range(6))
    return {
        "mail-text": (mail, f"Sent the report to {mail} at noon."),
        "mail-url": (quote(mail), f"https://shop.io/unsubscribe?user={quote(mail)}"),
        "mail-key": (mail, {mail: {"visits": 3}}),
        "mail-table": (mail, f"id,mail,plan\n7,{mail},free"),
        "phone-us": (phone, f"Call me back at {phone}, please."),
        "phone-plain": (f"{area}-{number}", f"phone: {area}-{number}"),
        "phone-abroad": (abroad, f"The driver's number is {abroad}."),
        "phone-e164": (f"+1{area}{number}".replace("-", ""), {"to": f"+1{area}{number}".replace("-", "")}),
        "ssn": (ssn, f"SSN on file: {ssn}"),
        "card": (spaced, f"Charged card {spaced} for the order."),
        "card-compact": (paid, {"card_number": paid}),
        "card-number": (paid, {"order": {"payment": int(paid)}}),
        "iban": (account, f"Transfer to {account} today"),
        "iban-spaced": (apart, f"IBAN {apart}"),
        "ip": (ip, f"Accepted connection from {ip} port 5123"),
        "ip6": (six, f"client [{six}] closed"),
        "mac": (mac, f"ether {mac} txqueuelen 1000"),
        "street-key": (street, {"shipping": {"street": street, "city": "x"}}),
        "born-key": (born, {"date_of_birth": born}),
        "name-key": (f"{first} {last}", {"customer_name": f"{first} {last}", "total": 12}),
        "names-keys": (last, {"first_name": first, "last_name": last}),
        "passport": (f"C{digits(rng, 8)}", {"passport_number": f"C{digits(rng, 8)}"}),
    }  # fmt: skip


def places(rng: random.Random) -> dict[str, tuple[str, Any]]:
    """Return name -> (planted, leaf); every user name is new and no word."""
    user = (rng.choice(FIRST)[:1] + rng.choice(LAST) + digits(rng, 1)).lower()
    host = f"{rng.choice(('build', 'db', 'gpu'))}-{rng.choice(LAST).lower()}{rng.randint(1, 99)}"
    return {
        "home": (user, f"FileNotFoundError: /home/{user}/work/run.py"),
        "mac": (user, f"cwd: /Users/{user}/code/shop"),
        "windows": (user, f"C:\\Users\\{user}\\AppData\\Local"),
        "windows-escaped": (user, f'"C:\\\\Users\\\\{user}\\\\code"'),
        "dashed": (user, f"projects/-Users-{user}-code-shop/a.jsonl"),
        "ls": (user, f"total 8\n-rw-r--r-- 1 {user} staff 120 Mar  3 10:01 notes.txt"),
        "prompt": (user, f"{user}@{host}:~/src$ make test"),
        "prompt-host": (host, f"{user}@{host}:~/src$ make test"),
        "git": (user, f"Author: {user} <{user}@users.noreply.acme.dev>\nDate: now"),
        "elsewhere": (user, [f"cd /home/{user}/app", f"permission denied for {user} on table"]),
        "internal": (f"{host}.corp.acme.com", f"dial tcp {host}.corp.acme.com:443: refused"),
        "lan": (f"{host}.internal", f"ping {host}.internal timed out"),
        "env": (user, f"USER={user}\nSHELL=/bin/bash"),
        "file-url": (user, f"file:///home/{user}/a.html"),
    }  # fmt: skip


def lookalikes(rng: random.Random) -> dict[str, Any]:
    """Return name -> leaf or object that must stay as it is."""
    make = {name: shape(form)(rng) for name, form in {
        "sha": "{H40}", "short": "{H7}", "sha256": "{H64}", "md5": "{H32}", "uuid": "{H8}-{H4}-4{H3}-a{H3}-{H12}",
        "call": "call_{A24}", "toolu": "toolu_01{A22}", "msg": "msg_{A24}", "req": "req_01{A22}",
        "chat": "chatcmpl-{A29}",
        "integrity": "sha512-{B86}==", "digest": "sha256:{H64}", "etag": 'W/"{H16}"', "span": "{H16}",
    }.items()}  # fmt: skip
    found: dict[str, Any] = {f"id {name}": f"done: {value} ok" for name, value in make.items()}
    found |= {f"field {name}": {"id": value, "commit": make["sha"], "n": 1} for name, value in make.items()}
    found |= {f"git {n}": text for n, text in enumerate((
        f"commit {make['sha']}", f"index {make['short']}..{shape('{H7}')(rng)} 100644",
        f"HEAD is now at {make['short']} Fix token parsing", "git clone git@github.com:psf/requests.git",
        f"pip install git+https://github.com/a/b@{make['sha']}", "remote: origin/feature-secret-rotation",
    ))}  # fmt: skip
    return found | {f"text {n}": text for n, text in enumerate((*TABLES["lookalikes"]["texts"], *NUMBERS))}


def document(leaf: Any) -> Any:
    """Put a leaf where tools put their output."""
    return {
        "messages": [{"role": "user", "content": "Run it."}, {"role": "tool", "tool_call_id": "c1", "content": leaf}]
    }


def cases(rounds: int = 3, seed: int = 7) -> Iterator[Case]:
    """Yield all cases; more rounds draw more values."""
    rng = random.Random(seed)
    for _ in range(rounds):
        for name, form in PREFIXED.items():
            for context, put in CONTEXTS.items():
                value = shape(form)(rng)
                seen = quote(value, safe="") if context == "query" else value
                yield Case("known prefix", f"{name}/{context}", document(put(value)), seen)
        for name in list(PREFIXED)[::3]:
            for encoder, encode in ENCODERS.items():
                planted = encode(shape(PREFIXED[name])(rng))
                yield Case("encoded", f"{name}/{encoder}", document(f"payload:\n{planted}\nend of payload"), planted)
        for name, (template, form) in GENERIC.items():
            for context in ("alone", "log", "quoted", "repr", "diff", "colour", "json"):
                value = shape(form)(rng)
                yield Case("generic", f"{name}/{context}", document(CONTEXTS[context](template % value)), value)
        for group, make, times in (("personal, structured", personal, 8), ("home, user, host", places, 8)):
            for _ in range(times):
                for name, (planted, leaf) in make(rng).items():
                    yield Case(group, name, document(leaf), planted)
        for template in TABLES["people"]["sentences"] * 3:
            found = {"p": person(rng), "o": rng.choice(FIRMS)}
            text = template.format(**found)
            yield from (Case("names in prose", template, document(text), one) for one in found.values() if one in text)
        for name, leaf in lookalikes(rng).items():
            yield Case(LOOKALIKES, name, document(leaf), "")
