"""Credentials on command lines and in sentences."""

from __future__ import annotations

from errorhub.scrubber.rules import checks
from errorhub.scrubber.rules.rule import Rule

COMMANDS = (
    Rule(
        "option",
        "PASSWORD",
        r"(?i)(?:^|[\s\"'\[(,])--?[a-z\-_]{0,24}(?:password|passwd|pwd|passphrase|pass|token|secret|api[_\-]?key|"
        r"auth[_\-]?key|access[_\-]?key|credentials?)"
        r"\d?[\"']?(?:=|,?[ \t]{1,3})(?:\"([^\"\r\n]{3,})\"|'([^'\r\n]{3,})'|([^\s\"'`<>()\-][^\s\"'`<>()]{2,255}))",
        ("pass", "pwd", "token", "secret", "key", "cred"),
        check=checks.option_value,
    ),
    Rule(
        "mysql-password",
        "PASSWORD",
        r"(?i)(?:mysql(?:dump|admin|import|sh)?|mariadb(?:-dump)?|mongo(?:sh|dump)?|7z|unzip|"
        r"zip)(?:[\s\"',][^\r\n|;]{0,160}?)?[\s\"']-p[\"']?([^\s\"'\-=,][^\s\"']{2,64})",
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
        r"(?i)machine\s{1,4}\S{1,100}\s{1,8}(?:login\s{1,4}\S{1,100}\s{1,8})?password\s{1,4}[\"']?([^\s\"']{3,128})",
        ("machine",),
        check=checks.password_given,
    ),
    Rule(
        "login-password",
        "PASSWORD",
        r"(?i)login\s{1,4}\S{1,100}\s{1,8}password\s{1,4}[\"']?([^\s\"']{3,128})",
        ("login",),
        check=checks.prose_password,
        trim=checks.trim_prose,
    ),
    Rule(
        "short-option",
        "PASSWORD",
        r"(?i)(?:ldap[a-z]{3,8}(?:\s[^\r\n|;]*?)?\s-w|(?:(?:docker|podman|skopeo|helm|az|"
        r"oc)\s(?:registry\s)?login|mongo\w{0,8}|sqlcmd|bcp|twine|cqlsh|isql|"
        r"unzip|zip|nxc|impacket)"
        r"(?:\s[^\r\n|;]*?)?\s-p|openssl\s[^\r\n|;]*?\s-k)\s{1,3}[\"']?([^\s\"'\-/][^\s\"']{3,64})",
        (
            "ldap",
            "login",
            "mongo",
            "sqlcmd",
            "bcp",
            "twine",
            "cqlsh",
            "isql",
            "zip",
            "openssl",
            "nxc",
            "impacket",
        ),
        check=checks.option_value,
    ),
    Rule(
        "openssl-pass",
        "PASSWORD",
        r"[\s=\"']pass:([^\s\"'`]{4,128})",
        ("pass:",),
        check=checks.option_value,
    ),
    Rule(
        "percent-user",
        "PASSWORD",
        r"(?:smbclient|rpcclient|net rpc|smbmap|winexe)\s[^\r\n|;]*?-U[ =]?[\"']?[\w.\\@/\-]{1,64}%([^\s\"']{3,64})",
        ("smbclient", "rpcclient", "net rpc", "smbmap", "winexe"),
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
        "piped-password",
        "PASSWORD",
        r"(?:echo|printf)\s{1,3}(?:-n\s{1,3})?[\"']?([^\s\"'|]{4,128})[\"']?\s{0,3}\|\s{0,3}(?:sudo\s[^\r\n|;]{0,40}?-\w{0,3}S"
        r"|smbpasswd|passwd|cryptsetup|[^\r\n|;]{1,120}?--(?:(?:password|token|passphrase)-(?:stdin|fd)|with-token)"
        r"|[^\r\n|;]{1,60}?\ssecrets?\s(?:put|set|create)\s)",
        ("echo", "printf"),
        check=checks.password_given,
    ),
    Rule(
        "secret-command",
        "SECRET",
        r"(?:(?:gh|glab)\s{1,2}secret\s{1,2}set\s[^\r\n|;]{1,120}?(?:--body|-b|--value)|"
        r"secretsmanager\s[^\r\n|;]{1,200}?--secret-string|"
        r"keyvault\s{1,2}secret\s{1,2}set\s[^\r\n|;]{1,200}?--value|"
        r"put-parameter\s[^\r\n|;]{1,200}?SecureString\s[^\r\n|;]{0,120}?--value|"
        r"pulumi\s{1,2}config\s{1,2}set\s{1,2}--secret\s{1,2}\S{1,80}|"
        r"config\s{1,2}http-basic\.\S{1,60}\s{1,2}\S{1,60})[ =]{1,2}"
        r"(?:\"([^\"\r\n]{4,})\"|'([^'\r\n]{4,})'|([^\s\"'|;]{4,256}))",
        ("secret", "put-parameter", "http-basic"),
        check=checks.secret_handed,
    ),
    Rule(
        "directive-password",
        "PASSWORD",
        r"(?im)(?:^[ \t+\->|]{0,8}|config set )(?:requirepass|masterauth|bindpw|r[ow]community)[ \t]{1,4}"
        r"[\"']?([^\s\"']{4,128})[\"']?(?:[ \t]+[\d.:/]+)?[ \t]*\r?$",
        ("requirepass", "masterauth", "bindpw", "community"),
        check=checks.password_given,
    ),
    Rule(
        "password-line",
        "PASSWORD",
        r"(?m)^[ \t+\->|]{0,8}(?:user \S{1,60} )?(?:insecure-)?passw(?:or)?d[ \t]{1,4}([^\s\"']{6,128})[ \t]*\r?$",
        ("passw",),
        check=checks.prose_password,
        generic=True,
    ),
    Rule(
        "mail-and-password",
        "PASSWORD",
        r"(?m)^[ \t]{0,8}(?:\[[\w.\-]{1,80}\]:\d{1,5}\s{1,8})?[\w.+\-]{1,64}@[\w\-]{1,64}(?:\.[\w\-]{1,63}){1,4}"
        r":([^\s:/\"']{6,64})[ \t]*\r?$",
        ("@",),
        hint=r"@[\w\-]{1,64}(?:\.[\w\-]{1,63}){1,4}:[^\s:/\"']{6}",
        check=checks.prose_password,
        generic=True,
    ),
    Rule("masked-output", "SECRET", r"::add-mask::([^\s]{4,256})", ("::add-mask::",), check=checks.password_given),
    Rule(
        "client-user",
        "PASSWORD",
        r"(?:lftp\s[^\r\n|;]{0,120}?-u\s{0,2}[\"']?[\w.@\-]{1,64},|"
        r"(?:^|\s)https?\s(?:--?[\w\-]{1,20}\s){0,4}-a\s{0,2}[\"']?[\w.@\-]{1,64}:)([^\s\"']{3,64})",
        ("lftp", "http"),
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
        r"(?i)net\s{1,2}use\s[^\r\n]*?/user:\S{1,64}\s{1,2}([^\s\"'/][^\s\"']{3,64})",
        ("/user:",),
        check=checks.option_value,
    ),
    Rule(
        "connect-call",
        "PASSWORD",
        r"(?:mysqli?_p?connect|DBI(?:->|\.)connect)\s{0,2}\(\s{0,2}[\"'][^\"'\r\n]{1,200}[\"']\s{0,2},\s{0,2}"
        r"[\"'][^\"'\r\n]{1,80}[\"']\s{0,2},\s{0,2}[\"']([^\"'\r\n]{3,128})[\"']",
        ("connect",),
        check=checks.password_passed,
    ),
    Rule(
        "call-credentials",
        "PASSWORD",
        r"(?i)(?:\bauth|basic_?auth|http_auth|HTTP(?:Basic|Digest)Auth|credentials|login|authenticate)\s{0,2}[=(:]\s{0,2}\(?"
        r"\s{0,2}(?:[\"'][^\"'\r\n]{1,80}[\"']\s{0,2},\s{0,2}){1,3}[\"']([^\"'\r\n]{4,128})[\"']\s{0,2}[),]",
        ("auth", "credentials", "login"),
        check=checks.passed_second,
        generic=True,
    ),
    Rule(
        "jwt-call",
        "SECRET",
        r"(?i)jwt\.(?:encode|decode|sign|verify)\([^\r\n]{1,120}?,\s{0,2}[\"']([^\"'\r\n]{8,256})[\"']",
        ("jwt.",),
        check=checks.passed_second,
        generic=True,
    ),
    Rule(
        "secure-string",
        "PASSWORD",
        r"(?i)ConvertTo-SecureString\s{1,2}(?:-String\s{1,2})?[\"']([^\"'\r\n]{4,128})[\"']",
        ("securestring",),
        check=checks.password_given,
    ),
)

