"""The planted values: fake secrets, invented people and places, assembled when asked for.

No value stands in this file as a whole and random parts are drawn from the slot's name, so that no secret scanner
fires on the repository while every scanner should fire on the logs that `write` makes.
"""

import hashlib
from base64 import b64encode
from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase, digits

from pydantic import BaseModel, ConfigDict

HEX = digits + "abcdef"
UPPER = ascii_uppercase + digits
WORD = ascii_lowercase + ascii_uppercase + digits


class Planted(BaseModel):
    """Hold one planted value."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    value: str
    """What stands in the written logs."""
    kind: str
    """What it is, in the words of the scrubber's placeholders, or PERSON, ORG, PROJECT."""
    known: bool
    """True for names that no rule can tell from other words: they belong into a deny list."""


def planted() -> dict[str, Planted]:
    """Map every slot of the log templates to its value."""
    found = {slot: Planted(value=make(slot), kind=kind, known=False) for slot, (kind, make) in _FORMED.items()}
    for kind, rows in _SPELT.items():
        known = kind in {"PERSON", "ORG", "PROJECT", "ADDRESS", "DOB"}
        found |= {slot: Planted(value=value, kind=kind, known=known) for slot, value in rows.items()}
    return found


def _draw(slot: str, length: int, alphabet: str = WORD) -> str:
    """Draw characters from a hash of the slot's name: random to look at, the same on every call."""
    stream = hashlib.shake_256(slot.encode()).digest(length)
    return "".join(alphabet[byte % len(alphabet)] for byte in stream)


def _token(prefix: str, length: int, alphabet: str = WORD) -> Callable[[str], str]:
    return lambda slot: prefix + _draw(slot, length, alphabet)


def _password(slot: str) -> str:
    return _draw(slot, 6, ascii_lowercase).title() + "-" + _draw(slot + "+", 4, digits) + "!" + _draw(slot + "-", 4)


def _basic(slot: str) -> str:
    return b64encode(f"svc-reports:{_draw(slot, 22)}".encode()).decode()


def _jwt(slot: str) -> str:
    parts = ('{"alg":"HS256","typ":"JWT"}', '{"sub":"gw-4471","scope":"resume"}')
    return ".".join([*(b64encode(part.encode()).decode().rstrip("=") for part in parts), _draw(slot, 43)])


def _private_key(slot: str) -> str:
    body = b64encode(hashlib.shake_256(slot.encode()).digest(624)).decode()
    lines = [body[start : start + 64] for start in range(0, len(body), 64)]
    dashes, name = "-" * 5, "RSA PRIVATE " + "KEY"
    return "\n".join([f"{dashes}BEGIN {name}{dashes}", *lines, f"{dashes}END {name}{dashes}"])


def _webhook(slot: str) -> str:
    team, hook = "T" + _draw(slot, 10, UPPER), "B" + _draw(slot + "+", 10, UPPER)
    return f"https://hooks.slack.com/services/{team}/{hook}/{_draw(slot + '-', 24)}"


def _slack(slot: str) -> str:
    return f"xoxb-{_draw(slot, 12, digits[1:])}-{_draw(slot + '+', 13, digits[1:])}-{_draw(slot + '-', 24)}"


def _grafana(slot: str) -> str:
    return f"glsa_{_draw(slot, 32)}_{_draw(slot + '+', 8, HEX)}"


def _telegram(slot: str) -> str:
    return f"{_draw(slot, 10, digits[1:])}:AA{_draw(slot + '+', 33)}"


def _sendgrid(slot: str) -> str:
    return f"SG.{_draw(slot, 22)}.{_draw(slot + '+', 43)}"


def _card(slot: str) -> str:
    """Make a 16-digit card number whose last digit satisfies Luhn's rule."""
    body = "4929" + _draw(slot, 11, digits)
    doubled = [int(digit) * (2 if place % 2 == 0 else 1) for place, digit in enumerate(body)]
    total = sum(number - 9 if number > 9 else number for number in doubled)
    return body + str(-total % 10)


def _iban(slot: str) -> str:
    """Make a German account number whose check digits satisfy ISO 7064 (mod 97)."""
    body = _draw(slot, 18, digits)
    return f"DE{98 - int(body + '131400') % 97:02d}{body}"


