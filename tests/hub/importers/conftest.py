"""Where real logs are, and short ways to read a log in a test."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers import Imported, Refused, read_log

_ROOT = Path(__file__).resolve().parents[3]


def _folder(variable: str, default: str) -> Path:
    folder = Path(os.environ.get(variable, default))
    return folder if folder.is_absolute() else _ROOT / folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    folder = _folder("ERRORHUB_SHARED_DATA", "../shared/data")
    if not folder.is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    return folder


@pytest.fixture(scope="session")
def samples() -> Path:
    folder = _folder("ERRORHUB_SHARED_REFERENCE", "../shared/reference") / "agentdebugx-samples"
    if not folder.is_dir():
        pytest.skip("no AgentDebugX samples: set ERRORHUB_SHARED_REFERENCE")
    return folder


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    """Write a log: JSON for an object or list, one value a line for `lines=`, bytes as they are."""

    def write(name: str, value: Any = None, *, lines: list[Any] | None = None) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(value, bytes):
            path.write_bytes(value)
        elif lines is not None:
            texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
            path.write_text("\n".join(texts) + "\n", "utf-8")
        else:
            path.write_text(json.dumps(value), "utf-8")
        return path

    return write


@pytest.fixture
def read() -> Callable[..., tuple[list[Bundle], list[Refused]]]:
    """Read a log into its bundles and its refusals."""

    def run(path: Path, format: str = "auto") -> tuple[list[Bundle], list[Refused]]:
        found = list(read_log(path, format=format))
        bundles = [item.bundle for item in found if isinstance(item, Imported)]
        return bundles, [item for item in found if isinstance(item, Refused)]

    return run


@pytest.fixture
def one(read: Callable[..., tuple[list[Bundle], list[Refused]]]) -> Callable[..., Bundle]:
    """Read a log that holds exactly one run and refuses nothing."""

    def run(path: Path, format: str = "auto") -> Bundle:
        bundles, refused = read(path, format)
        assert refused == [], [item.reason for item in refused]
        assert len(bundles) == 1
        return bundles[0]

    return run
