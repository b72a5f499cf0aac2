"""Checks of personal data: digits that validate, addresses that exist, names that are no system users."""

from __future__ import annotations

import ipaddress
import re

from errorhub.scrubber.rules.lookalikes import SENSITIVE_WORD, templated
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.rules.wordlists import (
    FILE_ENDING,
    IBAN_LENGTH,
    KEPT_ADDRESSES,
    LONG_ENDINGS,
    SYSTEM_USERS,
)

EXAMPLE_DOMAIN = re.compile(
    r"(?i)(?:^|\.)(?:example\.(?:com|org|net|edu)|example|test|invalid|localhost|(?:domain|email|test)\.com)$"
)
ROBOT = re.compile(
    r"(?i)^(?:git|no-?reply|do-?not-?reply|donotreply|notifications?|\d+\+.*|example|your[._-]?\w*|user\d*|"
    r"username|foo|bar|.*\[bot\])$"
)
REMOTE = re.compile(r"(?i)(?:git|^hg|^gitea|^forgejo|^gogs)$")
"""Login of a Git server; an escape or a colour may stand right before it."""
IN_URL = re.compile(r"://[^\s/@\"'<>]*$")
CARD = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}|3[47]\d{13}"
    r"|3(?:0[0-5]|[689]\d)\d{11}|(?:6011|65\d\d|64[4-9]\d)\d{12,15}|(?:2131|1800)\d{11}|35(?:2[89]|[3-8]\d)\d{12,15}"
    r"|62\d{14,17}|(?:50|5[6-9]|6\d)\d{14}"
)
VERSION_BEFORE = re.compile(
    r"(?i)(?:version|ver|release|build|v|==|>=|<=|~=|[a-z0-9)]/|[a-z]-|\d\.|\bsection|§)\s*[:=\"']?\s*$"
)
ADDRESS_BEFORE = re.compile(
    r"(?i)(?:\bip(?:v?4|_?addr(?:ess)?)?\b|addr|host|from|server|client|remote|inet|ssh|ping|@|://|peer|src|"
    r"dst)[^\n]{0,16}$"
)
NUMBER_BEFORE = re.compile(r"[\d][ ,;\t]*$|[.\-/+_#=]$|[A-Za-z]$")
NUMBER_AFTER = re.compile(r"^(?:[ ,;\t]*\d|[.\-/_]\w|[A-Za-z])")
GLUED = re.compile(r"[\w.)+/\-]$")
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}")
NO_NAME = re.compile(
    r"(?i)[<>{}$%=()|\[\]]|\bbot\b|^(?:none|null|string|str|bytes|int|text|any|optional|final|street|address|"
    r"city|incomplete|required|"
    r"unknown|n/?a"
    r"|true|false|name|test|user|your .*)$|^\w+(?:\.\w+)+$|_"
)
PHONE_BEFORE = re.compile(
    r"(?i)(?:phone|tel|mobile|cell|fax|call|contact|whatsapp|sms|text me|reach|number|dial)\b[^\n\d]{0,24}$"
)


NO_DIGIT = re.compile("[^0-9]")
DOUBLED = str.maketrans("0123456789", "0246813579")
"""Each digit doubled, and the digits of that added up."""


def digits(value: str) -> str:
    """Keep the ASCII digits of a value."""
    return NO_DIGIT.sub("", value)


def luhn(number: str) -> bool:
    """Check the Luhn digit (ISO/IEC 7812-1, annex B)."""
    return (sum(map(int, number[-1::-2])) + sum(map(int, number[-2::-2].translate(DOUBLED)))) % 10 == 0


def card_trim(value: str) -> str:
    """Cut groups of digits that follow a card's number, such as its expiry."""
    end = len(value)
    while end > 0:
        number = digits(value[:end])
        if len(number) < 13:
            break
        if CARD.fullmatch(number) and luhn(number):
            return value[:end]
        end = max(value.rfind(" ", 0, end), value.rfind("-", 0, end))
    return value


def card(hit: Hit) -> bool:
    """Accept 13 to 19 digits, whole or in groups, with an issuer's prefix and a right Luhn digit."""
    number = digits(hit.value)
    if not CARD.fullmatch(number) or len(set(number)) < 2 or not luhn(number):
        return False
    return min(map(len, re.split(r"[ \-]", hit.value))) > 2 and not re.match(r"\.\d", hit.after)


def iban_trim(value: str) -> str:
    """Cut a candidate at its country's length."""
    left = IBAN_LENGTH.get(value[:2].upper(), 0)
    for position, char in enumerate(value):
        left -= char.isalnum()
        if left == 0:
            return value[: position + 1]
    return value


