"""Logins and machines in logs, commands and prompts of systems; `user:password@host` without a scheme."""

from __future__ import annotations

from functools import cache

import pytest

from errorhub.scrubber.detect import Detector

USER, HOST = "jlindqvist7", "gpu-moreau42"
PASSWORD = "Tr0ub4" + "dor9"


@cache
def detector() -> Detector:
    return Detector()


def found(text: str) -> list[tuple[str, str]]:
    return [(span.kind, text[span.start : span.end]) for span in detector().detect(text)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(r"\\wsl$\Ubuntu\home\%s\src", id="wsl"),
        pytest.param(r"\\\\wsl.localhost\\Ubuntu-22.04\\home\\%s", id="wsl-escaped"),
        pytest.param("/usr/home/%s/src", id="bsd-home"),
        pytest.param("/System/Volumes/Data/Users/%s/src", id="mac-volume"),
        pytest.param("sudo:    %s : TTY=pts/0 ; PWD=/tmp", id="sudo"),
        pytest.param("session opened for user %s by (uid=0)", id="session"),
        pytest.param("Failed password for invalid user %s from host", id="sshd"),
        pytest.param("Accepted publickey for %s from host", id="sshd-key"),
        pytest.param("$ su - %s", id="su"),
        pytest.param("sudo chown -R %s: /srv", id="chown"),
        pytest.param("chown www-data:%s /srv", id="chown-group"),
        pytest.param("crontab -u %s -l", id="crontab"),
        pytest.param("Logged in as %s", id="logged-in"),
        pytest.param("%s   pts/0   10:01", id="who"),
        pytest.param("%s@buildbox MINGW64 ~/src", id="git-bash"),
        pytest.param("(%s@kali)-[~]", id="framed-prompt"),
    ],
)
def test_a_login_is_found(text: str) -> None:
    assert ("USER", USER) in found(text % USER)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ssh jane@%s", id="ssh"),
        pytest.param("rsync -av src jane@%s:/srv", id="rsync"),
        pytest.param("smb://jane@%s/share", id="smb"),
        pytest.param("Connection to %s closed.", id="closed"),
        pytest.param("jane@%s MINGW64 ~", id="git-bash"),
        pytest.param("(jane@%s)-[~]", id="framed-prompt"),
    ],
)
def test_a_machine_is_found(text: str) -> None:
    assert ("HOST", HOST) in found(text % HOST)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('File "/home/envs/lib/python3.9/site.py"', id="environments"),
        pytest.param("/home/CaptainAgent/groupchat/tmp.py", id="agent"),
        pytest.param("/home/Assist/groupchat/tmp.py", id="assistant"),
        pytest.param("ssh user@remote-host", id="stand-in"),
        pytest.param("ssh-copy-id git@server", id="server"),
        pytest.param("chown root:root /etc/hosts", id="root"),
        pytest.param("su - postgres", id="system-account"),
        pytest.param("You are logged in as an administrator", id="sentence"),
        pytest.param("sudo chown your-user file", id="instruction"),
        pytest.param("Connection to server closed", id="word"),
    ],
)
def test_words_in_their_place_survive(text: str) -> None:
    assert [value for kind, value in found(text) if kind in ("USER", "HOST")] == []


@pytest.mark.parametrize("host", ["db.acme-corp.io", "10.0.0.4", "localhost", "db.acme-corp.io:5432"])
def test_a_password_before_a_host_goes_and_the_rest_stays(host: str) -> None:
    text = f"use deploy:{PASSWORD}@{host} now"
    assert found(text)[0] == ("PASSWORD", PASSWORD)
    assert not any("deploy" in value for _, value in found(text))


@pytest.mark.parametrize("label", ["mail", "contact", "owner", "from", "x"])
def test_a_label_before_an_address_takes_nothing_from_it(label: str) -> None:
    address = "jane.doe9" + "@" + "acme-corp.com"
    assert found(f"{label}:{address}") == [("EMAIL", address)]
