"""Credentials that their name gives away: assignments in code, configuration, environments and markup."""

from __future__ import annotations

from errorhub.scrubber.rules import checks
from errorhub.scrubber.rules.logins import FOREIGN, FOREIGN_WORDS
from errorhub.scrubber.rules.rule import Check, Rule

PASSWORD = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|pswd|[_\-.]pass|(?:\b|_)(?:pw|psk)|sshpass|rediscli_auth|"
    rf"(?:user|db|pg|root|admin|smtp|mysql|ssh|ftp|mail)_?(?:pass|pw)|{FOREIGN})"
)
SECRET = (
    r"(?:secret(?:[_\- ]?access)?[_\- ]?key|secret|token|credentials?|bearer|webhook_?key|(?:\b|_)auth|"
    r"private[_\- ]?key|[_\-]creds?"
    r"|(?:encryption|encrypt|signing|signature|master|storage|account|shared|session|cookie|hmac|jwt|root|"
    r"deploy)[_\- ]?(?:key|salt))"
)
API_KEY = (
    r"(?:(?:api|access|app|application|auth|service|subscription|consumer|client|license|integration|"
    r"admin|write|read|x)[_\-. ]?key|apikey|api[_\-]?(?:id[_\-])?token)"
)
SUFFIX = (
    r"(?:[_\-.]?(?:prod|production|base|dev|stag(?:e|ing)|test|live|main|old|new|value|plain|text|b64|base64|"
    r"env|v?\d{1,2}))?"
)
NAME_END = r"[\"'`]?\]?(?:\[\])?"
ANNOTATION = r"(?:\s{0,2}:\s{0,2}(?:str|string|String|Optional\[str\]|str \| None|SecretStr|&str)\s{0,2})?"
VALUE = r",\s{0,2}[\"']?(?:parameter)?value[\"']?\s{0,2}[:=]|\r?\n[ \t]{1,24}value:"
"""What stands between a name and its value where each has a key of its own."""
SEPARATOR = rf"\s{{0,4}}(?::=|=>|={{1,3}}|:|<-|\?=|!=|{VALUE})(?:\s{{0,4}}|[ \t]{{5,24}})"
WRAPPED = r"(?:(?:String::from|(?:new )?String|SecretStr|SecretString|Secret|Some|Buffer\.from|bytes|str)\()?"
"""Types that a literal is put into."""
QUOTED = r"(?:[bfru@$]{0,2}\"([^\"\r\n]{4,})\"|[bfru@$]{0,2}'([^'\r\n]{4,})'|`([^`\r\n]{4,})`)"
BARE = r"([^\s\"'`<>,;(){}\[\]\\&|=][^\s\"'`<>,;(){}\[\]\\|=]{2,200}[^\s\"'`<>,;(){}\[\]\\|=.:?]={0,3})"

PASSWORD_WORDS = ("pass", "pwd", "pswd", "pw", "psk", "rediscli_auth", *FOREIGN_WORDS)
SECRET_WORDS = ("secret", "token", "cred", "bearer", "auth", "key", "salt")
KEY_WORDS = ("key", "token")


def _assignments(
    name: str, kind: str, words: str, keywords: tuple[str, ...], literal: Check, bare: Check
) -> tuple[Rule, ...]:
    start = f"(?i){words}{SUFFIX}{NAME_END}{ANNOTATION}{SEPARATOR}"
    return (
        Rule(
            f"{name}-quoted",
            kind,
            f"(?i){words}(?:{SUFFIX}{NAME_END}{ANNOTATION}{SEPARATOR}{WRAPPED}|[ \t]{{1,3}}){QUOTED}",
            keywords,
            check=literal,
            generic=True,
        ),
        Rule(f"{name}-bare", kind, start + BARE, keywords, check=bare, trim=checks.trim_bare, generic=True),
    )


