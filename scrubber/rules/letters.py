"""Secrets of letters alone: a word is a credential where a literal stands, and a name where code does."""

from __future__ import annotations

import re

from errorhub.scrubber.caseless import Caseless
from errorhub.scrubber.rules.lookalikes import DUMMY, MASK
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.rules.wordlists import IDENTIFIER_PARTS, NO_PASSWORD, NO_SECRET

LATIN = re.compile(r"[A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]{6,64}")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+")
HUMP = re.compile(r"[a-z][A-Z]")
SCRAMBLED = re.compile(
    r"[a-z][A-Z][a-z]?[A-Z]|[A-Z]{2}[a-z][A-Z]|[a-z]{2}[A-Z]{2}[a-z]|(?i:[bcdfghjklmnpqrstvwxz]{5})|(?i:q[^u])"
)
"""Letters that no words make, however their parts are written."""
SENSITIVE_ENDS = Caseless(
    r"^(?:pass(?:word|wd|phrase|code)|secret|token|api_?key|user_?name|auth(?:entic|oriz)|cred)"
    r"|(?:pass(?:w(?:or|)d|phrase|code|wort)?|secrets?|tokens?|keys?|credentials?|creds?|username|kennwort|senha|parola)$"
)
ASKED = re.compile(
    r"(?i)(?:forgot|reset|chang|lost|show|hid|invalid|wrong|incorrect|bad|missing|requir|validat)\w{0,5}"
    r"[_\-. ]?(?:pass|pwd|secret|token|api|pin)[\w\-]*\W*$"
)
"""Names of buttons, messages and switches that speak of a credential."""
STRONG_NAME = re.compile(
    r"(?i)(?:secret(?:[_\- ]?(?:access)?[_\- ]?key)?|(?:api|access)[_\-. ]?key|(?:encryption|signing|jwt|hmac)"
    r"[_\- ]?key|(?:api|access|auth|refresh|bearer|bot|vault|oauth|deploy|secret|app|webhook|login|git(?:hub|lab)?)"
    r"[_\- ]?token)(?:[_\-.]?(?:prod|production|dev|staging|test|live|old|new|value|v?\d{1,2}))?[\"'`]?\]?"
    r"\s{0,4}(?::=|=>|=|:)\s{0,4}[bfru@$]{0,2}[\"'`]?$"
)
"""Names under which nothing but a credential stands, with their separator."""
PUBLIC_TOKEN = re.compile(r"(?i)(?:bos|eos|pad|unk|sep|cls|mask|stop|special|sync|next|page|start|end|type)_?token\W*$")
ENVIRONMENT = re.compile(
    r"(?:^|[^A-Za-z0-9_])(?:[A-Z][A-Z0-9]*_)*[A-Z0-9]*(?:PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|SECRET|TOKEN|"
    r"(?:API|ACCESS|SECRET|SIGNING|ENCRYPTION)_?KEY)(?:_[A-Z0-9]{1,12})?=[\"']?$"
)
CAPITALS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
DEFINED = re.compile(r"(?i)define\(\s{0,2}[\"'][\w.\-]*[\"']\s{0,2},\s{0,2}[\"']$")
QUERY_PASSWORD = re.compile(r"(?i)(?:^|[?&\s\"'])[\w.\-]*(?:pass(?:word|wd|phrase)?|pwd|client_?secret)=$")
NEXT = re.compile(r"&[\w.\-\[\]]+=")
SPACED = re.compile(r"[A-Za-z_][ \t]{1,3}[\"'`]$")
LINE = re.compile(r"(?:^|[\r\n])[ \t+\->#|]*[\w.\-\[\]]*(?::[ \t]{1,4}|=)$")
WORD_BEFORE = re.compile(r"(?:^|[\s\"'`;])[\w.\-]*=$")
LINE_END = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:$|\r?\n(?![ \t]*\)))")
ENDS = re.compile(r"$|[\"'`;&|\\.!?]?(?:\s(?!\s*[)=({<|])|$)")
CODE_AFTER = re.compile(r"\s*[(\[<{=,|)]|\.\w|\s*=>|::|\?\.")
SENTENCE_END = re.compile(r"[`.!*]{0,3}\s*(?:$|[\r\n])")
PASSWORD_TOLD = re.compile(r"(?i)(?:pass(?:word|wd|phrase|code)|pwd)[^\r\n]{0,60}$")
OPTION_END = re.compile(r"[\"'`\\;|&)]?\s*$|\s+-|\s*[\"'`\\;|&>]|\s*\n")


