"""The rows of the memory: one a diagnosis, or one a run that nobody diagnosed.

`rows.arrow` is streamed while bundles arrive: the flat columns and what a hit shows. `marks.arrow` is written last:
what is only known at the end, namely where each bundle is held best and which repair of the case passed.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from errorhub.hub.bundle import Bundle, Diagnosis
from errorhub.hub.bundle.arrow import FLAT, SCHEMA, flat
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.memory.answer import Held, Trust
from errorhub.hub.memory.lexical import Leg
from errorhub.hub.memory.window import diagnosis_text, run_windows, window_text
from errorhub.hub.memory.words import terms

LEGS = ("diagnosis", "window")
OWN = 0
"""Publisher of one's own cases."""

_BATCH = 1_000
_TRUSTS: tuple[Trust, ...] = ("unverified", "signed", "mine")
_Tried = tuple[bool, str | None, str]
"""Whether a repair passed, the diagnosis it answers, and the repair in words."""

_SHOWN = pa.schema(
    [
        pa.field("at", pa.int32()),
        *(pa.field(name, pa.string()) for name in ("who", "why", "correction", "which", "how_sure")),
    ]
)
_ROWS = pa.schema([SCHEMA.field(name) for name in FLAT] + list(_SHOWN))
_MARKS = pa.schema(
    [pa.field(name, pa.string()) for name in ("source", "revision", "trust", "repair")]
    + [pa.field(name, pa.bool_()) for name in ("reviewed", "local", "fixed", "named")]
    + [pa.field(name, pa.int32()) for name in ("case", "order", "group", "publisher")]
)