RULES: tuple[Rule, ...] = (
    *_assignments("password", "PASSWORD", PASSWORD, PASSWORD_WORDS, checks.password_literal, checks.password_assigned),
    *_assignments("secret", "SECRET", SECRET, SECRET_WORDS, checks.secret_quoted, checks.secret_unquoted),
    *_assignments("api-key", "API_KEY", API_KEY, KEY_WORDS, checks.secret_quoted, checks.secret_unquoted),
    Rule(
        "env-line",
        "SECRET",
        r"(?m)^[ \t+\->#|$]{0,8}(?:(?:export|set|setx|ENV|ARG|-e|--env|declare -x)[ \t]{1,2})?(?:[A-Z][A-Z0-9_]*)?"
        r"(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?|AUTH|SALT|DSN)(?:_[A-Z0-9]{1,12})?[ \t]?=[ \t]?"
        r"(?:\"([^\"\r\n]{4,})\"|'([^'\r\n]{4,})'|([^\s\"'`]{4,}))",
        ("pass", "pwd", "secret", "token", "key", "credential", "auth", "salt", "dsn"),
        check=checks.env_value,
        generic=True,
    ),
    Rule(
        "env-set",
        "SECRET",
        r"(?m)^[ \t+\->#|$]{0,8}(?:(?:ENV|SetEnv|setenv|set -gx)[ \t]{1,3}(?:[A-Z][A-Z0-9]*_)*(?:PASSWORD|PASSWD|"
        r"PASS|SECRET|TOKEN|(?:API|ACCESS|SECRET)_?KEY)|"
        r"(?i:setx)[ \t]{1,3}[\w.\-]*(?i:password|passwd|pass|secret|token|key))"
        r"[ \t]{1,3}[\"']?([^\s\"'`=]{6,200}={0,2})[\"']?"
        r"[ \t]{0,4}(?:/[mM])?\r?$",
        ("env", "set"),
        check=checks.set_value,
        generic=True,
    ),
    Rule(
        "markup-element",
        "SECRET",
        rf"(?i)<[\w:.\-]*(?:{PASSWORD}|{API_KEY}|secret|token|(?:encryption|signing|master|hmac|jwt)[_\-]?key)[\w:.\-]*>"
        r"([^<>\s]{4,})</",
        (*PASSWORD_WORDS, *SECRET_WORDS),
        check=checks.element_text,
        generic=True,
    ),
    Rule(
        "markup-pair",
        "SECRET",
        rf"(?i)(?:key|name)=[\"'][\w:.\-]*(?:{PASSWORD}|{API_KEY}|secret|"
        rf"token)[\w:.\-]*[\"']\s+(?:value|content)=(?:\"([^\"\r\n]{{4,}})\"|'([^'\r\n]{{4,}})')",
        (*PASSWORD_WORDS, *SECRET_WORDS),
        check=checks.password_literal,
        generic=True,
    ),
    Rule(
        "quoted-pair",
        "SECRET",
        rf"(?i)[\"'][\w.\-]*(?:{PASSWORD}|{API_KEY}|secret|(?:logged_in|nonce)_key|_salt|"
        rf"token)[\"']\s{{0,2}},\s{{0,12}}(?:\"([^\"\r\n]{{6,}})\"|'([^'\r\n]{{6,}})')",
        (*PASSWORD_WORDS, *SECRET_WORDS),
        check=checks.pair_literal,
        generic=True,
    ),
    Rule(
        "form-part",
        "SECRET",
        rf"(?i)name=[\"'][\w.\-]*(?:{PASSWORD}|{API_KEY}|secret|token)[\w.\-]*[\"'][ \t;]{{0,4}}"
        r"\r?\n\r?\n([^\s]{4,256})\r?\n",
        ("name=",),
        check=checks.password_given,
        generic=True,
    ),
    Rule(
        "plist-string",
        "SECRET",
        rf"(?i)<key>[\w.\- ]*(?:{PASSWORD}|{API_KEY}|secret|token)[\w.\- ]*</key>\s{{0,20}}"
        r"<string>([^<>\r\n]{4,})</string>",
        ("<key>",),
        check=checks.password_literal,
        generic=True,
    ),
    Rule(
        "variable-default",
        "SECRET",
        rf"(?i)variable\s{{1,3}}\"[\w\-]*(?:{PASSWORD}|{API_KEY}|secret|token)[\w\-]*\"\s{{0,3}}\{{[^}}]{{0,300}}?"
        r"default\s{0,8}=\s{0,3}\"([^\"\r\n]{4,})\"",
        ("variable",),
        check=checks.password_literal,
        generic=True,
    ),
    Rule(
        "broken-secret",
        "SECRET",
        rf"(?i)(?:{PASSWORD}|{SECRET}|{API_KEY}){SUFFIX}{NAME_END}{SEPARATOR}[\"']?"
        r"([A-Za-z0-9_\-+/.~]{6,}\r?\n[ \t]*[A-Za-z0-9_\-+/.~]{4,}={0,3})[\"']?,?[ \t]*(?:[\r\n]|$)",
        (*PASSWORD_WORDS, *SECRET_WORDS),
        check=checks.broken_secret,
        generic=True,
    ),
    Rule(
        "one-time-code",
        "PASSWORD",
        r"(?i)(?:one[\- ]?time[\- ](?:code|password|pin)|\botp|(?:access|verification|security|2fa|mfa|sms|login|"
        r"passcode|auth(?:entication)?)[_\- ]?code|passcode)"
        r"[\"']?(?:\s{0,2}[:=]|\s(?:is|was|for [\w@.]{1,40} is))?\s{0,2}[\"'`*]{0,2}(\d{4,8})(?:[^\d.\-/]|\.?(?:\s|$))",
        ("code", "time", "otp"),
        check=checks.one_time_code,
        generic=True,
    ),
    Rule(
        "lone-pass",
        "PASSWORD",
        r"(?i)(?:^|[\s,;/|({\[])[\"']?pass[\"']?\s{0,2}[:=]\s{0,2}[\"']?([^\s\"'`=,;(){}\[\]<>]{5,64})",
        ("pass",),
        check=checks.secret_bare,
        generic=True,
    ),
    Rule(
        "whole-line",
        "SECRET",
        rf"(?im)^[ \t+\->#|$]{{0,8}}[\w.\-\[\]'\"]*(?:{PASSWORD}|{API_KEY}|secret|"
        rf"token){NAME_END}[ \t]{{0,4}}(?::=|=>|=|:)[ \t]{{0,4}}"
        r"([^\s\"'`]*[(){}\[\]][^\s\"'`]*)[ \t]{0,2}\r?$",
        (*PASSWORD_WORDS, *SECRET_WORDS),
        check=checks.bracketed_password,
        generic=True,
    ),
    Rule(
        "keyword-space-value",
        "SECRET",
        r"(?i)(?:api[_\-]?key|secret[_\-]?key|access[_\-]?(?:token|key)|auth[_\-]?token|token|secret|password|"
        r"passwd|api key|secret key|access key)[ \t]{1,30}(?:(?:is|was)[ \t:]{1,3})?[\"'`]?"
        r"([A-Za-z0-9_\-.+/=~]{12,200})",
        ("key", "token", "secret", "passw"),
        check=checks.spaced_value,
        generic=True,
    ),
)