def worded(value: str) -> bool:
    """Tell whether a value is letters alone that name nothing: no type, no message, no identifier of a credential."""
    if not LATIN.fullmatch(value) or MASK.search(value) or DUMMY.search(value):
        return False
    lower = value.lower()
    if lower in NO_PASSWORD or lower in NO_SECRET or SENSITIVE_ENDS.search(value):
        return False
    parts = PART.findall(value)
    return len(parts) == 1 or len(parts) > 4 or not any(part.lower() in IDENTIFIER_PARTS for part in parts)


def humped(value: str) -> bool:
    """Tell whether a value has capitals inside and begins with one, or reads as no words at all."""
    return bool(HUMP.search(value) and (value[0].isupper() or SCRAMBLED.search(value)))


def humped_word(value: str) -> bool:
    """Tell whether a value is a word whose capitals say that it is meant literally."""
    return worded(value) and humped(value)


def scrambled(value: str) -> bool:
    """Tell whether letters follow each other as in no word."""
    return len(value) >= 10 and SCRAMBLED.search(value) is not None


def quoted_password(hit: Hit) -> bool:
    """Accept a quoted word under a password's name."""
    value = hit.value.strip()
    if not worded(value) or ASKED.search(hit.before):
        return False
    return humped(value) if SPACED.search(hit.before) else True


def quoted_secret(hit: Hit) -> bool:
    """Accept a quoted word under a name that stands for nothing but a credential, random letters under any."""
    value = hit.value.strip()
    if not worded(value) or _public(hit.before) or ASKED.search(hit.before) or SPACED.search(hit.before):
        return False
    return scrambled(value) or _in_environment(hit.before) or STRONG_NAME.search(hit.before) is not None


def defined(hit: Hit) -> bool:
    """Accept the word that a constant of a credential's name is defined as."""
    return DEFINED.search(hit.before) is not None and worded(hit.value)


def queried(hit: Hit) -> bool:
    """Accept a word under a password's name in a query or form, random letters under any name."""
    if not worded(hit.value) or CODE_AFTER.match(hit.after):
        return False
    return scrambled(hit.value) or QUERY_PASSWORD.search(hit.before) is not None


def bare_password(hit: Hit) -> bool:
    """Accept an unquoted word in an environment or on a line of configuration; elsewhere only with capitals inside."""
    value, before, after = hit.value, hit.before, hit.after
    if not worded(value) or CODE_AFTER.match(after) or ASKED.search(before):
        return False
    if _in_environment(before) or (NEXT.match(after) and QUERY_PASSWORD.search(before)):
        return True
    if HUMP.search(value) and not humped(value):
        return False
    return _configured(before, after) or (humped(value) and bool(ENDS.match(after)))


def _public(before: str) -> bool:
    """Tell whether a name before a value is one of tokens that everybody may see."""
    return "oken" in before.lower() and PUBLIC_TOKEN.search(before) is not None


def _in_environment(before: str) -> bool:
    """Tell whether a name in capitals and an equals sign stand before a value."""
    return before.rstrip("\"'=")[-1:] in CAPITALS and ENVIRONMENT.search(before) is not None


def _configured(before: str, after: str) -> bool:
    """Tell whether a value stands at the end of a line of configuration, or between blanks after an equals sign."""
    if not LINE_END.match(after):
        return False
    if LINE.search(before):
        return True
    return "(" not in before and WORD_BEFORE.search(before) is not None and ENDS.match(after) is not None


def bare_secret(hit: Hit) -> bool:
    """Accept an unquoted word in an environment, and random letters after the name of a secret."""
    value, before, after = hit.value, hit.before, hit.after
    if CODE_AFTER.match(after) or _public(before):
        return False
    return _stands_secret(value, before, after) and worded(value)  # what costs most is asked last


def _stands_secret(value: str, before: str, after: str) -> bool:
    """Tell whether a word stands where a secret would."""
    if _in_environment(before):
        return True
    if HUMP.search(value) and not humped(value):
        return False
    if scrambled(value):
        return bool((LINE.search(before) and LINE_END.match(after)) or STRONG_NAME.search(before))
    return len(value) > 7 and _configured(before, after) and STRONG_NAME.search(before) is not None


def option_word(hit: Hit) -> bool:
    """Accept a word glued to its option; after a space, prose goes on about the option more often."""
    value = hit.value.rstrip(".,;:")
    if not worded(value) or (value.isupper() and len(value) < 16) or CODE_AFTER.match(hit.after):
        return False
    return hit.before.endswith(("=", '="', "='")) or humped(value) or bool(OPTION_END.match(hit.after))


def told_password(hit: Hit) -> bool:
    """Accept a word told in a sentence when its capitals or a colon say that it is meant literally."""
    value, before = hit.value, hit.before
    if not worded(value) or ASKED.search(before) or not PASSWORD_TOLD.search(before):
        return False
    return humped(value) or (before.endswith((": ", ": `", ":  ")) and bool(SENTENCE_END.match(hit.after)))
