"""Checks that refuse look-alikes of passwords and secrets: entropy, character classes, what stands around the value."""

from __future__ import annotations

import re

from errorhub.scrubber.rules import letters
from errorhub.scrubber.rules.lookalikes import (
    PLACEHOLDER,
    REFERENCE,
    SENSITIVE_WORD,
    UUID,
    classes,
    entropy,
    identifier_like,
    masked,
    templated,
)
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.rules.wordlists import NO_PASSWORD, NO_SECRET

STRONG_SYMBOLS = frozenset("!@#$^&*?~%+=|")
_HEX = "|".join(
    rf"[{letters}]{{{size}}}" for letters in ("0-9a-f", "0-9A-F") for size in ("7,12", 32, 40, 56, 64, 96, 128)
)
DIGEST = re.compile(rf"{_HEX}|(?i:sha)\d{{3}}-[A-Za-z0-9+/=]+")
"""Hex of a digest's length, short commit names too, and integrity strings."""
_WORD = r"(?:[A-Za-z]{3,}\d{0,4}|[A-Za-z]{1,2}\d?|\d{1,4})"
WORD_CHAIN = re.compile(rf"(?=[A-Za-z]){_WORD}(?:[-_./:,=+]+{_WORD})*[-_./:,=+]*")
"""Words and short numbers with separators between them: how identifiers, labels and dates look."""
PUBLIC_NAME = re.compile(
    r"(?i)(?:origin_?trial|public_?key|next|page|continuation|cursor|lock|sync|eos|bos|pad|unk|sep|cls|mask|"
    r"special|stop|csrf_?cookie_name)_?token\W{0,8}$"
)
NEXT_PART = re.compile(r"&(?:amp;)?[\w.\-\[\]]+=|&&")
NEXT_NAME = re.compile(r"(?i)(?:pass(?:word|wd)?|pwd|secret|token|_key)=$")
"""The name of another assignment, whose value must not be taken for a part of this one."""
NO_VALUE = re.compile(
    r"_(?:PREFIX|SUFFIX|NAME|TYPE|ID|URL|URI|PATH|FILE|DIR|LENGTH|SIZE|TTL|HEADER|FIELD|PARAM|COUNT|LIMIT|"
    r"FORMAT|PATTERN|REGEX|ERROR|MESSAGE|LABEL|TITLE)[ \t]*=[ \t]*[\"']?$"
)
CAPPED = re.compile(r"(?:[A-Z]+[a-z][A-Za-z]*(?:[-_][A-Za-z]+)+|[a-z]+(?:[-_][A-Z][a-z]+)+)\d{1,2}")
"""Words as people join them in passwords; code joins lower-case words."""
KEYWORD_ARGUMENT = re.compile(r"[a-z_]+=")
NAME = 32
"""Characters before a value that hold a public name and its separator."""
MIXED = re.compile(r"[a-z][A-Z][a-z]?[A-Z]|[A-Z]{2}[a-z][A-Z]|[a-z]{2}[A-Z]{2}[a-z]")
URL_LOGIN = re.compile(r"://[^\s/@\"'?]*:$")
"""The login of a URL may be called like a credential; what follows is the URL's password, and its host."""
BRACKETS = frozenset("()[]{}")
CALLED = re.compile(r"\w\(\s{0,2}[\"'][\w.\-]*[\"']\s{0,2},\s{0,12}[\"']$")
"""A call whose first argument is a name, as constants and properties are set."""
CALL_OR_INDEX = re.compile(r"[(\[]|\.\w+\(")


def secret_literal(hit: Hit) -> bool:
    """Accept a quoted string assigned to a credential's name."""
    value = hit.value.strip()
    if len(value) < 8 or " " in value or masked(value) or (value[-1] == "=" and NEXT_NAME.search(value)):
        return False
    weak = value.isdigit() or identifier_like(value) or word_chain(value) or not varied(value)
    if weak and not UUID.fullmatch(value):
        return False
    name = hit.before[-NAME:]
    return not ("oken" in name.lower() and PUBLIC_NAME.search(name))


def secret_bare(hit: Hit) -> bool:
    """Accept an unquoted value, which in code may as well be a name, a call or an index."""
    value = hit.value
    if CALL_OR_INDEX.match(hit.after) or not BRACKETS.isdisjoint(value):
        return False
    if "://" in hit.before and URL_LOGIN.search(hit.before):
        return False
    if value.startswith(("http://", "https://", "file:", "git@", "&", "*", "|")):
        return False
    return secret_literal(hit)


