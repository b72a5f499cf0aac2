"""A taxonomy in a hub: nothing is lost, conflicts are shown, what a stranger put there is refused."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from decisions import accepted, decided, ids, proposal, propose, rejected, undone
from hubserver.fixture import hub_server, hub_server_process, new_name

from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.errors import RecordError, RemoteError, SchemaFromFuture
from errorhub.hub.log import TaxonomyChange, TaxonomyFile, fold, parse_event, ulid
from errorhub.hub.manifest import entry_of
from errorhub.hub.mirror import Mirror
from errorhub.hub.mirrors import mirror_folder, pull_into
from errorhub.hub.seal import Author, NewTaxonomy, next_revision
from errorhub.hub.sending import look
from errorhub.hub.stores import Store, open_store
from errorhub.hub.taxonomy import Decision, load_taxonomy
from errorhub.hub.taxonomy import fold as fold_decisions
from errorhub.hub.taxonomy.file import read_taxonomy, taxonomy_bytes, taxonomy_document, taxonomy_path
from errorhub.hub.taxonomy.ledger import pulled_decisions, record
from errorhub.hub.taxonomy.maintainer import Maintainer
from errorhub.hub.taxonomy.publishing import PublishedTaxonomy, publish_taxonomy, published_decisions
from errorhub.hub.taxonomy.using import send, take
from errorhub.hub.verify import verify
from errorhub.hub.workspace import Workspace

__all__ = ["hub_server", "hub_server_process"]

LOOP = accepted("loop", range(6), 1)
REF = LOOP.ref(LOOP.defines[0])


@pytest.fixture(params=["local", "git", "hf"])
def spec(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty place for a hub in each kind of store."""
    if request.param == "local":
        return f"local:{tmp_path / 'hub'}"
    if request.param == "hf":
        request.getfixturevalue("hub_server")
        return f"hf:{new_name()}-modes-{os.getpid()}"
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "stranger")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "stranger@example.invalid")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", tmp_path / "hub.git"], check=True)
    return f"git:{(tmp_path / 'hub.git').as_uri()}"


def author(name: str = "ada") -> Author:
    return Author(name, "errorhub test", datetime.now(UTC))


def opened(spec: str, folder: Path) -> Store:
    return open_store(spec, create=True, cache=folder / "cache")


def put(store: Store, *decisions: Decision, by: str = "ada", **options: Any) -> PublishedTaxonomy:
    return publish_taxonomy(decisions, store, author=author(by), gate=lambda _: None, **options)


def pulled(workspace: Workspace, spec: str) -> Any:
    return pull_into(workspace, spec)


def test_decisions_go_out_once_and_come_back(spec: str, tmp_path: Path, workspace: Workspace) -> None:
    store = opened(spec, tmp_path)
    done = put(store, LOOP, rejected(range(20, 26)))
    assert (len(done.decisions), done.skipped, len(done.taxonomy.accepted)) == (2, 0, 1)
    again = put(opened(spec, tmp_path), LOOP)
    assert (again.decisions, again.skipped, again.revision) == ((), 1, done.revision)
    more = put(opened(spec, tmp_path), LOOP, accepted("wait", range(30, 36), 5))
    assert len(more.decisions) == 1 and more.path != done.path
    assert pulled(workspace, spec).quarantined == []
    taxonomy = load_taxonomy(workspace)
    assert [one.id for one in taxonomy.accepted] == ["planning.loop", "planning.wait"]
    assert {name for name, _ in pulled_decisions(workspace)} == {store.spec}
    mirror = Mirror(mirror_folder(workspace, spec))
    assert mirror.manifest and list(mirror.manifest.of("taxonomy")) == [more.path]
    assert verify(opened(spec, tmp_path)).ok


