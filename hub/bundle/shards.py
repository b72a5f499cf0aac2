"""Shards: zstd Parquet files of bundles, written and read a few at a time.

Every check that needs no decoding comes before decoding: a shard may come from a stranger.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from errorhub.hub.bundle.arrow import FLAT, SCHEMA, VERSION, from_row, to_row
from errorhub.hub.bundle.bundle import Bundle
from errorhub.hub.errors import RecordError, SchemaFromFuture

ROW_GROUP = 200
"""Rows a group: a point lookup reads one (measured: 26 MB and 0.05 s for 5,000 bundles of 20 KB)."""

MAX_SHARD_BYTES = 512 * 2**20
MAX_EXPANDED_BYTES = 4 * 2**30
MAX_ROWS = 100_000
MAX_VALUES = 50_000_000
"""Caps on a foreign shard, read from its footer before anything is decoded."""

_BATCH = 50
_FLAT_TEXT = [field.name for field in SCHEMA if field.name in FLAT and field.type == pa.string()]


def write_shard(path: Path, bundles: Iterable[Bundle], *, level: int = 3) -> int:
    """Write bundles to a shard and return their number. Appears whole or not at all."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with beside.open("xb") as file:
            beside.chmod(0o600)
            rows = _write(file, bundles, level)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    finally:
        with suppress(FileNotFoundError):
            beside.unlink()
    return rows


def shard_bytes(bundles: Iterable[Bundle], *, level: int = 3) -> bytes:
    """Return a shard of the bundles, sorted by bundle_id, as bytes."""
    buffer = io.BytesIO()
    _write(buffer, sorted(bundles, key=lambda bundle: bundle.bundle_id), level)
    return buffer.getvalue()


def read_shard(source: Path | bytes) -> Iterator[Bundle]:
    """Yield the bundles of a shard in order, a few at a time.

    Raise RecordError when it is no shard, is over a cap, has another schema, or a row's ids are not those of its
    content.
    """
    for row in _rows(source, None):
        try:
            bundle = from_row(row)
        except (RecursionError, TypeError, KeyError, AttributeError, ValueError) as problem:
            raise RecordError(f"a row of the shard holds no bundle: {type(problem).__name__}.") from None
        if (row["bundle_id"], row["trajectory_id"]) != (bundle.bundle_id, bundle.trajectory_id):
            raise RecordError(f"bundle {row['bundle_id'][:12]}: its id is not the digest of its content.")
        yield bundle


def read_flat(source: Path | bytes, columns: Iterable[str] = FLAT) -> Iterator[dict[str, Any]]:
    """Yield the flat columns of a shard as plain rows: what a listing needs, without decoding steps."""
    yield from _rows(source, list(columns))


def read_rows(source: Path | bytes, bundle_ids: set[str]) -> Iterator[Bundle]:
    """Yield the bundles with these ids, decoding only the row groups that hold one."""
    with _guarded(source) as file:
        for group in range(file.num_row_groups):
            names = file.read_row_group(group, columns=["bundle_id"]).column(0).to_pylist()
            wanted = [place for place, name in enumerate(names) if name in bundle_ids]
            if wanted:
                for row in file.read_row_group(group).take(wanted).to_pylist():
                    yield from_row(row)


def _write(file: BinaryIO, bundles: Iterable[Bundle], level: int) -> int:
    options = {
        "compression": "zstd", "compression_level": level, "use_dictionary": _FLAT_TEXT,
        "write_page_index": True,
    }  # fmt: skip
    rows, source = 0, iter(bundles)
    with pq.ParquetWriter(file, SCHEMA, **options) as writer:
        while batch := [to_row(bundle) for bundle in islice(source, ROW_GROUP)]:
            writer.write_batch(pa.RecordBatch.from_pylist(batch, SCHEMA), row_group_size=ROW_GROUP)
            rows += len(batch)
    return rows


def _rows(source: Path | bytes, columns: list[str] | None) -> Iterator[dict[str, Any]]:
    try:
        with _guarded(source) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
                yield from batch.to_pylist()
    except (pa.ArrowException, OSError, UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise RecordError(f"not a readable shard: {type(problem).__name__}. It is damaged or no Parquet.") from None


def _guarded(source: Path | bytes) -> pq.ParquetFile:
    """Open a shard and refuse it by its footer when it is not ours or over a cap."""
    size = source.stat().st_size if isinstance(source, Path) else len(source)
    if size > MAX_SHARD_BYTES:
        raise RecordError(f"shard of {size} bytes: at most {MAX_SHARD_BYTES} are read.")
    try:
        file = pq.ParquetFile(source if isinstance(source, Path) else pa.BufferReader(source))
    except (pa.ArrowException, OSError) as problem:
        raise RecordError(f"not a readable shard: {type(problem).__name__}. It is damaged or no Parquet.") from None
    try:
        _check(file)
    except BaseException:
        file.close()
        raise
    return file


def _check(file: pq.ParquetFile) -> None:
    meta = file.metadata
    version = (meta.metadata or {}).get(b"errorhub.arrow", b"").decode(errors="replace")
    if version.isdecimal() and int(version) > VERSION:
        raise SchemaFromFuture(f"shard of version {version}: this errorhub reads up to {VERSION}. Upgrade errorhub.")
    if version != str(VERSION) or not file.schema_arrow.equals(SCHEMA):
        raise RecordError(f"shard with another schema than version {VERSION}.")
    columns = [meta.row_group(g).column(c) for g in range(meta.num_row_groups) for c in range(meta.num_columns)]
    expanded = sum(column.total_uncompressed_size for column in columns)
    values = sum(column.num_values for column in columns)
    if meta.num_rows > MAX_ROWS or expanded > MAX_EXPANDED_BYTES or values > MAX_VALUES:
        raise RecordError(f"shard of {meta.num_rows} rows, {expanded} bytes expanded: over the caps for reading.")
