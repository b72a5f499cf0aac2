"""Checks of who and where: login names, commit authors, machines inside a network."""

from __future__ import annotations

import re

from errorhub.scrubber.rules.lookalikes import PLACEHOLDER
from errorhub.scrubber.rules.personal_checks import EXAMPLE_DOMAIN, person
from errorhub.scrubber.rules.rule import Hit
from errorhub.scrubber.rules.wordlists import FILE_ENDING, KNOWN_HOSTS, SYSTEM_USERS

PROGRAM = re.compile(r"(?i)(?:agent|assist|assistant)s?$")
"""What a folder beside those of users is called that belongs to a program."""


def user(hit: Hit) -> bool:
    """Accept a login name that is neither a system account nor a template."""
    name = hit.value.lower()
    if PROGRAM.search(name) or name in SYSTEM_USERS or len(name) < 2 or name.isdigit() or PLACEHOLDER.search(hit.value):
        return False
    return "." not in name or name.rpartition(".")[2] not in FILE_ENDING | {"py", "md", "sh", "rs", "env", "vue"}


_LOGIN = re.compile(r"[a-z][a-z0-9_.-]{2,31}")
"""A login name in the place of a person's: it stands before an address in angle brackets."""


def author(hit: Hit) -> bool:
    """Accept the person of a commit line; robots and mailing lists are no persons."""
    name = hit.value.strip().lower()
    written = person(hit) or bool(_LOGIN.fullmatch(name) and user(hit))
    return written and not re.search(
        r"\[bot\]|\bbot\b|^(?:github|gitlab|claude|copilot|dependabot|renovate|root|ubuntu|cursor|codex|"
        r"devin)\b|swe-agent|openhands",
        name,
    )


CONTAINER = re.compile(r"[0-9a-f]{12}")
"""What a container is called when nobody named it."""
HOST_BEFORE = re.compile(
    r"(?i)(?:://[^/\s]*|@|\b(?:host|hostname|server|ssh|ping|curl|wget|telnet|nslookup|dig|nc|dns|node|"
    r"endpoint|addr(?:ess)?|domain|url|proxy|connect(?:ed|ing)?|reach|resolve|from|on|at|to|for|via|machine|"
    r"database|db|lookup)\b[\s\"'`=:({\[]{1,4})$"
)


def host_plain(hit: Hit) -> bool:
    """Accept the machine name of a prompt or log line, also without a domain."""
    name = hit.value.lower()
    if CONTAINER.fullmatch(name) or not any(c.isalpha() for c in name):
        return False
    return name not in KNOWN_HOSTS and len(name) >= 3 and not EXAMPLE_DOMAIN.search(name) and name not in SYSTEM_USERS


def host_marked(hit: Hit) -> bool:
    """Accept the machine name of a command with a digit or hyphen; in instructions words stand there."""
    return host_plain(hit) and bool(re.search(r"[\d\-]", hit.value)) and not STAND_IN.search(hit.value)


def login_marked(hit: Hit) -> bool:
    """Accept the login name of a command with a digit, dot, hyphen or underscore; words stand there in sentences."""
    return user(hit) and bool(re.search(r"\w[\d._\-]", hit.value)) and not STAND_IN.search(hit.value)


STAND_IN = re.compile(r"(?i)^(?:(?:my|your|the|some|new|old)[-_.]|remote|host|server|user|node|machine|name|example)")


def host_named(hit: Hit) -> bool:
    """Accept a machine name that its key names: with a digit, a hyphen or a dot, since words stand there in code."""
    name = hit.value.lower().rstrip(".")
    if not host_plain(hit._replace(value=name)) or hit.after.startswith(("(", "[")):
        return False
    if re.fullmatch(r"[\d.]+", name):
        return False
    return bool(re.search(r"[\d\-]", name)) or internal_host(hit._replace(value=name, before=""))


def internal_host(hit: Hit) -> bool:
    """Accept a name under a private suffix; the same suffixes name packages and attributes in code."""
    name = hit.value.lower()
    if (
        name in KNOWN_HOSTS
        or name.endswith((".svc.cluster.local", ".docker.internal"))
        or name.startswith(("self.", "this.", "threading.", "jdk."))
    ):
        return False
    if re.match(r"\.\w", hit.after):
        return False
    labels = name.split(".")
    if labels[-1] in ("corp", "lan", "intra", "intranet", "arpa", "consul", "net", "localdomain"):
        return True
    if re.match(r"[=\[]|\s+import\b", hit.after):
        return False
    return (
        any("-" in part or part[-1:].isdigit() for part in labels[:-1])
        or bool(HOST_BEFORE.search(hit.before))
        or bool(re.match(r":\d|/", hit.after))
    )


def corporate_host(hit: Hit) -> bool:
    """Accept a name inside a company's domain; code attributes have no public ending."""
    return not EXAMPLE_DOMAIN.search(hit.value) and not hit.after.startswith("(")


def cloud_host(hit: Hit) -> bool:
    """Accept a cloud machine's private or public DNS name."""
    return any(c.isalnum() for c in hit.value)


def user_named(hit: Hit) -> bool:
    """Accept the login name that its key names: one word, no system account, no code."""
    value = hit.value.strip()
    return (
        "://" not in hit.before[-48:]
        and bool(re.fullmatch(r"[A-Za-z0-9_.@\-]{2,64}", value))
        and user(hit._replace(value=value))
        and not re.search(
            r"(?i)^(?:none|null|string|str|bytes|optional|final|incomplete|true|false|self|args|request|data|"
            r"[\w.]*(?:user_?name|validate|password)\w*)\b",
            value,
        )
        and not hit.after.startswith(("(", ".", "["))
    )
