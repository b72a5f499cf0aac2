"""A disk that takes nothing: scrubbing says so in one sentence, leaves no file and changes none."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from errorhub.hub.documents import scrub_documents
from errorhub.hub.errors import UsageError
from errorhub.scrubber import Policy, Vault
from errorhub.scrubber.errors import VaultError

SECRET = "ghp_" + "a8Kd02mZqLw7RtYx5VbN" + "c3HfJ6sPe9UgT1Wd"


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """Return a folder in which nobody can create a file, not even root."""
    folder = tmp_path / "sealed"
    folder.mkdir()
    folder.chmod(0o500)
    return folder if not os.access(folder, os.W_OK) else Path("/proc/self")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    path = tmp_path / "in.jsonl"
    path.write_text(json.dumps({"content": f"use {SECRET}"}) + "\n")
    return path


def test_a_key_on_a_read_only_disk_is_named(read_only: Path) -> None:
    with pytest.raises(VaultError, match="cannot be used") as caught:
        Vault.open(read_only / "config" / "vault.key")
    assert "ERRORHUB_CONFIG_DIR" in str(caught.value.hint)


@pytest.mark.parametrize("findings", [False, True])
def test_documents_to_a_read_only_disk_are_refused(
    read_only: Path, source: Path, tmp_path: Path, findings: bool
) -> None:
    before, here = source.read_bytes(), set(tmp_path.iterdir())
    out = tmp_path / "out.jsonl" if findings else read_only / "out.jsonl"
    with pytest.raises(UsageError, match="cannot write") as caught:
        scrub_documents(source, out, Policy.load("share").without_names(), findings=read_only / "found.jsonl")
    assert SECRET not in str(caught.value)
    assert source.read_bytes() == before
    assert set(tmp_path.iterdir()) - here <= {tmp_path / "config"}


def test_a_full_disk_leaves_nothing(source: Path, tmp_path: Path) -> None:
    resource = pytest.importorskip("resource", reason="limits of file sizes are POSIX")
    signal = pytest.importorskip("signal")
    with source.open("a") as file:
        file.writelines(json.dumps({"content": f"line {number}"}) + "\n" for number in range(4000))
    old, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (16384, old[1]))
    try:
        with pytest.raises(UsageError, match="cannot write"):
            scrub_documents(source, tmp_path / "out.jsonl", Policy.load("share").without_names())
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)
    assert {path.name for path in tmp_path.iterdir()} == {"config", "in.jsonl"}
