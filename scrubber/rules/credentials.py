"""Credentials known by what stands before them: assignments, options, headers, cookies, prose."""

from __future__ import annotations

from errorhub.scrubber.rules import checks
from errorhub.scrubber.rules.rule import Check, Rule

PASSWORD = r"(?:pass(?:word|wd|phrase|code)|pwd|pswd|[_\-]pass|[_\-]pw|sshpass|rediscli_auth|user_?pass|db_?pass)"
SECRET = (
    r"(?:secret(?:[_\- ]?access)?[_\- ]?key|secret|token|credentials?|bearer|webhook_?key|[^a-z]auth|"
    r"private[_\- ]?key|[_\-]creds?"
    r"|(?:encryption|encrypt|signing|signature|master|storage|account|shared|session|cookie|hmac|jwt|root|"
    r"deploy)[_\- ]?(?:key|salt))"
)
API_KEY = (
    r"(?:(?:api|access|app|application|auth|service|subscription|consumer|client|license|integration|"
    r"admin|write|read|x)[_\-. ]?key|apikey|api[_\-]?(?:id[_\-])?token)"
)
SUFFIX = (
    r"(?:[_\-.]?(?:prod|production|dev|stag(?:e|ing)|test|live|main|old|new|value|plain|text|b64|base64|"
    r"env|v?\d{1,2}))?"
)
NAME_END = r"[\"'`]?\]?(?:\[\])?"
ANNOTATION = r"(?:\s{0,2}:\s{0,2}(?:str|string|String|Optional\[str\]|str \| None|SecretStr|&str)\s{0,2})?"
SEPARATOR = r"\s{0,4}(?::=|=>|={1,3}|:|<-|\?=|!=|,\s{0,2}[\"']value[\"']\s{0,2}[:=])\s{0,4}"
QUOTED = r"(?:[bfru@$]{0,2}\"([^\"\r\n]{4,256})\"|[bfru@$]{0,2}'([^'\r\n]{4,256})'|`([^`\r\n]{4,256})`)"
BARE = r"([^\s\"'`<>,;(){}\[\]\\&|=][^\s\"'`<>,;(){}\[\]\\&|]{2,200}[^\s\"'`<>,;(){}\[\]\\&|.:?])"

PASSWORD_WORDS = ("pass", "pwd", "pswd", "_pw", "-pw", "rediscli_auth")
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
            f"(?i){words}(?:{SUFFIX}{NAME_END}{ANNOTATION}{SEPARATOR}|[ \t]{{1,3}}){QUOTED}",
            keywords,
            check=literal,
            generic=True,
        ),
        Rule(f"{name}-bare", kind, start + BARE, keywords, check=bare, generic=True),
    )


ASSIGNMENTS = (
    *_assignments("password", "PASSWORD", PASSWORD, PASSWORD_WORDS, checks.password_literal, checks.password_bare),
    *_assignments("secret", "SECRET", SECRET, SECRET_WORDS, checks.secret_literal, checks.secret_bare),
    *_assignments("api-key", "API_KEY", API_KEY, KEY_WORDS, checks.secret_literal, checks.secret_bare),
    Rule(
        "env-line",
        "SECRET",
        r"(?m)^[ \t+\->#|$]{0,8}(?:(?:export|set|setx|ENV|ARG|-e|--env|declare -x)[ \t]{1,2})?[A-Z][A-Z0-9_]{0,48}"
        r"(?:PASSWORD|PASSWD|PASS|PWD|SECRET|TOKEN|KEY|CREDENTIALS?|AUTH|SALT|DSN)(?:_[A-Z0-9]{1,12})?[ \t]?=[ \t]?"
        r"(?:\"([^\"\r\n]{4,256})\"|'([^'\r\n]{4,256})'|([^\s\"'`]{4,256}))",
        ("pass", "pwd", "secret", "token", "key", "credential", "auth", "salt", "dsn"),
        check=checks.env_value,
        generic=True,
    ),
    Rule(
        "whole-line",
        "SECRET",
        rf"(?im)^[ \t+\->#|$]{{0,8}}[\w.\-\[\]'\"]{{0,48}}(?:{PASSWORD}|{API_KEY}|secret|"
        rf"token){NAME_END}[ \t]{{0,4}}(?::=|=>|=|:)[ \t]{{0,4}}"
        r"([^\s\"'`][^\s\"'`]{6,127})[ \t]{0,2}\r?$",
        (*PASSWORD_WORDS, *SECRET_WORDS),
        check=checks.bracketed_password,
        generic=True,
    ),
    Rule(
        "keyword-space-value",
        "SECRET",
        r"(?i)(?:api[_\-]?key|secret[_\-]?key|access[_\-]?(?:token|key)|auth[_\-]?token|token|secret|password|"
        r"passwd)[ \t]{1,3}[\"'`]?"
        r"([A-Za-z0-9_\-.+/=~]{12,200})",
        ("key", "token", "secret", "passw"),
        check=checks.spaced_value,
        generic=True,
    ),
)

