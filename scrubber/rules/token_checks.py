"""Checks of tokens: random runs in headers, cookies, URLs, after a service's name, and shapes that prove themselves."""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64decode
from hashlib import sha256

from errorhub.scrubber.rules import letters
from errorhub.scrubber.rules.checks import CALL_OR_INDEX, DIGEST, WORD_CHAIN, varied
from errorhub.scrubber.rules.lookalikes import FIGURES, REFERENCE, UUID, classes, entropy, identifier_like, masked
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.rules.wordlists import COMMON_NAMES, VENDORS

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
KEY_WORD = re.compile(r"(?i)key|token|secret|pass|auth|cred|pat\b|pwd|login")
NO_KEY = re.compile(
    r"(?i)(?:sha|commit|hash|digest|md5|etag|checksum|version|url|uri|host|path|file|name|email|user|_id|"
    r"(?<![a-z])(?:ids?|rev|at|in)|(?-i:Id))[\W_]*$"
)
WORDY = re.compile(r"[a-z]{6}|[A-Z][a-z]{4,}[A-Z_\-./]|(?:^|[_\-./])[A-Za-z]{5,}(?:$|[_\-./])")
WORDY_KEY = re.compile(r"[a-z]{6}|(?:[A-Z][a-z]{3,}){2}|(?:^|[_\-./])[A-Za-z]{5,}(?:$|[_\-./])")
WORDY_MIXED = re.compile(r"[a-z]{9}|(?:^|[_\-./])[a-z]{6,}(?:$|[_\-./])")
"""Runs of letters that random text rarely holds; in mixed case, chance makes longer ones."""


VERSION = re.compile(r"(?:^|[\-_v])\d{1,5}(?:\.\d{1,5})+")
SCOPE = re.compile(r"::(?![:=])")
"""What stands between names in code, and no separator of a value."""
NAMED_VALUE = re.compile(r"[A-Za-z_.\-]{2,}=[^=]")
"""An assignment of its own, whose name must stay."""
NUMBER_KEY = re.compile(r"(?i)(?:key|token|secret|pat)[\"'`\])]{0,2}\s{0,3}[:=]{1,2}[\s\"'`]{0,4}$")
"""A name after which a long number is a key."""
ASSIGNED = re.compile(r"([A-Za-z0-9_.\-]+)[\"'`\])]{0,2}[ \t]{0,3}(=>|\?=|:{1,3}=|={1,2}|:|\|\||>|,)[\s\"'`=]{0,5}$")
"""A name that stands directly before its value."""


def issued(hit: Hit) -> bool:
    """Accept what an issuer of tokens draws: letters and figures, no mask, no words joined by separators."""
    value = hit.value
    figures = sum(c.isdigit() for c in value)
    drawn = figures > 1 or letters.SCRAMBLED.search(value) is not None
    return drawn and len(set(value)) > 9 and not masked(value) and not WORD_CHAIN.fullmatch(value)


def various(hit: Hit) -> bool:
    """Accept what is no run of padding: many different characters."""
    return len(set(hit.value)) > 20


def token_like(hit: Hit) -> bool:
    """Accept a long random run: letters and digits mixed, high entropy, no identifier of words."""
    value = hit.value
    return len(value) >= 16 and not masked(value) and classes(value) >= 2 and entropy(value) >= 3.0


def random_secret(hit: Hit) -> bool:
    """Accept 40 characters of base64 that are no digest and no path."""
    value = hit.value
    return not masked(value) and classes(value) >= 3 and entropy(value) >= 4.0


DEVOPS_TOKEN = re.compile(r"[a-z2-7]{52}|[a-z0-9]{52}")
"""Length and alphabet of a personal access token of Azure DevOps."""


def random_key(hit: Hit) -> bool:
    """Accept what follows a name that ends in `key` only when nothing but a key looks so."""
    value = hit.value
    figures = sum(c.isdigit() for c in value)
    if DEVOPS_TOKEN.fullmatch(value):
        return figures > 2 and not masked(value)
    return (
        figures >= 3
        and classes(value) >= 3
        and entropy(value) >= 3.9
        and not masked(value)
        and not WORDY_KEY.search(value)
    )


def vendor_value(hit: Hit) -> bool:
    """Accept a random run after a service's name; ids, digests, addresses and words stand there as well."""
    value, before = hit.value.strip("=:"), hit.before[-48:]
    if (
        len(value) < 14
        or NAMED_VALUE.match(value)
        or masked(value)
        or NO_KEY.search(before)
        or "://" in value
        or ".." in value
    ):
        return False
    if SCOPE.search(before) or (value.isdigit() and len(value) > 14 and NUMBER_KEY.search(before)):
        return value.isdigit()
    if identifier_like(value) or WORD_CHAIN.fullmatch(value) or entropy(value) < 3.0:
        return False
    figures = sum(c.isdigit() for c in value)
    if figures < (1 if classes(value) >= 3 else 2) or not any(c.isalpha() for c in value):
        return False
    if KEY_WORD.search(before):
        return True
    return not VERSION.search(value) and (_assigned(value, before) or _random(value))


