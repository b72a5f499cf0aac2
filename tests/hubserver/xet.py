"""Xet storage in a folder: hf_xet takes `local:///FOLDER` for a server, and what it stored there is found again.

One process at a time may have such a folder open, so it is copied before it is read.
"""

from __future__ import annotations

import shutil
import struct
import tempfile
import time
from pathlib import Path

from hubserver.http import Reply, Request, answer, error

_END = b"\xff" * 32
_ROW = 48
"""Bytes of the header of a shard, and of each record in it."""


def token(folder: Path | None, request: Request, kind: str) -> Reply:
    """Say where the storage is, and with which short-lived token."""
    if folder is None:
        raise error(404, "Not found")
    if kind == "write" and request.user is None:
        raise error(401, "Invalid username or password.")
    told = {"casUrl": f"local://{folder}", "exp": int(time.time()) + 3600, "accessToken": f"xet-{kind}"}
    names = {"X-Xet-Cas-Url": "casUrl", "X-Xet-Token-Expiration": "exp", "X-Xet-Access-Token": "accessToken"}
    return answer(told, {header: str(told[name]) for header, name in names.items()})


def fetch(folder: Path, oid: str, size: int) -> bytes | None:
    """Return the object with this SHA-256, None when it was never stored."""
    from hf_xet import XetFileInfo, XetSession

    known: dict[str, str] = {}
    for shard in (folder / "xet" / "xorbs" / "shards").glob("*.mdb"):
        known |= _files(shard.read_bytes())
    if oid not in known:
        return None
    with tempfile.TemporaryDirectory() as scratch:
        place, copy = Path(scratch, "object"), Path(scratch, "copy")
        shutil.copytree(folder, copy)
        expiry = int(time.time()) + 3600
        session = XetSession()
        with session.new_file_download_group(
            endpoint=f"local://{copy}", token="xet-read", token_expiry_unix_secs=expiry
        ) as group:
            group.start_download_file(XetFileInfo(known[oid], size), str(place))
        return place.read_bytes()


def _files(shard: bytes) -> dict[str, str]:
    """Return SHA-256 -> xet hash of the files that a shard describes: records until one that is all ones."""
    found: dict[str, str] = {}
    at = _ROW
    while shard[at : at + 32] != _END:
        name = _hex(shard[at : at + 32])
        flags, segments = struct.unpack("<II", shard[at + 32 : at + 40])
        at += _ROW * (1 + segments * (2 if flags >> 31 & 1 else 1))
        if flags >> 30 & 1:
            found[_hex(shard[at : at + 32])] = name
            at += _ROW
    return found


def _hex(raw: bytes) -> str:
    return "".join(f"{part:016x}" for part in struct.unpack("<4Q", raw))
