"""Verify, and pull: no changed byte passes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import ChainBroken, UsageError
from errorhub.hub.pull import pull
from errorhub.hub.verify import share_of, verify

Make = Callable[..., Bundle]


def test_a_sound_hub_is_ok_and_every_file_was_read(hub: Any, make: Make) -> None:
    assert verify(hub.open()) == verify(hub.open())
    hub.publish(make(1))
    hub.publish(make(2))
    found = verify(hub.open())
    assert (found.ok, found.problems) == (True, [])
    assert found.checked == len(hub.open().tree().paths())


def test_a_flipped_byte_in_any_file_is_found_by_verify_and_by_pull(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))
    hub.publish(make(2))
    for number, path in enumerate(hub.open().tree().paths()):
        good = hub.open().tree().read(path)
        for place in {0, len(good) // 2, len(good) - 1} if hub.kind == "local" else {len(good) // 2}:
            bad = good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]
            hub.open().commit({path: bad}, [], "flip", hub.open().head())
            found = verify(hub.open())
            assert not found.ok, (path, place)
            assert any(path in problem for problem in found.problems), (path, found.problems)
        try:
            assert [note["path"] for note in pull(hub.open(), tmp_path / str(number)).quarantined] == [path]
        except ChainBroken:
            assert path.startswith(("hub.json", "log/", "manifests/")), path
            assert not (tmp_path / str(number) / "state.json").exists()
        hub.open().commit({path: good}, [], "mend", hub.open().head())
    assert verify(hub.open()).ok


@pytest.mark.parametrize("prefix", ["log/", "inbox/", "manifests/", "README.md", "croissant.json", "hub.json"])
def test_a_deleted_file_is_found_by_verify_and_by_pull(hub: Any, make: Make, tmp_path: Path, prefix: str) -> None:
    hub.publish(make(1))
    path = hub.open().tree().paths(prefix)[0]
    hub.open().commit({}, [path], "delete", hub.open().head())
    assert not verify(hub.open()).ok
    try:
        [note] = pull(hub.open(), tmp_path / "mirror").quarantined
        assert (note["path"], note["found"], note["reason"]) == (path, None, "it is not there")
    except ChainBroken:
        assert prefix in ("log/", "manifests/", "hub.json")
        assert not (tmp_path / "mirror" / "state.json").exists()


def test_a_renamed_shard_is_found(hub: Any, make: Make) -> None:
    hub.publish(make(1))
    tree = hub.open().tree()
    [path] = tree.paths("inbox/")
    other = path.replace("inbox/v1", "inbox/v2")
    hub.open().commit({other: tree.read(path)}, [path], "rename", tree.revision)
    problems = verify(hub.open()).problems
    assert any(problem.startswith(f"{path}: it is not there") for problem in problems)
    assert any(problem.startswith(f"{other}: the manifest does not list it") for problem in problems)


def test_a_second_manifest_is_found(hub: Any, make: Make) -> None:
    hub.publish(make(1))
    tree = hub.open().tree()
    [path] = tree.paths("manifests/")
    old = tree.read(path)
    hub.publish(make(2))
    hub.open().commit({path: old}, [], "old one back", hub.open().head())
    assert verify(hub.open()).problems[0] == "2 manifests in the hub: exactly one seals a revision."


def test_absent_finds_a_bundle_in_data_and_state(hub: Any, make: Make, withdraw: Any) -> None:
    hub.publish(make(1))
    name = make(1).bundle_id
    assert verify(hub.open(), absent="0" * 64).ok
    assert len(verify(hub.open(), absent=name[:12]).problems) == 2
    withdraw(hub, name)
    [problem] = verify(hub.open(), absent=name).problems
    assert problem.startswith("inbox/")


def test_a_subset_reads_some_shards_and_all_the_rest(hub: Any, make: Make) -> None:
    for number in range(4):
        hub.publish(make(number))
    whole = verify(hub.open()).checked
    assert verify(hub.open(), subset=50).checked == whole - 2
    assert verify(hub.open(), subset=1).checked == whole - 3
    assert verify(hub.open(), subset=100).checked == whole


@pytest.mark.parametrize(("text", "share"), [(None, None), ("10%", 10), ("2.5", 2.5), ("100%", 100)])
def test_a_share_is_a_percentage(text: str | None, share: float | None) -> None:
    assert share_of(text) == share


@pytest.mark.parametrize("text", ["", "%", "0", "101%", "ten", "-1", "1e2"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="not a share"):
        share_of(text)


def test_publishing_onto_a_broken_hub_is_refused(hub: Any, make: Make) -> None:
    hub.publish(make(1))
    [path] = hub.open().tree().paths("log/")
    hub.open().commit({}, [path], "delete", hub.open().head())
    with pytest.raises(ChainBroken):
        hub.publish(make(2))
