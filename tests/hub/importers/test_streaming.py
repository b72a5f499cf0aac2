"""Large logs: one record in memory at a time, packed or not."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import resource, sys
from pathlib import Path
from errorhub.hub.importers import read_log
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
list(read_log(Path(sys.argv[1])))
before = peak()
runs = sum(1 for found in read_log(Path(sys.argv[2])))
print(runs, (peak() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_hundred_megabytes_of_runs_take_little_memory(packed: bool, tmp_path: Path) -> None:
    turns = [{"role": "user", "content": f"{number} " * 2_000} for number in range(12)]
    line = json.dumps({"messages": turns}).encode() + b"\n"
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    small.write_bytes(line * 2)
    count = 100_000_000 // len(line)
    with gzip.open(large, "wb", 1) if packed else large.open("wb") as file:
        for _ in range(count):
            file.write(line)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(small), str(large)], capture_output=True, text=True, check=True
    )
    large.unlink()
    runs, megabytes = map(int, done.stdout.split())
    assert runs == count
    assert megabytes < 40
