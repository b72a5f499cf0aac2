"""Checks that refuse look-alikes of credentials: entropy, character classes, what stands around the value."""

from __future__ import annotations

import re
from base64 import b64decode, urlsafe_b64decode
from hashlib import sha256

from errorhub.scrubber.rules.lookalikes import REFERENCE, UUID, classes, entropy, identifier_like, masked
from errorhub.scrubber.rules.rule import Hit

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
STRONG_SYMBOLS = frozenset("!@#$^&*?~%+=|")
DIGEST = re.compile(r"(?i)[0-9a-f]{7,128}|sha\d{3}-[A-Za-z0-9+/=]+")
WORD_CHAIN = re.compile(r"[A-Za-z]+(?:[-_./:,=+][A-Za-z]*|(?<=[A-Za-z])\d{1,3})*")
PUBLIC_NAME = re.compile(
    r"(?i)(?:origin_?trial|eos|bos|pad|unk|sep|cls|mask|special|stop|csrf_?cookie_name)_?token\W{0,8}$"
)
KEY_WORD = re.compile(r"(?i)key|token|secret|pass|auth|cred|pat\b|pwd")
NO_KEY = re.compile(
    r"(?i)(?:sha|commit|hash|digest|md5|rev|etag|checksum|version|url|uri|host|path|file|name|email|user|id|"
    r"ids|at|in)[\W_]*$"
)
WORDY = re.compile(r"[a-z]{6}|[A-Z][a-z]{4,}[A-Z_\-./]|(?:^|[_\-./])[A-Za-z]{5,}(?:$|[_\-./])")
"""Runs of letters that random text rarely holds."""
CALL_OR_INDEX = re.compile(r"\s*[(\[]|\.\w+\(")


def secret_literal(hit: Hit) -> bool:
    """Accept a quoted string assigned to a credential's name."""
    value = hit.value.strip()
    if len(value) < 4 or masked(value) or " " in value or PUBLIC_NAME.search(hit.before):
        return False
    if value.isdigit():
        return False
    if UUID.fullmatch(value):
        return True
    if identifier_like(value):
        return False
    return _varied(value)


def secret_bare(hit: Hit) -> bool:
    """Accept an unquoted value, which in code may as well be a name, a call or an index."""
    value = hit.value
    if CALL_OR_INDEX.match(hit.after) or any(c in value for c in "()[]{}"):
        return False
    if value.startswith(("http://", "https://", "file:", "&", "*", "|")):
        return False
    return secret_literal(hit)


def password_literal(hit: Hit) -> bool:
    """Accept a quoted password; a phrase of words counts when it holds a digit or a symbol."""
    return secret_literal(hit) or _weak_password(hit.value) or _number_password(hit.value)


def password_bare(hit: Hit) -> bool:
    """Accept a password in a place where only a password can stand, such as after `sshpass -p`."""
    return secret_bare(hit) or _number_password(hit.value)


def password_given(hit: Hit) -> bool:
    """Accept whatever stands in a password's own place unless it is a mask, a template or a placeholder."""
    return not masked(hit.value)


def token_like(hit: Hit) -> bool:
    """Accept a long random run: letters and digits mixed, high entropy, no identifier of words."""
    value = hit.value
    return len(value) >= 16 and not masked(value) and classes(value) >= 2 and entropy(value) >= 3.0


def random_secret(hit: Hit) -> bool:
    """Accept 40 characters of base64 that are no digest and no path."""
    value = hit.value
    return not masked(value) and classes(value) >= 3 and entropy(value) >= 4.0


def env_value(hit: Hit) -> bool:
    """Accept the value of an environment line whose name ends in a credential word."""
    return secret_bare(hit) or (password_bare(hit) and "PASS" in hit.before.upper())


def spaced_value(hit: Hit) -> bool:
    """Accept a random run after a credential's name and a space: prose stands there more often than a secret."""
    value = hit.value
    return (
        token_like(hit)
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and not identifier_like(value)
        and not UUID.fullmatch(value)
        and not DIGEST.fullmatch(value)
        and not any(mark in value for mark in ("()", "==", "://", "/", "..."))
        and not WORD_CHAIN.fullmatch(value)
    )


def bracketed_password(hit: Hit) -> bool:
    """Accept a line's last word with brackets in it: in code they balance or open at the end, in a password they do not."""
    value = hit.value
    opened = [value.count(c) for c in "([{"]
    closed = [value.count(c) for c in ")]}"]
    if opened == closed or value[-1] in "([{,;:\\" or masked(value) or REFERENCE.search(value):
        return False
    return _varied(value) and any(c in STRONG_SYMBOLS or c.isdigit() for c in value[1:-1])


