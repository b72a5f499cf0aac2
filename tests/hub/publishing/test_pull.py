"""Pull: what reaches the mirror, and what a hostile or damaged hub cannot do."""

from __future__ import annotations

import io
import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.arrow import SCHEMA, to_row
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.bundle.shards import shard_bytes
from errorhub.hub.errors import ChainBroken, HubError, NotFound, SchemaFromFuture
from errorhub.hub.manifest import entry_of
from errorhub.hub.paths import manifest_path
from errorhub.hub.pull import Mirror, pull
from errorhub.hub.sealed import read_sealed
from errorhub.hub.stores import open_store
from errorhub.hub.verify import verify

Make = Callable[..., Bundle]


def ids(mirror: Mirror) -> set[str]:
    return {bundle.bundle_id for bundle in mirror.bundles()}


def snapshot(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder, locks left out."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "lock"}


def test_what_was_published_arrives_exactly(hub: Any, make: Make, tmp_path: Path) -> None:
    bundles = [make(1), make(2)]
    done = hub.publish(*bundles)
    got = pull(hub.open("fresh"), tmp_path / "mirror")
    assert (got.bundles, got.new, got.revision, got.quarantined, got.tombstones) == (2, 2, done.revision, [], 0)
    mirror = Mirror(tmp_path / "mirror")
    assert sorted(mirror.bundles(), key=lambda one: one.bundle_id) == sorted(bundles, key=lambda one: one.bundle_id)
    assert (mirror.spec, mirror.revision) == (hub.open().spec, done.revision)
    assert [row["harness"] for row in mirror.rows(("harness",))] == ["claude-code"] * 2
    assert mirror.get(bundles[0].bundle_id) == bundles[0]
    assert mirror.get("0" * 64) is None


def test_a_second_pull_brings_only_what_is_new(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))
    pull(hub.open(), tmp_path / "mirror")
    before = {path: path.stat().st_mtime_ns for path in Mirror(tmp_path / "mirror").shards()}
    assert pull(hub.open(), tmp_path / "mirror").new == 0
    hub.publish(make(2), make(3))
    steps: list[int] = []
    got = pull(hub.open(), tmp_path / "mirror", progress=steps.append)
    assert (got.bundles, got.new, sum(steps)) == (3, 2, 2)
    assert all(path.stat().st_mtime_ns == when for path, when in before.items())


def test_an_empty_hub_gives_an_empty_mirror(hub: Any, tmp_path: Path) -> None:
    assert pull(hub.open(), tmp_path / "mirror").bundles == 0
    mirror = Mirror(tmp_path / "mirror")
    assert (list(mirror.bundles()), mirror.shards(), mirror.spec, mirror.state.live) == ([], [], None, frozenset())


def test_a_damaged_mirror_heals(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))
    hub.publish(make(2))
    pull(hub.open(), tmp_path / "mirror")
    for path in (tmp_path / "mirror" / "tree").rglob("*.*"):
        path.write_bytes(b"rot")
    got = pull(hub.open(), tmp_path / "mirror")
    assert (got.bundles, got.quarantined) == (2, [])
    shutil.rmtree(tmp_path / "mirror" / "tree")
    with pytest.raises(ChainBroken, match="missing") as caught:
        Mirror(tmp_path / "mirror").shards()
    assert caught.value.hint
    assert pull(hub.open(), tmp_path / "mirror").bundles == 2


def test_a_yanked_bundle_hides_and_is_shown_by_its_id(hub: Any, make: Make, seal: Any, tmp_path: Path) -> None:
    hub.publish(make(1), make(2))
    name = make(1).bundle_id
    seal(hub, "yank", name, reason="bad_label")
    assert pull(hub.open(), tmp_path / "mirror").bundles == 1
    mirror = Mirror(tmp_path / "mirror")
    assert ids(mirror) == {make(2).bundle_id}
    assert mirror.state.yanked == {name: "bad_label"}
    assert mirror.get(name) == make(1)
    seal(hub, "unyank", name)
    pull(hub.open(), tmp_path / "mirror")
    assert len(ids(Mirror(tmp_path / "mirror"))) == 2


def test_a_withdrawn_bundle_is_gone_from_every_reading(hub: Any, make: Make, withdraw: Any, tmp_path: Path) -> None:
    hub.publish(make(1), make(2))
    pull(hub.open(), tmp_path / "mirror")
    withdraw(hub, make(1).bundle_id)
    got = pull(hub.open(), tmp_path / "mirror")
    assert (got.bundles, got.tombstones) == (1, 1)
    mirror = Mirror(tmp_path / "mirror")
    assert ids(mirror) == {make(2).bundle_id}
    assert mirror.get(make(1).bundle_id) is None