COMMANDS = (
    Rule(
        "option",
        "PASSWORD",
        r"(?i)[\s\"'\[(,]--?[a-z\-_]{0,24}(?:password|passwd|pwd|passphrase|pass|token|secret|api[_\-]?key|"
        r"auth[_\-]?key|access[_\-]?key|credentials?)"
        r"[\"']?(?:=|,?[ \t]{1,3})(?:\"([^\"\r\n]{3,256})\"|'([^'\r\n]{3,256})'|([^\s\"'`<>()\-][^\s\"'`<>()]{2,255}))",
        ("pass", "pwd", "token", "secret", "key", "cred"),
        check=checks.option_value,
    ),
    Rule(
        "mysql-password",
        "PASSWORD",
        r"(?i)(?:mysql(?:dump|admin|import|sh)?|mariadb(?:-dump)?|mongo(?:sh|dump)?|7z|unzip|"
        r"zip)\s[^\r\n|;]{0,160}?\s?-p[\"']?([^\s\"'\-=][^\s\"']{2,64})",
        ("mysql", "mariadb", "mongo", "zip", "7z"),
        check=checks.attached_password,
    ),
    Rule(
        "sshpass",
        "PASSWORD",
        r"sshpass\s{1,3}-p\s{0,3}[\"']?([^\s\"']{3,64})",
        ("sshpass",),
        check=checks.password_given,
    ),
    Rule(
        "user-option",
        "PASSWORD",
        r"\s(?:-u|--user|--proxy-user|--basic-auth|-U|"
        r"--auth)[ =]{0,2}[\"']?[A-Za-z0-9_.@%+\-]{1,64}:([^\s\"'\\]{3,128})",
        ("-u", "--user", "--proxy-user", "--basic-auth", "--auth"),
        check=checks.user_option,
    ),
    Rule(
        "netrc",
        "PASSWORD",
        r"(?i)(?:machine\s{1,4}\S{1,100}|login\s{1,4}\S{1,100})\s{1,8}password\s{1,4}[\"']?([^\s\"']{3,128})",
        ("password",),
        check=checks.password_given,
    ),
    Rule(
        "redis-auth",
        "PASSWORD",
        r"redis-cli\s[^\r\n|;]{0,120}?-a\s{1,3}[\"']?([^\s\"'\-][^\s\"']{2,128})",
        ("redis-cli",),
        check=checks.password_given,
    ),
    Rule(
        "chpasswd",
        "PASSWORD",
        r"echo\s{1,2}[\"']?[a-z_][a-z0-9_\-]{0,31}:([^\s\"'|]{3,128})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s)?chpasswd",
        ("chpasswd",),
        check=checks.password_given,
    ),
    Rule(
        "identified-by",
        "PASSWORD",
        r"(?i)(?:identified\s(?:with\s\S{1,40}\s)?by|"
        r"with\s(?:encrypted\s)?password)\s{1,3}[\"']([^\"'\r\n]{3,128})[\"']",
        ("identified", "password"),
        check=checks.password_given,
    ),
    Rule(
        "net-use",
        "PASSWORD",
        r"(?i)(?:/user:|-w\s{1,2}[\"']?|-Credential\s|ConvertTo-SecureString\s{1,2}(?:-String\s)?[\"']?|"
        r"-P\s{1,2}[\"']?)\S{0,64}?[%\"' ]([^\s\"']{6,64})[\"']?\s{1,2}(?:-AsPlainText|/persistent)",
        ("/user:", "securestring", "-w", "-p"),
        check=checks.password_given,
    ),
)

