"""Real processes, really killed, and several at once."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from hubserver.githttp import serving


@pytest.mark.parametrize(
    ("case", "kind", "number", "at_least"),
    [
        ("publish", "local", 3, 10),
        ("publish", "git", 5, 4),
        ("publish", "hf", 5, 5),
        ("stages", "local", 0, 8),
        ("stages", "git", 0, 8),
        ("stages", "hf", 0, 8),
        ("pull", "local", 2, 6),
        ("pull", "git", 3, 4),
        ("pull", "hf", 4, 4),
        ("crowd", "local", 8, 40),
        ("crowd", "git", 8, 40),
        ("crowd", "git-http", 8, 40),
        ("crowd", "hf", 8, 40),
    ],
)
def test_nothing_is_lost_or_doubled(
    case: str, kind: str, number: int, at_least: int, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    script = Path(__file__).with_name("faults.py")
    with ExitStack() as servers:
        if kind == "hf":
            request.getfixturevalue("hub_server")
        more = {}
        if kind == "git-http":
            more = {"GIT_HTTP_ROOT": str(tmp_path), "GIT_HTTP_PLACE": servers.enter_context(serving(tmp_path))}
        done = subprocess.run(
            [sys.executable, str(script), case, kind, str(tmp_path), str(number)], capture_output=True, text=True,
            env=os.environ | more,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    assert int(done.stdout.split()[-1]) >= at_least, "fewer steps than there must be"