_FORMED: dict[str, tuple[str, Callable[[str], str]]] = {
    "ANTHROPIC_KEY": ("ANTHROPIC_KEY", lambda slot: "sk-" + "ant-api03-" + _draw(slot, 93) + "AA"),
    "AWS_KEY": ("AWS_KEY", _token("AK" + "IA", 16, ascii_uppercase + "234567")),
    "AWS_SECRET": ("AWS_SECRET", _token("", 40, WORD + "+/")),
    "B64_TOKEN": ("AUTH_HEADER", _basic),
    "CARD_PRIYA": ("CARD", _card),
    "CARD_TRAVEL": ("CARD", _card),
    "CLINICS_PASSWORD": ("PASSWORD", _token("", 18)),
    "DESK_TOKEN": ("AUTH_HEADER", _token("", 40)),
    "GITHUB_TOKEN": ("GITHUB_TOKEN", _token("gh" + "p_", 36)),
    "GITLAB_TOKEN": ("GITLAB_TOKEN", _token("gl" + "pat-", 20)),
    "GOOGLE_KEY": ("GOOGLE_KEY", _token("AI" + "za", 35)),
    "GRAFANA_TOKEN": ("API_KEY", _grafana),
    "HF_TOKEN": ("HF_TOKEN", _token("h" + "f_", 34, ascii_lowercase + ascii_uppercase)),
    "IBAN_SUPPLIER": ("IBAN", _iban),
    "IBAN_TRAVEL": ("IBAN", _iban),
    "JWT": ("JWT", _jwt),
    "MYSQL_PASSWORD": ("PASSWORD", _token("", 18)),
    "NPM_TOKEN": ("NPM_TOKEN", _token("np" + "m_", 36)),
    "OPENAI_KEY": ("OPENAI_KEY", lambda slot: f"sk-{'proj'}-{_draw(slot, 20)}T3Blbk" + "FJ" + _draw(slot + "+", 20)),
    "PG_PASSWORD": ("PASSWORD", _token("", 18)),
    "PRIVATE_KEY": ("PRIVATE_KEY", _private_key),
    "PROXY_PASSWORD": ("PASSWORD", _password),
    "REDIS_PASSWORD": ("PASSWORD", _token("", 24)),
    "SANDBOX_PASSWORD": ("PASSWORD", _password),
    "SENDGRID_KEY": ("SENDGRID_KEY", _sendgrid),
    "SESSION_ID": ("COOKIE", _token("", 32, HEX)),
    "SLACK_TOKEN": ("SLACK_TOKEN", _slack),
    "SLACK_WEBHOOK": ("SLACK_WEBHOOK", _webhook),
    "SMTP_PASSWORD": ("PASSWORD", _password),
    "SSH_PASSWORD": ("PASSWORD", _password),
    "STRIPE_KEY": ("STRIPE_KEY", _token("sk_" + "live_", 24)),
    "TELEGRAM_TOKEN": ("TELEGRAM_TOKEN", _telegram),
}

_SPELT: dict[str, dict[str, str]] = {
    "ADDRESS": {"STREET_PRIYA": "48 Larkspur Terrace, Apt 5"},
    "DOB": {"DOB_OTTO": "17 March 1979"},
    "EMAIL": {
        "EMAIL_ARCHIVE": "lesesaal@" + "stadtarchiv-felsberg.de",
        "EMAIL_ELIAS": "elias.wren@" + "tesslow-sons.co.uk",
        "EMAIL_JONAS": "jonas.lindqvist@" + "tessaly-robotics.se",
        "EMAIL_MAREN": "maren.holt@" + "brightmoor-logistics.com",
        "EMAIL_NADIA": "n.feroz@" + "haldenvoss.dk",
        "EMAIL_ONCALL": "search-oncall@" + "palisade-nine.io",
        "EMAIL_OTTO": "otto.brandvik@" + "brandvik-partners.ch",
        "EMAIL_PORT": "statistikk@" + "ostrandhavn.no",
        "EMAIL_PRIYA": "priya_castellan84@" + "quickpost.me",
    },
    "HOST": {
        "HOST_BOOKING": "booking-preview.web." + "internal",
        "HOST_CACHE": "cache-a2.shop." + "internal",
        "HOST_CLINICS": "clinics-shared.db." + "corp",
        "HOST_GRAFANA": "grafana.edge." + "internal",
        "HOST_GRAFANA_SHOP": "metrics.shop." + "intra",
        "HOST_LEDGER": "pg-legacy-01.ledger." + "internal",
        "HOST_MIRROR": "npm-mirror.build." + "lan",
        "HOST_STAGING": "staging-api.ledger." + "internal",
        "HOST_WAREHOUSE": "dwh-main.plant." + "local",
        "KUBE_CONTEXT": "edge-fra.k8s." + "corp",
    },
    "IP": {"IP_SEARCH_A": "18.197." + "44.203", "IP_SEARCH_B": "18.197." + "44.211"},
    "MAC": {"MAC_SEARCH": "3c:ec:ef:" + "4a:91:0d"},
    "ORG": {
        "BRIGHTMOOR": "Brightmoor Logistics",
        "HALDEN_VOSS": "Halden & Voss",
        "MARROW_LAKE": "Marrow Lake Clinics",
        "PETREL": "Petrel Mutual",
        "QUILLON": "Quillon Foods",
        "TESSALY": "Tessaly Robotics",
    },
    "PERSON": {
        "ELIAS_WREN": "Elias Wren",
        "JONAS_LINDQVIST": "Jonas Lindqvist",
        "NADIA_FEROZ": "Nadia Feroz",
        "OTTO_BRANDVIK": "Otto Brandvik",
        "PRIYA_CASTELLAN": "Priya Castellan",
        "RHEA_VANCE": "Rhea Vance",
        "SOFIA_SALONGA": "Sofia Salonga",
    },
    "PHONE": {
        "PHONE_DESK": "+44 20 7946 " + "0958",
        "PHONE_ELIAS": "+1-312-555-" + "0187",
        "PHONE_MAREN": "(415) 555-" + "0142",
        "PHONE_PRIYA": "+44 7700 " + "900364",
    },
    "PROJECT": {
        "NIGHTJAR": "Nightjar",
        "NIGHTJAR_SLUG": "nightjar",
        "PALISADE": "Palisade-9",
        "WINTERGREEN": "wintergreen",
    },
    "SSN": {"SSN_RHEA": "219-09-" + "9999"},
    "USER": {
        "USER_DOKAFOR": "dokafor",
        "USER_EWREN": "ewren",
        "USER_JLINDQVIST": "jlindqvist",
        "USER_MHOLT": "mholt",
        "USER_RVANCE": "rvance",
        "USER_SSALONGA": "ssalonga",
        "USER_TABARA": "tabara",
    },
}