def option_value(hit: Hit) -> bool:
    """Accept the argument of `--password` and its like."""
    value = hit.value
    if masked(value) or CALL_OR_INDEX.match(hit.after) or value.startswith(("$", "-", "/", "@", "file:")):
        return False
    return password_bare(hit) or (any(c.isdigit() or c in STRONG_SYMBOLS for c in value) and not identifier_like(value))


def attached_password(hit: Hit) -> bool:
    """Accept a password glued to `-p`, which elsewhere takes ports and paths."""
    value = hit.value
    return (
        not masked(value)
        and not value.isdigit()
        and not value.startswith(("/", "$", "~", "rompt"))
        and value != "assword"
    )


def user_option(hit: Hit) -> bool:
    """Accept the password of `-u name:password`; numeric user and group ids are no credentials."""
    value = hit.value
    return not masked(value) and not value.isdigit() and not value.startswith(("//", "$"))


def header_value(hit: Hit) -> bool:
    """Accept what follows a scheme word such as Bearer, unless it is prose or a reference."""
    value = hit.value.rstrip(".")
    if masked(value) or CALL_OR_INDEX.match(hit.after) or REFERENCE.search(value):
        return False
    if value.isalpha():
        return len(value) >= 12 and not value.islower() and not value.isupper() and entropy(value) >= 3.2
    mixed = any(c.isupper() for c in value[1:]) and any(c.islower() for c in value)
    return any(c.isdigit() for c in value) and len(value) >= 6 and (mixed or not WORD_CHAIN.fullmatch(value))


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


def session_value(hit: Hit) -> bool:
    """Accept a session or anti-forgery value; names, calls and public ids stand there in code."""
    value = hit.value
    return (
        not CALL_OR_INDEX.match(hit.after) and token_like(hit) and not identifier_like(value) and not UUID.search(value)
    )


def vendor_value(hit: Hit) -> bool:
    """Accept a random run after a service's name; ids, digests, addresses and words stand there as well."""
    value, before = hit.value.strip("=:"), hit.before[-48:]
    if (
        len(value) < 16
        or masked(value)
        or identifier_like(value)
        or NO_KEY.search(before)
        or "://" in value
        or ".." in value
    ):
        return False
    figures = sum(c.isdigit() for c in value)
    if figures < 2 or entropy(value) < 3.0 or not any(c.isalpha() for c in value) or WORD_CHAIN.fullmatch(value):
        return False
    if UUID.fullmatch(value) or DIGEST.fullmatch(value):
        return bool(KEY_WORD.search(before))
    return not WORDY.search(value) and value.count("/") < 3 and value.count(".") < 3


def random_key(hit: Hit) -> bool:
    """Accept what follows a name that ends in `key` only when nothing but a key looks so."""
    value = hit.value
    figures = sum(c.isdigit() for c in value)
    return (
        figures >= 3 and classes(value) >= 3 and entropy(value) >= 3.9 and not masked(value) and not WORDY.search(value)
    )


def prose_password(hit: Hit) -> bool:
    """Accept a password told in a sentence: it holds a digit or an inner symbol and is no reference."""
    value = hit.value
    if (
        masked(value)
        or len(value) < 5
        or identifier_like(value)
        or "(" in value
        or value.startswith(("/", "http", "--", "$"))
    ):
        return False
    letters = any(c.isalpha() for c in value)
    return letters and (any(c.isdigit() for c in value) or any(c in STRONG_SYMBOLS for c in value[1:-1]))


def trim_prose(value: str) -> str:
    """Cut the punctuation that ends a sentence or a clause."""
    return value.rstrip(".,;:)]*\"'")


def _varied(value: str) -> bool:
    kinds = classes(value)
    has_digit = any(c.isdigit() for c in value)
    if has_digit:
        return kinds >= 2 and entropy(value) >= 2.3
    strong = any(c in STRONG_SYMBOLS for c in value[1:-1])
    return (kinds >= 3 or strong) and len(value) >= 6 and entropy(value) >= 2.5


def _weak_password(value: str) -> bool:
    if masked(value) or not 4 <= len(value) <= 64:
        return False
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not identifier_like(value)


def _number_password(value: str) -> bool:
    return value.isdigit() and len(value) >= 6 and not masked(value)


def query_value(hit: Hit) -> bool:
    """Accept the value of a telling query parameter: random, or a password in its own place."""
    value = hit.value
    if masked(value) or identifier_like(value) or value.isdigit() or CALL_OR_INDEX.match(hit.after):
        return False
    name = re.search(r"(?i)([\w-]+)=$", hit.before)
    if name and name[1].lower() in ("key", "state", "nonce", "session", "ticket", "auth", "token", "sid"):
        return len(value) >= 12 and any(c.isdigit() for c in value) and entropy(value) >= 3.0
    return _varied(value)


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