def _assigned(value: str, before: str) -> bool:
    """Tell whether a value is assigned to a service itself; after one that is a word too, digests may stand."""
    found = ASSIGNED.search(before)
    service = _service(found[1].lower()) if found else ""
    if not found or not service:
        return False
    if UUID.fullmatch(value) or DIGEST.fullmatch(value):
        return service not in COMMON_NAMES or found[2] not in (":", ",", ">")
    return len(FIGURES.findall(value)) > 1 or (classes(value) > 2 and not WORDY_MIXED.search(value))


def _service(name: str) -> str:
    """Return the service that a name ends with, as a word of its own; nothing when there is none."""
    ends = (name[at:] for at in range(len(name)) if at == 0 or not name[at - 1].isalpha())
    return next((end for end in ends if end in VENDORS), "")


def _random(value: str) -> bool:
    """Tell whether a value can only be a key, wherever it stands: long, no digest, no words, no path."""
    if len(value) < 20 or UUID.fullmatch(value) or DIGEST.fullmatch(value):
        return False
    wordy = WORDY_MIXED if classes(value) >= 3 else WORDY
    return not wordy.search(value) and value.count("/") < 3 and value.count(".") < 3


def header_value(hit: Hit) -> bool:
    """Accept what follows a scheme word such as Bearer, unless it is prose or a reference."""
    value = hit.value.rstrip(".")
    if masked(value) or CALL_OR_INDEX.match(hit.after) or REFERENCE.search(value):
        return False
    if value.isalpha():
        return len(value) >= 12 and not value.islower() and not value.isupper() and entropy(value) >= 3.2
    mixed = any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    return any(c.isdigit() for c in value) and len(value) >= 6 and (mixed or not WORD_CHAIN.fullmatch(value))


def raw_header(hit: Hit) -> bool:
    """Accept an authorization value without a scheme: a random run with digits."""
    return token_like(hit) and any(c.isdigit() for c in hit.value) and not identifier_like(hit.value)


def header_pairs(hit: Hit) -> bool:
    """Accept the comma-separated pairs of a digest or signed authorization header."""
    return "=" in hit.value and not masked(hit.value)


def basic_value(hit: Hit) -> bool:
    """Accept base64 of `name:password`, or an opaque token of that place."""
    try:
        plain = b64decode(hit.value + "=" * (-len(hit.value) % 4), validate=True)
    except ValueError:
        return token_like(hit) and len(hit.value) >= 24
    return (b":" in plain[1:] and plain.isascii() and plain.decode().isprintable()) or (
        token_like(hit) and len(hit.value) >= 32
    )


def cookie_header(hit: Hit) -> bool:
    """Accept the pairs of a cookie header when one of them holds a value of its own."""
    values = [pair.partition("=")[2] for pair in hit.value.split(";")]
    return any(len(v) >= 6 and not masked(v) and any(c.isdigit() for c in v) for v in values)


def cookie_value(hit: Hit) -> bool:
    """Accept a cookie's own value: with a figure, and no mask."""
    return any(map(str.isdigit, hit.value)) and len(hit.value) > 7 and not masked(hit.value)


def session_value(hit: Hit) -> bool:
    """Accept a session or anti-forgery value; names, calls and public ids stand there in code."""
    value = hit.value
    return (
        not CALL_OR_INDEX.match(hit.after) and token_like(hit) and not identifier_like(value) and not UUID.search(value)
    )


def query_value(hit: Hit) -> bool:
    """Accept the value of a telling query parameter: random, or a password in its own place."""
    value = hit.value
    if letters.queried(hit):
        return True
    if masked(value) or identifier_like(value) or value.isdigit() or CALL_OR_INDEX.match(hit.after):
        return False
    name = re.search(r"(?i)([\w-]+)=$", hit.before)
    if name and name[1].lower() in ("appid", "key", "state", "nonce", "session", "ticket", "auth", "token", "sid"):
        return len(value) >= 12 and any(c.isdigit() for c in value) and entropy(value) >= 3.0
    return varied(value)


def code_value(hit: Hit) -> bool:
    """Accept a one-time code of a URL: digits and letters mixed, or long."""
    value = hit.value
    return (
        not masked(value)
        and len(value) >= 12
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and entropy(value) >= 3.0
    )


def jwt(hit: Hit) -> bool:
    """Accept a token whose first part is base64url of a JSON object."""
    head = hit.value.partition(".")[0]
    try:
        plain = urlsafe_b64decode(head + "=" * (-len(head) % 4))
    except ValueError:
        return False
    return plain.startswith(b'{"') and not masked(hit.value[:64])


def base58(hit: Hit) -> bool:
    """Accept a wallet address with a right double-SHA-256 checksum."""
    number = 0
    for char in hit.value:
        number = number * 58 + BASE58.index(char)
    raw = number.to_bytes(32, "big")[-25:] if number < 1 << 200 else b""
    return len(raw) == 25 and sha256(sha256(raw[:21]).digest()).digest()[:4] == raw[21:]
