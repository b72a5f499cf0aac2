"""One suite for every store: what the rest of the hub relies on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from errorhub.hub.errors import Conflict, NotFound, RecordError, RemoteError
from errorhub.hub.stores import Store, open_store


@pytest.fixture
def store(spec: str, tmp_path: Path) -> Store:
    return open_store(spec, create=True, cache=tmp_path / "cache")


def test_an_empty_store_has_no_head_and_no_files(store: Store) -> None:
    assert store.head() is None
    tree = store.tree()
    assert (tree.revision, tree.paths(), tree.strange()) == (None, [], [])


def test_what_is_committed_is_read_back_byte_for_byte(store: Store) -> None:
    files = {"a/b.json": b"\r\n\x00\xff", "README.md": b"one", "a/c.parquet": b"", "z.txt": bytes(range(256)) * 5000}
    revision = store.commit(files, [], "first", None)
    tree = store.tree()
    assert store.head() == tree.revision == revision
    assert tree.paths() == sorted(files)
    assert tree.paths("a/") == ["a/b.json", "a/c.parquet"]
    assert {path: tree.read(path) for path in files} == files


def test_a_commit_adds_replaces_and_removes_in_one_step(store: Store) -> None:
    first = store.commit({"keep": b"1", "change": b"1", "drop/me": b"1"}, [], "first", None)
    second = store.commit({"change": b"2", "new": b"2"}, ["drop/me", "never/was"], "second", first)
    tree = store.tree()
    assert second != first
    assert {path: tree.read(path) for path in tree.paths()} == {"keep": b"1", "change": b"2", "new": b"2"}


@pytest.mark.parametrize("expect", [None, "0" * 40], ids=["expects nothing", "expects another"])
def test_a_commit_on_another_head_conflicts_and_changes_nothing(store: Store, expect: str | None) -> None:
    first = store.commit({"a": b"1"}, [], "first", None)
    with pytest.raises(Conflict):
        store.commit({"a": b"2"}, [], "second", expect)
    assert store.head() == first
    assert store.tree().read("a") == b"1"


def test_an_expected_head_on_an_empty_store_conflicts(store: Store) -> None:
    with pytest.raises(Conflict):
        store.commit({"a": b"2"}, [], "second", "0" * 40)
    assert store.head() is None


def test_a_tree_never_shows_a_later_commit(store: Store) -> None:
    first = store.commit({"a": b"1", "d/x": b"1"}, [], "first", None)
    tree = store.tree()
    store.commit({"a": b"2", "b": b"2"}, ["d/x"], "second", first)
    assert tree.paths() == ["a", "d/x"]
    assert tree.read("a") == b"1"
    try:
        assert tree.read("d/x") == b"1"
    except Conflict:
        assert store.spec.startswith("local:")  # a folder keeps no past, but it says so


def test_a_named_revision_is_read_or_refused(spec: str, store: Store, tmp_path: Path) -> None:
    first = store.commit({"a": b"1"}, [], "first", None)
    second = store.commit({"a": b"2"}, [], "second", first)
    assert open_store(spec, cache=tmp_path / "other", revision=second).tree().read("a") == b"2"
    if spec.startswith("local:"):
        with pytest.raises(NotFound, match="only its newest"):
            store.tree(first)
    else:
        assert open_store(spec, cache=tmp_path / "third", revision=first).tree().read("a") == b"1"
        with pytest.raises(NotFound):
            store.tree("no-such-tag")


def test_reading_what_is_not_there_or_too_large_says_so(store: Store) -> None:
    store.commit({"a/b": b"12345"}, [], "first", None)
    tree = store.tree()
    with pytest.raises(NotFound):
        tree.read("a")
    with pytest.raises(NotFound):
        tree.read("a/../a/b")
    with pytest.raises(RecordError, match="at most 4"):
        tree.read("a/b", limit=4)


@pytest.mark.parametrize(
    "path", ["../x", "/etc/x", "a/../../x", "a//b", "a\\b", ".git/config", ".hub/lock", "a b", "", "./x", "a\nb", "ü"]
)
def test_a_path_that_could_leave_the_tree_is_refused(store: Store, path: str) -> None:
    with pytest.raises(RemoteError, match="not allowed"):
        store.commit({path: b"x"}, [], "bad", None)
    with pytest.raises(RemoteError, match="not allowed"):
        store.commit({"a": b"x"}, [path], "bad", None)
    assert store.head() is None


def test_of_many_writers_on_one_head_exactly_one_wins(spec: str, store: Store, tmp_path: Path) -> None:
    first = store.commit({"a": b"1"}, [], "first", None)
    won: list[str] = []
    lost: list[Conflict] = []

    def write(number: int) -> None:
        try:
            mine = open_store(spec, cache=tmp_path / f"cache-{number}")
            won.append(mine.commit({f"by/{number}": b"x"}, [], "race", first))
        except Conflict as problem:
            lost.append(problem)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 3)
    assert store.head() == won[0]
    assert len(store.tree().paths("by/")) == 1


def test_one_cache_serves_several_writers(spec: str, store: Store, tmp_path: Path) -> None:
    def write(number: int) -> None:
        mine = open_store(spec, create=True, cache=tmp_path / "cache")
        while True:
            try:
                mine.commit({f"by/{number}": b"x"}, [], "race", mine.head())
                return
            except Conflict:
                continue

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store.tree().paths("by/")) == 4


def test_reading_never_makes_anything(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no hub"):
        open_store(f"local:{tmp_path / 'missing'}")
    store = open_store(f"local:{tmp_path / 'missing'}", create=True)
    assert store.head() is None
    assert store.tree().paths() == []
    assert not (tmp_path / "missing").exists()
