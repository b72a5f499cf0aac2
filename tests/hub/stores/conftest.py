"""Empty places for a store: a folder, a bare repository by file://, and one behind an authenticated HTTP server."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hubserver.fixture import hub_server, hub_server_process, new_name
from hubserver.githttp import USER, WORD, serving

__all__ = ["hub_server", "hub_server_process"]


def git(*arguments: str, cwd: Path | None = None) -> str:
    """Run real git."""
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


@pytest.fixture(autouse=True)
def quiet_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own git settings out."""
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "stranger")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "stranger@example.invalid")


@pytest.fixture
def http_remote(tmp_path: Path) -> Iterator[str]:
    """Give host:port/repo.git of an empty bare repository behind a password."""
    git("init", "-q", "--bare", "-b", "main", str(tmp_path / "repo.git"))
    with serving(tmp_path) as place:
        yield f"{place}/repo.git"


@pytest.fixture(params=["local", "git-file", "git-http", "hf"])
def spec(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Give the SPEC of an empty place in every kind of store."""
    if request.param == "local":
        return f"local:{tmp_path / 'store'}"
    if request.param == "git-http":
        return f"git:http://{USER}:{WORD}@{request.getfixturevalue('http_remote')}"
    if request.param == "hf":
        request.getfixturevalue("hub_server")
        return f"hf:{new_name()}"
    git("init", "-q", "--bare", "-b", "trunk", str(tmp_path / "repo.git"))
    return f"git:{(tmp_path / 'repo.git').as_uri()}"
