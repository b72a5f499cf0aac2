"""The `.eval` archive of Inspect: a zip of `header.json` and `samples/*.json`, one sample in memory at a time.

Older archives use deflate, newer ones zstd, which `zipfile` of Python 3.11 cannot read. Names in the archive never
become paths, and a member larger than the cap, or one that expands too far, refuses itself.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from errorhub.hub.errors import FormatError
from errorhub.hub.importers.expanding import FREE, MAX_RATIO, zstd_bytes
from errorhub.hub.importers.files import parse
from errorhub.hub.importers.shapes import mapping

MAX_MEMBER: Final = 1 << 28
MAX_MEMBERS: Final = 100_000
_ZSTD: Final = 93
_LOCAL: Final = struct.Struct("<4s22xHH")


def is_eval(path: Path) -> bool:
    """Whether a zip archive is an Inspect log."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(name in ("header.json", "_journal/start.json") for name in archive.namelist())
    except (zipfile.BadZipFile, OSError):
        return False


def members(path: Path) -> tuple[dict[str, Any], Iterator[Any]]:
    """Return the header and the samples in order of their names; a damaged sample is yielded as its FormatError."""
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
    if len(infos) > MAX_MEMBERS:
        raise FormatError(f"an archive of {len(infos)} members: at most {MAX_MEMBERS} are read.")
    by_name = {info.filename: info for info in infos}
    start = by_name.get("header.json") or by_name.get("_journal/start.json")
    header = mapping(parse(_content(path, start))) if start else {}
    samples = sorted(name for name in by_name if name.startswith("samples/") and name.endswith(".json"))
    return header, (_sample(path, by_name[name]) for name in samples)


def _sample(path: Path, info: zipfile.ZipInfo) -> Any:
    try:
        return parse(_content(path, info))
    except FormatError as problem:
        return problem


def _content(path: Path, info: zipfile.ZipInfo) -> bytes:
    """Return a member's bytes. Raise FormatError when it is too large, expands too far, is damaged or encrypted."""
    if info.file_size > MAX_MEMBER or info.file_size > max(info.compress_size * MAX_RATIO, FREE):
        raise FormatError(f"a member of {info.file_size} bytes in the archive: more than is read.")
    try:
        if info.compress_type == _ZSTD:
            data = zstd_bytes(_packed(path, info), info.file_size)
        else:
            with zipfile.ZipFile(path) as archive, archive.open(info) as member:
                data = member.read(info.file_size + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError, struct.error):
        raise FormatError("a member of the archive is damaged or encrypted.") from None
    if len(data) != info.file_size:
        raise FormatError("a member of the archive has another size than it says.")
    return data


def _packed(path: Path, info: zipfile.ZipInfo) -> bytes:
    """Return a member as it is stored; its local header says where it begins."""
    with path.open("rb") as file:
        file.seek(info.header_offset)
        _, name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
        file.seek(name + extra, 1)
        return file.read(info.compress_size)