def iban(hit: Hit) -> bool:
    """Accept a bank account number with its country's length and a right check (ISO 13616, mod 97)."""
    compact = "".join(c for c in hit.value if c.isalnum()).upper()
    if len(compact) != IBAN_LENGTH.get(compact[:2], 0):
        return False
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def email(hit: Hit) -> bool:
    """Accept an address of a person: no example domain, no robot, no code with an at sign."""
    local, _, domain = hit.value.rpartition("@")
    ending = domain.rpartition(".")[2].lower()
    if EXAMPLE_DOMAIN.search(domain) or ROBOT.match(local) or domain.lower() == "users.noreply.github.com":
        return False
    if password_at(hit.before, local) or (REMOTE.search(local) and re.match(r":[\w.~\-]+/", hit.after)):
        return False
    if IN_URL.search(hit.before) or ending in FILE_ENDING or hit.after.startswith(("(", "@")):
        return False
    return _known_ending(ending)


MAIL_LABEL = re.compile(
    r"(?i)(?:^|[^\w.\-])(?:mailto|e-?mail|mail|from|to|cc|bcc|ssh|s?ftp|scp|rsync|git|user(?:name)?|login|host|npm|sips?"
    r"|xmpp|acct|remote|server|by|author|contact|origin|upstream|target|via|at|url|ip|addr(?:ess)?):$"
)
"""What stands before `user@host` without being a user itself."""
LOGIN_BEFORE = re.compile(r"(?:^|[\s\"'`=(,\[])([A-Za-z_][\w.\-]{0,31}):$")
PASSWORD = re.compile(r"[A-Za-z0-9._%+\-]{4,64}")
PLAIN_HOST = re.compile(r"(?:[A-Za-z0-9\-]{1,40}\.){1,6}[A-Za-z]{2,24}")


def password_at(before: str, value: str) -> bool:
    """Tell whether what stands before an at sign is the password of `user:password@host` rather than a mailbox.

    A known account stands before it, or it mixes characters as no mailbox does. Whatever this accepts, the rule of
    passwords before hosts accepts too: what is no address any more is a password.
    """
    login = LOGIN_BEFORE.search(before)
    if login is None or MAIL_LABEL.search(before) or value.lower() in SYSTEM_USERS or not PASSWORD.fullmatch(value):
        return False
    if templated(value) or SENSITIVE_WORD.fullmatch(value):
        return False
    mixed = value != value.upper() and value != value.lower() and any(c.isdigit() for c in value)
    return mixed or (login[1].lower() in SYSTEM_USERS and any(c.isdigit() for c in value))


def ssn(hit: Hit) -> bool:
    """Accept a number the Social Security Administration could have issued."""
    number = digits(hit.value)
    area, group, serial = number[:3], number[3:5], number[5:]
    return len(number) == 9 and area not in ("000", "666") and area < "900" and group != "00" and serial != "0000"


def phone_us(hit: Hit) -> bool:
    """Accept a North American number that does not stand in a list of numbers or inside a longer one."""
    number = digits(hit.value)[-10:]
    if number[3] in "01" or number[0] in "01" or len(set(number)) < 3:
        return False
    if PHONE_BEFORE.search(hit.before):
        return True
    marked = any(c in hit.value for c in "+(-.")
    return marked and not NUMBER_BEFORE.search(hit.before) and not NUMBER_AFTER.search(hit.after)


def phone_international(hit: Hit) -> bool:
    """Accept a plus sign or two zeros and 8 to 15 digits (E.164) outside arithmetic, diffs and lists of numbers."""
    number = digits(hit.value)
    if not 8 <= len(number) <= 15 or len(set(number)) < 3 or NUMBER_AFTER.search(hit.after):
        return False
    return not (GLUED.search(hit.before) or (hit.value[0] == "0" and NUMBER_BEFORE.search(hit.before)))


def phone_named(hit: Hit) -> bool:
    """Accept 7 to 15 digits that the text itself calls a phone number."""
    number = digits(hit.value)
    return 7 <= len(number) <= 15 and len(set(number)) > 2 and not DATE.match(hit.value)


def ipv4(hit: Hit) -> bool:
    """Accept an address of a real machine: no loopback, wildcard, mask, network, public resolver or version number."""
    octets = hit.value.split(".")
    parts = [int(octet) for octet in octets]
    if max(parts) > 255 or any(octet[0] == "0" and octet != "0" for octet in octets):
        return False
    if parts[0] in (0, 127, 255) or 224 <= parts[0] < 240 or hit.value in KEPT_ADDRESSES:
        return False
    if parts[3] == 0 and hit.after.startswith("/"):
        return False
    before = hit.before[-24:]
    told = max(parts) > 30 or ipaddress.IPv4Address(hit.value).is_private
    if (told and not VERSION_BEFORE.search(before)) or hit.after.startswith(" - "):
        return True
    return ADDRESS_BEFORE.search(before) is not None