def test_the_log_names_what_came_in_and_the_card_counts_it(spec: str, tmp_path: Path) -> None:
    done = put(opened(spec, tmp_path), LOOP)
    head, _ = look(opened(spec, tmp_path))
    assert head is not None
    (event,) = head.events
    assert isinstance(event, TaxonomyChange)
    assert (event.decisions, event.modes, event.file.path) == ((LOOP.id,), 1, done.path)
    assert b"loop" not in canonical(event.model_dump(mode="json"))
    assert "| planning.loop | 6 |" in head.tree.read("README.md").decode()
    data = head.tree.read(str(done.path))
    assert sha256(data).hexdigest() in str(done.path) and read_taxonomy(str(done.path), data) == (LOOP,)


def test_maintainers_who_publish_at_once_lose_nothing(spec: str, tmp_path: Path) -> None:
    put(opened(spec, tmp_path), LOOP)
    news = [accepted(f"mode_{n}", range(100 * n, 100 * n + 5), n) for n in range(2, 6)]

    def go(one: Decision) -> PublishedTaxonomy:
        return put(opened(spec, tmp_path / one.id[:6]), one, by=one.id[:6])

    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(go, news))
    assert all(len(one.decisions) == 1 for one in done)
    held = published_decisions(look(opened(spec, tmp_path))[0])
    assert held.keys() == {LOOP.id, *(one.id for one in news)}
    assert verify(opened(spec, tmp_path)).ok


def test_contradictions_are_shown_to_everybody_and_settled_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    spec, spaces = f"local:{tmp_path / 'hub'}", [Workspace.open(tmp_path / name) for name in ("one", "two", "three")]
    for workspace, answer in zip(spaces, (LOOP, rejected(range(6), 2)), strict=False):
        record(workspace, [answer])
        sent = send(workspace, spec, by="ada")
    assert [one.kind for one in sent.conflicts] == ["answers"]
    for workspace in spaces:
        pulled(workspace, spec)
    views = [load_taxonomy(workspace) for workspace in spaces]
    assert len({(one.accepted, one.conflicts, one.decided) for one in views}) == 1
    assert not views[0].accepted and views[0].conflicts[0].decisions[0] == rejected(range(6), 2).id
    Maintainer(spaces[2], "cy", "", dict).undo(rejected(range(6), 2).id)
    send(spaces[2], spec, by="cy")
    for workspace in spaces[:2]:
        pulled(workspace, spec)
        assert [one.id for one in load_taxonomy(workspace).accepted] == ["planning.loop"]
        assert not load_taxonomy(workspace).conflicts


def test_what_was_taken_back_before_it_left_stays(tmp_path: Path) -> None:
    store = opened(f"local:{tmp_path / 'hub'}", tmp_path)
    done = put(store, LOOP, undone(LOOP), accepted("wait", range(30, 36), 5))
    assert [one.defines[0].id for one in done.decisions] == ["planning.wait"]
    put(store, LOOP)
    late = put(store, LOOP, undone(LOOP))
    assert [one.action for one in late.decisions] == ["undo"] and len(late.taxonomy.accepted) == 1


def test_dry_run_sends_nothing(tmp_path: Path) -> None:
    store = opened(f"local:{tmp_path / 'hub'}", tmp_path)
    done = put(store, LOOP, dry_run=True)
    assert len(done.decisions) == 1 and look(store)[0] is None


def test_a_secret_in_old_words_does_not_leave(tmp_path: Path, workspace: Workspace) -> None:
    key = "AKIA" + "QX7RT2ZLMP4WNB6K"
    record(workspace, [accepted("loop", range(6), 1, note=f"see {key}"), accepted("wait", range(30, 36), 5)])
    done = send(workspace, f"local:{tmp_path / 'hub'}", by=f"ada {key}", message=f"with {key}")
    assert [one.defines[0].id for one in done.decisions] == ["planning.wait"]
    assert len(done.refused) == 1 and key not in str(done.refused)
    for path in (tmp_path / "hub").rglob("*"):
        assert not path.is_file() or key.encode() not in path.read_bytes()


