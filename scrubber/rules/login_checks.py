"""Checks of credentials beside their login: what only looks like a pair, a password file or a hash."""

from __future__ import annotations

import re

from errorhub.scrubber.rules import letters
from errorhub.scrubber.rules.checks import password_bare, password_given, prose_password
from errorhub.scrubber.rules.lookalikes import PLACEHOLDER
from errorhub.scrubber.rules.personal_checks import MAIL_LABEL, password_at
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.rules.wordlists import FILE_ENDING, SYSTEM_USERS, words

CODE_ENDING = words("c cc cfg conf cs ex exs h hs ini ipynb kts lua m md ml pl pm py pyi pyx r rs sh sql swift txt vue")
FILE_HOST = re.compile(r"(?:^|[\s+\->|])([^\s:]+):(?:\d+|\*):[^\s:]+:[^\s:]+:$")
BOARD = re.compile(r"(?i)gpio|board|led|pull|digital|analog|pin_?mode")


def file_password(hit: Hit) -> bool:
    """Accept the last field of a line `host:port:database:user:password` (PostgreSQL, The Password File)."""
    named = FILE_HOST.search(hit.before)
    ending = named[1].rpartition(".")[2].lower() if named and "." in named[1] else ""
    return ending not in FILE_ENDING | CODE_ENDING and password_given(hit)


def hash_of_password(hit: Hit) -> bool:
    """Accept a hash in modular crypt format whose last field is random (crypt(5))."""
    return len(set(hit.value[-22:])) > 9 and not PLACEHOLDER.search(hit.value)


def paired(hit: Hit) -> bool:
    """Accept the password that follows its user; in brackets and after commas stand names of code."""
    if not password_given(hit) or letters.CODE_AFTER.match(hit.after):
        return False
    plain = not any(mark in hit.before for mark in "({,") and letters.worded(hit.value)
    return plain or letters.humped_word(hit.value) or password_bare(hit)


def at_host(hit: Hit) -> bool:
    """Accept `user:password@host` without a scheme; a label before `user@host` is no user."""
    if MAIL_LABEL.search(hit.before) or hit.value.lower() in SYSTEM_USERS:
        return False
    machine = re.match(r"@(?:[\d.]+(?:[^\w.\-]|$)|localhost|[\w.\-]+:\d)", hit.after)
    return (bool(machine) or password_at(hit.before, hit.value)) and password_given(hit)


def pin(hit: Hit) -> bool:
    """Accept a number of a card or a door; those of boards name contacts."""
    return len(set(hit.value)) > 2 and not BOARD.search(hit.before)


def phrase(hit: Hit) -> bool:
    """Accept what is told after the word itself when digits, symbols or capitals say that it is meant literally."""
    return prose_password(hit) or letters.humped_word(hit.value)
