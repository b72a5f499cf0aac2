"""Killed at any moment, scrubbing leaves its output whole or not at all, and the key as it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SECRET = "glpat-" + "x7Kq2mWn9RtYv4LpZs8d"
LINES = 8_000


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_a_kill_leaves_the_old_output_or_the_new(tmp_path: Path) -> None:
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text(
        "".join(json.dumps({"n": n, "content": f"use {SECRET} in step {n}"}) + "\n" for n in range(LINES))
    )
    main = "from errorhub.cli import main; main()"
    command = [
        sys.executable,
        "-c",
        main,
        "scrub",
        "--document",
        str(source),
        "--out",
        str(out),
        "--policy",
        str(tmp_path / "own.toml"),
    ]
    environment = os.environ | {"ERRORHUB_CONFIG_DIR": str(tmp_path / "config")}
    (tmp_path / "own.toml").write_text('extends = "share"\nnames = false\n')
    out.write_text("old\n")
    keys = set()
    for wait in (0.5, 3.0, 3.5, 4.0, 5.0):
        child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(wait)
        child.kill()
        child.wait()
        text = out.read_text()
        assert text == "old\n" or (text.count("\n") == LINES and SECRET not in text)
        assert not any(SECRET in path.read_text() for path in tmp_path.glob("out*"))
        keys |= {path.read_bytes() for path in (tmp_path / "config").glob("vault.key")}
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert out.read_text().count("<GITLAB_TOKEN_1>") == LINES
    assert keys <= {(tmp_path / "config" / "vault.key").read_bytes()}