def test_own_decisions_bring_along_what_they_build_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    first, second = f"local:{tmp_path / 'first'}", f"local:{tmp_path / 'second'}"
    put(opened(first, tmp_path), LOOP, accepted("other", range(50, 55)))
    workspace = Workspace.open(tmp_path / "ws")
    pulled(workspace, first)
    (waiting,) = propose(workspace, proposal("wait", range(30, 36)))
    Maintainer(workspace, "bo", "", dict).merge([waiting], into="loop")
    done = send(workspace, second, by="bo")
    assert sorted(one.action for one in done.decisions) == ["accept", "merge"]
    assert not done.conflicts and [one.id for one in done.taxonomy.accepted] == ["planning.loop"]


def planted(spec: str, folder: Path, data: bytes, version: str = "v1") -> None:
    """Seal a file as a taxonomy, as somebody with write access may."""
    store = opened(spec, folder)
    head, expect = look(store)
    path = taxonomy_path(data).replace("/v1/", f"/{version}/")
    now = author("eve")
    event = TaxonomyChange(
        format="errorhub.event/1", id=ulid(now.at), type="taxonomy", at=now.time, actor="eve", tool="t", decisions=(),
        file=TaxonomyFile(path=path, sha256=sha256(data).hexdigest(), size=len(data)),
    )  # fmt: skip
    files, remove = next_revision(head, [], now, store, taxonomy=NewTaxonomy(data, entry_of(data), event))
    store.commit(files, remove, "planted", expect)


def document(*decisions: Decision) -> dict[str, Any]:
    return json.loads(taxonomy_bytes(decisions))


def circle() -> bytes:
    held = document(LOOP)
    one = held["modes"][0]
    return canonical(held | {"modes": [one | {"successors": [{n: one[n] for n in ("scheme", "version", "id")}]}]})


def crowd() -> bytes:
    return canonical(document(LOOP) | {"decisions": [{}] * 50_001})


def quarrel() -> bytes:
    return canonical(document(LOOP) | {"decisions": [rejected(range(6), n).document() for n in range(201)]})


HOSTILE: list[tuple[str, Callable[[], bytes], str, str]] = [
    ("newer-folder", lambda: taxonomy_bytes([LOOP]), "v2", "version"),
    ("newer-format", lambda: canonical(document(LOOP) | {"format": "errorhub.taxonomy/2"}), "v1", "Upgrade errorhub"),
    ("newer-decision", lambda: canonical(document(LOOP) | {"decisions": [{"format": "errorhub.decision/9"}]}), "v1", "Upgrade"),
    ("other-format", lambda: canonical({"format": "x/1"}), "v1", "another format"),
    ("not-json", lambda: b"\xff{", "v1", "not JSON"),
    ("deep", lambda: b"[" * 200_000, "v1", "not JSON"),
    ("nested", lambda: canonical(document(LOOP) | {"x": [[[[[[[[[[[[[[1]]]]]]]]]]]]]]}), "v1", "no plain JSON"),
    ("circle", circle, "v1", "circles"),
    ("crowd", crowd, "v1", "at most"),
    ("quarrel", quarrel, "v1", "answers one diagnosis 201 times"),
    ("unknown-field", lambda: canonical(document(LOOP) | {"decisions": [LOOP.document() | {"run": "rm"}]}), "v1", "not a decision"),
    ("long-name", lambda: canonical(document(LOOP) | {"decisions": [LOOP.document() | {"by": "x" * 999}]}), "v1", "not a decision"),
]  # fmt: skip


@pytest.mark.parametrize(("make", "version", "says"), [one[1:] for one in HOSTILE], ids=[one[0] for one in HOSTILE])
def test_a_strangers_file_is_set_aside_and_named(
    make: Callable[[], bytes], version: str, says: str, tmp_path: Path, workspace: Workspace
) -> None:
    spec = f"local:{tmp_path / 'hub'}"
    planted(spec, tmp_path, make(), version)
    result = pulled(workspace, spec)
    assert len(result.quarantined) == 1 and says in result.quarantined[0]["reason"]
    assert not load_taxonomy(workspace).accepted
    checked = verify(opened(spec, tmp_path))
    assert not checked.ok and any(says in problem for problem in checked.problems)
    with pytest.raises((RecordError, SchemaFromFuture), match=says):
        put(opened(spec, tmp_path), accepted("wait", range(30, 36), 5))


