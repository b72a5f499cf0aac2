"""Our own JSON: one document a file, named by its bundle_id."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from errorhub.hub.bundle import Bundle


def write(bundle: Bundle, folder: Path) -> list[Path]:
    """Write the full document and return its path."""
    return [put(folder / f"{bundle.bundle_id}.json", bundle.document())]


def put(path: Path, value: Any) -> Path:
    """Write a JSON value, whole or not at all, and return the path."""
    return put_bytes(path, dump(value))


def put_bytes(path: Path, data: bytes) -> Path:
    """Write a file, whole or not at all, and return the path."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    beside.write_bytes(data)
    beside.replace(path)
    return path


def dump(value: Any) -> bytes:
    """Return readable JSON: UTF-8, indented, one newline at the end."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
