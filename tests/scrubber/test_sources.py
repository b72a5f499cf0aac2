from __future__ import annotations

from pathlib import Path

import pytest

from errorhub.scrubber import KnownValue, known_from_deny, known_from_environment
from errorhub.scrubber.errors import VaultError


def test_deny_list_of_lines(tmp_path: Path) -> None:
    file = tmp_path / "deny.txt"
    file.write_text("﻿# customers\nNorthwind Traders\n\n  Zephyr  \n", "utf-8")
    assert known_from_deny(file) == (KnownValue("Northwind Traders"), KnownValue("Zephyr"))


def test_deny_csv_takes_kinds_from_its_header(tmp_path: Path) -> None:
    file = tmp_path / "deny.csv"
    file.write_text('customer,project name,2nd\n"Acme, Inc.",Zephyr,Third\nGlobex,,\n')
    assert known_from_deny(file) == (
        KnownValue("Acme, Inc.", "CUSTOMER"),
        KnownValue("Zephyr", "PROJECT_NAME"),
        KnownValue("Third", "CUSTOM"),
        KnownValue("Globex", "CUSTOMER"),
    )


@pytest.mark.parametrize(("name", "text"), [("deny.txt", "# x\nZephyr\nab\n"), ("deny.csv", "kind\nZephyr\nab\n")])
def test_short_value_is_named_by_line_only(tmp_path: Path, name: str, text: str) -> None:
    file = tmp_path / name
    file.write_text(text)
    with pytest.raises(VaultError, match="line 3") as caught:
        known_from_deny(file)
    assert "ab" not in str(caught.value).split(":")[-1]


@pytest.mark.parametrize("content", [None, b"\xff\xfe\xfa"], ids=["missing", "not-utf8"])
def test_unreadable_deny_list(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "deny.txt"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(VaultError):
        known_from_deny(file)


def test_env_file_gives_its_secrets_only(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(
        "# comment\nDEBUG=true\nexport API_TOKEN='tok-12345678'\nDB_PASSWORD=\"p w d!\"\n"
        "AUTH_MODE=default\nHOME=/srv/app\n"
    )
    assert known_from_environment(env_files=[file, tmp_path / "absent"]) == (
        KnownValue("tok-12345678", "SECRET"),
        KnownValue("p w d!", "PASSWORD"),
    )


def test_netrc_and_git_config(tmp_path: Path) -> None:
    netrc = tmp_path / ".netrc"
    netrc.write_text(
        "machine git.example.org login mvolkov password s3cr3t-pw\nmachine x login git password other-pw1\n"
    )
    config = tmp_path / "config"
    config.write_text(
        '[user]\n\tname = Maria Volkov\n\temail = maria@volkov.dev\n[remote "origin"]\n'
        "\turl = https://token123@git.example.org/northwind/zephyr.git\n"
        '[remote "backup"]\n\turl = /srv/git/zephyr.git\n'
    )
    found = known_from_environment(netrc_file=netrc, git_config=config)
    assert set(found) == {
        KnownValue("s3cr3t-pw", "PASSWORD"),
        KnownValue("mvolkov", "USER"),
        KnownValue("other-pw1", "PASSWORD"),
        KnownValue("Maria Volkov", "PERSON"),
        KnownValue("maria@volkov.dev", "EMAIL"),
        KnownValue("token123", "SECRET"),
        KnownValue("northwind/zephyr", "REPO"),
    }


@pytest.mark.parametrize(
    ("user", "host", "found"),
    [
        ("mvolkov", "build-7", {("mvolkov", "USER"), ("build-7", "HOST")}),
        ("root", "localhost", set()),
        ("bob", "ab", set()),
    ],
)
def test_user_and_host(user: str, host: str, found: set[tuple[str, str]]) -> None:
    assert set(known_from_environment(user=user, host=host)) == found
