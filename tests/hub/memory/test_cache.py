"""The index on disk: a cache that may vanish, rot or be built by two at once."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Set
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Event

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import UsageError
from errorhub.hub.memory import Memory, Pile, Place, Query, cache

Make = Callable[..., Bundle]
Hold = Callable[..., tuple[Bundle, Place]]
TEXT = "The server could not bind because an old process held the port."


class Shelf(Pile):
    """A pile that counts what is read from it."""

    def __init__(self, *held: tuple[Bundle, Place]) -> None:
        super().__init__(held)
        self.read_ids: list[str] = []

    def read(self, bundle_ids: Set[str]) -> Iterator[Bundle]:
        for bundle in super().read(bundle_ids):
            self.read_ids.append(bundle.bundle_id)
            yield bundle


@pytest.fixture
def shelf(case: Make, held: Hold) -> Shelf:
    return Shelf(held(case(TEXT)))


def found(memory: Memory) -> int:
    return len(memory.similar(Query.from_text(TEXT)).hits)


def test_it_is_built_once(tmp_path: Path, shelf: Shelf) -> None:
    for _ in range(3):
        assert found(Memory.open(tmp_path, shelf, "one")) == 1
    assert len(shelf.read_ids) == 1


def test_another_fingerprint_or_version_or_a_wish_rebuilds(
    tmp_path: Path, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    Memory.open(tmp_path, shelf, "one")
    Memory.open(tmp_path, shelf, "two")
    assert len(list(tmp_path.glob("index-*"))) == 1
    Memory.open(tmp_path, shelf, "two", rebuild=True)
    assert len(shelf.read_ids) == 2
    monkeypatch.setattr(cache, "VERSION", cache.VERSION + 1)
    assert found(Memory.open(tmp_path, shelf, "two")) == 1
    assert len(shelf.read_ids) == 3


def test_what_is_no_longer_held_is_no_longer_found(tmp_path: Path, shelf: Shelf) -> None:
    assert found(Memory.open(tmp_path, shelf, "one")) == 1
    shelf.held = []
    assert found(Memory.open(tmp_path, shelf, "two")) == 0


def test_files_are_private(tmp_path: Path, shelf: Shelf) -> None:
    Memory.open(tmp_path / "memory", shelf, "one")
    assert not any(path.stat().st_mode & 0o077 for path in (tmp_path / "memory").rglob("*"))


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*-*/**/*") if path.is_file())


def test_any_damaged_file_means_a_rebuild(tmp_path: Path, shelf: Shelf) -> None:
    Memory.open(tmp_path, shelf, "one")
    names = [(path.parts[-1], path.parts[-2]) for path in files(tmp_path)]
    assert len(names) > 15
    for at, name in enumerate(names):
        _flip(files(tmp_path)[at])
        reads = len(shelf.read_ids)
        assert found(Memory.open(tmp_path, shelf, "one")) == 1, name
        assert len(shelf.read_ids) == reads + 1, name


@pytest.mark.parametrize(
    "name",
    ["part-*/rows.arrow", "part-*/seal.json", "part-*/window/rows.npy", "index-*/marks.arrow", "index-*/state.json"],
)
def test_any_damage_means_a_rebuild(tmp_path: Path, shelf: Shelf, name: str) -> None:
    Memory.open(tmp_path, shelf, "one")
    for reads, damage in enumerate((_cut, _remove, _replace, _write_null), 2):
        damage(next(tmp_path.glob(name)))
        assert found(Memory.open(tmp_path, shelf, "one")) == 1, damage.__name__
        assert len(shelf.read_ids) == reads, damage.__name__


def _cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


def _remove(path: Path) -> None:
    path.unlink()


def _replace(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _write_null(path: Path) -> None:
    path.write_text("null")


def test_a_copied_index_is_still_whole(tmp_path: Path, shelf: Shelf) -> None:
    Memory.open(tmp_path, shelf, "one")
    (home,) = tmp_path.glob("index-*")
    for path in home.rglob("*"):
        os.utime(path, (1, 1))
    assert found(Memory.open(tmp_path, shelf, "one")) == 1
    assert len(shelf.read_ids) == 1


def test_a_failed_build_leaves_nothing_and_the_old_index_alone(tmp_path: Path, shelf: Shelf) -> None:
    Memory.open(tmp_path, shelf, "one")

    class Broken(Shelf):
        def read(self, bundle_ids: Set[str]) -> Iterator[Bundle]:
            yield from super().read(bundle_ids)
            raise KeyError("interrupted")

    with pytest.raises(KeyError):
        Memory.open(tmp_path, Broken(*shelf.held), "two", rebuild=True)
    assert not list(tmp_path.glob(".building-*"))
    assert found(Memory.open(tmp_path, shelf, "one")) == 1
    assert len(shelf.read_ids) == 1


def test_the_rest_of_a_killed_build_is_swept_away(tmp_path: Path, shelf: Shelf) -> None:
    (tmp_path / ".building-x").mkdir()
    (tmp_path / ".building-x" / "rows.arrow").write_bytes(b"half")
    Memory.open(tmp_path, shelf, "one")
    assert not list(tmp_path.glob(".building-*"))


def test_a_reader_keeps_its_index_while_another_is_built(tmp_path: Path, shelf: Shelf) -> None:
    reader = Memory.open(tmp_path, shelf, "one")
    Memory.open(tmp_path, shelf, "two")
    assert found(reader) == 1


BUILDER = """
import json, pathlib, sys
from errorhub.hub.bundle import Bundle
from errorhub.hub.memory import Memory, Pile, Place, Query

