"""Bundle → shard → bundle is the identity, in little memory, for every loader."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.hub.bundle import Bundle, Correction, Diagnosis, read_shard, write_shard
from errorhub.hub.bundle.arrow import SCHEMA, to_row
from errorhub.hub.bundle.shards import read_flat, read_rows, shard_bytes
from errorhub.hub.bundle.trajectory import Artifact, Source, Step, Trajectory
from errorhub.hub.errors import RecordError, SchemaFromFuture

Make = Callable[..., Bundle]

TEXT = st.text(max_size=12)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
STEPS = st.builds(
    Step, agent=TEXT, kind=st.sampled_from(["message", "tool.call"]), role=st.none() | TEXT, input=JSON, output=JSON,
    error=st.none() | TEXT, tool=st.none() | TEXT, call_id=st.none() | TEXT, metadata=st.dictionaries(TEXT, JSON, max_size=2),
    duration_ms=st.none() | st.floats(0, 1e9), artifacts=st.lists(st.builds(Artifact, uri=TEXT), max_size=1).map(tuple),
)  # fmt: skip
DIAGNOSES = st.builds(
    Diagnosis, step=st.integers(0, 3), agent=TEXT, explanation=TEXT, author=TEXT, conditions=st.dictionaries(TEXT, JSON), metadata=st.dictionaries(TEXT, JSON),
    correction=st.none() | st.builds(Correction, text=TEXT, action=JSON), confidence=st.none() | st.floats(0, 1),
)  # fmt: skip
BUNDLES = st.builds(
    Bundle,
    trajectory=st.builds(Trajectory, steps=st.lists(STEPS, min_size=1, max_size=3).map(tuple), source=st.just(Source(format="t"))),
    diagnoses=st.lists(DIAGNOSES, max_size=2).map(tuple),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(BUNDLES, max_size=3))
def test_write_then_read_is_the_identity(bundles: list[Bundle]) -> None:
    wanted = sorted(bundles, key=lambda bundle: bundle.bundle_id)
    assert list(read_shard(shard_bytes(bundles))) == wanted


def test_a_full_bundle_survives(make: Make, tmp_path: Path) -> None:
    bundles = [make(), make(repairs=(), diagnoses=())]
    assert write_shard(tmp_path / "x.parquet", bundles) == 2
    assert list(read_shard(tmp_path / "x.parquet")) == bundles
    assert oct((tmp_path / "x.parquet").stat().st_mode)[-3:] == "600"
    assert [path.name for path in tmp_path.iterdir()] == ["x.parquet"]


def test_flat_columns_answer_without_decoding(make: Make, tmp_path: Path) -> None:
    held = make()
    write_shard(tmp_path / "x.parquet", [held])
    (row,) = read_flat(tmp_path / "x.parquet")
    assert (row["task"], row["n_steps"], row["resolved"], row["license"]) == ("backups-1", 3, True, "MIT")
    assert list(read_rows(tmp_path / "x.parquet", {held.bundle_id})) == [held]
    assert list(read_rows(tmp_path / "x.parquet", {"0"})) == []


def test_polars_and_datasets_read_it_as_it_is(make: Make, tmp_path: Path) -> None:
    import datasets
    import polars

    for number in range(2):
        write_shard(tmp_path / f"{number}.parquet", [make(repairs=()) if number else make()])
    frame = polars.scan_parquet(tmp_path / "*.parquet").select("bundle_id", "outcome").collect()
    assert frame["outcome"].to_list() == ["failed", "failed"]
    rows = datasets.load_dataset(
        "parquet", data_files=str(tmp_path / "*.parquet"), split="train", cache_dir=str(tmp_path / "cache")
    )
    assert rows[0]["steps"][1]["input_json"] == '{"command":"rm -rf /backups"}'


def test_a_row_whose_id_lies_is_refused(make: Make) -> None:
    row = to_row(make()) | {"bundle_id": "0" * 64}
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist([row], SCHEMA), sink)
    with pytest.raises(RecordError, match="not the digest"):
        list(read_shard(sink.getvalue().to_pybytes()))


@pytest.mark.parametrize("cut", [0, 1, 100, -1], ids=["empty", "one byte", "truncated", "last byte gone"])
def test_damaged_shards_are_refused(cut: int, make: Make) -> None:
    with pytest.raises(RecordError):
        list(read_shard(shard_bytes([make()])[:cut]))


def test_a_flipped_byte_never_gives_another_bundle(make: Make) -> None:
    held = make()
    whole = shard_bytes([held])
    for place in range(4, len(whole), 211):
        flipped = whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :]
        with suppress(RecordError):
            assert {bundle.bundle_id for bundle in read_shard(flipped)} <= {held.bundle_id}


def test_another_schema_is_refused() -> None:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({"bundle_id": ["x"]}), sink)
    with pytest.raises(RecordError, match="another schema"):
        list(read_shard(sink.getvalue().to_pybytes()))


def test_a_shard_from_the_future_is_refused() -> None:
    sink = pa.BufferOutputStream()
    schema = SCHEMA.with_metadata({"errorhub.arrow": "2"})
    pq.write_table(pa.Table.from_pylist([], schema), sink)
    with pytest.raises(SchemaFromFuture, match="Upgrade"):
        list(read_shard(sink.getvalue().to_pybytes()))


MEMORY = """
import resource, sys
from itertools import islice
from pathlib import Path
from errorhub.hub.bundle import Bundle, Step, Trajectory, read_shard, write_shard
from errorhub.hub.bundle.trajectory import Source
def bundles():
    for i in range(int(sys.argv[2])):
        steps = tuple(Step(agent="a", kind="tool.result", output=f"{i} {j} " + "lorem ipsum " * 80) for j in range(20))
        yield Bundle(trajectory=Trajectory(steps=steps, source=Source(format="t")))
write_shard(Path(sys.argv[1]), bundles())
print(sum(1 for _ in read_shard(Path(sys.argv[1]))), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def test_memory_does_not_grow_with_the_corpus(tmp_path: Path) -> None:
    """2,000 bundles of 20 KB are 40 MB; a reader or writer that holds them all needs several times that."""
    peaks = []
    for rows in (400, 2000):
        command = [sys.executable, "-c", MEMORY, str(tmp_path / "m.parquet"), str(rows)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        read, peak = map(int, done.stdout.split())
        assert read == rows
        peaks.append(peak)
    assert peaks[1] < peaks[0] + 60
