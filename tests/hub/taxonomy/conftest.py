"""A workspace and its maintainers."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from decisions import START

from errorhub.hub.taxonomy.maintainer import Maintainer
from errorhub.hub.workspace import Workspace


class Clock:
    """A minute passes whenever somebody looks."""

    def __init__(self) -> None:
        self.minute = 0

    def __call__(self) -> datetime:
        self.minute += 1
        return START + timedelta(minutes=self.minute)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """An empty workspace."""
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    return Workspace.open(tmp_path / "ws")


@pytest.fixture
def maintain(workspace: Workspace) -> Callable[..., Maintainer]:
    """Make a maintainer of the workspace; texts stay as they are."""
    clock = Clock()

    def make(by: str = "ada", note: str = "", at: Workspace | None = None) -> Maintainer:
        return Maintainer(at or workspace, by, note, dict, clock)

    return make