def ipv6(hit: Hit) -> bool:
    """Accept an address of a real machine that is no time, slice or scope operator."""
    groups = [g for g in hit.value.split(":") if g]
    if len(groups) < 3 or max(map(len, groups)) < 3 or hit.value.lower() in KEPT_ADDRESSES:
        return False
    try:
        address = ipaddress.IPv6Address(hit.value)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or address.is_multicast)


def mac(hit: Hit) -> bool:
    """Accept a hardware address that is neither blank, broadcast nor part of a longer fingerprint."""
    plain = hit.value.lower().replace("-", ":")
    if "." in plain and (plain.replace(".", "").isdigit() or not any(map(str.isdigit, plain))):
        return False
    return len(set(plain)) >= 4 and not plain.startswith("01:00:5e")


def person(hit: Hit) -> bool:
    """Accept a written name: letters, no template, no type, no robot; without quotes it has a capital letter."""
    name = hit.value.strip()
    if len(name) > 80 or name.count(" ") > 7 or hit.after.startswith(("(", "[", ".")) or NO_NAME.search(name):
        return False
    quoted = hit.before.endswith(('"', "'", "`", "\\"))
    return any(c.isalpha() for c in name) and (quoted or name != name.lower())


def trim_sentence(value: str) -> str:
    """Cut blanks and the full stop that ends a sentence."""
    return value.rstrip(" .")


def full_name(hit: Hit) -> bool:
    """Accept two to four words that all begin with a capital letter."""
    words = hit.value.split()
    return 2 <= len(words) <= 4 and all(word[0].isupper() for word in words) and person(hit)


def birth(hit: Hit) -> bool:
    """Accept a day of birth; in brackets or after a semicolon stand the dates of encyclopaedias."""
    return not re.search(r"[(;] ?born (?:on )?$", hit.before)


def written(hit: Hit) -> bool:
    """Accept any short value that is not empty, a template, a type name or an identifier."""
    numbered = len(hit.value) <= 120 and any(c.isdigit() for c in hit.value) and "_" not in hit.value
    return person(hit) or (numbered and person_free(hit.value))


def email_trim(value: str) -> str:
    """Cut an address where something else goes on without a space: ann@acme.com.Then, ann@acme.com-bob@acme.com."""
    address = value.rstrip(".")
    mailbox, _, domain = address.rpartition("@")
    labels = domain.split(".")
    if labels[-1].lower() in FILE_ENDING or _known_ending(labels[-1]):
        return address
    for last in range(len(labels) - 1, 0, -1):
        ending = labels[last].partition("-")[0]
        if _known_ending(ending):
            return f"{mailbox}@{'.'.join([*labels[:last], ending])}"
    return address


def _known_ending(label: str) -> bool:
    ending = label.lower()
    return len(ending) == 2 or ending in LONG_ENDINGS or not ending.isascii() or ending.startswith("xn--")


def has_digit(hit: Hit) -> bool:
    """Accept values such as dates and numbers, refuse names of fields and templates."""
    return any(c.isdigit() for c in hit.value) and person_free(hit.value)


def person_free(value: str) -> bool:
    """Tell whether a value is free of templates and placeholders."""
    return not re.search(r"[<>{}$%()]", value)


def street_like(hit: Hit) -> bool:
    """Accept a quoted address that reads as a place: digits and words, no URL, no host, no hex."""
    return bool(re.search(r"\d", hit.value) and re.search(r"[^\W\d_]{2,} |[^\W\d_]{3,},", hit.value)) and person_free(
        hit.value
    )


def address_line(hit: Hit) -> bool:
    """Accept a line of a form that begins or ends with a house's number and names a street."""
    numbered = hit.value[:1].isdigit() or (hit.value[-1:].isdigit() and hit.value.count(" ") < 3)
    return numbered and hit.value != hit.value.lower() and street_like(hit)


def postcode(hit: Hit) -> bool:
    """Accept a postal code: 3 to 10 characters with a digit."""
    value = hit.value.strip()
    return (
        3 <= len(value) <= 10
        and any(c.isdigit() for c in value)
        and person_free(value)
        and bool(re.fullmatch(r"[A-Za-z0-9 \-]+", value))
    )


def document_number(hit: Hit) -> bool:
    """Accept 5 to 20 letters and digits with at least four digits."""
    value = hit.value.strip()
    return bool(re.fullmatch(r"[A-Za-z0-9 \-/]{5,24}", value)) and len(digits(value)) >= 4


def account_number(hit: Hit) -> bool:
    """Accept 3 to 20 digits with separators."""
    value = hit.value.strip()
    return bool(re.fullmatch(r"[\d \-]{3,24}", value)) and len(digits(value)) >= 3
