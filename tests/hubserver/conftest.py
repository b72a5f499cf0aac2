"""The server under test, and a repository in it."""

from __future__ import annotations

import pytest
from hubserver.fixture import hub_server, hub_server_process, new_name
from hubserver.server import HubServer

__all__ = ["hub_server", "hub_server_process"]


@pytest.fixture
def repo(hub_server: HubServer) -> str:
    """Give the name of an empty repository of the owner."""
    from huggingface_hub import HfApi

    name = new_name()
    HfApi(endpoint=hub_server.url, token=hub_server.owner_token).create_repo(name, repo_type="dataset")
    hub_server.log.clear()
    return name
