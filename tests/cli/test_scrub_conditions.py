"""Scrubbing under bad conditions, through the command: the fault is named, nothing half clean is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

TOKEN = "ghp_" + "a8Kd02mZqLw7RtYx5VbN" + "c3HfJ6sPe9UgT1Wd"
Command = Callable[..., Any]


def documents(folder: Path, *values: Any) -> Path:
    path = folder / "in.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


@pytest.mark.parametrize(
    ("policy", "named"),
    [
        pytest.param('extends = "share"\nname = "x"\nunknown = 1\n', "unknown", id="unknown-key"),
        pytest.param('extends = "nowhere"\n', "nowhere", id="unknown-base"),
        pytest.param('extends = "share"\n[[pattern]]\nname = "ahead"\nregex = "a(?=b)"\n', "ahead", id="refused-by-re2"),
        pytest.param('extends = "share"\n[[pattern]]\nname = "open"\nregex = "a("\n', "open", id="no-regex"),
        pytest.param('extends = "share"\n[[deny_case]]\nname = "huge"\nregex = "a{5000}"\n', "huge", id="repeat-too-large"),
        pytest.param('extends = "share"\noff = ["EMAILS"]\n', "EMAILS", id="unknown-kind"),
        pytest.param('extends = "share"\n[[allow]]\nexact = "a"\n', "reason", id="allow-without-reason"),
        pytest.param('name = "share"\n', "preset", id="poses-as-preset"),
        pytest.param("not toml", "TOML", id="no-toml"),
    ],
)  # fmt: skip
def test_a_policy_that_is_wrong_is_named(command: Command, tmp_path: Path, policy: str, named: str) -> None:
    (tmp_path / "own.toml").write_text(policy)
    source = documents(tmp_path, {"a": 1})
    done = command(
        "--json", "scrub", "--document", source, "--out", tmp_path / "out.jsonl", "--policy", tmp_path / "own.toml"
    )
    assert done.code == 2
    assert named in done.json["error"]["message"]
    assert not (tmp_path / "out.jsonl").exists()


def test_a_policy_of_ones_own_finds_allows_and_refuses(command: Command, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        'extends = "share"\nname = "team"\n'
        '[[pattern]]\nname = "ticket"\nregex = \'OPS-([0-9]{4,6})\'\nkind = "TICKET"\n'
        '[[allow]]\nexact = "help@northwind.dev"\nreason = "published contact"\n'
        "[[deny_case]]\nname = \"export\"\nregex = '(?i)export.controlled'\n"
    )
    source = documents(
        tmp_path,
        {"t": "see OPS-48213, ask help@northwind.dev or ann@northwind.dev"},
        {"t": "this is Export Controlled"},
    )
    out = tmp_path / "out.jsonl"
    done = command("--json", "scrub", "--document", source, "--out", out, "--policy", tmp_path / "own.toml")
    first, second = map(json.loads, out.read_text().splitlines())
    assert first == {"t": "see OPS-<TICKET_1>, ask help@northwind.dev or <EMAIL_1>"}
    assert second is None
    assert "export" in done.json["refused"][0]["reason"]
    assert done.json["findings"] == {"TICKET": 1, "EMAIL": 1}
    found = command("--json", "scan", source, "--policy", tmp_path / "own.toml")
    assert (found.code, {one["kind"] for one in found.json["findings"]}) == (1, {"TICKET", "EMAIL"})


@pytest.mark.parametrize("fault", ["file in the way", "key too short", "key readable by others"])
def test_a_key_that_cannot_be_used_is_named(command: Command, tmp_path: Path, fault: str) -> None:
    config = tmp_path / "config"
    if fault == "file in the way":
        config.write_text("")
    else:
        config.mkdir()
        (config / "vault.key").write_bytes(b"k" * (32 if "others" in fault else 5))
        (config / "vault.key").chmod(0o644 if "others" in fault else 0o600)
    source = documents(tmp_path, {"a": TOKEN})
    done = command("--json", "scrub", "--document", source, "--out", tmp_path / "out.jsonl")
    assert done.code == 2
    assert "key" in done.json["error"]["message"]
    assert not (tmp_path / "out.jsonl").exists()


def test_a_new_key_is_made_and_kept(command: Command, tmp_path: Path) -> None:
    source = documents(tmp_path, {"signature": "A" * 80})
    outs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    for out in outs:
        assert command("scrub", "--document", source, "--out", out).code == 0
    assert outs[0].read_text() == outs[1].read_text()
    assert (tmp_path / "config" / "vault.key").stat().st_mode & 0o777 == 0o600


def test_a_folder_that_is_not_there_is_named(command: Command, tmp_path: Path) -> None:
    source = documents(tmp_path, {"a": TOKEN})
    done = command("--json", "scrub", "--document", source, "--out", tmp_path / "no" / "out.jsonl")
    assert done.code == 2
    assert "cannot write" in done.json["error"]["message"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on files")
def test_a_full_disk_leaves_the_old_output(command: Command, tmp_path: Path) -> None:
    """Output and findings appear whole or not at all."""
    source, out = documents(tmp_path, {"a": TOKEN}), tmp_path / "out.jsonl"
    out.write_text("old\n")
    child = (
        "import resource, sys\nfrom errorhub.cli.app import run\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))\nimport signal\nsignal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"sys.exit(run(['scrub', '--document', {str(source)!r}, '--out', {str(out)!r}]))\n"
    )
    source.write_text("".join(json.dumps({"a": f"line {n} of many"}) + "\n" for n in range(50)))
    command("scrub", "--document", source, "--out", tmp_path / "warm.jsonl")
    done = subprocess.run([sys.executable, "-c", child], capture_output=True, env=os.environ)
    assert done.returncode != 0
    assert out.read_text() == "old\n"
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


STRANGE: dict[str, bytes] = {
    "invalid-utf8": b'{"a": "\xff\xfe"}',
    "not-json": b"{",
    "nan": b'{"a": NaN}',
    "too-deep": b"[" * 10_000 + b"]" * 10_000,
    "surrogate": b'{"a": "\\ud800 x", "\\udfff": 1}',
    "huge-number": b'{"a": ' + b"9" * 5_000 + b"}",
    "doubled-key": b'{"a": 1, "a": 2}',
}


@pytest.mark.parametrize("line", [pytest.param(line, id=name) for name, line in STRANGE.items()])
def test_a_strange_line_harms_no_other(command: Command, tmp_path: Path, line: bytes) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b'{"n": 1}\n' + line + b'\n{"n": 3}\n')
    done = command("--json", "scrub", "--document", source, "--out", out)
    lines = [json.loads(one) for one in out.read_text().splitlines()]
    assert (len(lines), lines[0], lines[2]) == (3, {"n": 1}, {"n": 3})
    assert (done.code, len(done.json["refused"])) in ((0, 0), (3, 1))


def test_json_that_holds_itself_is_scrubbed_at_every_layer(command: Command, tmp_path: Path) -> None:
    value: Any = {"token": TOKEN}
    for _ in range(12):
        value = {"inner": json.dumps(value)}
    source, out = documents(tmp_path, value), tmp_path / "out.jsonl"
    assert command("scrub", "--document", source, "--out", out).code == 0
    inner = json.loads(out.read_text())
    assert TOKEN not in out.read_text()
    for _ in range(12):
        inner = json.loads(inner["inner"])
    assert list(inner) == ["token"] and inner["token"].startswith("<")