def test_an_older_revision_by_name_is_fine_and_brings_nothing_back(
    hub: Any, make: Make, withdraw: Any, tmp_path: Path
) -> None:
    first = hub.publish(make(1), make(2)).revision
    second = hub.publish(make(3)).revision
    withdraw(hub, make(1).bundle_id)
    pull(hub.open(), tmp_path / "mirror")
    if hub.kind == "local":
        with pytest.raises(NotFound, match="only its newest"):
            pull(hub.open(), tmp_path / "mirror", revision=first)
        return
    for revision, left in ((first, {2}), (first, {2}), (second, {2, 3})):
        pull(hub.open(), tmp_path / "mirror", revision=revision)
        assert ids(Mirror(tmp_path / "mirror")) == {make(number).bundle_id for number in left}
    assert pull(hub.open(), tmp_path / "mirror").bundles == 2


def test_an_older_manifest_replayed_is_refused_and_changes_nothing(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))
    old = {path: hub.open().tree().read(path) for path in hub.open().tree().paths()}
    hub.publish(make(2))
    pull(hub.open(), tmp_path / "mirror")
    before = snapshot(tmp_path / "mirror")
    tree = hub.open().tree()
    hub.open().commit(old, set(tree.paths()) - old.keys(), "replay", tree.revision)
    with pytest.raises(ChainBroken, match="went back") as caught:
        pull(hub.open(), tmp_path / "mirror")
    assert caught.value.exit_code == 4
    assert snapshot(tmp_path / "mirror") == before
    assert verify(hub.open()).ok
    assert not verify(hub.open(), trust=Mirror(tmp_path / "mirror").trust).ok


def test_another_hub_in_its_place_is_refused(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))
    pull(hub.open(), tmp_path / "mirror")
    tree = hub.open().tree()
    hub.open().commit({}, tree.paths(), "empty", tree.revision)
    with pytest.raises(ChainBroken, match="is empty"):
        pull(hub.open(), tmp_path / "mirror")
    hub.publish(make(1))
    hub.publish(make(2))
    with pytest.raises(ChainBroken, match="replaced by another"):
        pull(hub.open(), tmp_path / "mirror")


def reseal(hub: Any, change: Callable[[dict[str, Any]], None], add: dict[str, bytes] | None = None) -> None:
    """Let a hostile owner write a manifest of any content, with the right name."""
    tree = hub.open().tree()
    [old] = tree.paths("manifests/")
    document = json.loads(tree.read(old))
    change(document)
    data = canonical(document)
    path = manifest_path(len(document["chain"]) + 1, data)
    hub.open().commit({path: data} | (add or {}), [old], "hostile", tree.revision)


HOSTILE = (
    "../evil.json", "/etc/evil", "inbox/../../evil.parquet", "C:\\evil", "README.md\u202e", "tree/../../evil",
    "log/202501/x.json", "state.json", "..", "", f"inbox/v1/202501/ff/{'0' * 64}.parquet",
)  # fmt: skip


@pytest.mark.parametrize("path", HOSTILE)
def test_a_manifest_with_a_path_no_hub_has_is_refused_whole(hub: Any, make: Make, tmp_path: Path, path: str) -> None:
    hub.publish(make(1))
    reseal(hub, lambda document: document["files"].update({path: {"sha256": "0" * 64, "size": 1}}))
    with pytest.raises(ChainBroken, match="which no hub has"):
        pull(hub.open(), tmp_path / "deep" / "mirror")
    assert snapshot(tmp_path / "deep") == {}
    assert not verify(hub.open()).ok


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda document: document.update(format="errorhub.manifest/2"), SchemaFromFuture),
        (lambda document: document.update(state="0" * 64), ChainBroken),
        (lambda document: document.update(extra=1), ChainBroken),
        (lambda document: document["files"].pop("hub.json"), ChainBroken),
        (lambda document: document["files"]["hub.json"].update(size=-1), ChainBroken),
        (lambda document: document["files"]["hub.json"].update(size=10**12), ChainBroken),
        (lambda document: [document["files"].pop(p) for p in list(document["files"]) if p[:3] == "log"], ChainBroken),
    ],
    ids=["future", "state", "extra", "no hub.json", "negative", "huge", "no events"],
)
def test_a_manifest_that_does_not_hold_is_refused_whole(
    hub: Any, make: Make, tmp_path: Path, change: Callable[[dict[str, Any]], None], error: type[HubError]
) -> None:
    hub.publish(make(1))
    reseal(hub, change)
    with pytest.raises(error):
        pull(hub.open(), tmp_path / "mirror")
    assert snapshot(tmp_path / "mirror") == {}


def test_a_hub_from_the_future_is_told(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))
    data = canonical({"format": "errorhub.hub/2"})
    entry = {"sha256": entry_of(data).sha256, "size": len(data)}
    reseal(hub, lambda document: document["files"].update({"hub.json": entry}), {"hub.json": data})
    with pytest.raises(SchemaFromFuture, match="Upgrade errorhub"):
        pull(hub.open(), tmp_path / "mirror")
    with pytest.raises(SchemaFromFuture):
        hub.publish(make(2))
    assert snapshot(tmp_path / "mirror") == {}


