"""A log on disk, read without trusting it: text is strict UTF-8 JSON, lines stream, binaries stay unopened."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal

import orjson

from errorhub.hub.errors import FormatError
from errorhub.hub.importers.expanding import opened

MAX_TEXT: Final = 1 << 30
"""Longest JSON document, and longest line of JSONL, in bytes."""

SAMPLE_RECORDS: Final = 50
SAMPLE_BYTES: Final = 1 << 20

_BOM = b"\xef\xbb\xbf"
_SQLITE = b"SQLite format 3\x00"
_PICKLES = (".pkl", ".pickle", ".joblib", ".pt", ".pth")
_MAGIC: Final = (
    (b"\x80\x02", "a pickle. Pickles are never opened"),
    (b"\x80\x03", "a pickle. Pickles are never opened"),
    (b"\x80\x04", "a pickle. Pickles are never opened"),
    (b"\x80\x05", "a pickle. Pickles are never opened"),
    (b"PK\x03\x04", "a zip archive. Unpack it first"),
    (b"\x1f\x8b", "compressed twice. Unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed twice. Unpack it first"),
    (b"BZh", "compressed with bzip2. Unpack it first"),
    (b"\xfd7zXZ", "compressed with xz. Unpack it first"),
    (b"PAR1", "a Parquet table, not a log. Export its rows as JSONL first"),
    (b"\xff\xfe", "UTF-16 text. Convert it to UTF-8 first"),
    (b"\xfe\xff", "UTF-16 text. Convert it to UTF-8 first"),
)
_REPR = re.compile(r"\s*[\[({]+\s*'")
_LITERALS = ("true", "false", "null", "NaN", "Infinity", "-Infinity")

_WIDE: Final = b"0" * 19
_DIGITS: Final = bytes.maketrans(b"123456789", b"000000000")

Shape = Literal["document", "lines", "folder", "sqlite", "archive"]


@dataclass(frozen=True, slots=True)
class Line:
    """One record of a log: a line of JSONL, or the whole of a document."""

    number: int
    """1-based line, as an editor shows it."""
    index: int
    """0-based position among the lines that are not blank."""
    value: Any
    """The JSON value; None when the line is damaged."""
    damage: str | None = None
    """Why the line cannot be read, without its content."""


@dataclass(frozen=True)
class Sample:
    """What recognition may look at: the shape of a log and its first records."""

    path: Path
    shape: Shape
    records: tuple[Any, ...] = ()

    @property
    def objects(self) -> tuple[dict[str, Any], ...]:
        """The records that are JSON objects; of a list, its items."""
        records = self.records
        if self.shape == "document" and records and isinstance(records[0], list):
            records = tuple(records[0][:SAMPLE_RECORDS])
        return tuple(record for record in records if isinstance(record, dict))


class Log:
    """One log. Raise FormatError when it is empty, binary or not readable as text."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.shape: Shape = _shape(path)

    @cached_property
    def document(self) -> Any:
        """The whole log as one JSON value."""
        with opened(self.path) as file:
            data = file.read(MAX_TEXT + 1)
        if len(data) > MAX_TEXT:
            raise FormatError(f"document of more than {MAX_TEXT} bytes. Write one run a line (JSONL).")
        return parse(data)

    def lines(self) -> Iterator[Line]:
        """Yield the records in order, one in memory at a time; a damaged line is yielded with its damage."""
        if self.shape == "document":
            yield Line(1, 0, self.document)
            return
        for index, (number, offset, data) in enumerate(_raw_lines(self.path)):
            try:
                line = Line(number, index, parse(data, offset))
            except FormatError as problem:
                line = Line(number, index, None, str(problem))
            yield line

    def sample(self) -> Sample:
        """Return what recognition may look at."""
        if self.shape == "document":
            return Sample(self.path, self.shape, (self.document,))
        if self.shape != "lines":
            return Sample(self.path, self.shape)
        records: list[Any] = []
        for _, offset, data in islice(_raw_lines(self.path), SAMPLE_RECORDS):
            try:
                records.append(parse(data, offset))
            except FormatError:
                continue
            if offset > SAMPLE_BYTES:
                break
        return Sample(self.path, self.shape, tuple(records))


def parse(data: bytes, offset: int = 0) -> Any:
    """Return the JSON value of UTF-8 bytes; raise FormatError saying at which byte of the file it goes wrong."""
    data = data.removeprefix(_BOM) if offset == 0 else data
    if _WIDE not in data.translate(_DIGITS):
        try:
            return orjson.loads(data)
        except orjson.JSONDecodeError:
            pass  # the slower reader decides: it also takes NaN, lone surrogates and deep nesting
    return _parse_exactly(data, offset)


def _parse_exactly(data: bytes, offset: int) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise FormatError(f"not UTF-8 at byte {offset + problem.start}.") from None
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        raise FormatError(_why(text, problem, offset)) from None
    except RecursionError:
        raise FormatError("JSON nested too deeply to be read.") from None
    except ValueError:
        raise FormatError("JSON with an integer longer than 4,300 digits.") from None


def _why(text: str, problem: json.JSONDecodeError, offset: int) -> str:
    rest = text[problem.pos :].strip()
    cut = not rest or (len(rest) < 6 and rest.startswith("\\")) or any(word.startswith(rest) for word in _LITERALS)
    place = offset + len(text[: problem.pos].encode("utf-8", "surrogatepass"))
    if not text.strip():
        return "empty."
    if _REPR.match(text):
        return "a Python literal, not JSON. Write it with json.dumps first."
    if cut or problem.msg.startswith("Unterminated string"):
        return f"truncated at byte {offset + len(text.encode('utf-8', 'surrogatepass'))}."
    if problem.msg == "Extra data":
        return f"several JSON documents: the second begins at byte {place}. Write one a line (JSONL)."
    return f"not JSON at byte {place}: {problem.msg}."


def _shape(path: Path) -> Shape:
    if path.is_dir():
        return "folder"
    if not path.is_file():
        raise FormatError("not a regular file." if path.exists() else "no such file.")
    if path.suffix.lower() in _PICKLES:
        raise FormatError("a pickle. Pickles are never opened.")
    with opened(path) as file:
        head = file.read(4096)
    if head.startswith(_SQLITE):
        return "sqlite"
    if head.startswith(b"PK\x03\x04") and path.suffix.lower() == ".eval":
        return "archive"
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise FormatError(f"{what}.")
    if b"\x00" in head:
        raise FormatError("a binary file, not a log.")
    lines = [data for _, _, data in islice(_raw_lines(path), 2)]
    if not lines:
        raise FormatError("empty.")
    return "lines" if _is_lines(lines) else "document"


def _is_lines(lines: list[bytes]) -> bool:
    """One record a line: the first line is a value with more after it, or it is damaged and the second an object."""
    if len(lines) < 2 or lines[0].strip() in (b"[", b"{"):
        return False
    for data, kinds in zip(lines, ((dict, list, str, int), (dict,)), strict=True):
        try:
            return isinstance(parse(data), kinds)
        except FormatError:
            continue
    return False


def _raw_lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """Yield (1-based number, byte offset, bytes) of every line that is not blank."""
    with opened(path) as file:
        number = offset = 0
        while data := file.readline(MAX_TEXT + 1):
            number += 1
            if len(data) > MAX_TEXT:
                raise FormatError(f"line {number} is longer than {MAX_TEXT} bytes.")
            if data.strip():
                yield number, offset, data
            offset += len(data)
