"""Credentials beside their login: password files, hashes of crypt(3), pairs of user and password, PINs."""

from __future__ import annotations

from errorhub.scrubber.rules import login_checks as checks
from errorhub.scrubber.rules.checks import trim_prose
from errorhub.scrubber.rules.rule import Rule

MARK = r"\\{0,2}\${1,2}"
"""The dollar sign of a hash, as it is, escaped for a shell or doubled for Compose."""
SALT = r"[./A-Za-z0-9]{0,32}"
FOREIGN = (
    r"(?:passwort|kennwort|contrase(?:n|\xc3\xb1)a|mot[ _]?de[ _]?passe|senha|wachtwoord|parola"
    r"|heslo|has(?:l|\xc5\x82)o|l(?:o|\xc3\xb6)senord|adgangskode|salasana|\xd0[\x9f\xbf]\xd0\xb0\xd1\x80\xd0\xbe\xd0\xbb\xd1\x8c)"
)
FOREIGN_WORDS = (
    *("kennwort", "contrase", "mot", "senha", "wachtwoord", "parola", "heslo", "haslo", "hasło", "senord"),
    *("adgangskode", "salasana", "ароль"),
)
"""What a password is called in other languages of Europe; the words of the prefilter."""
OCTETS = r"(?:\d{1,3}\.){3}\d{1,3}"

RULES: tuple[Rule, ...] = (
    Rule(
        "password-file",
        "PASSWORD",
        r"(?m)^[ \t+\->|]{0,8}[\w.\-*/]{1,100}:(?:\d{4,5}|\*):[\w\-*]{1,63}:[A-Za-z_*][\w.@\-*]{0,63}:"
        r"((?:[^\s:\\\"'`]|\\[:\\]){3,128})[ \t]{0,4}\r?$",
        (":",),
        hint=r":(?:\d{4,5}|\*):[\w\-*]{1,63}:[A-Za-z_*]",
        check=checks.file_password,
    ),
    Rule(
        "crypt-hash",
        "PASSWORD",
        rf"(?:^|[^\w./$])({MARK}(?:(?:1|apr1){MARK}[./A-Za-z0-9]{{1,8}}{MARK}[./A-Za-z0-9]{{22}}"
        rf"|2[abxy]?{MARK}\d\d{MARK}[./A-Za-z0-9]{{53}}"
        rf"|5{MARK}(?:rounds=\d{{1,9}}{MARK})?{SALT}{MARK}[./A-Za-z0-9]{{43}}"
        rf"|6{MARK}(?:rounds=\d{{1,9}}{MARK})?{SALT}{MARK}[./A-Za-z0-9]{{86}}"
        rf"|g?y{MARK}[./A-Za-z0-9]{{1,16}}{MARK}[./A-Za-z0-9]{{0,86}}{MARK}[./A-Za-z0-9]{{43}}"
        rf"|argon2(?:id|i|d){MARK}(?:v=\d\d{MARK})?m=\d{{1,9}},t=\d{{1,4}},p=\d{{1,4}}{MARK}[A-Za-z0-9+/]{{8,88}}"
        rf"{MARK}[A-Za-z0-9+/]{{22,128}}))",
        ("$",),
        hint=rf"\$(?:1|apr1|2[abxy]?|5|6|g?y|argon2(?:id|i|d)){MARK}(?:[./A-Za-z0-9=]|{MARK})",
        check=checks.hash_of_password,
    ),
    Rule(
        "login-pair",
        "PASSWORD",
        r"(?i)(?:^|[^a-z])(?:user(?:_?name)?|login|usr|uid|account|e-?mail|benutzer(?:name)?|usuario|utilisateur)"
        r"[\"'`]?\s{0,2}[:=]\s{0,2}[\"'`]?[^\s\"'`,;|/(){}]{1,64}[\"'`]?[ \t,;|/]{1,4}(?:and[ ])?[\"'`]?"
        rf"(?:pass(?:word|wd)?|pw|pwd|{FOREIGN})[\"'`]?\s{{0,2}}[:=]\s{{0,2}}[\"'`]?"
        r"([^\s\"'`,;(){}\[\]<>]{4,64})",
        ("user", "login", "usr", "uid", "account", "mail", "benutzer", "usuario", "utilisateur"),
        check=checks.paired,
        trim=trim_prose,
        generic=True,
    ),
    Rule(
        "login-at-host",
        "PASSWORD",
        r"(?:^|[\s\"'`=(,\[])[A-Za-z_][\w.\-]{0,31}:([^\s:@/\"'`<>,(){}]{4,64})"
        rf"@(?:{OCTETS}|localhost\b|[A-Za-z0-9](?:[A-Za-z0-9\-]{{0,40}}\.){{1,6}}[A-Za-z]{{2,24}}\b)",
        ("@",),
        hint=rf":[^\s:@/\"'`<>,(){{}}]{{4,64}}@(?:{OCTETS}|localhost|[A-Za-z0-9\-]{{1,60}}\.[A-Za-z0-9])",
        check=checks.at_host,
    ),
    Rule(
        "pin",
        "PASSWORD",
        r"(?i)(?:^|[^a-z0-9_])pin(?:[_\- ]?(?:code|number|no\.?))?[\"'`]?\s{0,2}(?::|=|\sis:?|\swas|\sist|\slautet)"
        r"\s{0,2}[\"'`*]{0,2}(\d{4,8})(?:[^\d.\-/]|\.?(?:\s|$))",
        ("pin",),
        check=checks.pin,
        generic=True,
    ),
    Rule(
        "prose-passphrase",
        "PASSWORD",
        rf"(?i)(?:passphrase|{FOREIGN})[ \t]{{1,3}}(?:(?:lautet|ist|es|est|is|e|\xc3\xa9|\xc3\xa8)[ :]{{1,3}})?"
        r"(?:[\"'`*]|\xe2\x80[\x98\x9c\x9e]|\xc2\xab){0,2}([^\s\"'`\xe2]{6,64})",
        ("pass", *FOREIGN_WORDS),
        check=checks.phrase,
        trim=trim_prose,
        generic=True,
    ),
)
