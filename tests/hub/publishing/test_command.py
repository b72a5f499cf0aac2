"""The command against a dataset and a private Git remote: every verb of a hub, and no credential anywhere."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hubserver.fixture import new_name
from hubserver.githttp import USER, WORD, serving
from hubserver.server import HubServer

from errorhub.cli.app import run as run_command

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@dataclass
class Session:
    """Commands of one person, and everything they ever said."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    told: list[str] = field(default_factory=list)

    def __call__(self, *arguments: object, workspace: str = "ws") -> tuple[int, Any]:
        self.capture.readouterr()
        code = run_command(["--workspace", str(self.folder / workspace), *map(str, arguments), "--json"])
        out, err = self.capture.readouterr()
        self.told += [out, err]
        return code, json.loads(out)

    def prepare(self, text: str, workspace: str = "ws") -> None:
        """Bring one failed run to the point where it may leave."""
        log = self.folder / f"{workspace}.json"
        messages = [{"role": "user", "content": text}, {"role": "assistant", "content": f"I could not do it: {text}"}]
        log.write_text(json.dumps({"messages": messages}))
        assert self("import", log, "--outcome", "failed", "--license", "MIT", workspace=workspace)[0] == 0
        assert self("scrub", "--policy", "share", workspace=workspace)[0] == 0
        assert self("review", "accept", "--all", "--attest", "read", workspace=workspace)[0] == 0


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Session]:
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    monkeypatch.chdir(tmp_path)
    yield Session(tmp_path, capsys)


def require_nowhere(session: Session, *secrets: str) -> None:
    """No file below the folder and no output holds a secret."""
    wanted = [secret.encode() for secret in secrets]
    wanted += [base64.b64encode(secret) for secret in wanted]
    files = [path for path in session.folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    leaks = [str(path) for path in files if any(secret in path.read_bytes() for secret in wanted)]
    assert leaks == []
    said = "\n".join(session.told).encode()
    assert not any(secret in said for secret in wanted)


def test_a_dataset_from_publish_to_pull(hub_server: HubServer, session: Session) -> None:
    spec = f"hf:{new_name()}"
    session.prepare("book the early ferry")
    code, refused = session("publish", "--to", spec, "--no-ner")
    assert (code, refused["error"]["code"]) == (2, "not_found")
    assert "--create" in refused["error"]["hint"]
    code, plan = session("publish", "--to", spec, "--create", "--no-ner", "--dry-run")
    assert (code, plan["published"], hub_server.world.repos.get(spec[3:])) == (0, 1, None)
    code, done = session("publish", "--to", spec, "--create", "--no-ner")
    assert (code, done["published"], done["load"]) == (0, 1, f'load_dataset("{spec[3:]}")')
    assert done["next_command"] == f"errorhub pull {spec} --workspace {session.folder / 'ws'}"
    assert session("publish", "--to", spec, "--no-ner")[1]["skipped"] == 1
    assert session("verify", spec, "--rescan") == (0, {"ok": True, "checked": 6, "problems": []})
    code, got = session("pull", spec)
    assert (code, got["bundles"], got["revision"]) == (0, 1, done["revision"])
    assert session("pull", f"{spec}@{done['revision']}")[1]["bundles"] == 1
    assert session("list", spec)[1]["bundles"][0]["goal"] == "book the early ferry"
    for status in (403, 401):
        said = {"X-Error-Message": f"no entry for {hub_server.owner_token}"}
        hub_server.fail("status", path="/revision/main", status=status, headers=said)
        assert session("pull", spec)[0] in (2, 4)
    require_nowhere(session, hub_server.owner_token, hub_server.contributor_token)


def test_a_contribution_from_pull_request_to_seal(
    hub_server: HubServer, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = f"hf:{new_name()}"
    session.prepare("book the early ferry")
    session("publish", "--to", spec, "--create", "--no-ner")
    hub_server.world.repos[spec[3:]].private = False
    monkeypatch.setenv("HF_TOKEN", hub_server.contributor_token)
    session.prepare("cancel the late train", workspace="theirs")
    code, refused = session("publish", "--to", spec, "--no-ner", workspace="theirs")
    assert (code, refused["error"]["hint"]) == (4, f"errorhub publish --to {spec} --create-pr")
    code, done = session("publish", "--to", spec, "--no-ner", "--create-pr", workspace="theirs")
    assert (code, done["published"], done["next_command"].split(" --w")[0]) == (0, 1, f"errorhub inbox {spec}")
    assert session("publish", "--to", spec, "--no-ner", "--create-pr", workspace="theirs")[1]["skipped"] == 1
    monkeypatch.setenv("HF_TOKEN", hub_server.owner_token)
    code, waiting = session("inbox", spec)
    assert [(one["number"], one["author"]) for one in waiting["contributions"]] == [(1, "bob")]
    code, shown = session("inbox", spec, "show", 1)
    assert (code, shown["problems"]) == (0, [])
    assert shown["bundles"][0]["trajectory"]["task"]["goal"] == "cancel the late train"
    code, accepted = session("inbox", spec, "accept", 1)
    assert (code, accepted["published"]) == (0, 1)
    assert session("verify", spec)[1]["ok"]
    assert session("inbox", spec)[1]["contributions"] == []
    assert session("pull", spec)[1]["bundles"] == 2
    assert session("inbox", spec, "accept")[0] == 2
    assert session("inbox", "local:nowhere", "list")[0] == 2
    require_nowhere(session, hub_server.owner_token, hub_server.contributor_token)


def test_a_private_git_remote_leaves_no_password(session: Session) -> None:
    root = session.folder / "served"
    root.mkdir()
    assert os.system(f"git init -q --bare -b master {root / 'hub.git'}") == 0
    session.prepare("book the early ferry")
    with serving(root) as place:
        bare = f"git:http://{place}/hub.git"
        spec = f"git:http://{USER}:{WORD}@{place}/hub.git"
        code, done = session("publish", "--to", spec, "--no-ner")
        assert (code, done["published"], done["next_command"].split(" --w")[0]) == (0, 1, f"errorhub pull {bare}")
        assert session("pull", spec)[1]["bundles"] == 1
        assert session("verify", spec)[1]["ok"]
        code, refused = session("pull", bare)
        assert (code, refused["error"]["code"]) == (4, "remote")
        wrong = f"git:http://{USER}:not{WORD}@{place}/hub.git"
        assert session("pull", wrong)[0] == 4
        assert session("pull", f"git:http://{USER}:{WORD}@{place}/missing.git")[0] == 4
        assert session("verify", f"ftp://{USER}:{WORD}@{place}/hub.git")[0] == 2
    require_nowhere(session, WORD, f"{USER}:{WORD}")


def test_the_workflow_verifies_and_scans(session: Session) -> None:
    yaml = pytest.importorskip("yaml")
    code, told = session("workflow")
    assert code == 0
    [job] = yaml.safe_load(told["text"])["jobs"].values()
    [command] = [step["run"] for step in job["steps"] if "errorhub verify" in step.get("run", "")]
    session.prepare("book the early ferry")
    session("publish", "--to", "local:hub", "--no-ner")
    assert session(*command.split()[1:2], "local:hub", *command.split()[3:])[0] == 0