def bad_shard(case: str, make: Make) -> bytes:
    """Return a shard that no honest publisher makes."""
    good = make(1)
    match case:
        case "no receipt":
            return shard_bytes([good.model_copy(update={"receipt": None})])
        case "foreign receipt":
            return shard_bytes([good.model_copy(update={"rights": make(1, license="CC0-1.0").rights})])
        case "not published":
            return shard_bytes([make(77)])
        case "twice the same":
            return shard_bytes([good, good])
        case "no Parquet":
            return b"PAR1 nothing PAR1"
        case _:
            return b""


@pytest.mark.parametrize(
    "case", ["no receipt", "foreign receipt", "not published", "twice the same", "no Parquet", "empty"]
)
def test_a_shard_with_bad_content_is_set_aside_and_the_rest_arrives(
    hub: Any, make: Make, tmp_path: Path, case: str
) -> None:
    hub.publish(make(1))
    hub.publish(make(2))
    data = bad_shard(case, make)
    entry = entry_of(data)
    path = f"inbox/v1/202501/{entry.sha256[:2]}/{entry.sha256}.parquet"
    sealed = read_sealed(hub.open().tree())
    assert sealed is not None
    victim = next(p for p in sealed.manifest.of("shard") if make(1).bundle_id in str(sealed.events[0].model_dump()))
    counts = json.loads(sealed.manifest.data)["files"][victim] | {"sha256": entry.sha256, "size": entry.size}
    reseal(hub, lambda document: document["files"].update({path: counts}), {path: data})
    got = pull(hub.open(), tmp_path / "mirror")
    assert [(note["path"], note["expected"], note["found"]) for note in got.quarantined] == [
        (path, entry.sha256, entry.sha256)
    ]
    assert got.bundles == 2
    note = json.loads((tmp_path / "mirror" / "quarantine" / f"{entry.sha256}.json").read_text())
    assert {"path", "expected", "found", "reason", "revision", "time"} == note.keys()
    assert (tmp_path / "mirror" / "quarantine" / entry.sha256).read_bytes() == data
    assert ids(Mirror(tmp_path / "mirror")) == {make(1).bundle_id, make(2).bundle_id}
    assert any(path in problem for problem in verify(hub.open()).problems)


def test_a_link_in_place_of_a_shard_is_never_followed(hub: Any, make: Make, tmp_path: Path) -> None:
    if hub.kind == "hf":
        pytest.skip("the Hub's API commits no links")
    hub.publish(make(1))
    [shard] = hub.open().tree().paths("inbox/")
    secret = tmp_path / "secret"
    secret.write_bytes(hub.open().tree().read(shard))

    def change(root: Path) -> None:
        (root / shard).unlink()
        (root / shard).symlink_to(secret)
        (root / "loop").symlink_to(root)

    hub.edit(change)
    got = pull(hub.open(), tmp_path / "mirror")
    assert [note["reason"] for note in got.quarantined] == ["it is not there"]
    assert sorted(got.ignored) == sorted([shard, "loop"])
    assert got.bundles == 0


def test_other_files_are_ignored_and_named(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))

    def change(root: Path) -> None:
        (root / "evil.py").write_text("import os")
        (root / "inbox" / "x").mkdir()
        (root / "inbox" / "x" / "y.parquet").write_text("x")
        (root / "LICENSE").write_text("MIT")

    hub.edit(change)
    got = pull(hub.open(), tmp_path / "mirror")
    assert got.ignored == ["evil.py", "inbox/x/y.parquet"]
    assert not list((tmp_path / "mirror").rglob("evil.py"))
    assert verify(hub.open()).problems == [f"{path}: the manifest does not list it." for path in got.ignored]


def test_a_bundle_whose_nested_json_is_a_bomb_is_set_aside(hub: Any, make: Make, tmp_path: Path) -> None:
    row = to_row(make(1)) | {"task_json": "[" * 200_000}
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([row], SCHEMA), buffer)
    data = buffer.getvalue()
    hub.publish(make(1))
    entry = entry_of(data, rows=1)
    path = f"inbox/v1/202501/{entry.sha256[:2]}/{entry.sha256}.parquet"
    reseal(
        hub,
        lambda document: document["files"].update({path: {"sha256": entry.sha256, "size": entry.size, "rows": 1}}),
        {path: data},
    )
    got = pull(hub.open(), tmp_path / "mirror")
    assert [note["path"] for note in got.quarantined] == [path]


def test_two_pulls_at_once_agree(hub: Any, make: Make, tmp_path: Path) -> None:
    for number in range(3):
        hub.publish(make(number))
    results: list[Any] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(pull(hub.open(f"c{n}"), tmp_path / "mirror")))
        for n in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.bundles for one in results] == [3, 3, 3]
    assert sorted(one.new for one in results) == [0, 0, 3]


def test_a_copied_folder_is_a_hub_too(hub: Any, make: Make, tmp_path: Path) -> None:
    hub.publish(make(1))
    shutil.copytree(hub.checkout(), tmp_path / "copy", ignore=shutil.ignore_patterns(".git", ".hub"))
    store = open_store(f"local:{tmp_path / 'copy'}")
    assert verify(store).ok
    assert pull(store, tmp_path / "mirror").bundles == 1
    assert not (tmp_path / "copy" / ".hub").exists()
