"""Bars: numbers settled before a run is scored, in a TOML file, and which of them were missed."""

from __future__ import annotations

import subprocess
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SETTLED = (
    "bench/retrieval.toml",
    "bench/related.jsonl",
    "bench/unrelated.jsonl",
    "hub/memory/floor.py",
    "hub/memory/probes.txt",
)
"""Files of the retrieval benchmark whose last commit is printed: bars, sets, and the numbers they judge."""


class Bars:
    """The bars of one benchmark, and how many were missed."""

    def __init__(self, name: str = "retrieval.toml", settled: Sequence[str] = SETTLED) -> None:
        self.bars: dict[str, Any] = tomllib.loads((HERE / name).read_text())
        self.missed = 0
        for path in settled:
            commit, changed = _git("log", "-1", "--format=%h %cI", "--", path), _git("status", "--short", "--", path)
            print(f"{path}: {commit or 'no commit'}{', changed since' if changed else ''}")

    def check(self, what: str, value: float, table: str, name: str, *, most: bool = False) -> None:
        """Print a number beside its bar."""
        found = self.bars
        for part in table.split("."):
            found = found[part]
        bar = float(found[name])
        reached = value <= bar if most else value >= bar
        self.missed += not reached
        print(f"  {'ok    ' if reached else 'MISSED'} {what}: {value:.3f} ({'at most' if most else 'at least'} {bar})")


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=HERE.parent, capture_output=True, text=True, check=False)
    return done.stdout.strip()
