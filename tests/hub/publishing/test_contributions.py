"""Contributions: a pull request by somebody who may not write, and what a maintainer does with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hubserver.server import HubServer

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.shards import shard_bytes
from errorhub.hub.errors import Blocked, NotFound, RemoteError, UsageError
from errorhub.hub.inbox import accept, contribution, reject
from errorhub.hub.publish import publish
from errorhub.hub.pull import pull
from errorhub.hub.sealed import read_sealed
from errorhub.hub.stores import open_store
from errorhub.hub.verify import verify

Make = Callable[..., Bundle]


def nothing(*_: object) -> None:
    return None


@pytest.fixture
def dataset(hub_server: HubServer, hub: Any, make: Make) -> Any:
    """Give a public hub of the owner with one bundle."""
    hub.publish(make(0))
    hub_server.world.repos[hub.spec.removeprefix("hf:")].private = False
    return hub


@pytest.fixture
def as_bob(hub_server: HubServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give the function that makes this process the contributor."""
    return lambda: monkeypatch.setenv("HF_TOKEN", hub_server.contributor_token)


@pytest.fixture
def as_ada(hub_server: HubServer, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Give the function that makes this process the owner again."""
    return lambda: monkeypatch.setenv("HF_TOKEN", hub_server.owner_token)


pytestmark = pytest.mark.parametrize("hub", ["hf"], indirect=True)


def pulls_of(server: HubServer, hub: Any) -> dict[int, Any]:
    return server.world.repos[hub.spec.removeprefix("hf:")].discussions


def test_who_may_not_write_is_told_how_to_contribute(dataset: Any, as_bob: Any, make: Make) -> None:
    as_bob()
    with pytest.raises(RemoteError, match="may not write") as caught:
        dataset.publish(make(1))
    assert caught.value.hint == f"errorhub publish --to {dataset.spec} --create-pr"


def test_a_contribution_is_one_pull_request_with_shard_and_event_only(
    hub_server: HubServer, dataset: Any, as_bob: Any, make: Make
) -> None:
    as_bob()
    head = dataset.open().head()
    done = dataset.publish(make(1), make(2), create_pr=True)
    assert (done.published, done.shards, done.revision) == (2, 1, "refs/pr/1")
    assert done.url.endswith("/discussions/1")
    assert dataset.open().head() == head
    assert dataset.open().pulls.get(1).title.startswith("Publish 2 bundles (set ")
    new = set(dataset.open().tree("refs/pr/1").paths()) - set(dataset.open().tree().paths())
    assert sorted(path.split("/")[0] for path in new) == ["inbox", "log"]
    assert not list((dataset.folder / "outbox").glob("*/journal.json"))
    again = dataset.publish(make(2), make(1), create_pr=True)
    assert (again.published, again.skipped, again.url) == (0, 2, done.url)
    assert len(pulls_of(hub_server, dataset)) == 1
    assert len(hub_server.asked("/commit/", "POST")) == 2, "one of the owner, one of the contributor"


@pytest.mark.parametrize(("action", "tries"), [("lost", 1), ("drop", 2)])
def test_a_lost_reply_never_makes_a_second_pull_request(
    hub_server: HubServer, dataset: Any, as_bob: Any, make: Make, action: str, tries: int
) -> None:
    as_bob()
    hub_server.fail(action, path="/commit/", method="POST")
    for _ in range(tries - 1):
        with pytest.raises(RemoteError):
            dataset.publish(make(1), create_pr=True)
    assert dataset.publish(make(1), create_pr=True).url.endswith("/discussions/1")
    assert dataset.publish(make(1), create_pr=True).skipped == 1
    assert len(pulls_of(hub_server, dataset)) == 1


def test_accepting_seals_in_one_commit_and_closes(
    hub_server: HubServer, dataset: Any, as_bob: Any, as_ada: Any, make: Make, tmp_path: Path
) -> None:
    as_bob()
    dataset.publish(make(1), make(2), create_pr=True, actor="bobs-lab")
    as_ada()
    dataset.publish(make(9))
    found = contribution(dataset.open(), 1, nothing)
    assert (len(found.bundles), found.problems, found.ignored) == (2, [], [])
    hub_server.log.clear()
    done = accept(dataset.open(), 1, outbox=tmp_path / "outbox", actor="ada", gate=nothing)
    assert (done.published, done.skipped) == (2, 0)
    assert len(hub_server.asked("/commit/", "POST")) == 1
    assert hub_server.asked("/objects/", "PUT") == [], "the shard is in the Hub's storage already"
    sealed = read_sealed(dataset.open().tree())
    assert sealed is not None
    assert sealed.state.reviews == {make(n).bundle_id: "accept" for n in (1, 2)}
    assert "bobs-lab" in {event.actor for event in sealed.events}
    assert verify(dataset.open()).ok
    assert pull(dataset.open(), tmp_path / "mirror").bundles == 4
    assert pulls_of(hub_server, dataset)[1].status == "closed"
    again = accept(dataset.open(), 1, outbox=tmp_path / "outbox", actor="ada", gate=nothing)
    assert (again.published, again.revision) == (0, done.revision)


def test_of_two_that_overlap_both_can_be_accepted(
    hub_server: HubServer, dataset: Any, as_bob: Any, as_ada: Any, make: Make, tmp_path: Path
) -> None:
    as_bob()
    dataset.publish(make(1), make(2), create_pr=True)
    dataset.publish(make(2), make(3), create_pr=True)
    as_ada()
    results = [accept(dataset.open(), n, outbox=tmp_path / "out", actor="ada", gate=nothing) for n in (1, 2)]
    assert [(one.published, one.skipped) for one in results] == [(2, 0), (1, 1)]
    assert pull(dataset.open(), tmp_path / "mirror").bundles == 4
    assert verify(dataset.open()).ok


def test_a_pull_request_that_was_merged_by_hand_can_still_be_sealed(
    hub_server: HubServer, dataset: Any, as_bob: Any, as_ada: Any, make: Make, tmp_path: Path
) -> None:
    from huggingface_hub import HfApi

    as_bob()
    dataset.publish(make(1), create_pr=True)
    as_ada()
    HfApi(endpoint=hub_server.url).merge_pull_request(dataset.spec.removeprefix("hf:"), 1, repo_type="dataset")
    assert len(verify(dataset.open()).problems) == 2
    assert pull(dataset.open(), tmp_path / "mirror").bundles == 1
    assert accept(dataset.open(), 1, outbox=tmp_path / "outbox", actor="ada", gate=nothing).published == 1
    assert verify(dataset.open()).ok
    assert pull(dataset.open(), tmp_path / "mirror").bundles == 2


def test_a_contribution_is_scanned_again(dataset: Any, as_bob: Any, as_ada: Any, make: Make, tmp_path: Path) -> None:
    as_bob()
    dataset.publish(make(1), create_pr=True)
    as_ada()

    def gate(*_: object) -> str:
        return "leak: the second engine finds AWS_KEY"

    assert contribution(dataset.open(), 1, gate).problems[0].endswith("leak: the second engine finds AWS_KEY.")
    head = dataset.open().head()
    with pytest.raises(Blocked, match="may not come in"):
        accept(dataset.open(), 1, outbox=tmp_path / "outbox", actor="ada", gate=gate)
    assert dataset.open().head() == head
    reject(dataset.open(), 1, "holds a key")
    assert dataset.open().pulls.waiting() == []


HOSTILE: dict[str, Callable[[Make, dict[str, bytes]], dict[str, bytes]]] = {
    "no event": lambda make, files: {p: d for p, d in files.items() if p.startswith("inbox/")},
    "no shard": lambda make, files: {p: d for p, d in files.items() if p.startswith("log/")},
    "event changed": lambda make, files: {
        p: d.replace(b"anon", b"evil") if p[:3] == "log" else d for p, d in files.items()
    },
    "other shard": lambda make, files: {p: shard_bytes([make(7)]) if p[:5] == "inbox" else d for p, d in files.items()},
    "no parquet": lambda make, files: {p: b"PAR1" + b"\0" * 9 if p[:5] == "inbox" else d for p, d in files.items()},
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_contribution_is_blocked(
    hub_server: HubServer, dataset: Any, as_bob: Any, as_ada: Any, make: Make, tmp_path: Path, case: str
) -> None:
    dataset.publish(make(1))
    as_bob()
    dataset.publish(make(2), create_pr=True)
    tree = dataset.open().tree("refs/pr/1")
    new = {path: tree.read(path) for path in set(tree.paths()) - set(dataset.open().tree().paths())}
    number = dataset.open().propose(HOSTILE[case](make, new) | {".github/workflows/x": b"evil"}, "hostile")
    as_ada()
    with pytest.raises(Blocked):
        accept(dataset.open(), number, outbox=tmp_path / "outbox", actor="ada", gate=nothing)
    assert verify(dataset.open()).ok


def test_what_else_a_pull_request_holds_never_comes_in(
    dataset: Any, as_bob: Any, as_ada: Any, make: Make, tmp_path: Path
) -> None:
    as_bob()
    dataset.publish(make(1), create_pr=True)
    tree = dataset.open().tree("refs/pr/1")
    new = {path: tree.read(path) for path in set(tree.paths()) - set(dataset.open().tree().paths())}
    number = dataset.open().propose(new | {"evil.py": b"import os", "README.md": b"mine"}, "more than it says")
    as_ada()
    assert contribution(dataset.open(), number, nothing).ignored == ["evil.py"]
    accept(dataset.open(), number, outbox=tmp_path / "outbox", actor="ada", gate=nothing)
    assert "evil.py" not in dataset.open().tree().paths()
    assert verify(dataset.open()).ok


def test_numbers_and_places_that_make_no_sense(dataset: Any, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        contribution(dataset.open(), 7, nothing)
    local = open_store(f"local:{tmp_path / 'hub'}", create=True)
    with pytest.raises(UsageError, match="no pull requests"):
        contribution(local, 1, nothing)
    with pytest.raises(UsageError, match="no pull requests"):
        publish([], local, outbox=tmp_path, actor="a", gate=nothing, create_pr=True)