def password_literal(hit: Hit) -> bool:
    """Accept a quoted password, also a weak one: digits, a phrase, one word that names nothing."""
    return (
        secret_literal(hit) or _weak_password(hit.value) or _plain_password(hit.value) or letters.quoted_password(hit)
    )


def secret_quoted(hit: Hit) -> bool:
    """Accept a quoted secret, also one of letters alone where its name leaves no doubt."""
    return letters.quoted_secret(hit) if hit.value.strip().isalpha() else secret_literal(hit)


def secret_unquoted(hit: Hit) -> bool:
    """Accept an unquoted secret, also one of letters alone in an environment."""
    return letters.bare_secret(hit) if hit.value.isalpha() else secret_bare(hit)


def password_assigned(hit: Hit) -> bool:
    """Accept an unquoted password, also a word where configuration stands and no code."""
    return letters.bare_password(hit) if hit.value.isalpha() else password_bare(hit)


def password_bare(hit: Hit) -> bool:
    """Accept a password in a place where only a password can stand, such as after `sshpass -p`."""
    if CALL_OR_INDEX.match(hit.after) or hit.value.startswith(("http://", "https://", "file:", "&", "*")):
        return False
    return secret_bare(hit) or _weak_password(hit.value) or (hit.value.isdigit() and _plain_password(hit.value))


def password_given(hit: Hit) -> bool:
    """Accept whatever stands in a password's own place unless it is a mask, a template or the word itself."""
    return (
        not templated(hit.value)
        and not SENSITIVE_WORD.fullmatch(hit.value.rstrip(",;"))
        and hit.value.lower() not in NO_PASSWORD
    )


def password_passed(hit: Hit) -> bool:
    """Accept the quoted argument in a password's place; with figures even the word itself is meant literally."""
    return password_given(hit) or (hit.value[-1:].isdigit() and not masked(hit.value))


def passed_second(hit: Hit) -> bool:
    """Accept the literal that a call takes after a login or a payload."""
    return secret_literal(hit) or _weak_password(hit.value)


def secret_handed(hit: Hit) -> bool:
    """Accept what a command stores as a secret, unless it names the file that holds it."""
    return password_given(hit) and not hit.value.startswith(("file:", "fileb:", "@", "<"))


def env_value(hit: Hit) -> bool:
    """Accept the value of an environment line whose name ends in a credential word."""
    if NO_VALUE.search(hit.before):
        return False
    if "PASS" in hit.before.upper() and (password_bare(hit) or _plain_password(hit.value)):
        return True
    return secret_unquoted(hit)


def set_value(hit: Hit) -> bool:
    """Accept the value that follows a credential's name and a space in `ENV`, `setx` or `SetEnv`."""
    return secret_bare(hit) or letters.worded(hit.value)


def pair_literal(hit: Hit) -> bool:
    """Accept the second of two quoted strings when the first is a credential's name."""
    if secret_literal(hit) or letters.defined(hit):
        return True
    return (
        CALLED.search(hit.before) is not None and hit.after[1:].lstrip().startswith(")") and _weak_password(hit.value)
    )


def element_text(hit: Hit) -> bool:
    """Accept the text of an element named like a credential; a placeholder of ours is no element."""
    opened = PLACEHOLDER.search(hit.before[-40:])
    if opened and not hit.after.startswith(f"</{opened[0][1:]}"):
        return False
    if hit.before.lower().endswith("token>"):
        return secret_literal(hit) or (letters.worded(hit.value) and letters.scrambled(hit.value))
    return password_literal(hit)


def one_time_code(hit: Hit) -> bool:
    """Accept a code of digits that are not all the same."""
    return len(set(hit.value)) > 2


def spaced_value(hit: Hit) -> bool:
    """Accept a random run after a credential's name and a space: prose stands there more often than a secret."""
    value = hit.value
    return (
        entropy(value) >= 3.0
        and not masked(value)
        and any(c.isdigit() for c in value)
        and any(c.isalpha() for c in value)
        and not identifier_like(value)
        and not UUID.fullmatch(value)
        and not DIGEST.fullmatch(value)
        and not any(mark in value for mark in ("()", "==", "://", "/", "..."))
        and not WORD_CHAIN.fullmatch(value)
    )


