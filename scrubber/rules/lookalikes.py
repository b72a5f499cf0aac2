"""What looks like a secret and must survive: placeholders, masks, templates, references, identifiers.

The list is section 7 of the scrubbing reference: a trace whose identifiers and templates are masked teaches nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log2

from errorhub.scrubber.caseless import Caseless
from errorhub.scrubber.rules.rule import Hit

PLACEHOLDER = re.compile(r"<[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*(?:_\d+)?>")
"""Our own marks, such as `<EMAIL_1>` and `<DROPPED>`."""

TEMPLATE = re.compile(
    r"\$\{[A-Za-z_][\w.]*(?::?[-=?+][^{}]*)?\}|\$\([^()]{1,64}\)|\{\{[-\s]*[\w.|()\x27\" ]{1,64}[-\s]*\}\}|<%|"
    r"%\(\w+\)|^\{\{|^\$[A-Za-z_{(]|"
    r"^%[A-Za-z_]+%?$|^\{[\w.:!]*\}$"
    r"|^<[^<>]*>?$|^\[[^\]]*\]$|^%[sdr]$|^__\w+__$|^@\w+@?$"
)
REFERENCE = Caseless(
    r"environ|getenv|process\.env|env\.[a-z_]|env\[|secrets\.[a-z_]|vars\.[a-z_]|config\.[a-z_]|settings\.[a-z_]"
    r"|args\.[a-z_]|self\.|this\.|vault:|secretsmanager|keyring|ssm:|op://|ref\+|import\.meta"
)
DUMMY = Caseless(
    r"^(?:(?:my|your|our)[-_ .]?|(?:the|some|any|insert|enter|put|add|use|replace|paste|type|a|an)[-_ .])"
    r"(?:[A-Za-z0-9]+[-_ .])*(?:api|secret|token|key|pass|password|passwd|pwd|auth|credential|here|value|"
    r"access|client|bearer|string)"
    r"|(?:^|[-_ .<\[(])(?:your|change[-_]?me|replace[-_]?me|redacted|removed|masked|hidden|censored|omitted|"
    r"sanitized|filtered"
    r"|placeholder|dummy|fake|sample|todo|fixme|not[-_]?set|undefined|here)(?:$|[-_ .>\])])"
    r"|changeme|replaceme|placeholder|redacted|your[-_]?(?:api|key|token|secret|password|access)|"
    r"example[-_](?:key|token|secret|pass)"
)
MASK = re.compile(
    r"(?i)x{4,}|\*{3,}|\.{3,}|…|•{2,}|#{4,}|^_{5,}|_{5,}$|_{8,}|^\?+$|^(.)\1+$|^0+$|^-+$|1234567890(?:1234567890)+"
)
"""Masked values, in whole or in part."""

EXPRESSION = re.compile(r"\\[wdsbWDSB][*+?{\]]?|\[\^|\(\?[:=!<P]")
"""Pieces of regular expressions."""

SEQUENCE = re.compile(
    r"(?i)abcdefghijklmnop|0123456789abcdef|123456789012|([a-z0-9])\1{7,}|(?:abc123){2,}|(?:1234){3,}"
)

IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*(?:\[[^\]]*\])*")
WORDS = re.compile(r"[A-Za-z]+(?:[-_./ ][A-Za-z]+)*\d{0,2}")
HEX_COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}")
NUMBER_LIKE = re.compile(
    r"[+-]?\d[\d_,]*(?:\.\d+)*(?:e[+-]?\d+)?(?:[a-z%]{1,3})?|v?\d+(?:\.\d+)+[\w.+-]*|\d{4}-\d\d-\d\d[T ]?[\d:.Z+-]*",
    re.I,
)
PATH = re.compile(
    r"(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+-]*)+|[A-Za-z]:\\[\\\w. -]+|[\w.-]+(?:/[\w.-]+)+\.\w{1,5}|"
    r"[\w-]+\.(?:py|js|ts|json|ya?ml|toml|txt|md|pem|key|crt|env|cfg|ini|sh|html?|css|java|go|rs)"
)
UUID = re.compile(r"(?i)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
LONGEST = 512
"""Characters of a value that are read for masks and templates."""
FIGURES = re.compile(r"\d+")
DOTTED = re.compile(r"[A-Za-z_]\w{0,30}(?:\.[A-Za-z_]\w{0,40})+")
SENSITIVE_WORD = re.compile(
    r"(?i)^[\W_]*(?:[a-z]+[_-])*(?:pass(?:word|wd|phrase|code)?|pwd|secret|token|key|auth|credential|"
    r"api[_-]?key|hash|salt)s?[\d_]*$"
)


SEPARATORS = dict.fromkeys(map(ord, "_-. /:"))


@lru_cache(maxsize=4096)
def entropy(value: str) -> float:
    """Return Shannon entropy in bits a character."""
    size = len(value)
    return -sum(n / size * log2(n / size) for n in Counter(value).values()) if size else 0.0


@lru_cache(maxsize=4096)
def classes(value: str) -> int:
    """Count character classes: lower, upper, digit, other (separators of identifiers do not count)."""
    rest = value.translate(SEPARATORS)
    other = bool(rest) and not rest.isalnum()
    return (value != value.upper()) + (value != value.lower()) + any(map(str.isdigit, value)) + other


@lru_cache(maxsize=4096)
def masked(value: str) -> bool:
    """Tell whether a value is a mask, a dummy, a template or one of our own placeholders."""
    return templated(value) or SEQUENCE.search(value[:LONGEST]) is not None


@lru_cache(maxsize=4096)
def templated(value: str) -> bool:
    """Tell whether a value is a mask, a dummy or a template; letters in the order of the alphabet may be a password."""
    value = value[:LONGEST]
    if MASK.search(value) or DUMMY.search(value):
        return True
    return not value.isalnum() and bool(PLACEHOLDER.search(value) or TEMPLATE.search(value) or EXPRESSION.search(value))


def not_masked(hit: Hit) -> bool:
    """Accept what a provider could have issued: no mask, no dummy, some variety."""
    value = hit.value
    return len(set(value)) > 6 and not (MASK.search(value) or PLACEHOLDER.search(value) or DUMMY.search(value))


@lru_cache(maxsize=4096)
def identifier_like(value: str) -> bool:
    """Tell whether a bare value reads as code, a path, a number or words rather than as a credential."""
    if value.isalpha() and value.isascii():
        return True
    if not value.isalnum() and (
        HEX_COLOUR.fullmatch(value)
        or PATH.fullmatch(value)
        or WORDS.fullmatch(value)
        or (DOTTED.fullmatch(value) and len(FIGURES.findall(value)) < 3)
    ):
        return True
    return bool(NUMBER_LIKE.fullmatch(value) or SENSITIVE_WORD.fullmatch(value) or REFERENCE.search(value))
