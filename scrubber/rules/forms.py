"""Credentials that calls, forms, documents and consoles set."""

from __future__ import annotations

from errorhub.scrubber.rules import checks, form_checks
from errorhub.scrubber.rules.credentials import API_KEY, PASSWORD, PASSWORD_WORDS
from errorhub.scrubber.rules.logins import FOREIGN, FOREIGN_WORDS
from errorhub.scrubber.rules.rule import Rule
from errorhub.scrubber.rules.token_checks import raw_header, various

NAMES = rf"(?:{PASSWORD}|{API_KEY}|secret|token)"
WORDS = (*PASSWORD_WORDS, "key", "secret", "token")
LITERAL = r"(?:\"([^\"\r\n]{4,128})\"|'([^'\r\n]{4,128})')"
CJK = (
    r"(?:\xe5\xaf\x86(?:\xe7\xa0\x81|\xe7\xa2\xbc|\xe9\x92\xa5)|\xe5\x8f\xa3\xe4\xbb\xa4|\xe4\xbb\xa4\xe7\x89\x8c|"
    r"\xe3\x83\x91\xe3\x82\xb9\xe3\x83\xaf\xe3\x83\xbc\xe3\x83\x89|\xeb\xb9\x84\xeb\xb0\x80\xeb\xb2\x88\xed\x98\xb8)"
)
"""Password, key and token in Chinese, Japanese and Korean."""
CJK_IS = r"(?:\xe6\x98\xaf|\xe4\xb8\xba|\xe7\x82\xba|\xe3\x81\xaf|\xeb\x8a\x94|\xec\x9d\x80|\xef\xbc\x9a|:|=)"

