"""Git remotes: branches, hostile repositories, credentials."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hubserver.githttp import READER, USER, WORD

from errorhub.hub.errors import Conflict, NotFound, RemoteError
from errorhub.hub.stores import open_store


def git(*arguments: str, cwd: Path | None = None) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout


def bare(folder: Path, branch: str) -> str:
    git("init", "-q", "--bare", "-b", branch, str(folder / "repo.git"))
    return f"git:{(folder / 'repo.git').as_uri()}"


@pytest.mark.parametrize("branch", ["main", "master", "trunk/deep"])
def test_an_empty_remote_gets_the_branch_its_head_names(branch: str, tmp_path: Path) -> None:
    store = open_store(bare(tmp_path, branch), cache=tmp_path / "cache")
    store.commit({"a": b"1"}, [], "first", None)
    assert git("--git-dir", str(tmp_path / "repo.git"), "branch", "--list").split() == ["*", branch]
    git("clone", "-q", str(tmp_path / "repo.git"), str(tmp_path / "clone"))
    assert (tmp_path / "clone" / "a").read_bytes() == b"1"


def test_a_named_branch_leaves_the_others_alone(tmp_path: Path) -> None:
    spec = bare(tmp_path, "main")
    open_store(spec, cache=tmp_path / "cache").commit({"a": b"1"}, [], "first", None)
    side = open_store(f"{spec}#side", cache=tmp_path / "cache")
    assert side.head() is None
    side.commit({"b": b"1"}, [], "first", None)
    assert open_store(spec, cache=tmp_path / "cache").tree().paths() == ["a"]
    assert open_store(spec, cache=tmp_path / "cache", revision="side").tree().paths() == ["b"]


def test_a_remote_whose_head_was_rewound_is_not_overwritten(tmp_path: Path) -> None:
    store = open_store(bare(tmp_path, "main"), cache=tmp_path / "cache")
    first = store.commit({"a": b"1"}, [], "first", None)
    second = store.commit({"a": b"2"}, [], "second", first)
    git("--git-dir", str(tmp_path / "repo.git"), "update-ref", "refs/heads/main", first)
    with pytest.raises(Conflict):
        store.commit({"a": b"3"}, [], "third", second)
    assert store.head() == first


def test_author_is_the_pseudonym_and_time_has_no_zone(tmp_path: Path) -> None:
    store = open_store(bare(tmp_path, "main"), cache=tmp_path / "cache")
    store.commit({"a": b"1"}, [], "Subject\n\nBody: ü\n", None, author="anon-7")
    told = git("--git-dir", str(tmp_path / "repo.git"), "log", "--format=%an|%ae|%cn|%ad|%B").strip()
    assert told.startswith("anon-7|anon-7@errorhub.invalid|anon-7|")
    assert "+0000|Subject\n\nBody: ü" in told


def test_a_refusing_hook_is_an_error_and_not_a_conflict(tmp_path: Path) -> None:
    store = open_store(bare(tmp_path, "main"), cache=tmp_path / "cache")
    hook = tmp_path / "repo.git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'no entry' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RemoteError, match="hook declined") as caught:
        store.commit({"a": b"1"}, [], "first", None)
    assert not isinstance(caught.value, Conflict)


def test_hooks_of_this_machine_and_of_the_cache_never_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec, ran = bare(tmp_path, "main"), tmp_path / "ran"
    store = open_store(spec, cache=tmp_path / "cache")
    store.commit({"a": b"1"}, [], "first", None)
    [kept] = (tmp_path / "cache").glob("*.git")
    machine = tmp_path / "machine"
    for folder, names in (
        (machine, ("pre-push", "post-checkout")),
        (kept / "hooks", ("pre-push", "post-checkout", "reference-transaction")),
    ):
        folder.mkdir()
        for name in names:
            (folder / name).write_text(f"#!/bin/sh\ntouch {ran}\n")
            (folder / name).chmod(0o755)
    settings = tmp_path / "gitconfig"
    settings.write_text(f"[core]\n\thooksPath = {machine}\n[init]\n\ttemplateDir = {tmp_path}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(settings))
    store.commit({"a": b"2"}, [], "second", store.head())
    assert open_store(spec, cache=tmp_path / "fresh").tree().read("a") == b"2"
    assert not ran.exists()


def test_links_submodules_and_attributes_of_a_stranger_do_nothing(tmp_path: Path) -> None:
    spec = bare(tmp_path, "main")
    work = tmp_path / "work"
    git("clone", "-q", str(tmp_path / "repo.git"), str(work))
    (work / "plain").write_bytes(b"a\r\nb\n")
    (work / ".gitattributes").write_text("* text eol=lf filter=evil\n")
    (work / "link").symlink_to("/etc/passwd")
    git("add", "-A", cwd=work)
    commit = "1" * 40
    git("update-index", "--add", "--cacheinfo", f"160000,{commit},sub", cwd=work)
    git("-c", "core.autocrlf=false", "commit", "-q", "-m", "hostile", cwd=work)
    git("push", "-q", "origin", "HEAD:main", cwd=work)
    tree = open_store(spec, cache=tmp_path / "cache").tree()
    assert tree.paths() == [".gitattributes", "plain"]
    assert tree.strange() == ["link", "sub"]
    with pytest.raises(NotFound):
        tree.read("link")


def test_the_surroundings_of_another_repository_are_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git("init", "-q", str(tmp_path / "other"))
    spec = bare(tmp_path, "main")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other" / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "other" / ".git" / "objects"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "user.name")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "somebody")
    store = open_store(spec, cache=tmp_path / "cache")
    store.commit({"a": b"1"}, [], "first", None)
    assert store.tree().read("a") == b"1"
    assert not list((tmp_path / "other" / ".git" / "objects").glob("??"))


def test_a_lock_left_by_a_killed_fetch_does_not_stop_the_next(tmp_path: Path) -> None:
    spec = bare(tmp_path, "main")
    open_store(spec, cache=tmp_path / "writer").commit({"a": b"1"}, [], "first", None)
    store = open_store(spec, cache=tmp_path / "cache")
    store.head()
    (next((tmp_path / "cache").glob("*.git")) / "shallow.lock").touch()
    assert store.tree().read("a") == b"1"


def test_a_password_reaches_the_server_and_nothing_else(http_remote: str, tmp_path: Path) -> None:
    store = open_store(f"git:http://{USER}:{WORD}@{http_remote}", cache=tmp_path / "cache")
    store.commit({"a": b"1"}, [], "first", None)
    assert store.tree().read("a") == b"1"
    for path in (tmp_path / "cache").rglob("*"):
        assert not path.is_file() or WORD.encode() not in path.read_bytes()


@pytest.mark.parametrize("login", ["", f"{USER}:wrong-{WORD}@"], ids=["no password", "wrong password"])
def test_a_missing_or_wrong_password_is_told_without_it(login: str, http_remote: str, tmp_path: Path) -> None:
    store = open_store(f"git:http://{login}{http_remote}", cache=tmp_path / "cache")
    with pytest.raises(RemoteError) as caught:
        store.head()
    assert WORD not in f"{caught.value} {caught.value.hint}"
    assert "\n" not in str(caught.value)


def test_who_may_only_read_is_told_and_nothing_changes(http_remote: str, tmp_path: Path) -> None:
    writer = open_store(f"git:http://{USER}:{WORD}@{http_remote}", cache=tmp_path / "writer")
    first = writer.commit({"a": b"1"}, [], "first", None)
    reader = open_store(f"git:http://{READER}:{WORD}@{http_remote}", cache=tmp_path / "reader")
    assert reader.tree().read("a") == b"1"
    with pytest.raises(RemoteError, match="403") as caught:
        reader.commit({"a": b"2"}, [], "second", first)
    assert not isinstance(caught.value, Conflict)
    assert caught.value.exit_code == 4
    assert WORD not in f"{caught.value} {caught.value.hint}"
    assert writer.head() == first


def test_a_remote_on_this_machine_keeps_packs_and_tries_no_deltas(tmp_path: Path) -> None:
    store = open_store(bare(tmp_path, "main"), cache=tmp_path / "cache")
    first = store.commit({"a.parquet": bytes(10_000)}, [], "first", None)
    attributes = tmp_path / "repo.git" / "info" / "attributes"
    assert attributes.read_text() == "*.parquet -delta\n"
    told = git("--git-dir", str(tmp_path / "repo.git"), "count-objects", "-v").splitlines()
    assert {"count: 0", "packs: 1"} <= set(told)
    attributes.write_text("mine")
    store.commit({"a": b"2"}, [], "second", first)
    assert attributes.read_text() == "mine"