def broken_secret(hit: Hit) -> bool:
    """Accept two lines of a random run: each mixes letters and digits and reads as no words."""
    head, _, tail = hit.value.partition("\n")
    return all(
        varied(piece) and sum(c.isdigit() for c in piece) > 1 and not identifier_like(piece) and not word_chain(piece)
        for piece in (head.strip(), tail.strip())
    ) and not masked(hit.value)


def bracketed_password(hit: Hit) -> bool:
    """Accept a line's last word with brackets: in code they balance or open at the end, in a password they do not."""
    value = hit.value
    if len(value) < 7 or _balanced(value) or value[-1] in "([{,;:\\" or masked(value) or REFERENCE.search(value):
        return False
    return varied(value) and any(c in STRONG_SYMBOLS or c.isdigit() for c in value[1:-1])


def word_chain(value: str) -> bool:
    """Tell whether a value is words joined by separators, each with at most three digits after it."""
    return WORD_CHAIN.fullmatch(value) is not None and not MIXED.search(value)


def _balanced(value: str) -> bool:
    stack: list[str] = []
    for char in value:
        if char in "([{":
            stack.append({"(": ")", "[": "]", "{": "}"}[char])
        elif char in ")]}" and (not stack or stack.pop() != char):
            return False
    return not stack


def option_value(hit: Hit) -> bool:
    """Accept the argument of `--password` and its like."""
    value = hit.value
    if (
        masked(value)
        or CALL_OR_INDEX.match(hit.after)
        or value.startswith(("$", "-", "/", "@", "file:"))
        or KEYWORD_ARGUMENT.match(value)
    ):
        return False
    figured = any(c.isdigit() or c in STRONG_SYMBOLS for c in value) and not _named(value)
    return figured or password_bare(hit) or letters.option_word(hit)


def attached_password(hit: Hit) -> bool:
    """Accept a password glued to `-p`, which elsewhere takes ports and paths."""
    value = hit.value
    return not masked(value) and not value.isdigit() and not value.startswith(("/", "$", "~", "rompt", "assword"))


def user_option(hit: Hit) -> bool:
    """Accept the password of `-u name:password`; numeric user and group ids are no credentials."""
    value = hit.value
    return value != "password" and not masked(value) and not value.isdigit() and not value.startswith(("//", "$"))


def prose_password(hit: Hit) -> bool:
    """Accept a password told in a sentence: it holds a digit or an inner symbol and is no reference."""
    value = hit.value
    if masked(value) or len(value) < 5 or _named(value) or "(" in value or value.startswith(("/", "http", "--", "$")):
        return False
    letters = any(c.isalpha() for c in value)
    return letters and (any(c.isdigit() for c in value) or any(c in STRONG_SYMBOLS for c in value[1:-1]))


def told_password(hit: Hit) -> bool:
    """Accept a password told in a sentence, also a word that is plainly meant literally."""
    return prose_password(hit) or letters.told_password(hit)


def trim_bare(value: str) -> str:
    """Cut what belongs to the shell or the query: the next parameter, an and sign."""
    return NEXT_PART.split(value, maxsplit=1)[0].rstrip("&") if "&" in value else value


def trim_prose(value: str) -> str:
    """Cut the punctuation that ends a sentence or a clause."""
    return value.rstrip(".,;:)]*\"'")


def varied(value: str) -> bool:
    """Tell whether a value mixes its characters as a credential does: a digit and another class, or three classes."""
    kinds = classes(value)
    if any(map(str.isdigit, value)):
        return kinds >= 2 and entropy(value) >= 2.3
    strong = any(c in STRONG_SYMBOLS for c in value[1:-1])
    return (kinds >= 3 or strong) and len(value) >= 6 and entropy(value) >= 2.5


def _named(value: str) -> bool:
    """Tell whether a value reads as code rather than as a password."""
    return identifier_like(value) and (not CAPPED.fullmatch(value) or SENSITIVE_WORD.fullmatch(value) is not None)


def _weak_password(value: str) -> bool:
    if masked(value) or not 4 <= len(value) <= 64:
        return False
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value) and not _named(value)


def _plain_password(value: str) -> bool:
    if value.isdigit():
        return len(value) >= 6 and not masked(value)
    word = value.rstrip("!?")
    return (
        word.isalpha()
        and word.islower()
        and 5 <= len(word) <= 32
        and word not in NO_PASSWORD | NO_SECRET
        and not masked(value)
    )
