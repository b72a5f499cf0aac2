"""Folders: hostile control files, copies, full disks."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from errorhub.hub.errors import Conflict, HubError, RemoteError, UsageError
from errorhub.hub.stores import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(f"local:{tmp_path / 'hub'}", create=True)


def interrupted(root: Path, **facts: object) -> None:
    """Leave a journal as a commit that was killed, or a stranger, leaves it."""
    (root / ".hub" / "staged").mkdir()
    (root / ".hub" / "staged" / "0").write_bytes(b"staged")
    (root / ".hub" / "journal").write_text(json.dumps({"add": {}, "remove": [], "revision": "a" * 40} | facts))


def test_a_commit_that_was_cut_short_is_finished_by_whoever_reads(store: Store, tmp_path: Path) -> None:
    store.commit({"a": b"1", "b": b"1"}, [], "first", None)
    interrupted(tmp_path / "hub", add={"d/new": "x"}, remove=["b"])
    assert store.head() == "a" * 40
    tree = store.tree()
    assert {path: tree.read(path) for path in tree.paths()} == {"a": b"1", "d/new": b"staged"}
    assert not (tmp_path / "hub" / ".hub" / "staged").exists()


def test_what_was_staged_without_a_journal_is_forgotten(store: Store, tmp_path: Path) -> None:
    first = store.commit({"a": b"1"}, [], "first", None)
    interrupted(tmp_path / "hub")
    (tmp_path / "hub" / ".hub" / "journal").unlink()
    assert (store.head(), store.tree().paths()) == (first, ["a"])
    store.commit({"b": b"1"}, [], "second", first)
    assert store.tree().paths() == ["a", "b"]


@pytest.mark.parametrize(
    "facts",
    [
        {"add": {"../evil": "x"}},
        {"add": {"/tmp/evil": "x"}},
        {"remove": ["../keep"]},
        {"remove": ["link/keep"]},
        {"add": {"link/evil": "x"}},
        {"revision": "../../x"},
        {"add": 7},
        {"remove": [None]},
    ],
    ids=str,
)
def test_a_strangers_journal_reaches_nothing_outside(store: Store, tmp_path: Path, facts: dict[str, object]) -> None:
    store.commit({"a": b"1"}, [], "first", None)
    outside = tmp_path / "outside"
    outside.mkdir()
    for folder in (tmp_path, outside):
        (folder / "keep").write_text("kept")
    (tmp_path / "hub" / "link").symlink_to(outside)
    interrupted(tmp_path / "hub", **facts)
    with pytest.raises(RemoteError):
        store.head()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["hub", "keep", "outside"]
    assert [path.name for path in outside.iterdir()] == ["keep"]


def test_a_control_folder_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hub").mkdir()
    (tmp_path / "hub" / ".hub").symlink_to(tmp_path)
    with pytest.raises(UsageError, match="is a link"):
        open_store(f"local:{tmp_path / 'hub'}")


def test_a_head_that_is_no_revision_counts_for_nothing(store: Store, tmp_path: Path) -> None:
    store.commit({"hub.json": b"{}"}, [], "first", None)
    (tmp_path / "hub" / ".hub" / "head").write_text("\x1b[31mevil")
    assert "\x1b" not in str(store.head())


def test_a_copy_without_its_control_folder_can_be_read_and_written(store: Store, tmp_path: Path) -> None:
    store.commit({"hub.json": b"{}", "a/b": b"1"}, [], "first", None)
    shutil.copytree(tmp_path / "hub", tmp_path / "copy", ignore=shutil.ignore_patterns(".hub"))
    copy = open_store(f"local:{tmp_path / 'copy'}")
    head = copy.head()
    assert head is not None
    assert head == copy.head() == copy.tree().revision
    with pytest.raises(Conflict):
        copy.commit({"c": b"1"}, [], "second", None)
    copy.commit({"c": b"1"}, [], "second", head)
    assert copy.tree().paths() == ["a/b", "c", "hub.json"]


def test_links_and_pipes_are_strange_and_never_read(store: Store, tmp_path: Path) -> None:
    import os

    store.commit({"a/b": b"1"}, [], "first", None)
    (tmp_path / "hub" / "a" / "up").symlink_to("..")
    (tmp_path / "hub" / "passwd").symlink_to("/etc/passwd")
    os.mkfifo(tmp_path / "hub" / "pipe")
    tree = store.tree()
    assert tree.paths() == ["a/b"]
    assert tree.strange() == ["a/up", "passwd", "pipe"]


_FULL = """
import resource, signal, sys
from pathlib import Path
from errorhub.hub.errors import HubError
from errorhub.hub.stores import open_store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = open_store(sys.argv[1], cache=Path(sys.argv[2]))
head = store.head()
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    store.commit({"a": b"2", "big": bytes(100_000)}, [], "second", head)
except HubError as problem:
    print(problem)
"""


@pytest.mark.parametrize("kind", ["local", "git"])
def test_a_full_disk_changes_nothing_and_the_next_commit_works(kind: str, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r.git")], check=True)
    spec = f"local:{tmp_path / 'hub'}" if kind == "local" else f"git:{(tmp_path / 'r.git').as_uri()}"
    store = open_store(spec, create=True, cache=tmp_path / "cache")
    first = store.commit({"a": b"1"}, [], "first", None)
    arguments = [sys.executable, "-c", _FULL, spec, str(tmp_path / "cache")]
    told = subprocess.run(arguments, capture_output=True, text=True, check=True).stdout
    assert told.count("\n") == 1, told
    assert "cannot write" in told or kind == "git"
    assert store.head() == first
    assert store.tree().paths() == ["a"]
    store.commit({"a": b"2", "big": bytes(100_000)}, [], "second", first)
    assert store.tree().read("big") == bytes(100_000)


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    store = open_store(f"local:{tmp_path / 'file' / 'hub'}", create=True)
    with pytest.raises(HubError, match="cannot write"):
        store.commit({"a": b"1"}, [], "first", None)
