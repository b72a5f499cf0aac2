"""Checks of credentials in calls, forms and documents: what only looks like one."""

from __future__ import annotations

import re

from errorhub.scrubber.rules.checks import (
    password_given,
    password_literal,
    prose_password,
    secret_literal,
    spaced_value,
)
from errorhub.scrubber.rules.lookalikes import SENSITIVE_WORD, masked
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.rules.wordlists import words

PASSWORD_NAMED = re.compile(r"(?i)(?:pass|pwd|psk|\bpw|kennwort|contrase|senha|wachtwoord|parola|heslo|has[\wł]{1,2}o)")
FILLING = re.compile(r"(?i)\b(?:fill|type|enter|send_?keys|set_?value|input)\w{0,8}\s?\(")
SENTENCE = re.compile(r"(?:enable|username)\s")
NAMING = re.compile(r"(?i)secret|token|key|name|pass")
METHOD = re.compile(r"(?i)(?:sha|md|aes|rsa|base|utf|bcrypt|argon)[\-_]?\d")
NO_SEED = words("the and for are not with from into its was has have had been which but all our")
"""Words of sentences that no list of words for seeds holds."""


def set_by_call(hit: Hit) -> bool:
    """Accept the literal that a setter is given: any password, a random secret."""
    return password_literal(hit) if PASSWORD_NAMED.search(hit.before[-24:]) else secret_literal(hit)


def filled(hit: Hit) -> bool:
    """Accept what a test or a browser types into a password's field; in other calls two names stand side by side."""
    value = hit.value
    if masked(value) or SENSITIVE_WORD.fullmatch(value) or not FILLING.search(hit.before):
        return False
    return any(map(str.isdigit, value)) or prose_password(hit)


def labelled(hit: Hit) -> bool:
    """Accept a value beside its label: a password with a digit or symbol, another credential when it is random."""
    if PASSWORD_NAMED.search(hit.before[-40:]):
        return prose_password(hit)
    return len(hit.value) > 15 and spaced_value(hit) and not NAMING.search(hit.value)


def console(hit: Hit) -> bool:
    """Accept what a command sets; in sentences a word follows `enable secret`, too."""
    return password_given(hit) and not (hit.value.isalpha() and SENTENCE.search(hit.before))


def handed(hit: Hit) -> bool:
    """Accept what a tool is given as a password; everybody knows the communities that devices come with."""
    return password_given(hit) and hit.value not in ("public", "private")


def told(hit: Hit) -> bool:
    """Accept what a sentence calls a password; the names of methods stand there too."""
    return prose_password(hit) and not METHOD.match(hit.value)


def seed_words(hit: Hit) -> bool:
    """Accept a run of words that is no sentence (BIP 39)."""
    found = hit.value.lower().split()
    long = sum(map(len, found)) > 4 * len(found)
    return long and NO_SEED.isdisjoint(found) and len(set(found)) > 8
