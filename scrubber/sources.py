"""Where known values come from: deny lists, env files, netrc, Git config, the machine itself."""

from __future__ import annotations

import csv
import io
import netrc
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from errorhub.scrubber.errors import VaultError
from errorhub.scrubber.identity import SYSTEM_USERS, USER_FROM
from errorhub.scrubber.vault import SHORTEST, KnownValue

_ENTRY = re.compile(r"""^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|(.*?))\s*$""")
_SECRET_NAME = re.compile(r"key|token|secret|pass|pwd|auth|cred|dsn|private|salt|webhook|cookie|conn", re.IGNORECASE)
_PASSWORD_NAME = re.compile(r"pass|pwd", re.IGNORECASE)
_TRIVIAL_TEXT = """
    true false none null yes no on off localhost development production staging default
"""
_TRIVIAL = frozenset(_TRIVIAL_TEXT.split())


def known_from_deny(path: Path) -> tuple[KnownValue, ...]:
    """Read a deny list: one value a line with `#` comments, or a CSV whose column headers are the kinds.

    Raises VaultError naming the line of a value that is too short, never the value.
    """
    text = _read(path)
    values = _csv_values(text) if path.suffix.lower() == ".csv" else _line_values(text)
    return _checked(values, path)


def known_from_environment(
    *,
    env_files: Sequence[Path] = (),
    netrc_file: Path | None = None,
    git_config: Path | None = None,
    user: str | None = None,
    host: str | None = None,
) -> tuple[KnownValue, ...]:
    """Read what a machine knows: secrets of env files and netrc, the Git identity and remotes, user and host name.

    Files that do not exist are passed over; system accounts such as `root` are no secrets.
    """
    found: list[KnownValue] = []
    for path in env_files:
        found += _env_values(path) if path.exists() else ()
    if netrc_file is not None and netrc_file.exists():
        found += _netrc_values(netrc_file)
    if git_config is not None and git_config.exists():
        found += _git_values(git_config)
    if user is not None:
        found += _user(user)
    if host is not None and len(host) >= USER_FROM and host.lower() not in SYSTEM_USERS:
        found.append(KnownValue(host, "HOST"))
    return _first_kinds(found)


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError:
        raise VaultError(f"{str(path)!r} is not UTF-8 text.") from None
    except OSError as error:
        raise VaultError(f"{str(path)!r} cannot be read: {error.strerror or type(error).__name__}.") from None


def _line_values(text: str) -> Iterator[tuple[int, KnownValue]]:
    for number, line in enumerate(text.splitlines(), 1):
        value = line.strip()
        if value and not value.startswith("#"):
            yield number, KnownValue(value)


def _csv_values(text: str) -> Iterator[tuple[int, KnownValue]]:
    rows = csv.reader(io.StringIO(text))
    kinds = [_kind(header) for header in next(rows, [])]
    for row in rows:
        for kind, cell in zip(kinds, row, strict=False):
            if cell.strip() and not row[0].startswith("#"):
                yield rows.line_num, KnownValue(cell.strip(), kind)


def _kind(header: str) -> str:
    word = re.sub(r"[^A-Z0-9]+", "_", header.strip().upper()).strip("_")
    return word if word[:1].isalpha() else "CUSTOM"


def _checked(values: Iterable[tuple[int, KnownValue]], path: Path) -> tuple[KnownValue, ...]:
    found: list[KnownValue] = []
    for number, known in values:
        if len(known.value) < SHORTEST:
            raise VaultError(
                f"{str(path)!r} line {number}: a known value needs {SHORTEST} or more characters.",
                "Shorter ones would be replaced inside ordinary words.",
            )
        found.append(known)
    return tuple(dict.fromkeys(found))


def _env_values(path: Path) -> Iterator[KnownValue]:
    for line in _read(path).splitlines():
        entry = _ENTRY.match(line)
        if entry is None or line.lstrip().startswith("#"):
            continue
        value = next((part for part in entry.groups()[1:] if part), "")
        if _SECRET_NAME.search(entry[1]) and len(value) >= 6 and value.lower() not in _TRIVIAL:
            yield KnownValue(value, "PASSWORD" if _PASSWORD_NAME.search(entry[1]) else "SECRET")


def _netrc_values(path: Path) -> Iterator[KnownValue]:
    try:
        hosts = netrc.netrc(path).hosts
    except (netrc.NetrcParseError, UnicodeDecodeError):
        raise VaultError(f"netrc file {str(path)!r} cannot be parsed.") from None
    for login, _, password in hosts.values():
        if password and len(password) >= SHORTEST:
            yield KnownValue(password, "PASSWORD")
        yield from _user(login)


def _git_values(path: Path) -> Iterator[KnownValue]:
    """Ask Git itself, so that quoting and continued lines are read as Git reads them."""
    command = ["git", "config", "--file", str(path), "--list", "-z"]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise VaultError(f"Git config {str(path)!r} cannot be parsed.")
    for entry in done.stdout.decode("utf-8", "replace").split("\0"):
        key, _, value = entry.partition("\n")
        if key == "user.name":
            yield from _person(value)
        elif key == "user.email" and "@" in value:
            yield KnownValue(value, "EMAIL")
        elif key.startswith("remote.") and key.endswith(".url"):
            yield from _remote(value)


def _remote(url: str) -> Iterator[KnownValue]:
    """The credentials of a remote, and `owner/name`, which tells what the work is about."""
    credentials = re.match(r"\w+://([^/@]+)@", url)
    if credentials is not None:
        for part in credentials[1].split(":"):
            if len(part) >= 6:
                yield KnownValue(part, "SECRET")
    path = re.search(r"[:/]([^/:@]+/[^/:@]+?)(?:\.git)?/?$", url)
    if path is not None and not url.startswith(("/", ".", "file:")):
        yield KnownValue(path[1], "REPO")


def _person(name: str) -> Iterator[KnownValue]:
    if len(name) >= USER_FROM and name.lower() not in SYSTEM_USERS:
        yield KnownValue(name, "PERSON")


def _user(login: str | None) -> Iterator[KnownValue]:
    if login and len(login) >= USER_FROM and login.lower() not in SYSTEM_USERS:
        yield KnownValue(login, "EMAIL" if "@" in login else "USER")


def _first_kinds(found: list[KnownValue]) -> tuple[KnownValue, ...]:
    """Keep the first kind of a value that stands in two places, such as a login that is also a Git name."""
    kinds: dict[str, KnownValue] = {}
    for known in found:
        kinds.setdefault(known.value.casefold(), known)
    return tuple(kinds.values())
