"""Logs packed with gzip or zstd, read as if they were not, up to a cap on how much they expand."""

from __future__ import annotations

import gzip
import io
import zlib
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from errorhub.hub.errors import FormatError

MAX_RATIO: Final = 200
"""A log may expand to this many times its size; JSON logs reach 10 to 40."""

FREE: Final = 1 << 26
"""Bytes that any packed log may expand to, whatever the ratio."""

_GZIP: Final = b"\x1f\x8b"
_ZSTD: Final = b"\x28\xb5\x2f\xfd"


def opened(path: Path) -> BinaryIO:
    """Open a log for reading, unpacked. What it yields raises FormatError when damaged or past the cap."""
    with path.open("rb") as file:
        head = file.read(4)
    if head.startswith(_GZIP):
        return _capped(gzip.open(path, "rb"), "gzip", path.stat().st_size)
    if head.startswith(_ZSTD):
        return _capped(_zstd(path), "zstd", path.stat().st_size)
    return path.open("rb", buffering=1 << 20)


def packed(path: Path) -> bool:
    """Whether a file is packed with gzip or zstd."""
    with path.open("rb") as file:
        return file.read(4).startswith((_GZIP, _ZSTD))


def zstd_bytes(data: bytes, most: int) -> bytes:
    """Return unpacked bytes, at most `most` of them and one more. Raise FormatError when damaged."""
    import pyarrow as pa

    try:
        return bytes(pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(most + 1))
    except (OSError, ValueError):
        raise FormatError("damaged zstd data.") from None


def _zstd(path: Path) -> Any:
    import pyarrow as pa

    return pa.CompressedInputStream(pa.OSFile(str(path)), "zstd")


def _capped(stream: Any, name: str, size: int) -> BinaryIO:
    return cast(BinaryIO, io.BufferedReader(_Capped(stream, name, max(size * MAX_RATIO, FREE)), 1 << 20))


class _Capped(io.RawIOBase):
    """An unpacking stream that stops at its cap."""

    def __init__(self, stream: Any, name: str, most: int) -> None:
        self._stream, self._name, self._left = stream, name, most

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read(len(buffer))
        except (EOFError, zlib.error, OSError, ValueError):
            raise FormatError(f"damaged or truncated {self._name} data.") from None
        self._left -= len(data)
        if self._left < 0:
            raise FormatError(f"{self._name} data that expands more than {MAX_RATIO} times. Unpack it first.")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()
