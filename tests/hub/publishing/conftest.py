"""Bundles with valid receipts, hubs of every kind of store, and a clock that is set."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, Citation, Diagnosis, Outcome, Rights, Step, Trajectory
from errorhub.hub.bundle.canonical import canonical, digest
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Source, Task
from errorhub.hub.log import fold, parse_event, stamp, ulid
from errorhub.hub.manifest import Manifest, entry_of
from errorhub.hub.paths import event_path
from errorhub.hub.publish import Published, publish
from errorhub.hub.sealed import read_sealed
from errorhub.hub.stores import Store, open_store
from errorhub.scrubber import Receipt

sys.path.insert(0, str(Path(__file__).parents[2]))

from hubserver.fixture import hub_server, hub_server_process, new_name
from hubserver.githttp import USER, WORD

__all__ = ["hub_server", "hub_server_process"]


def make_bundle(number: int = 0, *, policy: str = "strict", license: str | None = "MIT", **others: Any) -> Bundle:
    """Return a small scrubbed bundle; the number makes it another run."""
    text = others.pop("text", f"step of run {number}")
    trajectory = Trajectory(
        task=Task(id=f"task-{number}", environment="shop"),
        run=Run(harness="claude-code", policy=others.pop("model", "model-a")),
        steps=(
            Step(agent="planner", kind="llm.response", output=text),
            Step(agent="coder", kind="error", error="boom"),
        ),
        outcome=Outcome(status="failed"),
        source=Source(format="test"),
        construction_only=others.pop("construction_only", ConstructionOnly()),
    )
    found = Diagnosis(
        step=0, agent="planner", explanation="wrong plan", author="anon-1", evidence=(Citation(step=0, quote="step"),)
    )
    bundle = Bundle(trajectory=trajectory, diagnoses=(found,), rights=Rights(license=license))
    return certify(bundle, policy=policy, **others)


def certify(bundle: Bundle, **facts: Any) -> Bundle:
    """Return the bundle with a receipt for exactly its content."""
    document = bundle.document()
    del document["receipt"]
    receipt = {"policy": "strict", "policy_digest": "0" * 64, "scrubber": "1", "digest": digest(document)} | facts
    return bundle.model_copy(update={"receipt": Receipt(**receipt)})


def at(second: int = 0) -> datetime:
    """Return a fixed time."""
    return datetime(2025, 1, 2, 3, 4, second, tzinfo=UTC)


@dataclass(frozen=True)
class Hub:
    """A hub that does not exist yet, and one workspace that publishes to it."""

    spec: str
    folder: Path

    def open(self, cache: str = "cache", **options: Any) -> Store:
        """Open the store."""
        return open_store(self.spec, create=True, cache=self.folder / cache, **options)

    def publish(self, *bundles: Bundle, **options: Any) -> Published:
        """Publish with a gate that lets everything pass."""
        defaults: dict[str, Any] = {"outbox": self.folder / "outbox", "actor": "anon-1", "gate": lambda *_: None}
        return publish(bundles, self.open(), **(defaults | options))

    @property
    def kind(self) -> str:
        """local, git or hf."""
        return self.spec.partition(":")[0]

    def edit(self, change: Callable[[Path], None]) -> None:
        """Let a stranger with write access change the tree."""
        if self.kind == "local":
            change(Path(self.spec.removeprefix("local:")))
            return
        if self.kind == "hf":
            self._edit_dataset(change)
            return
        clone = self.folder / "stranger"
        url = self.spec.removeprefix("git:")
        if not clone.exists():
            git("clone", "-q", url, str(clone))
        git("pull", "-q", cwd=clone)
        change(clone)
        git("add", "-A", "-f", cwd=clone)
        git("commit", "-q", "-m", "change", cwd=clone)
        git("push", "-q", cwd=clone)

    def _edit_dataset(self, change: Callable[[Path], None]) -> None:
        folder = self.checkout()
        before = files_of(folder)
        change(folder)
        after = files_of(folder)
        store = self.open("stranger")
        store.commit(after, before.keys() - after.keys(), "change", store.head())

    def checkout(self) -> Path:
        """Return a folder with the plain files of the newest revision."""
        if self.kind == "local":
            return Path(self.spec.removeprefix("local:"))
        if self.kind == "hf":
            return self._download()
        clone = self.folder / "checkout"
        if not clone.exists():
            git("clone", "-q", self.spec.removeprefix("git:"), str(clone))
        git("pull", "-q", cwd=clone)
        return clone

    def _download(self) -> Path:
        folder = self.folder / "checkout"
        shutil.rmtree(folder, ignore_errors=True)
        tree = self.open("download").tree()
        for path in tree.paths():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(tree.read(path))
        return folder


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the files below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def git(*arguments: str, cwd: Path | None = None) -> str:
    """Run real git."""
    done = subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture
def make() -> Callable[..., Bundle]:
    """Give the function that makes scrubbed bundles."""
    return make_bundle


@pytest.fixture
def sign() -> Callable[..., Bundle]:
    """Give the function that renews a receipt."""
    return certify


def seal_event(hub: Hub, type: str, *names: str, **facts: Any) -> None:
    """Seal one more event of a maintainer, the data as it is."""
    tree = hub.open().tree()
    sealed = read_sealed(tree)
    assert sealed is not None
    now = datetime.now(UTC)
    document = {"format": "errorhub.event/1", "id": ulid(now), "type": type, "at": stamp(now), "actor": "owner",
                "tool": "t", "bundles": names} | facts  # fmt: skip
    data = canonical(document)
    event = parse_event(data)
    path = event_path(event.id, data, event.at)
    manifest = Manifest(
        format="errorhub.manifest/1", chain=(*sealed.manifest.chain, sealed.manifest.sha256), created_at=stamp(now),
        actor="owner", tool="t", files=dict(sorted((sealed.manifest.files | {path: entry_of(data)}).items())),
        state=fold([*sealed.events, event]).digest,
    )  # fmt: skip
    add = {path: data, manifest.path: manifest.data}
    hub.open().commit(add, [sealed.manifest.path], type, tree.revision)


@pytest.fixture
def seal() -> Callable[..., None]:
    """Give the function that seals a maintainer's event."""
    return seal_event


@pytest.fixture
def withdraw() -> Callable[..., None]:
    """Give the function that seals a takedown."""
    return lambda hub, *names: seal_event(hub, "takedown", *names, reason="privacy")


@pytest.fixture(autouse=True)
def quiet_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep the machine's own git settings out."""
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", "/dev/null")
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "stranger")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "stranger@example.invalid")


@pytest.fixture(params=["local", "git", "hf"])
def hub(request: pytest.FixtureRequest, tmp_path: Path) -> Hub:
    """Give an empty place for a hub in each kind of store."""
    if request.param == "hf":
        request.getfixturevalue("hub_server")
    return make_hub(request.param, tmp_path)


def make_hub(kind: str, folder: Path) -> Hub:
    """Return an empty place for a hub."""
    if kind == "local":
        return Hub(f"local:{folder / 'hub'}", folder)
    if kind == "hf":
        return Hub(f"hf:{new_name()}-{os.getpid()}", folder)
    git("init", "-q", "--bare", "-b", "main", str(folder / "hub.git"))
    if kind == "git-http":
        place = (folder / "hub.git").relative_to(os.environ["GIT_HTTP_ROOT"])
        return Hub(f"git:http://{USER}:{WORD}@{os.environ['GIT_HTTP_PLACE']}/{place}", folder)
    return Hub(f"git:{(folder / 'hub.git').as_uri()}", folder)
