"""Datasets on the Hub: permissions, faults of the network, and that no old file is ever taken for a new one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hubserver.fixture import new_name
from hubserver.server import HubServer

from errorhub.hub.errors import Conflict, NotFound, RemoteError, UsageError
from errorhub.hub.stores import Store, open_store
from errorhub.hub.stores.store import Busy

PARQUET = b"PAR1" + bytes(3000) + b"PAR1"


@pytest.fixture
def name(hub_server: HubServer) -> str:
    return new_name()


@pytest.fixture
def store(name: str, tmp_path: Path) -> Store:
    return open_store(f"hf:{name}", create=True, cache=tmp_path / "cache")


def test_a_dataset_is_made_on_demand_and_private(hub_server: HubServer, name: str, store: Store) -> None:
    with pytest.raises(NotFound, match="no dataset") as caught:
        open_store(f"hf:{name}").head()
    assert "--create" in str(caught.value.hint)
    assert store.head() is None
    assert name not in hub_server.world.repos
    store.commit({"a": b"1"}, [], "first", None)
    assert hub_server.world.repos[name].private


def test_the_attributes_of_the_hub_stay_its_own(hub_server: HubServer, name: str, store: Store) -> None:
    first = store.commit({"a": b"1"}, [], "first", None)
    store.commit({"b": b"1"}, [".gitattributes"], "second", first)
    store.commit({".gitattributes": b"evil", "b": b"2"}, [], "third", store.head())
    assert ".gitattributes" in hub_server.world.repos[name].head.tree
    assert store.tree().paths() == ["a", "b"]


def test_parquet_is_stored_apart_and_one_commit_is_one_request(hub_server: HubServer, store: Store) -> None:
    head = store.commit({f"d/{n}.parquet": PARQUET + n.to_bytes(2) for n in range(300)} | {"a": b"1"}, [], "x", None)
    assert len(hub_server.asked("/commit/", "POST")) == 1
    hub_server.log.clear()
    tree = store.tree()
    assert tree.revision == head
    assert all(tree.read(f"d/{n}.parquet") == PARQUET + n.to_bytes(2) for n in range(300))
    assert len(hub_server.log) == 300 + 4, "one request a file, one head, one listing, two lists of addresses"
    assert not [one for one in hub_server.asked("/objects/[0-9a-f]{64}") if one.authorization]


def test_without_addresses_files_are_asked_for_by_path(hub_server: HubServer, store: Store) -> None:
    store.commit({"d/x.parquet": b"PATHS" + PARQUET}, [], "x", None)
    hub_server.fail("status", path="objects/batch", status=404)
    assert store.tree().read("d/x.parquet") == b"PATHS" + PARQUET
    assert not [one for one in hub_server.log if one.authorization and one.host.startswith("localhost")]


@pytest.mark.parametrize("revision", ["branch", "v1", "commit", "refs/pr/1"])
def test_a_pinned_revision_is_read_and_never_written(
    hub_server: HubServer, name: str, store: Store, tmp_path: Path, revision: str
) -> None:
    first = store.commit({"a": b"1"}, [], "first", None)
    hub_server.world.repos[name].refs |= {"refs/heads/branch": first, "refs/tags/v1": first, "refs/pr/1": first}
    store.commit({"a": b"2"}, [], "second", first)
    pinned = open_store(f"hf:{name}@{first if revision == 'commit' else revision}", cache=tmp_path / "cache")
    assert (pinned.tree().read("a"), pinned.tree().revision) == (b"1", first)
    assert "revision=" in pinned.load
    with pytest.raises(UsageError, match="names a revision"):
        pinned.commit({"a": b"3"}, [], "third", first)


def test_who_has_no_token_or_a_bad_one_is_told(
    hub_server: HubServer, name: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.commit({"a": b"1"}, [], "first", None)
    monkeypatch.setenv("HF_TOKEN", "hf_" + "notatoken" * 3)
    with pytest.raises((RemoteError, NotFound)) as caught:
        open_store(f"hf:{name}").head()
    assert "notatoken" not in f"{caught.value} {caught.value.hint}"
    monkeypatch.setenv("HF_TOKEN", hub_server.contributor_token)
    with pytest.raises(NotFound, match="may not see it"):
        open_store(f"hf:{name}").head()
    hub_server.world.repos[name].private = False
    with pytest.raises(RemoteError, match="may not write") as caught:
        open_store(f"hf:{name}").commit({"a": b"2"}, [], "second", open_store(f"hf:{name}").head())
    assert caught.value.hint == f"errorhub publish --to hf:{name} --create-pr"


def test_a_gated_dataset_is_one_clear_sentence(
    hub_server: HubServer, name: str, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.commit({"a": b"1", "x.parquet": PARQUET}, [], "first", None)
    repo = hub_server.world.repos[name]
    repo.private, repo.gated = False, "manual"
    monkeypatch.setenv("HF_TOKEN", hub_server.contributor_token)
    for path in ("a", "x.parquet"):
        with pytest.raises(RemoteError, match="is gated"):
            open_store(f"hf:{name}").tree().read(path)
    repo.access["bob"] = "accepted"
    assert open_store(f"hf:{name}").tree().read("x.parquet") == PARQUET


def test_a_file_that_changed_is_never_served_from_the_cache(
    hub_server: HubServer, name: str, store: Store, tmp_path: Path
) -> None:
    path = f"log/202501/01ARYZ6S410000000000000000-{'a' * 64}.json"
    store.commit({path: b"{}"}, [], "first", None)
    assert store.tree().read(path) == b"{}"
    hub_server.log.clear()
    assert store.tree().read(path) == b"{}"
    assert not hub_server.asked("/resolve/"), "an event is written once, so it is kept"
    hub_server.intrude(name, path, b"[]")
    assert store.tree().read(path) == b"[]"
    [kept] = [one for one in (tmp_path / "cache").rglob("*") if one.is_file() and one.read_bytes() == b"[]"]
    kept.write_bytes(b"rot")
    assert store.tree().read(path) == b"[]"


def test_errors_are_never_answered_from_a_cache(hub_server: HubServer, name: str, store: Store) -> None:
    store.commit({"a": b"1"}, [], "first", None)
    assert store.tree().read("a") == b"1"
    del hub_server.world.repos[name]
    with pytest.raises(NotFound):
        open_store(f"hf:{name}").tree()


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_reads_are_tried_again(hub_server: HubServer, store: Store, status: int) -> None:
    store.commit({"a": b"1", "x.parquet": b"AGAIN" + PARQUET}, [], "first", None)
    hub_server.fail("status", path="/resolve/", status=status)
    hub_server.fail("truncate", path="/objects/", method="GET")
    hub_server.fail("drop", path="/objects/", method="GET", nth=2)
    tree = store.tree()
    assert (tree.read("a"), tree.read("x.parquet")) == (b"1", b"AGAIN" + PARQUET)


def test_a_hub_that_stays_down_is_one_sentence(
    hub_server: HubServer, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.commit({"a": b"1"}, [], "first", None)
    hub_server.fail("status", path="/resolve/", status=503, times=99)
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(Busy, match="503"):
        store.tree().read("a")


@pytest.mark.parametrize(
    ("headers", "wait"),
    [({"RateLimit": '"api";r=0;t=7'}, 8.0), ({"Retry-After": "3"}, 3.0), ({}, None)],
    ids=["ratelimit", "retry-after", "silent"],
)
def test_a_commit_that_is_limited_says_how_long_to_wait(
    hub_server: HubServer, store: Store, headers: dict[str, str], wait: float | None
) -> None:
    hub_server.fail("status", path="/commit/", method="POST", status=429, headers=headers)
    with pytest.raises(Busy) as caught:
        store.commit({"a": b"1"}, [], "first", None)
    assert caught.value.wait == wait
    assert len(hub_server.asked("/commit/", "POST")) == 1


def test_a_race_within_the_commit_is_a_conflict(hub_server: HubServer, store: Store) -> None:
    first = store.commit({"a": b"1"}, [], "first", None)
    hub_server.fail("race", path="/commit/", method="POST")
    with pytest.raises(Conflict):
        store.commit({"a": b"2"}, [], "second", first)
    assert store.tree().read("a") == b"1"


def test_offline_is_one_sentence(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(RemoteError, match="not reachable"):
        open_store(f"hf:{name}").head()


def test_a_bad_card_is_refused_before_anything_is_sent(hub_server: HubServer, store: Store) -> None:
    with pytest.raises(RemoteError, match="tabs are not allowed"):
        store.commit({"README.md": b"---\na:\tb\n---\n", "x.parquet": PARQUET + b"1"}, [], "first", None)
    assert not hub_server.asked("/preupload/")
    assert store.head() is None


def test_a_body_that_is_longer_than_listed_is_cut(hub_server: HubServer, name: str, store: Store) -> None:
    store.commit({"x.parquet": b"LONG" + PARQUET}, [], "first", None)
    oid = hub_server.world.repos[name].head.tree["x.parquet"].lfs
    assert oid is not None
    hub_server.world.objects[oid.oid] += bytes(10**6)
    assert len(store.tree().read("x.parquet")) == len(PARQUET) + 5
