from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from errorhub.scrubber import KnownValue, ScrubConflict, Vault
from errorhub.scrubber.errors import VaultError

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX file modes")


@posix
def test_key_is_private_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "config" / "vault.key"
    vault = Vault.open(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert Vault.open(path).key == vault.key
    assert [entry.name for entry in path.parent.iterdir()] == ["vault.key"]


def test_two_processes_open_one_vault(tmp_path: Path) -> None:
    path = tmp_path / "new" / "vault.key"
    code = f"import pathlib, errorhub.scrubber as s; print(s.Vault.open(pathlib.Path({str(path)!r})).key.hex())"
    running = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(4)]
    keys = {process.communicate()[0] for process in running}
    assert keys == {path.read_bytes().hex() + "\n"}
    assert [entry.name for entry in path.parent.iterdir()] == ["vault.key"]


@posix
def test_readable_key_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "vault.key"
    Vault.open(path)
    path.chmod(0o644)
    with pytest.raises(VaultError, match="read by others") as caught:
        Vault.open(path)
    assert "chmod 600" in (caught.value.hint or "")


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_damaged_key_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "vault.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(VaultError, match="32 bytes"):
        Vault.open(path)


def test_unusable_folder_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VaultError, match="cannot be used"):
        Vault.open(tmp_path / "file" / "vault.key")


def test_hmac_keeps_kinds_and_vaults_apart(vault: Vault) -> None:
    assert vault.hmac("EMAIL", "a") == vault.hmac("EMAIL", b"a")
    assert len({vault.hmac("EMAIL", "a"), vault.hmac("USER", "a"), Vault(b"j" * 32).hmac("EMAIL", "a")}) == 3


def test_known_values_never_show(vault: Vault) -> None:
    full = vault.with_known([KnownValue("Northwind", "CUSTOMER")])
    assert "Northwind" not in repr(full) + repr(full.known)
    assert full.known_key != vault.known_key


def test_one_value_of_two_kinds_is_a_conflict(vault: Vault) -> None:
    with pytest.raises(ScrubConflict) as caught:
        vault.with_known([KnownValue("Northwind", "CUSTOMER"), KnownValue("NORTHWIND", "PROJECT")])
    assert "northwind" not in str(caught.value).lower()


def test_short_value_is_refused(vault: Vault) -> None:
    with pytest.raises(VaultError, match="shorter than 3"):
        vault.with_known([KnownValue("ab")])