PROSE = (
    Rule(
        "prose-password",
        "PASSWORD",
        r"(?i)(?:password|passwd|passphrase|passcode|\bpin|pwd|login|credentials?|\bpass for [\w@.\-' ]{1,40}?)"
        r"(?:\s(?:for|of|on|to)\s[\w@.\-' ]{1,48}?)?\s{1,2}"
        r"(?:(?:is|was|has been|will be) (?:now )?(?:(?:re)?set|changed) to|"
        r"is|was|are|were|will be|should be|to be|set to|changed to|reset to|to)"
        r"\s{0,2}:?\s{1,2}(?:now\s|just\s|still\s)?(?:[\"'`*]|\xe2\x80\x9c){0,2}([^\s\"'`\xe2]{4,64})",
        ("pass", "pin", "pwd", "login", "credential"),
        check=checks.told_password,
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
        "password-below",
        "PASSWORD",
        r"(?i)(?:(?:following|new|generated|temporary|initial|admin|root|your)\s(?:\w{1,20}\s){0,2}password\b[^\r\n]{0,60}:"
        r"[ \t]*\r?\n(?:[ \t]*\r?\n)?[ \t]*|password for [^\r\n]{1,60}\r?\n[ \t]*new value: )"
        r"([^\s\"'`]{6,64})[ \t]*(?:\r?\n|$)",
        ("password",),
        check=checks.prose_password,
        generic=True,
    ),
    Rule(
        "slash-credentials",
        "PASSWORD",
        r"(?i)(?:(?:credentials?|creds|login|log ?in)(?:\s(?:with|as|are|is|"
        r"using))?\s{0,2}:?\s{1,2}[\"'`]?[\w.@\-]{2,48}\s?[/:]\s?([^\s\"'`,]{5,64})"
        r"|use [\"'`]?[\w.@\-]{2,48}[\"'`]?\s?[/:]\s?[\"'`]?([^\s\"'`,]{5,64})[\"'`]? (?:to|for) (?:sign|log))",
        ("cred", "login", "log in", "use "),
        check=checks.prose_password,
        trim=checks.trim_prose,
        generic=True,
    ),
)

RULES: tuple[Rule, ...] = COMMANDS + PROSE
