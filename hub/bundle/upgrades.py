"""Older records become current ones: one function a step, on the plain object, before parsing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from errorhub.hub.errors import RecordError, SchemaFromFuture

SCHEMA: Final = "errorhub.bundle/1"
_PREFIX, _CURRENT = SCHEMA.rsplit("/", 1)

UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}
"""version -> function that returns the same document one version later."""


def upgrade(document: dict[str, Any]) -> dict[str, Any]:
    """Return the document in the current version. Refuse a newer one, and what is no bundle at all."""
    if not isinstance(document, dict):
        raise RecordError(f"not a bundle: {type(document).__name__}. A bundle is one JSON object.")
    prefix, _, number = str(document.get("schema", "")).rpartition("/")
    if prefix != _PREFIX or not number.isdecimal():
        raise RecordError(f"not a bundle: its schema is not {_PREFIX}/N.")
    version = int(number)
    if version > int(_CURRENT):
        raise SchemaFromFuture(f"bundle of version {version}: this errorhub reads up to {_CURRENT}. Upgrade errorhub.")
    while version < int(_CURRENT):
        if version not in UPGRADES:
            raise RecordError(f"bundle of version {version}: no upgrade from it is known.")
        document, version = UPGRADES[version](document), version + 1
    return document
