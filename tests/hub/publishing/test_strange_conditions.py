"""Clocks that are wrong, disks that are full, shards that are bombs or from the future: on every kind of store."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.arrow import SCHEMA, to_row
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.manifest import entry_of
from errorhub.hub.paths import manifest_path
from errorhub.hub.pull import Mirror, pull
from errorhub.hub.sealed import read_sealed
from errorhub.hub.verify import verify

Make = Callable[..., Bundle]


@pytest.mark.parametrize("years", [-30, 30])
def test_a_wrong_clock_loses_nothing(hub: Any, make: Make, seal: Any, tmp_path: Path, years: int) -> None:
    hub.publish(make(1))
    skewed = datetime.now(UTC) + timedelta(days=365 * years)
    hub.publish(make(2), clock=lambda: skewed)
    hub.publish(make(3))
    seal(hub, "yank", make(2).bundle_id, reason="bad_label")
    assert verify(hub.open()).ok
    assert pull(hub.open(), tmp_path / "mirror").bundles == 2
    assert hub.publish(make(1), make(2), make(3)).skipped == 3


FULL = """
import resource, signal, sys
from pathlib import Path
sys.path[:0] = [sys.argv[1], str(Path(sys.argv[1]).parents[1])]
from conftest import Hub, make_bundle
from errorhub.hub.errors import HubError
from errorhub.hub.pull import pull
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
hub = Hub(sys.argv[2], Path(sys.argv[3]))
store = hub.open("full")
store.head()
resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))
try:
    if sys.argv[4] == "pull":
        pull(store, Path(sys.argv[3]) / "mirror")
    else:
        hub.publish(make_bundle(5, text="x" * 9000))
except HubError as problem:
    print(f"{problem.exit_code} {problem}")
"""


@pytest.mark.parametrize("verb", ["publish", "pull"])
def test_a_full_disk_is_one_sentence_and_the_next_try_works(hub: Any, make: Make, verb: str) -> None:
    hub.publish(make(1), make(2))
    arguments = [sys.executable, "-c", FULL, str(Path(__file__).parent), hub.spec, str(hub.folder), verb]
    done = subprocess.run(arguments, capture_output=True, text=True, env=dict(os.environ))
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("\n") == 1, done.stdout
    assert "cannot be written" in done.stdout or hub.kind == "git", done.stdout
    assert verify(hub.open()).ok
    assert hub.publish(make(5, text="x" * 9000)).published == 1
    assert pull(hub.open(), hub.folder / "mirror").bundles == 3
    assert not list((hub.folder / "outbox").glob("*/journal.json"))


def swap(hub: Any, data: bytes, rows: int) -> str:
    """Let a hostile owner put other bytes in place of the one shard, properly sealed, and return their path."""
    tree = hub.open().tree()
    sealed = read_sealed(tree)
    assert sealed is not None
    document = json.loads(sealed.manifest.data)
    [old] = sealed.manifest.of("shard")
    entry = entry_of(data)
    path = f"inbox/v1/202501/{entry.sha256[:2]}/{entry.sha256}.parquet"
    document["files"][path] = document["files"].pop(old) | {"sha256": entry.sha256, "size": entry.size, "rows": rows}
    sealing = canonical(document)
    add = {path: data, manifest_path(sealed.manifest.sequence, sealing): sealing}
    hub.open().commit(add, [old, sealed.manifest.path], "hostile", tree.revision)
    return path


def parquet(rows: list[dict[str, Any]], schema: pa.Schema = SCHEMA) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(rows, schema), buffer, compression="zstd")
    return buffer.getvalue()


def bomb(make: Make) -> tuple[bytes, int]:
    """Return a small shard that expands a thousandfold."""
    return parquet([to_row(make(1)) | {"goal": "a" * 20_000_000}]), 1


def from_the_future(make: Make) -> tuple[bytes, int]:
    return parquet([to_row(make(1))], SCHEMA.with_metadata({b"errorhub.arrow": b"2"})), 1


def with_another_column(make: Make) -> tuple[bytes, int]:
    return parquet([to_row(make(1)) | {"more": "x"}], SCHEMA.append(pa.field("more", pa.string()))), 1


def with_a_flipped_value(make: Make) -> tuple[bytes, int]:
    return parquet([to_row(make(1)) | {"goal": "another goal", "task_json": '{"goal":"another goal"}'}]), 1


@pytest.mark.parametrize("spoil", [bomb, from_the_future, with_another_column, with_a_flipped_value])
def test_a_hostile_shard_is_set_aside_before_it_can_do_harm(
    hub: Any, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Callable[[Make], tuple[bytes, int]]
) -> None:
    monkeypatch.setattr("errorhub.hub.bundle.shards.MAX_EXPANDED_BYTES", 10_000_000)
    hub.publish(make(1))
    path = swap(hub, *spoil(make))
    got = pull(hub.open(), tmp_path / "mirror")
    assert [note["path"] for note in got.quarantined] == [path]
    assert list(Mirror(tmp_path / "mirror").bundles()) == []
    assert any(problem.startswith(path) for problem in verify(hub.open()).problems)
    if spoil is bomb:
        assert "over the caps" in got.quarantined[0]["reason"]