class Corpus:
    """The rows, their two legs and the vocabulary, mapped into memory."""

    def __init__(self, folder: Path) -> None:
        self.rows = _read(folder / "rows.arrow")
        self.marks = _read(folder / "marks.arrow")
        self.vocabulary: dict[str, int] = orjson.loads((folder / "words.json").read_bytes())
        self.legs = {name: Leg.load(folder / name) for name in LEGS}
        self.cases, self.order, self.tasks, self.publishers = (
            np.asarray(self.marks[name].to_numpy(), np.int32) for name in ("case", "order", "group", "publisher")
        )

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property
    def vetted(self) -> NDArray[np.bool_]:
        """Which rows are one's own or reviewed."""
        vetted: NDArray[np.bool_] = self._flags("reviewed") | (self.publishers == OWN)
        return vetted

    @cached_property
    def fixed(self) -> NDArray[np.bool_]:
        """Which rows are of a case that some repair fixed."""
        return self._flags("fixed")

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """Which rows have a publisher who gives a name."""
        return self._flags("named")

    def _flags(self, name: str) -> NDArray[np.bool_]:
        return np.asarray(self.marks[name].to_numpy(), bool)

    def equal(self, column: str, value: str) -> NDArray[np.bool_]:
        """Return which rows have this value in a column of text."""
        table = self.marks if column in _MARKS.names else self.rows
        return np.asarray(pc.fill_null(pc.equal(table[column], value), False).to_numpy(), bool)

    def flat(self, columns: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Yield flat columns of every row, in order."""
        for batch in self.rows.select(sorted(columns)).to_batches():
            yield from batch.to_pylist()

    def value(self, row: int, column: str) -> Any:
        """Return one value of one row."""
        table = self.marks if column in _MARKS.names else self.rows
        return table[column][row].as_py()

    def row(self, row: int) -> dict[str, Any]:
        """Return everything about one row."""
        one: dict[str, Any] = self.rows.slice(row, 1).to_pylist()[0] | self.marks.slice(row, 1).to_pylist()[0]
        return one


def write_corpus(folder: Path, held: Iterable[Held]) -> None:
    """Write the corpus of these bundles to an empty folder, a few bundles in memory at a time."""
    taking = _Taking()
    with pa.OSFile(str(folder / "rows.arrow"), "wb") as file, pa.ipc.new_file(file, _ROWS) as writer:
        for one in held:
            taking.add(one)
            if len(taking.rows) >= _BATCH:
                writer.write_batch(pa.RecordBatch.from_pylist(taking.rows, _ROWS))
                taking.rows = []
        writer.write_batch(pa.RecordBatch.from_pylist(taking.rows, _ROWS))
    with pa.OSFile(str(folder / "marks.arrow"), "wb") as file, pa.ipc.new_file(file, _MARKS) as writer:
        writer.write_batch(pa.RecordBatch.from_pylist(list(taking.marks()), _MARKS))
    (folder / "words.json").write_bytes(orjson.dumps(taking.vocabulary))
    for name in LEGS:
        (folder / name).mkdir(mode=0o700)
        Leg.build(taking.documents[name], taking.vocabulary).save(folder / name)


class _Key(NamedTuple):
    """What a row is named and grouped by; sorts by bundle and diagnosis."""

    bundle_id: str
    number: int
    diagnosis_id: str
    run: str
    task: str
    contributor: str


class _Numbers(dict[str, int]):
    """Names numbered as they come."""

    def __missing__(self, name: str) -> int:
        self[name] = len(self)
        return self[name]


class _Taking:
    """What has been taken in so far."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.vocabulary: dict[str, int] = {}
        self.documents: dict[str, list[array[int]]] = {name: [] for name in LEGS}
        self.places: dict[str, tuple[bool, bool, int, str, str]] = {}
        """Where each bundle is held best: one's own place first, then a reviewed one, then a trusted one."""
        self.keys: list[_Key] = []
        self.repairs: dict[str, list[_Tried]] = {}

    def add(self, held: Held) -> None:
        """Take in a bundle, or just where it is held when it is known already."""
        bundle = held.bundle
        place = (held.local, held.reviewed, _TRUSTS.index(held.trust), held.source, held.revision or "")
        known = self.places.get(bundle.bundle_id)
        self.places[bundle.bundle_id] = max(place, known or place)
        if known:
            return
        for repair in bundle.repairs:
            text = repair.directive or _json(repair.action)
            self.repairs.setdefault(bundle.trajectory_id, []).append((repair.resolved, repair.diagnosis_id, text))
        columns = flat(bundle)
        for number, (shown, name, spoken, traced) in enumerate(_documents(bundle)):
            self.rows.append(columns | shown)
            task, contributor = columns["task"], columns["contributor"] or ""
            self.keys.append(_Key(bundle.bundle_id, number, name, bundle.trajectory_id, task, contributor))
            self.documents["diagnosis"].append(self._ids(spoken))
            self.documents["window"].append(self._ids(traced))

    def marks(self) -> Iterator[dict[str, Any]]:
        """Yield the marks of every row."""
        order = np.empty(len(self.keys), np.int32)
        order[sorted(range(len(self.keys)), key=lambda at: self.keys[at])] = np.arange(len(self.keys))
        runs, tasks, publishers = _Numbers(), _Numbers(), _Numbers({"": OWN})
        for at, key in enumerate(self.keys):
            local, reviewed, trust, source, revision = self.places[key.bundle_id]
            passed, repair = _best(self.repairs.get(key.run, []), key.diagnosis_id)
            own = local or _TRUSTS[trust] == "mine"
            publisher = "" if own else key.contributor or f"nobody at {source}"
            yield {
                "source": source, "revision": revision or None, "trust": _TRUSTS[trust], "reviewed": reviewed,
                "local": local, "repair": repair, "fixed": passed, "order": int(order[at]), "case": runs[key.run],
                "group": tasks[key.task], "publisher": publishers[publisher], "named": bool(key.contributor),
            }  # fmt: skip

    def _ids(self, text: str) -> array[int]:
        vocabulary = self.vocabulary
        return array("i", [vocabulary.setdefault(term, len(vocabulary)) for term in terms(text)])


def _documents(bundle: Bundle) -> Iterator[tuple[dict[str, Any], str, str, str]]:
    """Yield what is shown, the diagnosis id and the two documents of each row of a bundle."""
    run = bundle.trajectory
    for found, name, grade in zip(bundle.diagnoses, bundle.diagnosis_ids, bundle.grades, strict=True):
        yield _shown(found, grade), name, diagnosis_text(found), window_text(run, found.step)
    if not bundle.diagnoses:
        yield dict.fromkeys(_SHOWN.names), "", "", "\n".join(run_windows(run))


def _shown(found: Diagnosis, grade: str | None) -> dict[str, Any]:
    fix = found.correction
    return {
        "at": found.step,
        "who": found.agent,
        "why": found.explanation,
        "correction": (fix.text or _json(fix.action)) if fix else None,
        "which": found.mode.id if found.mode else found.novel_mode,
        "how_sure": grade,
    }


def _best(repairs: list[_Tried], diagnosis_id: str) -> tuple[bool, str | None]:
    """Return the repair to show: one that passed, if any, then one that answers this diagnosis."""
    if not repairs:
        return False, None
    passed, _, text = max(repairs, key=lambda one: (one[0], one[1] == diagnosis_id, bool(one[2]), one[2]))
    return passed, text


def _json(value: Any) -> str:
    return "" if value is None else canonical(value).decode()


def _read(path: Path) -> pa.Table:
    return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
