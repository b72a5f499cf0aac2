"""scripts/smoke-hf, which users run with their own token, walks through on the test server."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hubserver.server import HubServer

SCRIPT = Path(__file__).parents[3] / "scripts" / "smoke-hf"


def test_the_walk_passes_and_cleans_up(hub_server: HubServer) -> None:
    pytest.importorskip("datasets")
    done = subprocess.run([sys.executable, str(SCRIPT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    assert done.stdout.count("✓") == 8
    assert not [name for name in hub_server.world.repos if "smoke" in name]
    assert hub_server.owner_token not in done.stdout + done.stderr
