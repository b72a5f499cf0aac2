"""Publish: what goes in, what stays out, and that nothing goes in twice."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, read_shard
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.bundle.trajectory import ConstructionOnly
from errorhub.hub.errors import Conflict, RemoteError, UsageError
from errorhub.hub.manifest import read_manifest
from errorhub.hub.publish import Published, card_preview, default_message
from errorhub.hub.sealed import read_sealed
from errorhub.hub.verify import verify

Make = Callable[..., Bundle]


def commits(hub: Any) -> int:
    """Return how many revisions the hub has had."""
    return len(read_manifest(hub.open().tree()).chain) + 1


def test_one_publish_is_one_revision_that_verifies_itself(hub: Any, make: Make) -> None:
    bundles = [make(number) for number in range(3)]
    done = hub.publish(*bundles)
    assert (done.published, done.skipped, done.refused, done.shards) == (3, 0, [], 1)
    tree = hub.open().tree()
    assert done.revision == tree.revision == hub.open().head()
    sealed = read_sealed(tree)
    assert sealed is not None
    listed = {path: (entry.sha256, entry.size) for path, entry in sealed.manifest.files.items()}
    found = {path: tree.read(path) for path in tree.paths() if path != sealed.manifest.path}
    assert listed == {path: (sha256(data).hexdigest(), len(data)) for path, data in found.items()}
    assert {"README.md", "croissant.json", "hub.json"} <= listed.keys()
    [shard] = sealed.manifest.of("shard")
    names = sorted(bundle.bundle_id for bundle in bundles)
    assert [bundle.bundle_id for bundle in read_shard(tree.read(shard))] == names
    assert sealed.state.published == set(names)
    assert list(sealed.events[0].bundles) == names
    assert verify(hub.open()).ok


def test_the_same_again_is_a_no_op(hub: Any, make: Make) -> None:
    first = hub.publish(make(1), make(2))
    again = hub.publish(make(1), make(2), make(2))
    assert (again.published, again.skipped, again.shards) == (0, 3, 0)
    assert again.revision == first.revision == hub.open().head()
    grown = hub.publish(make(1), make(2), make(3))
    assert (grown.published, grown.skipped) == (1, 2)
    assert commits(hub) == 2
    assert [path.name for path in (hub.folder / "outbox").iterdir()] == [".lock"]


def test_the_same_content_with_another_receipt_is_the_same_bundle(hub: Any, make: Make, sign: Make) -> None:
    hub.publish(make(1))
    assert hub.publish(sign(make(1), scrubber="2")).skipped == 1


@pytest.mark.parametrize(
    ("spoil", "rule"),
    [
        (lambda make, sign: make(1).model_copy(update={"receipt": None}), "unscrubbed"),
        (lambda make, sign: make(1).model_copy(update={"rights": make(2, license="CC0-1.0").rights}), "receipt_mismatch"),
        (lambda make, sign: sign(make(1), digest="0" * 64), "receipt_mismatch"),
        (lambda make, sign: sign(make(1), residual=1), "residual"),
        (lambda make, sign: make(1, license=None), "license"),
        (lambda make, sign: make(1, license="free"), "license"),
        (lambda make, sign: make(1, construction_only=ConstructionOnly(reference_answer="42")), "construction_only"),
    ],
)  # fmt: skip
def test_a_bundle_that_breaks_a_rule_is_left_out_and_named(
    hub: Any, make: Make, sign: Make, spoil: Callable[[Make, Make], Bundle], rule: str
) -> None:
    bad = spoil(make, sign)
    done = hub.publish(make(8), bad, make(9))
    assert (done.published, len(done.refused)) == (2, 1)
    assert done.refused[0].bundle_id == bad.bundle_id
    assert done.refused[0].reason.startswith(f"{rule}: ")


@pytest.mark.parametrize("license", ["MIT", "Apache-2.0 OR MIT", "LicenseRef-Ours", "cc-by-4.0"])
def test_any_spdx_expression_passes(tmp_path: Path, hub: Any, make: Make, license: str) -> None:
    assert hub.publish(make(1, license=license)).published == 1


def test_under_another_policy_answers_may_stay(hub: Any, make: Make) -> None:
    kept = make(1, policy="share", construction_only=ConstructionOnly(reference_answer="42"))
    assert hub.publish(kept).published == 1


def test_the_gate_sees_the_exact_bytes_and_has_the_last_word(hub: Any, make: Make) -> None:
    seen: dict[str, bytes] = {}

    def gate(bundle: Bundle, data: bytes) -> str | None:
        seen[bundle.bundle_id] = data
        return "not_reviewed: nobody looked" if bundle.bundle_id == make(2).bundle_id else None

    done = hub.publish(make(1), make(2), gate=gate)
    assert [one.reason for one in done.refused] == ["not_reviewed: nobody looked"]
    tree = hub.open().tree()
    [shard] = tree.paths("inbox/")
    [sent] = read_shard(tree.read(shard))
    assert canonical(sent.document()) == seen[sent.bundle_id]


def test_nothing_that_passes_is_nothing_sent(hub: Any, make: Make) -> None:
    done = hub.publish(make(1), gate=lambda *_: "no")
    assert (done.published, done.revision, hub.open().head()) == (0, None, None)
    assert hub.publish() == Published(0, 0, [], 0, None, done.url, done.load)
    if hub.kind == "local":
        assert not (hub.folder / "hub").exists()


def test_a_dry_run_plans_and_writes_nothing(hub: Any, make: Make) -> None:
    plan = hub.publish(make(1), make(2, license=None), dry_run=True)
    assert (plan.published, len(plan.refused), plan.shards, plan.revision) == (1, 1, 1, None)
    assert any(line.startswith("add inbox/v1/") for line in plan.plan)
    assert any(line.startswith("add manifests/0000000001-") for line in plan.plan)
    assert hub.open().head() is None
    assert not (hub.folder / "outbox").exists()


@pytest.mark.parametrize("actor", ["", "Ann Lee", "ann@example.com", "a" * 33, "a\n"])
def test_an_actor_is_a_pseudonym(hub: Any, make: Make, actor: str) -> None:
    with pytest.raises(UsageError, match="pseudonym"):
        hub.publish(make(1), actor=actor)


def test_shards_hold_at_most_a_thousand(hub: Any, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorhub.hub.publish.MAX_BUNDLES", 2)
    done = hub.publish(*(make(number) for number in range(5)))
    assert (done.published, done.shards, commits(hub)) == (5, 3, 1)
    assert verify(hub.open()).ok


def test_a_repository_with_other_files_is_no_hub(hub: Any, make: Make) -> None:
    if hub.kind == "local":
        pytest.skip("a folder is refused on opening: see test_specs")
    hub.open().commit({"thesis.tex": b"x"}, [], "mine", None)
    with pytest.raises(UsageError, match="not a hub"):
        hub.publish(make(1))


def test_a_fresh_repository_with_a_readme_and_a_license_becomes_a_hub(hub: Any, make: Make) -> None:
    if hub.kind == "local":
        pytest.skip("a folder is refused on opening: see test_specs")
    hub.open().commit({"README.md": b"# hello", "LICENSE": b"MIT", ".gitignore": b""}, [], "init", None)
    assert hub.publish(make(1)).published == 1
    assert verify(hub.open()).ok
    assert hub.open().tree().read("LICENSE") == b"MIT"


def test_a_withdrawn_bundle_is_refused(hub: Any, make: Make, withdraw: Callable[..., None]) -> None:
    hub.publish(make(1))
    withdraw(hub, make(1).bundle_id)
    done = hub.publish(make(1), make(2))
    assert [one.reason for one in done.refused] == ["taken_down: this hub has withdrawn it"]
    assert done.published == 1


def test_the_preview_holds_every_text_that_leaves(hub: Any, make: Make) -> None:
    bundles = [make(1, model="gpt-x"), make(2)]
    preview = card_preview(bundles, hub.open() if hub.kind == "hf" else None, message="From the shop project")
    hub.publish(*bundles, message="From the shop project")
    tree = hub.open().tree()
    names = {path.partition("/")[0] for path in tree.paths()} - {"inbox", ".gitattributes"}
    assert names == {path.partition("/")[0] for path in preview} - {"commit message"}
    assert preview["README.md"].split(b"Updated")[0] == tree.read("README.md").split(b"Updated")[0]
    assert preview["commit message"].startswith(b"From the shop project\n\nBundle-Set: ")
    assert default_message(bundles).startswith("Publish 2 bundles\n")
    if hub.kind == "git":
        log = subprocess.run(["git", "log", "--format=%B"], cwd=hub.folder / "hub.git", capture_output=True, check=True)
        assert log.stdout.strip() == preview["commit message"].strip()


def test_no_free_text_of_a_case_reaches_card_log_or_manifest(hub: Any, make: Make) -> None:
    canary = "Zanzibar | `x` <b> [y](http://z)"
    hub.publish(make(1, text=canary, model=canary))
    tree = hub.open().tree()
    for path in tree.paths():
        if not path.endswith(".parquet"):
            assert b"Zanzibar" not in tree.read(path), path
    assert json.loads(tree.read("croissant.json"))["@type"] == "sc:Dataset"


class _Lossy:
    """A store whose reply gets lost after, or before, the commit; everything else is the real one."""

    def __init__(self, store: Any, *, landed: bool) -> None:
        self._store = store
        self._landed = landed
        self.commits = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def commit(self, *arguments: Any, **options: Any) -> str:
        self.commits += 1
        if self._landed:
            self._store.commit(*arguments, **options)
        raise RemoteError("the connection was lost.")


@pytest.mark.parametrize("landed", [True, False])
def test_a_lost_reply_is_settled_by_looking(hub: Any, make: Make, landed: bool) -> None:
    from errorhub.hub.publish import publish

    store = _Lossy(hub.open(), landed=landed)
    options: dict[str, Any] = {"outbox": hub.folder / "outbox", "actor": "a", "gate": lambda *_: None}
    if landed:
        assert publish([make(1)], store, **options).published == 1
    else:
        with pytest.raises(RemoteError, match="lost"):
            publish([make(1)], store, **options)
        assert len(list((hub.folder / "outbox").glob("*/journal.json"))) == 1
        assert hub.publish(make(1)).published == 1
    assert store.commits == 1
    assert commits(hub) == 1
    assert not list((hub.folder / "outbox").glob("*/journal.json"))


class _Rival:
    """A store where somebody else always commits just before."""

    def __init__(self, hub: Any, rivals: list[Bundle]) -> None:
        self._hub = hub
        self._rivals = rivals
        self._store = hub.open()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def commit(self, *arguments: Any, **options: Any) -> str:
        if self._rivals:
            self._hub.publish(self._rivals.pop(), outbox=self._hub.folder / "rival")
        return str(self._store.commit(*arguments, **options))


def test_on_conflict_everything_is_rebuilt_on_the_new_head(hub: Any, make: Make) -> None:
    from errorhub.hub.publish import publish

    store = _Rival(hub, [make(7), make(2), make(8)])
    done = publish(
        [make(1), make(2), make(3)], store, outbox=hub.folder / "outbox", actor="a", gate=lambda *_: None
    )  # fmt: skip
    assert (done.published, done.skipped) == (2, 1)
    sealed = read_sealed(hub.open().tree())
    assert sealed is not None
    assert sealed.state.published == {make(number).bundle_id for number in (1, 2, 3, 7, 8)}
    assert sum(entry.rows or 0 for entry in sealed.manifest.of("shard").values()) == 5
    assert verify(hub.open()).ok


def test_who_never_gets_a_turn_is_told_and_keeps_the_outbox(
    hub: Any, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    from errorhub.hub.publish import publish

    monkeypatch.setattr("errorhub.hub.sending.PATIENCE", 0.0)
    store = _Rival(hub, [make(number) for number in range(5, 15)])
    with pytest.raises(Conflict) as caught:
        publish([make(1)], store, outbox=hub.folder / "outbox", actor="a", gate=lambda *_: None)
    assert caught.value.exit_code == 4
    assert len(list((hub.folder / "outbox").glob("*/journal.json"))) == 1
    assert hub.publish(make(1)).published == 1
    assert not list((hub.folder / "outbox").glob("*/journal.json"))


def test_another_targets_outbox_entry_stays(hub: Any, make: Make, tmp_path: Path) -> None:
    entry = hub.folder / "outbox" / "01ARYZ6S410000000000000000"
    entry.mkdir(parents=True)
    (entry / "journal.json").write_text(json.dumps({"target": "file:///elsewhere"}))
    hub.publish(make(1))
    assert entry.is_dir()


def test_an_outbox_that_cannot_be_written_is_one_sentence(hub: Any, make: Make) -> None:
    (hub.folder / "outbox").write_text("x")
    with pytest.raises(UsageError, match="outbox cannot be written"):
        hub.publish(make(1))
    assert hub.open().head() is None


def test_a_copied_folder_takes_a_publish(hub: Any, make: Make, tmp_path: Path) -> None:
    import shutil

    from errorhub.hub.publish import publish
    from errorhub.hub.stores import open_store

    hub.publish(make(1))
    shutil.copytree(hub.checkout(), tmp_path / "copy", ignore=shutil.ignore_patterns(".git", ".hub"))
    store = open_store(f"local:{tmp_path / 'copy'}")
    done = publish([make(1), make(2)], store, outbox=tmp_path / "out", actor="b", gate=lambda *_: None)
    assert (done.published, done.skipped) == (1, 1)
    assert verify(store).ok
