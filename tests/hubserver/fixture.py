"""Fixtures: one server a test process, and the environment that leads real clients to it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from hubserver.server import HubServer

_COUNT = itertools.count(1)


@pytest.fixture(scope="session")
def hub_server_process() -> Iterator[HubServer]:
    """Give the server of this test process."""
    with HubServer() as server:
        yield server


@pytest.fixture
def hub_server(hub_server_process: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    """Give the server, healthy and with an empty log; this process and its children talk to it as the owner."""
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    for name, value in {
        "HF_ENDPOINT": hub_server_process.url, "HF_TOKEN": hub_server_process.owner_token,
        "HF_HOME": str(tmp_path / "hf-home"), "HF_HUB_DISABLE_XET": "1", "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    hub_server_process.heal()
    hub_server_process.world.part_size = hub_server_process.world.xet = None
    hub_server_process.log.clear()
    yield hub_server_process
    hub_server_process.heal()


def new_name() -> str:
    """Return a repository name of the owner that no other test uses."""
    return f"ada/errors-{next(_COUNT)}"