def test_a_file_that_is_too_large_is_not_parsed() -> None:
    with pytest.raises(RecordError, match="at most"):
        read_taxonomy("taxonomy/v1/x.json", b" " * (33 * 2**20))


def test_a_large_taxonomy_is_read_in_seconds() -> None:
    many = [accepted(f"m{n}", range(7 * n, 7 * n + 5), n % 50) for n in range(600)]
    data = taxonomy_bytes(many)
    assert len(fold_decisions(read_taxonomy(taxonomy_path(data), data)).accepted) == 600


def test_the_file_is_the_same_for_the_same_decisions() -> None:
    some = [LOOP, rejected(range(6), 3), decided("assign", 4, assigned=[{"mode": REF, "diagnoses": ids(90)}])]
    assert taxonomy_bytes(some) == taxonomy_bytes(some[::-1]) == taxonomy_bytes([*some, LOOP])
    assert fold_decisions(read_taxonomy("taxonomy/v1/x.json", taxonomy_bytes(some))) == fold_decisions(some)


def test_older_readers_see_an_event_they_can_ignore(recwarn: pytest.WarningsRecorder) -> None:
    state = fold([parse_event(canonical(_event()))])
    assert state.digest == fold([]).digest and not recwarn.list


def _event() -> dict[str, Any]:
    return {
        "format": "errorhub.event/1", "id": "0" * 26, "type": "taxonomy", "at": "2026-03-01T09:00:00.000000Z",
        "actor": "ada", "tool": "t", "file": {"path": "p", "sha256": "0" * 64, "size": 1}, "decisions": [], "new": 1,
    }  # fmt: skip


def test_quarantine_does_not_hide_the_rest(tmp_path: Path, workspace: Workspace) -> None:
    good, bad = f"local:{tmp_path / 'good'}", f"local:{tmp_path / 'bad'}"
    put(opened(good, tmp_path), LOOP)
    planted(bad, tmp_path, circle())
    for spec in (good, bad):
        pulled(workspace, spec)
    assert [one.id for one in load_taxonomy(workspace).accepted] == ["planning.loop"]


def test_who_may_not_write_hands_a_file_to_a_maintainer(
    hub_server: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    spec = f"hf:{new_name()}-offer-{os.getpid()}"
    put(opened(spec, tmp_path), LOOP)
    hub_server.world.repos[spec.removeprefix("hf:")].private = False
    bob, ada = Workspace.open(tmp_path / "bob"), Workspace.open(tmp_path / "ada")
    record(bob, [accepted("wait", range(30, 36), 5, by="bob")])
    monkeypatch.setenv("HF_TOKEN", hub_server.contributor_token)
    with pytest.raises(RemoteError, match="may not write") as caught:
        send(bob, spec, by="bob")
    assert caught.value.hint == "errorhub taxonomy export --out taxonomy.json"
    (tmp_path / "taxonomy.json").write_text(json.dumps(taxonomy_document(load_taxonomy(bob)), indent=1))
    monkeypatch.setenv("HF_TOKEN", hub_server.owner_token)
    news, known = take(ada, tmp_path / "taxonomy.json")
    assert (len(news), known) == (1, 0) and take(ada, tmp_path / "taxonomy.json") == ([], 1)
    done = send(ada, spec, by="ada")
    assert [one.id for one in done.taxonomy.accepted] == ["planning.loop", "planning.wait"]
    assert done.decisions[0].by == "bob"


@pytest.mark.parametrize(("make", "says"), [(circle, "circles"), (crowd, "at most"), (lambda: b"{", "not JSON")])
def test_a_file_that_is_no_taxonomy_is_not_taken(
    make: Callable[[], bytes], says: str, tmp_path: Path, workspace: Workspace
) -> None:
    (tmp_path / "t.json").write_bytes(make())
    with pytest.raises(RecordError, match=says):
        take(workspace, tmp_path / "t.json")
    assert not load_taxonomy(workspace).decisions
