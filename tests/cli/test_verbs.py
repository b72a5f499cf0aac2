"""Verbs: what they print, how they end, what they leave when they fail."""

import fcntl
import gzip
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.stage import Stage
from errorhub.hub.workspace import Workspace

Z = "0" * 64


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["import", "nowhere.json"], 2, "no such file"),
        (["import", ".", "--outcome", "maybe"], 2, "no such outcome"),
        (["show", "12345678"], 2, "no bundle"),
        (["show", "12"], 2, "too short"),
        (["annotate", "12345678", "--step", "1", "--because", "x"], 2, "no bundle"),
        (["list", "--where", "nothing == 1"], 2, "column"),
        (["list", "--stage", "hub"], 2, "stage"),
        (["stats", "--by", "nothing"], 2, "no such column"),
        (["similar"], 2, "exactly one"),
        (["similar", "--text", "x", "--log", "y"], 2, "exactly one"),
        (["publish", "--to", "local:hub"], 1, "nothing to publish"),
        (["publish", "--to", "git:file:///x", "--policy-review", "auto"], 2, "local: hubs only"),
        (["publish", "--to", "nowhere"], 1, "nothing to publish"),
        (["pull", "local:missing"], 2, "no hub"),
        (["pull", "nonsense"], 2, "local:"),
        (["verify", "local:missing"], 2, "no hub"),
        (["review", "accept"], 2, "--all"),
        (["review", "grep", " "], 2, "empty search term"),
        (["export", "--format", "json", "--out", "x"], 2, "--all"),
        (["scrub", "--policy", "nothing"], 2, "nothing"),
        (["scrub", "--document", "nothing.jsonl"], 2, "--out"),
        (["scrub", "--out", "x.jsonl"], 2, "--document"),
        (["scrub", "--document", ".", "--out", "x.jsonl"], 2, "not a file"),
        (["similar", "--log", "."], 2, "no run in"),
        (["scan", "nowhere"], 2, "no such file"),
        (["bogus"], 2, "bogus"),
        (["list", "--config", "missing.toml"], 2, "no such settings file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_mistakes_get_one_sentence_and_their_code(arguments, code, word, command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    told = command(*arguments)
    assert (told.code, told.out) == (code, "")
    assert told.err.startswith("error: ")
    assert word in told.err
    as_json = command(*arguments, "--json")
    assert as_json.code == code
    assert set(as_json.json["error"]) == {"code", "message", "hint"}
    assert word in as_json.json["error"]["message"]
    assert not (tmp_path / "missing").exists()
    assert not (tmp_path / "hub").exists()


def test_settings_come_from_flags_then_environment_then_file(command, chat: Path, monkeypatch, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "errorhub.toml").write_text('license = "MIT"\n')

    def rights(*more: str) -> str:
        command("import", chat, *more)
        return str(command("list", "--json").json["bundles"][0]["license"])

    assert rights() == "MIT"
    monkeypatch.setenv("ERRORHUB_LICENSE", "Apache-2.0")
    assert rights() == "Apache-2.0"
    assert rights("--license", "CC0-1.0") == "CC0-1.0"
    (tmp_path / "errorhub.toml").write_text("colour = 1\n")
    assert "colour" in command("list").err
    (tmp_path / "errorhub.toml").write_text("license = \n")
    assert "not TOML" in command("list").err


def test_import_is_idempotent_and_a_verdict_is_kept(command, chat: Path) -> None:  # type: ignore[no-untyped-def]
    first = command("import", chat, "--json").json
    assert (first["imported"], first["unchanged"], first["bundles"][0]["outcome"]) == (1, 0, "unknown")
    assert {"steps": 4, "tool_calls": 1, "tool_results": 1}.items() <= first["bundles"][0].items()
    again = command("import", chat, "--json").json
    assert (again["imported"], again["unchanged"]) == (0, 1)
    judged = command("import", chat, "--outcome", "failed", "--json").json
    assert (judged["imported"], judged["bundles"][0]["outcome"]) == (1, "failed")
    assert command("import", chat, "--json").json["bundles"][0]["outcome"] == "failed"


def test_dry_run_keeps_nothing(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    assert command("import", chat, "--dry-run", "--json").json["imported"] == 1
    assert not (tmp_path / "ws").exists()


def test_workspace_is_private(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    command("import", chat)
    command("scrub")
    assert oct((tmp_path / "ws").stat().st_mode)[-3:] == "700"
    assert (tmp_path / "ws/.gitignore").read_text() == "*\n"
    open_files = [path for path in (tmp_path / "ws").rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert [path.name for path in open_files] == []


def test_labels_come_from_a_file_and_wrong_ones_are_refused(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    labels = tmp_path / "labels.jsonl"
    rows = [
        {
            "run": "chat.json",
            "step": 4,
            "base": 1,
            "agent": "assistant",
            "explanation": "Took an error for an empty bucket.",
        },
        {"run": "chat.json", "step": 40, "agent": "assistant", "explanation": "x"},
        {"run": "chat.json", "step": 1, "agent": "nobody", "explanation": "x"},
        {"run": "other.json", "step": 1, "agent": "assistant", "explanation": "x"},
    ]
    labels.write_text("\n".join(map(json.dumps, rows)))
    result = command("import", chat, "--labels", labels, "--json")
    assert (result.code, result.json["bundles"][0]["diagnoses"], len(result.json["refused"])) == (3, 1, 3)
    unused = [one for one in result.json["refused"] if one["source"] == str(labels)]
    assert [(one["exit"], one["reason"].partition(",")[0]) for one in unused] == [
        (3, "label 3 names no run that was read")
    ]
    shown = command("show", result.json["bundles"][0]["bundle_id"], "--json").json
    assert (shown["diagnoses"][0]["step"], shown["diagnoses"][0]["source"]["step_as_written"]) == (3, 4)
    labels.write_text("nonsense")
    assert command("import", chat, "--labels", labels).code == 2


@pytest.mark.parametrize(
    "verb",
    [
        ["annotate", "--step", "3", "--because", "Took an error for an empty bucket."],
        ["repair", "add", "--directive", "log in first", "--outcome", "passed"],
        ["check"],
    ],
    ids=lambda verb: verb[0],
)
def test_nobody_else_writes_a_run_between_its_reading_and_writing(
    command,
    chat: Path,
    verb: list[str],
    monkeypatch: pytest.MonkeyPatch,  # type: ignore[no-untyped-def]
) -> None:
    bundle = command("import", chat, "--json").json["bundles"][0]["bundle_id"]
    find, free = Workspace.find, []

    def spied(self: Workspace, prefix: str, stage: Stage) -> Bundle:
        with (stage.folder / ".lock").open() as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                free.append(True)
            except BlockingIOError:
                free.append(False)
        return find(self, prefix, stage)

    monkeypatch.setattr(Workspace, "find", spied)
    command(*verb, bundle)
    assert free == [False]


def test_annotate_grades_and_refuses_what_does_not_hold(command, chat: Path) -> None:  # type: ignore[no-untyped-def]
    bundle = command("import", chat, "-q").out.strip()
    located = command("annotate", bundle, "--step", 3, "--because", "Took an error for an empty bucket.", "--json").json
    assert (located["grade"], located["agent"]) == ("located", "assistant")
    invented = command("annotate", bundle, "--step", 3, "--because", "x", "--quote", "3:never said")
    assert (invented.code, "quote" in invented.err) == (1, True)
    assert command("annotate", bundle, "--step", 30, "--because", "x").code == 2
    assert command("annotate", bundle, "--step", 3, "--because", "x", "--agent", "user").code == 1
    assert command("annotate", bundle, "--step", 3, "--because", "x", "--quote", "nonsense").code == 2
    assert command("annotate", bundle, "--step", 3, "--because", "x", "--action", "{").code == 2
    checked = command("check", "--json")
    assert (checked.code, checked.json["grades"]) == (0, {"located": 1})
    assert command("show", bundle, "--json").json["diagnosis_ids"] == [located["diagnosis_id"]]
    moded = command("annotate", bundle, "--step", 3, "--because", "y", "--mode", "observation.misread", "--json").json
    novel = command("annotate", bundle, "--step", 3, "--because", "z", "--mode", "gave up early", "--json").json
    assert (moded["mode"]["scheme"], novel["mode"], novel["novel_mode"]) == ("agentdebugx", None, "gave up early")


def test_repairs_gather_attempts(command, chat: Path) -> None:  # type: ignore[no-untyped-def]
    bundle = command("import", chat, "-q").out.strip()
    command("repair", "add", bundle, "--directive", "Check the exit code.")
    command("repair", "add", bundle, "--directive", "Check the exit code.", "--outcome", "failed")
    last = command(
        "repair", "add", bundle, "--directive", "Check the exit code.", "--run", chat, "--outcome", "passed", "--json"
    )
    assert last.json["resolved"] is True
    listed = command("repair", "list", bundle, "--json").json["repairs"]
    assert [(one["verdict"], len(one["attempts"])) for one in listed] == [("partially_validated", 2)]
    assert len(listed[0]["attempts"][1]["steps"]) == 4
    assert command("repair", "add", bundle, "--directive", "x", "--arm", "left").code == 2
    assert "passed" in command("show", bundle, "--compare").out


def test_review_binds_a_verdict_to_the_bytes(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bundle = command("import", chat, "--license", "MIT", "-q").out.strip()
    command("scrub")
    assert command("review", "--json").json["pending"] == 1
    assert command("publish", "--to", "local:hub", "--json").json["refused"][0]["reason"].startswith("not_reviewed")
    no_answer = command("review", "accept", "--all", "--json")
    assert (no_answer.code, "--attest" in no_answer.json["error"]["message"]) == (2, True)
    assert command("review", "accept", "--all", "--attest", "I read it", "--json").json["accepted"] == 1
    (tmp_path / "words.txt").write_text("Otterly Foods\n")
    command("scrub", "--deny", "words.txt")
    assert command("review", "--json").json["pending"] == 1
    assert command("review", "reject", bundle, "--note", "names a customer", "--json").json["rejected"] == 1
    refused = command("publish", "--to", "local:hub", "--json")
    assert (refused.json["published"], refused.json["rejected"]) == (0, 1)
    assert "Otterly" in command("review", "diff", bundle).out
    assert "Otterly" not in command("review", "show", bundle).out


def test_publish_dry_run_sends_nothing(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    command("import", chat, "--license", "MIT")
    command("scrub")
    command("review", "accept", "--all", "--attest", "x")
    dry = command("publish", "--to", "local:hub", "--dry-run", "--json")
    assert (dry.code, dry.json["published"]) == (0, 1)
    assert any("inbox/" in line for line in dry.json["plan"])
    assert not (tmp_path / "hub").exists()


def test_publish_refuses_without_a_licence(command, chat: Path) -> None:  # type: ignore[no-untyped-def]
    command("import", chat)
    command("scrub")
    command("review", "accept", "--all", "--attest", "x")
    refused = command("publish", "--to", "local:hub", "--json")
    assert (refused.code, refused.json["refused"][0]["reason"].split(":")[0]) == (1, "license")


def test_hub_verbs_agree(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    shared = command("share", chat, "--to", "local:hub", "--license", "MIT", "--policy-review", "auto", "--json")
    assert (shared.code, shared.json["published"]) == (0, 1), shared.out
    assert shared.json["load"].startswith("load_dataset(")
    assert command("verify", "local:hub", "--json").json["ok"] is True
    rows = command("list", "local:hub", "--json", workspace="nowhere").json["bundles"]
    assert [row["license"] for row in rows] == ["MIT"]
    assert not (tmp_path / "nowhere").exists()
    assert command("stats", "local:hub", "--by", "license", "--json").json["table"][0]["license"] == "MIT"
    command("pull", "local:hub", workspace="other")
    assert command("show", rows[0]["bundle_id"][:10], "--json", workspace="other").json["receipt"]["policy"] == "strict"
    exported = command("export", "--all", "--format", "json", "--out", "out", "--json").json
    assert exported["exported"] == 1
    for shard in (tmp_path / "hub/inbox").rglob("*.parquet"):
        shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    broken = command("verify", "local:hub", "--json")
    assert (broken.code, broken.json["ok"]) == (1, False)
    assert command("pull", "local:hub", workspace="third").code in (3, 4)


def test_scan_and_scrub_any_document(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    key = "ghp_" + "Zk3Lm9Qw" * 4 + "Zk3L"
    (tmp_path / "in.jsonl").write_text(
        json.dumps({"a": f"token {key}"}) + "\nnot json\n" + json.dumps([1, "plain"]) + "\n"
    )
    result = command("scrub", "--document", "in.jsonl", "--out", "out.jsonl", "--findings", "f.jsonl", "--json")
    assert (result.code, result.json["scrubbed"], result.json["residual"]) == (3, 2, 0)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert (key in str(lines), lines[1], lines[2]) == (False, None, [1, "plain"])
    assert key not in (tmp_path / "f.jsonl").read_text()
    found = command("scan", "in.jsonl", "--json")
    assert found.code == 1
    assert {"source", "path", "kind", "start", "end", "masked"} <= set(found.json["findings"][0])
    assert key not in found.out
    assert command("scan", "out.jsonl").code == 0
    assert not (tmp_path / "ws").exists()


def test_json_leaves_standard_output_to_one_document(command, chat: Path) -> None:  # type: ignore[no-untyped-def]
    for arguments in (
        ["--json", "import", chat],
        ["import", chat, "--json"],
        ["formats", "--json"],
        ["scrub", "--json"],
    ):
        json.loads(command(*arguments).out)


def test_text_from_a_log_cannot_drive_the_terminal(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "x.json").write_text(
        json.dumps({"messages": [{"role": "user", "content": "\x1b[2J\x07go"}, {"role": "assistant", "content": "ok"}]})
    )
    bundle = command("import", "x.json", "-q").out.strip()
    for arguments in (["list"], ["show", bundle], ["import", "x.json"]):
        assert "\x1b" not in command(*arguments).out


def test_scan_reads_what_is_wide_packed_or_binary(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    text = "token ghp_" + "Zk3Lm9Qw" * 4 + "Zk3L"
    (tmp_path / "wide.txt").write_bytes(text.encode("utf-16"))
    (tmp_path / "nul.bin").write_bytes(text.encode() + b"\0")
    (tmp_path / "packed.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "link.txt").symlink_to(tmp_path / "nul.bin")
    for name in ("wide.txt", "nul.bin", "packed.gz", "link.txt"):
        assert command("scan", name).code == 1, name
    (tmp_path / "broken.gz").write_bytes(gzip.compress(text.encode())[:20])
    broken = command("scan", "broken.gz", "--json")
    assert (broken.code, broken.json["unread"][0]["source"]) == (3, "broken.gz")


def test_scan_reads_hidden_files_and_says_what_it_cannot_read(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    text, tree = "API_TOKEN=ghp_" + "Zk3Lm9Qw" * 4 + "Zk3L", tmp_path / "tree"
    for name in (".env", ".claude/log.jsonl", ".git/config", ".venv/lib/x", "web/node_modules/x"):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text(text)
    (tree / ".venv" / ".gitignore").write_text("# made by a tool\n*\n")
    found = command("scan", "tree", "--json").json
    sources = {Path(one["source"]).relative_to("tree").as_posix() for one in found["findings"]}
    assert sources == {".env", ".claude/log.jsonl", "web/node_modules/x"}
    assert found["unread"] == []
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x", text)
    os.mkfifo(tmp_path / "pipe")
    for name, reason in (("a.zip", "zip"), ("pipe", "not a regular file")):
        unread = command("scan", name, "--json")
        assert unread.code == 3
        assert reason in unread.json["unread"][0]["reason"]


def test_documents_need_a_file_each(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "in.jsonl").write_text('{"a": 1}\n')
    for out, findings in (("in.jsonl", "f.jsonl"), ("out.jsonl", "in.jsonl"), ("out.jsonl", "./out.jsonl")):
        told = command("scrub", "--document", "in.jsonl", "--out", out, "--findings", findings)
        assert (told.code, "a file each" in told.err) == (2, True)
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert "cannot write" in command("scrub", "--document", "in.jsonl", "--out", "circle").err
    assert (tmp_path / "in.jsonl").read_text() == '{"a": 1}\n'
    assert not (tmp_path / "out.jsonl").exists()


def test_a_run_without_a_licence_is_named_before_it_is_published(command, chat: Path) -> None:  # type: ignore[no-untyped-def]
    command("import", chat)
    command("scrub")
    accepted = command("review", "accept", "--all", "--attest", "x")
    assert (accepted.code, "1 bundle without a licence" in accepted.err) == (0, True)
    assert "errorhub import LOG --license" in command("publish", "--to", "local:hub").err
    command("import", chat, "--license", "MIT")
    command("scrub")
    assert "licence" not in command("review", "accept", "--all", "--attest", "x").err
    assert command("publish", "--to", "local:hub").code == 0


def test_share_names_the_logs_it_could_not_read(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "broken.json").write_text('{"messages": [')
    told = command("share", chat, "broken.json", "--to", "local:hub", "--license", "MIT")
    assert "not read: broken.json" in told.err


def test_names_and_messages_are_scrubbed_on_their_way_out(command, chat: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    remote = tmp_path / "r.git"
    subprocess.run(["git", "init", "-q", "--bare", str(remote)], check=True)
    (tmp_path / "words.txt").write_text("Nightowl\n")
    command("import", chat, "--license", "MIT")
    command("scrub", "--deny", "words.txt")
    command("review", "accept", "--all", "--attest", "x")
    token, mail = "ghp_" + "Zk3Lm9Qw" * 4 + "Zk3L", "zoe@" + "acme-corp.de"
    message = f"see {token} of Nightowl"
    assert command("publish", "--to", f"git:file://{remote}", "--by", mail, "--message", message).code == 0
    log = subprocess.run(
        ["git", "-C", str(remote), "log", "--format=full"], capture_output=True, text=True, check=True
    ).stdout
    assert "see <GITHUB_TOKEN_1>" in log
    assert not any(word in log.lower() for word in (token.lower(), "nightowl", "acme", "zoe"))


def test_an_empty_place_is_no_hub(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "r.git")], check=True)
    (tmp_path / "empty").mkdir()
    for spec in (f"git:file://{tmp_path}/r.git", f"git:file://{tmp_path}/r.git#nosuch", "local:empty"):
        for verb in ("pull", "verify", "list"):
            told = command(verb, spec)
            assert (told.code, "no hub at" in told.err) == (2, True), (verb, spec)


def test_a_licence_that_is_none_is_named_at_import(command, chat: Path) -> None:  # type: ignore[no-untyped-def]
    told = command("import", chat, "--license", "Foo-1")
    assert (told.code, "not an SPDX licence: Foo-1" in told.err) == (2, True)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("errorhub --json --version | python -c 'import json,sys; json.load(sys.stdin)'", 0),
        ("errorhub --json repair | python -c 'import json,sys; json.load(sys.stdin)'", 0),
        ("set -o pipefail; errorhub formats | head -1", 0),
        ("PYTHONIOENCODING=ascii errorhub import chat.json && PYTHONIOENCODING=ascii errorhub list", 0),
    ],
    ids=["version", "group", "closed pipe", "ascii"],
)
def test_a_real_shell(line: str, code: int, chat: Path, tmp_path: Path) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "ERRORHUB_CONFIG_DIR": str(tmp_path / "config")
    }  # fmt: skip
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_says_that_it_can_be_continued(chat: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal, sys\nfrom errorhub.cli.app import run\nimport errorhub.hub.intake as intake\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # shells let background jobs ignore it\n"
        "intake.walk = lambda paths: os.kill(os.getpid(), signal.SIGINT) or iter(())\n"
        f"sys.exit(run(['--workspace', {str(tmp_path / 'ws')!r}, 'import', {str(chat)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, "interrupted" in done.stderr) == (130, True), done.stderr
