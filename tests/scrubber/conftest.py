"""Factories for the scrubber's tests. Planted secrets are put together from pieces, so that no scanner fires here."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from errorhub.scrubber import KnownValue, Policy, Vault


@pytest.fixture
def vault() -> Vault:
    return Vault(b"k" * 32)


@pytest.fixture
def share() -> Policy:
    return Policy.load("share").without_names()


@pytest.fixture
def strict() -> Policy:
    paths = {"drop": ["steps[*].input"], "whole": ["goal"], "ids": ["steps[*].tool"]}
    return Policy.load("strict").without_names().with_paths(**paths)


@pytest.fixture
def aws_key() -> str:
    return "AKIA" + "Q7ZK3MWPL5RT2XNB"


@pytest.fixture
def known_vault() -> Vault:
    return Vault(b"k" * 32, (KnownValue("Northwind Traders", "CUSTOMER"), KnownValue("Zephyr", "PROJECT")))


@pytest.fixture
def shared_data() -> Path:
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"real logs are not here: {folder}")
    return folder


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