RULES: tuple[Rule, ...] = (
    Rule(
        "setter-call",
        "PASSWORD",
        rf"(?i)(?:set|with|add|use|update|change)_?{NAMES}\s{{0,2}}\(\s{{0,2}}{LITERAL}\s{{0,2}}\)",
        WORDS,
        check=form_checks.set_by_call,
        generic=True,
    ),
    Rule(
        "filled-field",
        "PASSWORD",
        rf"(?i){NAMES}[^\"'\r\n,()]{{0,24}}[\"'](?:\s{{0,2}},\s{{0,2}}|\s{{0,2}}\)\s{{0,2}}\.(?:fill|type|send_?keys|"
        rf"set_?value|press_?sequentially|input)\s?\(){LITERAL}\s{{0,2}}\)",
        WORDS,
        hint=rf"(?i){NAMES}[^\"'\r\n,()]{{0,24}}[\"']\s{{0,2}}[,)]",
        check=form_checks.filled,
        generic=True,
    ),
    Rule(
        "input-value",
        "PASSWORD",
        rf"(?i)<input\s[^<>]{{0,200}}type=[\"']?password[^<>]{{0,200}}\svalue={LITERAL}",
        ("<input",),
        check=checks.password_given,
    ),
    Rule(
        "credential-object",
        "PASSWORD",
        rf"(?i)(?:Network|PS|Client|Basic|Plain)?Credential\(\s{{0,2}}[\"'][^\"'\r\n]{{1,80}}[\"']\s{{0,2}},\s{{0,2}}{LITERAL}",
        ("credential",),
        check=checks.passed_second,
        generic=True,
    ),
    Rule(
        "bold-label",
        "PASSWORD",
        rf"(?i){NAMES}[ ]?(?::\*\*|\*\*[ ]?:)[ \t]{{1,3}}`?([^\s`*]{{6,128}})(?:[\s`]|$)",
        ("**",),
        check=form_checks.labelled,
        trim=checks.trim_prose,
        generic=True,
    ),
    Rule(
        "table-cell",
        "PASSWORD",
        rf"(?im)\|[ \t*`]{{0,4}}[\w .\-]{{0,32}}{NAMES}[ \t*`]{{0,24}}\|[ \t*`]{{0,6}}([^\s|`]{{6,128}})"
        r"[ \t*`]{0,40}(?:\||\r?$)",
        ("|",),
        hint=rf"(?i){NAMES}[ \t*`]{{0,24}}\|",
        check=form_checks.labelled,
        trim=checks.trim_prose,
        generic=True,
    ),
    Rule(
        "block-scalar",
        "PASSWORD",
        rf"(?i){NAMES}[\"']?:[ \t]{{1,4}}[|>][+\-]?[ \t]{{0,4}}\r?\n[ \t]{{1,40}}"
        r"([^\s\"'`]{6,256})[ \t]{0,4}(?:\r?\n|$)",
        WORDS,
        check=checks.password_bare,
        generic=True,
    ),
    Rule(
        "client-key",
        "PRIVATE_KEY",
        r"client-key-data[\"']?:\s{0,3}[\"']?([A-Za-z0-9+/]{40,}={0,2})",
        ("client-key-data",),
        hint=r"client-key-data[\"']?:\s{0,3}[\"']?[A-Za-z0-9+/]{40}",
        check=various,
    ),
    Rule(
        "asked-key",
        "AWS_KEY",
        r"(?i)secret access key \[[^\]\r\n]{0,40}\]:[ \t]{1,3}([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)",
        ("secret access key",),
        check=various,
    ),
    Rule(
        "set-password-for",
        "PASSWORD",
        rf"(?i)(?:set\s{{1,2}}password\b[^\r\n=;]{{0,80}}=\s{{0,2}}(?:password\s{{0,2}}\(\s{{0,2}})?|"
        rf"with\s{{1,2}}password\s{{0,2}}=\s{{0,2}}N?){LITERAL}",
        ("password",),
        check=checks.password_given,
    ),
    Rule(
        "windows-user",
        "PASSWORD",
        r"(?i)\bnet1?(?:\.exe)?\s{1,2}user\s{1,2}[\w.\-]{1,64}\s{1,2}([^\s\"'/*][^\s\"']{4,64})\s{1,2}"
        r"/(?:add|domain|active|y)"
        r"|\bnet(?:\.exe)?\s{1,2}use\s[^\r\n/]{1,120}?\s([^\s\"'/\\*:][^\s\"'\\]{3,64})\s{1,2}/u(?:ser)?:"
        r"|\bschtasks(?:\.exe)?\s[^\r\n]{1,200}?\s/rp\s{1,2}[\"']?([^\s\"'*/][^\s\"']{3,64})"
        r"|\b(?:psexec|winrs|wmic)(?:64)?(?:\.exe)?\s[^\r\n]{1,120}?\s[-/]p(?:assword)?[ :]\s?[\"']?"
        r"([^\s\"'/\-][^\s\"']{3,64})"
        r"|\b(?:xfreerdp3?|rdesktop|wlfreerdp)\s[^\r\n]{0,120}?(?:/p:|\s-p\s{1,2})[\"']?([^\s\"'\-][^\s\"']{3,64})",
        ("net", "schtasks", "psexec", "winrs", "wmic", "freerdp", "rdesktop"),
        check=checks.password_given,
    ),
    Rule(
        "network-password",
        "PASSWORD",
        r"\bmosquitto_(?:pub|sub|rr)\s[^\r\n|;]{0,160}?-P\s{1,2}[\"']?([^\s\"'\-][^\s\"']{3,128})"
        r"|\bnmcli\s[^\r\n|;]{1,120}?\spassword\s{1,2}[\"']?([^\s\"']{6,64})"
        r"|(?m:^)[ \t+\->]{0,8}(?:username\s\S{1,64}(?:\sprivilege\s\d{1,2})?|enable)\s(?:secret|password)"
        r"\s(?:\d\s)?([^\s\"']{4,128})[ \t]{0,4}(?:\r?\n|$)",
        ("mosquitto", "nmcli", "username", "enable"),
        check=form_checks.console,
    ),
    Rule(
        "tool-password",
        "PASSWORD",
        r"\bhtpasswd\s(?:-\w{1,5}\s){0,3}-\w{0,4}b\w{0,4}\s(?:-\w{1,5}\s){0,3}(?:[\w./\-]{1,80}\s)?[\w.@\-]{1,40}\s"
        r"[\"']?([^\s\"'\-][^\s\"']{3,64})"
        r"|\b(?:kinit|vncpasswd|passwd|cryptsetup|smbpasswd)[^\r\n|;<]{0,60}<<<\s{0,2}[\"']?([^\s\"']{4,128})"
        r"|\b(?:useradd|usermod|winrm|evil-winrm|ncftp\w{0,4})\s[^\r\n|;]{0,80}?-p\s{1,2}[\"']?([^\s\"'\-][^\s\"']{3,128})"
        r"|\bldappasswd\s[^\r\n|;]{0,120}?-[sa]\s{1,2}[\"']?([^\s\"'\-][^\s\"']{3,64})"
        r"|\bsnmp(?:walk|get|set|bulkwalk)\s[^\r\n|;]{0,120}?-[cAX]\s{1,2}[\"']?([^\s\"'\-][^\s\"']{5,64})"
        r"|\bipmitool\s[^\r\n|;]{0,120}?-P\s{1,2}[\"']?([^\s\"'\-][^\s\"']{3,64})"
        r"|\bwpa_passphrase\s\S{1,32}\s[\"']?([^\s\"'\-][^\s\"']{7,63})"
        r"|password is generated for [^\s:]{1,64}: ([^\s]{6,64})",
        (
            "htpasswd",
            "<<<",
            "useradd",
            "usermod",
            "winrm",
            "ncftp",
            "ldappasswd",
            "snmp",
            "ipmitool",
            "wpa_",
            "generated",
        ),
        check=form_checks.handed,
    ),
    Rule(
        "connection-literal",
        "PASSWORD",
        r"(?:\bmysqli|\bPDO|getConnection|(?:pymysql|MySQLdb|oracledb|cx_Oracle)\.connect)\s?\("
        rf"\s?(?:[^,()\r\n]{{1,120}},\s?){{2}}{LITERAL}\s?[,)]"
        rf"|(?:PasswordAuthentication|WiFi\.begin|\bcreds?\s{{0,2}}=\s{{0,2}})\(\s?[^,()\r\n]{{1,80}},\s?{LITERAL}\s?[,).]",
        ("mysqli", "pdo", "connect", "passwordauth", "wifi.begin", "cred"),
        check=checks.password_passed,
    ),
    Rule(
        "key-elsewhere",
        "API_KEY",
        r"(?i)(?:cl(?:\xc3\xa9|e) (?:d[e'] ?)?API|API[- ]?Schl(?:\xc3\xbc|ue)ssel|clave (?:de (?:la )?)?API|chiave API|"
        r"chave (?:d[ea] )?API)\s{0,2}[:=]\s{0,2}[\"'`]?([A-Za-z0-9_\-.+/=]{16,200})",
        ("api",),
        check=raw_header,
        generic=True,
    ),
    Rule(
        "password-elsewhere",
        "PASSWORD",
        rf"(?i)(?:{FOREIGN}|la password)[ \t]{{1,3}}(?:[^\s\"'`:.,;()?!]{{1,24}}[ \t]){{1,5}}"
        r"(?:(?:lautet|ist|es|est|is|e|\xc3\xa9|\xc3\xa8)[ ]?:?|:)[ ]{1,3}[\"'`*]{0,2}([!-&(-~]{6,64})",
        ("passw", *FOREIGN_WORDS),
        check=checks.prose_password,
        trim=checks.trim_prose,
        generic=True,
    ),
    Rule(
        "access-data",
        "PASSWORD",
        r"(?i)(?:zugangsdaten|anmeldedaten|identifiants?|credenciales|credenziali)\s?:\s{1,2}[\w.@\-]{2,64}\s?[/:]\s?"
        r"([!-~]{6,64})",
        ("daten", "identifiant", "creden"),
        check=checks.prose_password,
        trim=checks.trim_prose,
        generic=True,
    ),
    Rule(
        "password-cjk",
        "PASSWORD",
        rf"{CJK}[ \t]{{0,2}}{CJK_IS}{{1,2}}[ \t]{{0,3}}[\"'`*]{{0,2}}([!#-&(-+\--_a-~]{{5,128}})",
        ("\u5bc6", "\u53e3\u4ee4", "\u4ee4\u724c", "\u30d1\u30b9\u30ef\u30fc\u30c9", "\ube44\ubc00\ubc88\ud638"),
        check=form_checks.told,
        trim=checks.trim_prose,
        generic=True,
    ),
    Rule(
        "seed-phrase",
        "SECRET",
        r"(?i)(?:seed|recovery|mnemonic|backup|wallet)[ _\-]?(?:phrase|words|mnemonic|seed)?[\"'`]?\s?(?:is|:|=)\s{0,2}"
        r"[\"'`]?((?:[a-z]{3,8} ){11,23}[a-z]{3,8})",
        ("seed", "recovery", "mnemonic", "backup", "wallet"),
        check=form_checks.seed_words,
        generic=True,
    ),
)
