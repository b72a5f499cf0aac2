"""A Hub that fails in every way, under a publish and under a pull."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hubserver.server import HubServer

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import ChainBroken, Conflict, NotFound, RemoteError
from errorhub.hub.pull import Mirror, pull
from errorhub.hub.sealed import read_sealed
from errorhub.hub.verify import verify

Make = Callable[..., Bundle]
pytestmark = [pytest.mark.parametrize("hub", ["hf"], indirect=True), pytest.mark.usefixtures("hub_server")]


def journals(hub: Any) -> list[Path]:
    return list((hub.folder / "outbox").glob("*/journal.json"))


@pytest.mark.parametrize(
    ("action", "options", "posts"),
    [
        ("lost", {}, 1),
        ("drop", {}, 2),
        ("status", {"status": 500}, 2),
        ("status", {"status": 503}, 2),
        ("status", {"status": 429, "headers": {"Retry-After": "0"}}, 2),
        ("status", {"status": 429, "headers": {"RateLimit": '"api";r=0;t=0'}}, 2),
        ("race", {"times": 4}, 5),
        ("delay", {"seconds": 0.5}, 1),
    ],
    ids=["reply lost", "never applied", "500", "503", "retry-after", "ratelimit", "412 storm", "slow"],
)
def test_a_commit_that_goes_wrong_ends_as_exactly_one(
    hub_server: HubServer, hub: Any, make: Make, action: str, options: dict[str, Any], posts: int
) -> None:
    hub.publish(make(0))
    hub_server.log.clear()
    hub_server.fail(action, path="/commit/", method="POST", **options)
    done = hub.publish(make(1), make(2))
    assert (done.published, done.skipped, done.revision) == (2, 0, hub.open().head())
    assert len(hub_server.asked("/commit/", "POST")) == posts
    sealed = read_sealed(hub.open().tree())
    assert sealed is not None
    assert (len(sealed.manifest.chain), sum(entry.rows or 0 for entry in sealed.manifest.of("shard").values())) == (
        1,
        3,
    )
    assert verify(hub.open()).ok
    assert hub.publish(make(1), make(2)).skipped == 2
    assert journals(hub) == []


@pytest.mark.parametrize("path", ["validate-yaml", "/preupload/", "objects/batch", "/objects/[0-9a-f]+$", "lfs/verify"])
@pytest.mark.parametrize("action", ["status", "lost"])
def test_every_step_before_the_commit_may_fail(
    hub_server: HubServer, hub: Any, make: Make, path: str, action: str
) -> None:
    hub.publish(make(0))
    hub_server.fail(action, path=path, method="POST|PUT", status=503)
    assert hub.publish(make(1)).published == 1
    assert verify(hub.open()).ok
    assert journals(hub) == []


def test_a_storm_without_end_leaves_the_outbox_and_exit_4(
    hub_server: HubServer, hub: Any, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorhub.hub.sending.PATIENCE", 1.0)
    hub.publish(make(0))
    hub_server.fail("race", path="/commit/", method="POST", times=10**6)
    with pytest.raises(Conflict) as caught:
        hub.publish(make(1))
    assert caught.value.exit_code == 4
    assert len(journals(hub)) == 1
    hub_server.heal()
    assert hub.publish(make(1)).published == 1
    assert journals(hub) == []


def test_a_limit_longer_than_patience_is_told_at_once(hub_server: HubServer, hub: Any, make: Make) -> None:
    hub.publish(make(0))
    hub_server.fail("status", path="/commit/", method="POST", status=429, headers={"Retry-After": "3600"})
    start = time.monotonic()
    with pytest.raises(RemoteError, match="429"):
        hub.publish(make(1))
    assert time.monotonic() - start < 20
    assert len(journals(hub)) == 1


def test_no_permission_no_repository_and_no_network(
    hub_server: HubServer, hub: Any, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from errorhub.hub.publish import publish
    from errorhub.hub.stores import open_store

    with pytest.raises(NotFound, match="no dataset"):
        publish([make(1)], open_store(hub.spec), outbox=hub.folder / "o", actor="a", gate=lambda *_: None)
    hub.publish(make(0))
    hub_server.world.repos[hub.spec.removeprefix("hf:")].private = False
    monkeypatch.setenv("HF_TOKEN", hub_server.contributor_token)
    with pytest.raises(RemoteError, match="may not write"):
        hub.publish(make(1))
    monkeypatch.setenv("HF_TOKEN", hub_server.owner_token)
    with monkeypatch.context() as offline:
        offline.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
        with pytest.raises(RemoteError, match="not reachable"):
            hub.publish(make(1))
        with pytest.raises(RemoteError, match="not reachable"):
            pull(hub.open(), hub.folder / "mirror")
    assert hub.publish(make(1)).published == 1
    assert journals(hub) == []


@pytest.mark.parametrize("action", ["tamper", "truncate"])
def test_a_body_that_changes_on_the_way_is_set_aside(
    hub_server: HubServer, hub: Any, make: Make, tmp_path: Path, action: str
) -> None:
    hub.publish(make(1))
    hub.publish(make(2))
    times = 1 if action == "tamper" else 4
    hub_server.fail(action, path="/objects/", method="GET", times=times)
    got = pull(hub.open("fresh"), tmp_path / "mirror")
    if action == "tamper":
        assert [note["reason"] for note in got.quarantined] == ["its bytes are not those the manifest names"]
        assert (got.bundles, len(list((tmp_path / "mirror" / "quarantine").iterdir()))) == (1, 2)
        hub_server.fail("tamper", path="/objects/", method="GET")
        assert len(verify(hub.open("other")).problems) == 1
    again = pull(hub.open("fresh"), tmp_path / "mirror")
    assert (again.bundles, again.quarantined) == (2, [])


@pytest.mark.parametrize("kind", ["manifests/", "log/", "hub.json"])
def test_a_tampered_seal_changes_nothing(
    hub_server: HubServer, hub: Any, make: Make, tmp_path: Path, kind: str
) -> None:
    hub.publish(make(1))
    pull(hub.open("fresh"), tmp_path / "mirror")
    hub.publish(make(2))
    hub_server.fail("tamper", path=f"/resolve/.*{kind}", method="GET")
    with pytest.raises(ChainBroken):
        pull(hub.open("other"), tmp_path / "mirror")
    assert len(list(Mirror(tmp_path / "mirror").bundles())) == 1
    assert pull(hub.open("other"), tmp_path / "mirror").bundles == 2


def test_a_hub_that_shows_an_older_head_is_refused(hub_server: HubServer, hub: Any, make: Make, tmp_path: Path) -> None:
    first = hub.publish(make(1)).revision
    hub.publish(make(2))
    pull(hub.open(), tmp_path / "mirror")
    hub_server.fail("stale", path="/revision/main", revision=first)
    with pytest.raises(ChainBroken, match="went back"):
        pull(hub.open(), tmp_path / "mirror")
    assert len(list(Mirror(tmp_path / "mirror").bundles())) == 2


def test_a_gate_that_closes_is_an_error_and_never_the_old_copy(
    hub_server: HubServer, hub: Any, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.publish(make(1))
    pull(hub.open(), tmp_path / "mirror")
    repo = hub_server.world.repos[hub.spec.removeprefix("hf:")]
    hub.publish(make(2))
    repo.private, repo.gated = False, "manual"
    monkeypatch.setenv("HF_TOKEN", hub_server.contributor_token)
    with pytest.raises(RemoteError, match="is gated"):
        pull(hub.open(), tmp_path / "mirror")
    assert len(list(Mirror(tmp_path / "mirror").bundles())) == 1


def test_one_commit_a_publish_and_few_requests_a_pull(
    hub_server: HubServer, hub: Any, make: Make, tmp_path: Path
) -> None:
    for number in range(6):
        hub_server.log.clear()
        hub.publish(make(number))
        assert len(hub_server.asked("/commit/", "POST")) == 1
        hub_server.log.clear()
        assert pull(hub.open(f"cold-{number}"), tmp_path / f"{number}").bundles == number + 1
        assert len(hub_server.log) <= 2 * (number + 1) + 5
    hub_server.log.clear()
    assert pull(hub.open("cold"), tmp_path / "4").new == 1
    assert len(hub_server.log) <= 2 + 5
    hub_server.log.clear()
    assert hub.publish(make(0), make(5)).skipped == 2
    assert not hub_server.asked(".*", "POST|PUT|DELETE"), "a no-op sends nothing"
