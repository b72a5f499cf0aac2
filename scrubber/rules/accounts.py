"""Logins and machines where system programs name them: logs of sudo and sshd, commands about accounts, more prompts."""

from __future__ import annotations

from errorhub.scrubber.rules import place_checks as checks
from errorhub.scrubber.rules.places import NAME
from errorhub.scrubber.rules.rule import Rule

LABEL = r"[A-Za-z0-9][A-Za-z0-9\-]{1,62}"

RULES: tuple[Rule, ...] = (
    Rule(
        "home-wsl",
        "USER",
        rf"(?i)\\{{2,4}}wsl[.$\w]{{1,12}}\\{{1,2}}[\w.\-]{{1,40}}\\{{1,2}}home\\{{1,2}}({NAME})",
        ("wsl",),
        check=checks.user,
    ),
    Rule("sudo-log", "USER", rf"sudo:\s{{1,10}}({NAME}) : (?:TTY|PWD|USER|user)", ("sudo:",), check=checks.user),
    Rule(
        "session-log",
        "USER",
        rf"session (?:opened|closed) for user ({NAME})"
        rf"|(?:Accepted|Failed) [a-z\-/]{{4,24}} for (?:invalid user )?({NAME}) from",
        ("session", "accepted", "failed"),
        check=checks.user,
    ),
    Rule(
        "account-command",
        "USER",
        rf"(?:^|[\s;&|\"'`(])(?:su(?: -l?)?|crontab -u|chown(?: -[A-Za-z]{{1,4}})?|usermod (?:-\S+ ){{1,4}}|passwd|"
        rf"sudo -u|runuser -u|loginctl enable-linger) ({NAME})(?:[\s:;&|\"'`)]|$)",
        ("su", "crontab", "chown", "usermod", "passwd", "runuser", "loginctl"),
        check=checks.login_marked,
    ),
    Rule(
        "chown-group",
        "USER",
        rf"chown (?:-[A-Za-z]{{1,4}} )?{NAME}:({NAME})(?:[\s;&|\"'`)]|$)",
        ("chown",),
        check=checks.login_marked,
    ),
    Rule("logged-in", "USER", rf"[Ll]ogged in as ({NAME})", ("logged in as",), check=checks.login_marked),
    Rule(
        "password-asked",
        "USER",
        rf"\[sudo\] password for ({NAME}):|authentication failed for user \"({NAME})\"|"
        rf"to database \"[^\"\r\n]{{1,63}}\" as user \"({NAME})\"",
        ("[sudo]", "authentication", "database"),
        check=checks.user,
    ),
    Rule("finger-line", "USER", rf"Login: ({NAME})[ \t]{{1,30}}Name:", ("login:",), check=checks.user),
    Rule(
        "terminal-line",
        "USER",
        rf"(?m)^[ \t]{{0,4}}({NAME})[ \t]{{1,16}}(?:pts/\d|tty[\dS])",
        ("pts/", "tty"),
        check=checks.user,
    ),
    Rule(
        "prompt-user-framed",
        "USER",
        rf"\(({NAME})(?:@|\xe3\x89\xbf){LABEL}\)-\[|(?:^|[\r\n])({NAME})@{LABEL} (?:MINGW|UCRT|CLANG|MSYS)",
        (")-[", "mingw", "ucrt", "clang", "msys"),
        check=checks.user,
    ),
    Rule(
        "prompt-host-framed",
        "HOST",
        rf"\({NAME}(?:@|\xe3\x89\xbf)({LABEL})\)-\[|(?:^|[\r\n]){NAME}@({LABEL}) (?:MINGW|UCRT|CLANG|MSYS)",
        (")-[", "mingw", "ucrt", "clang", "msys"),
        check=checks.host_plain,
    ),
    Rule(
        "ssh-host",
        "HOST",
        rf"(?:(?:ssh|scp|rsync|sftp|mosh|ssh-copy-id)\s[^\r\n|;]{{0,120}}?|smb://){NAME}@({LABEL})(?:[\s:;/\"'`]|$)",
        ("ssh", "scp", "rsync", "sftp", "mosh", "smb://"),
        check=checks.host_marked,
    ),
    Rule("connection-closed", "HOST", rf"Connection to ({LABEL}) closed", ("connection to",), check=checks.host_marked),
)
