"""Our own JSON: one document a file, named by its bundle_id."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from errorhub.hub.bundle import Bundle


def write(bundle: Bundle, folder: Path) -> list[Path]:
    """Write the full document and return its path."""
    path = folder / f"{bundle.bundle_id}.json"
    beside = folder / f".{bundle.bundle_id}.{os.getpid()}.part"
    beside.write_bytes(dump(bundle.document()))
    beside.replace(path)
    return [path]


def dump(value: Any) -> bytes:
    """Return readable JSON: UTF-8, indented, one newline at the end."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