HEADERS = (
    Rule(
        "authorization-header",
        "AUTH_HEADER",
        r"(?i)authorization[\"']?\]?\s{0,3}[:=,]\s{0,3}[bfru]?[\"'`]?(?:Bearer|Basic|Token|Digest|ApiKey|"
        r"Api-Key|Key|Bot|Negotiate|NTLM|JWT|OAuth|SSWS|GenieKey|Splunk)"
        r"[ \t:]{1,3}(?:token=)?[\"']?([^\s\"'`\\<>,;]{4,})",
        ("authorization",),
        check=checks.header_value,
    ),
    Rule(
        "authorization-digest",
        "AUTH_HEADER",
        r"(?i)authorization[\"']?\s{0,3}:\s{0,3}[\"']?(?:Digest|AWS4-HMAC-SHA256|OAuth|Hawk|MAC)\s{1,3}([^\r\n]{16,})",
        ("authorization",),
        check=checks.header_pairs,
    ),
    Rule(
        "authorization-raw",
        "AUTH_HEADER",
        r"(?i)authorization[\"']?\]?\s{0,3}[:=,]\s{0,3}[\"'`]?([A-Za-z0-9_\-.=+/~]{16,})",
        ("authorization",),
        check=checks.token_like,
    ),
    Rule(
        "bearer",
        "AUTH_HEADER",
        r"(?i)bearer[ \t]{1,3}[\"'`]?([A-Za-z0-9_\-.~+/]{6,}={0,3})",
        ("bearer",),
        check=checks.header_value,
        generic=True,
    ),
    Rule(
        "basic",
        "AUTH_HEADER",
        r"(?i)(?:^|[^a-z])basic[ \t]{1,3}[\"'`]?([A-Za-z0-9+/]{8,400}={0,2})",
        ("basic",),
        check=checks.basic_value,
    ),
    Rule(
        "key-header",
        "API_KEY",
        r"(?i)(?:^|[^a-z0-9])(?:x-[a-z0-9\-]{0,32}(?:key|token|secret|auth|signature|session)|private-token|"
        r"api-key|ocp-apim-subscription-key|dd-api-key|dd-application-key)"
        r"[\"']?\s{0,3}[:=,]\s{0,3}[\"'`]?([^\s\"'`,;<>\\]{6,})",
        ("x-", "-token", "-key"),
        check=checks.secret_bare,
    ),
    Rule(
        "docker-auth",
        "PASSWORD",
        r"\"(?:auth|identitytoken|registrytoken)\"\s{0,3}:\s{0,3}\"([A-Za-z0-9+/_\-.]{8,}={0,2})\"",
        ("auth", "token"),
        check=checks.basic_value,
    ),
    Rule(
        "npmrc-auth",
        "NPM_TOKEN",
        r"(?i)_auth(?:token)?\s{0,2}=\s{0,2}[\"']?([A-Za-z0-9+/_\-.]{12,400}={0,2})",
        ("_auth",),
        check=checks.token_like,
    ),
    Rule(
        "cookie-header",
        "COOKIE",
        r"(?i)(?:^|[^a-z])(?:set-)?cookie[\"']?\s{0,2}[:,]\s{0,2}[\"']?([\w.\-]{1,64}=[^\r\n\"'`<>]{4,})",
        ("cookie",),
        check=checks.cookie_header,
    ),
    Rule(
        "session-cookie",
        "COOKIE",
        r"(?i)(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|ASPSESSIONID[A-Z]{0,8}|connect\.sid|laravel_session|"
        r"ci_session|_gitlab_session|[a-z0-9_\-]{0,24}sess(?:ion)?(?:[_\-]?(?:id|token|key))?"
        r"|(?:^|[^a-z])sid|[a-z_\-]{0,8}(?:csrf|xsrf)[a-z_\-]{0,16}|auth[_\-]?token|remember[_a-z]{0,12}token|"
        r"cf_clearance|__cf_bm|li_at|auth_cookie)"
        r"[\"']?\s{0,2}(?:=|:)\s{0,2}[\"']?([^\s;\"'`,&<>(){}\\]{8,})",
        ("sess", "sid", "csrf", "xsrf", "token", "cf_", "li_at", "auth_cookie"),
        check=checks.session_value,
        generic=True,
    ),
)

PROSE = (
    Rule(
        "prose-password",
        "PASSWORD",
        r"(?i)(?:password|passwd|passphrase|passcode|\bpin|pwd|login|credentials?)(?:\s(?:for|of|on|"
        r"to)\s[\w@.\-' ]{1,48}?)?\s{1,2}(?:is|was|are|were|will be|should be|has been set to|to be|set to|"
        r"changed to|reset to|to)"
        r"\s{0,2}:?\s{1,2}(?:now\s|just\s|still\s)?(?:[\"'`*]|\xe2\x80\x9c){0,2}([^\s\"'`\xe2]{4,64})",
        ("passw", "passphrase", "passcode", "pin", "pwd", "login", "credential"),
        check=checks.prose_password,
        trim=checks.trim_prose,
        generic=True,
    ),
    Rule(
        "prose-quoted-password",
        "PASSWORD",
        r"(?i)(?:password|passwd|passphrase|pwd)\s{1,2}(?:[\"'`*]|"
        r"\xe2\x80[\x98\x9c]){1,2}([^\s\"'`*\xe2]{4,64})(?:[\"'`*]|\xe2\x80)",
        ("passw", "passphrase", "pwd"),
        check=checks.prose_password,
        generic=True,
    ),
    Rule(
        "prose-with-password",
        "PASSWORD",
        r"(?i)(?:with|using|use|and|the|enter|type|/)\s(?:the\s)?(?:password|passwd|pwd|"
        r"passphrase)\s{1,2}([^\s\"'`]{4,64})",
        ("passw", "passphrase", "pwd"),
        check=checks.prose_password,
        trim=checks.trim_prose,
        generic=True,
    ),
    Rule(
        "slash-credentials",
        "PASSWORD",
        r"(?i)(?:credentials?|creds|login|log ?in)(?:\s(?:with|as|are|is|"
        r"using))?\s{0,2}:?\s{1,2}[\"'`]?[\w.@\-]{2,48}\s?[/:]\s?([^\s\"'`,]{5,64})",
        ("cred", "login", "log in"),
        check=checks.prose_password,
        trim=checks.trim_prose,
        generic=True,
    ),
)

RULES: tuple[Rule, ...] = ASSIGNMENTS + COMMANDS + HEADERS + PROSE
