"""A stage: one bundle an origin, nothing lost when two write at once, a kill leaves it readable."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep

import pytest

from errorhub.hub.bundle import Bundle, Provenance, Step, Trajectory, write_shard
from errorhub.hub.bundle.trajectory import Source
from errorhub.hub.errors import NotFound
from errorhub.hub.stage import Stage
from errorhub.hub.workspace import Workspace


def bundle(number: int, text: str = "x") -> Bundle:
    steps = (Step(agent="a", kind="message", input=f"{number} {text}"),)
    return Bundle(
        trajectory=Trajectory(steps=steps, source=Source(format="t")),
        provenance=Provenance(origin_key=f"origin-{number}"),
    )


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path / "raw")


def texts(stage: Stage) -> list[str]:
    return [one.trajectory.steps[0].input for one in stage.bundles()]


def test_a_newer_bundle_replaces_the_one_of_its_origin(stage: Stage) -> None:
    stage.put([bundle(1), bundle(2)])
    stage.put([bundle(2, "y"), bundle(3)])
    assert texts(stage) == ["1 x", "2 y", "3 x"]
    assert [row["origin_key"] for row in stage.rows()] == ["origin-1", "origin-2", "origin-3"]
    stage.remove({"origin-2"})
    assert texts(stage) == ["1 x", "3 x"]


def test_every_shard_is_readable_as_it_is_after_replacing(stage: Stage) -> None:
    import polars

    stage.put([bundle(1), bundle(2)])
    stage.put([bundle(2, "y")])
    assert polars.scan_parquet(stage.folder / "*.parquet").select("origin_key").collect().height == 2


def test_a_kill_between_writing_and_retiring_is_read_as_the_newer(stage: Stage) -> None:
    stage.put([bundle(1), bundle(2)])
    write_shard(stage.folder / "00000009-aaaaaaaa.parquet", [bundle(2, "y")])
    (stage.folder / ".00000010-bbbbbbbb.parquet.part").write_bytes(b"half")
    assert texts(stage) == ["1 x", "2 y"]
    stage.put([bundle(3)])
    assert texts(stage) == ["1 x", "2 y", "3 x"]


def test_what_is_read_and_put_back_replaces_nothing_of_another_writer(stage: Stage) -> None:
    stage.put([bundle(1, "a")])

    def add(letter: str) -> None:
        mine = Stage(stage.folder)
        with mine.editing():
            (held,) = mine.bundles()
            sleep(0.05)
            mine.put([bundle(1, held.trajectory.steps[0].input.removeprefix("1 ") + letter)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, "bcde"))
    (text,) = texts(stage)
    assert sorted(text) == sorted("1 abcde")


def test_a_reader_loses_nothing_while_a_writer_replaces(stage: Stage) -> None:
    stage.put(bundle(number) for number in range(60))
    seen = []
    for place, one in enumerate(stage.bundles()):
        seen.append(one.provenance.origin_key)
        if place == 5:
            stage.put(bundle(number, "y") for number in range(60))
    assert sorted(seen) == sorted({f"origin-{number}" for number in range(60)})


WRITER = """
import sys
from pathlib import Path
from errorhub.hub.stage import Stage
from errorhub.hub.bundle import Bundle, Provenance, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source
for number in range(12):
    steps = (Step(agent="a", kind="message", input=f"{sys.argv[2]} {number}"),)
    one = Bundle(trajectory=Trajectory(steps=steps, source=Source(format="t")),
                 provenance=Provenance(origin_key=f"{sys.argv[2]}-{number}"))
    Stage(Path(sys.argv[1])).put([one])
"""


def test_two_processes_at_once_lose_nothing(stage: Stage) -> None:
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, str(stage.folder), name]) for name in "abc"]
    assert [writer.wait(120) for writer in writers] == [0, 0, 0]
    assert len(set(texts(stage))) == 36


def test_an_id_once_printed_can_always_be_typed(tmp_path: Path) -> None:
    workspace = Workspace.open(tmp_path / "ws")
    first, second = bundle(1), bundle(1, "scrubbed")
    workspace.raw.put([first])
    workspace.clean.put([second])
    for name in (first.bundle_id, first.trajectory_id, second.bundle_id, second.bundle_id[:8]):
        assert workspace.find(name, workspace.raw) == first
        assert workspace.find(name, workspace.clean) == second
    workspace.raw.put([bundle(2)])
    with pytest.raises(NotFound, match="not in the clean stage"):
        workspace.find(bundle(2).bundle_id, workspace.clean)
    with pytest.raises(NotFound, match="no bundle"):
        workspace.find("f" * 12, workspace.raw)
    with pytest.raises(NotFound, match="too short"):
        workspace.find("f", workspace.raw)


def test_workspaces_have_pseudonyms_of_their_own(tmp_path: Path) -> None:
    names = [Workspace.open(tmp_path / name).actor for name in "abab"]
    assert names[:2] == names[2:]
    assert names[0] != names[1]