folder, text, document = pathlib.Path(sys.argv[1]), sys.argv[2], json.loads(sys.stdin.read())

class Shelf(Pile):
    def read(self, ids):
        print("read")
        yield from super().read(ids)

shelf = Shelf([(Bundle.from_document(document), Place(True, True, "mine", "workspace"))])
print(len(Memory.open(folder, shelf, "one").similar(Query.from_text(text)).hits))
"""


def test_builders_take_turns(tmp_path: Path, case: Make) -> None:
    command = [sys.executable, "-c", BUILDER, str(tmp_path), TEXT]
    builders = [Popen(command, stdin=PIPE, stdout=PIPE, text=True) for _ in range(3)]
    document = json.dumps(case(TEXT).document())
    for builder in builders:
        assert builder.stdin is not None
        builder.stdin.write(document)
        builder.stdin.close()
    said = [builder.stdout.read().split() for builder in builders if builder.stdout]
    assert [builder.wait() for builder in builders] == [0, 0, 0]
    assert sorted(said) == [["1"], ["1"], ["read", "1"]]
    for builder in builders:
        assert builder.stdout is not None
        builder.stdout.close()


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path, shelf: Shelf) -> None:
    (tmp_path / "memory").write_text("a file")
    with pytest.raises(UsageError, match="cannot be written"):
        Memory.open(tmp_path / "memory", shelf, "one")


def test_readers_never_fail_while_one_writes(tmp_path: Path, case: Make, held: Hold) -> None:
    words = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "jetty"]
    state = [[held(case(TEXT))]]
    stop = Event()
    answers: list[int] = []

    def read() -> None:
        while not stop.is_set():
            now = len(state)
            answers.append(found(Memory.open(tmp_path, Pile(state[now - 1]), str(now))))

    with ThreadPoolExecutor(3) as pool:
        readers = [pool.submit(read) for _ in range(3)]
        for number, word in enumerate(words, 2):
            state.append([*state[-1], held(case(f"{word} went astray on its way", f"a: {word}"))])
            Memory.open(tmp_path, Pile(state[-1]), str(number))
        stop.set()
        assert [reader.result(timeout=60) for reader in readers] == [None] * 3
    assert answers and set(answers) == {1}
