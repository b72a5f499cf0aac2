"""A part of the index: some bundles' rows and their two kinds of documents. Written once, joined, never changed.

A row is a diagnosis, or a window of a run that nobody diagnosed: all windows of a run together would be so long a
document that any question shares words with it. `rows.arrow` is streamed while bundles arrive.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from errorhub.hub.bundle import Bundle, Diagnosis
from errorhub.hub.bundle.arrow import FLAT, SCHEMA, flat
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.memory.dense import Encoder, Similar, Vectors
from errorhub.hub.memory.lance import LanceVectors
from errorhub.hub.memory.lexical import Flags, Postings
from errorhub.hub.memory.window import diagnosis_text, run_windows, window_text
from errorhub.hub.memory.words import keys

LEGS = ("diagnosis", "window")

_BATCH = 1_000
_EXTRA = pa.schema(
    [pa.field("number", pa.int32()), pa.field("at", pa.int32())]
    + [pa.field(n, pa.string()) for n in ("diagnosis_id", "who", "why", "correction", "which", "how_sure", "tried")]
)
ROWS = pa.schema([SCHEMA.field(name) for name in FLAT] + list(_EXTRA))


@dataclass(frozen=True)
class Part:
    """Rows, postings and, with an encoder, vectors, mapped into memory."""

    rows: pa.Table
    legs: Mapping[str, Postings]
    sizes: Mapping[str, tuple[int, int]]
    """For each leg: documents and their words, as counted when they came."""
    vectors: Mapping[str, Similar]
    """For each leg, when an encoder is used."""

    @classmethod
    def load(cls, folder: Path) -> Part:
        """Open a part."""
        sizes = {name: tuple(size) for name, size in orjson.loads((folder / "sizes.json").read_bytes()).items()}
        vectors = {name: found for name in LEGS if (found := _vectors(folder / name))}
        return cls(
            pa.ipc.open_file(pa.memory_map(str(folder / "rows.arrow"))).read_all(),
            {name: Postings.load(folder / name) for name in LEGS}, sizes, vectors,
        )  # fmt: skip

    def __len__(self) -> int:
        return int(self.rows.num_rows)


def write_part(
    folder: Path,
    bundles: Iterable[Bundle],
    sizes: Mapping[str, tuple[int, int]],
    encoder: Encoder | None = None,
    *,
    lance: bool = False,
) -> None:
    """Write a part of these bundles to an empty folder. `sizes` are those of the parts beside it."""
    documents: dict[str, list[array[int]]] = {name: [] for name in LEGS}
    texts: dict[str, list[str]] = {name: [] for name in LEGS}
    with pa.OSFile(str(folder / "rows.arrow"), "wb") as file, pa.ipc.new_file(file, ROWS) as writer:
        batch: list[dict[str, Any]] = []
        for row, spoken, traced in (row for bundle in bundles for row in _rows(bundle)):
            batch.append(row)
            for name, text in zip(LEGS, (spoken, traced), strict=True):
                documents[name].append(keys(text))
                if encoder:
                    texts[name].append(text)
            if len(batch) >= _BATCH:
                writer.write_batch(pa.RecordBatch.from_pylist(batch, ROWS))
                batch = []
        writer.write_batch(pa.RecordBatch.from_pylist(batch, ROWS))
    own = {name: (sum(map(bool, found)), sum(map(len, found))) for name, found in documents.items()}
    for name in LEGS:
        (folder / name).mkdir(mode=0o700)
        number, words = (one + other for one, other in zip(own[name], sizes.get(name, (0, 0)), strict=True))
        Postings.build(documents[name], words / max(1, number)).save(folder / name)
        if encoder:
            _keep(Vectors.encode(texts[name], encoder), folder / name, lance)
    (folder / "sizes.json").write_bytes(orjson.dumps(own))


def join_parts(folder: Path, pieces: Sequence[tuple[Part, Flags]], *, lance: bool = False) -> None:
    """Write the flagged rows of several parts as one part to an empty folder. No bundle is read."""
    rows = pa.concat_tables([part.rows.filter(pa.array(kept)) for part, kept in pieces])
    with pa.OSFile(str(folder / "rows.arrow"), "wb") as file, pa.ipc.new_file(file, ROWS) as writer:
        writer.write_table(rows, max_chunksize=_BATCH)
    for name in LEGS:
        (folder / name).mkdir(mode=0o700)
        Postings.join([(part.legs[name], kept) for part, kept in pieces]).save(folder / name)
        if all(name in part.vectors for part, _ in pieces):
            _keep(Vectors.join([(part.vectors[name].matrix, kept) for part, kept in pieces]), folder / name, lance)
    sizes = {name: [sum(part.sizes[name][at] for part, _ in pieces) for at in (0, 1)] for name in LEGS}
    (folder / "sizes.json").write_bytes(orjson.dumps(sizes))


def _keep(vectors: Vectors, folder: Path, lance: bool) -> None:
    """Write vectors where they are wanted; those of no document at all have no width and stay a plain file."""
    if lance and vectors.matrix.size:
        LanceVectors.write(vectors.matrix, folder)
    else:
        vectors.save(folder)


def _vectors(folder: Path) -> Similar | None:
    if LanceVectors.exist(folder):
        return LanceVectors.load(folder)
    return Vectors.load(folder) if Vectors.exist(folder) else None


def _rows(bundle: Bundle) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Yield each row of a bundle with its two documents. A diagnosis that its own run refutes is no case."""
    run, columns, tried = bundle.trajectory, flat(bundle), _tried(bundle)
    graded = enumerate(zip(bundle.diagnoses, bundle.diagnosis_ids, bundle.grades, strict=True))
    holding = [(number, *one) for number, one in graded if one[2] != "rejected"]
    for number, found, name, grade in holding:
        row = columns | _shown(found, grade) | {"number": number, "diagnosis_id": name, "tried": tried}
        yield row, diagnosis_text(found), window_text(run, found.step)
        tried = None
    for number, window in enumerate(() if holding else run_windows(run) or ("",)):
        row = columns | dict.fromkeys(_EXTRA.names) | {"number": number, "diagnosis_id": "", "tried": tried}
        yield row, "", window
        tried = None


def _tried(bundle: Bundle) -> str | None:
    """Return what was tried, as JSON: whether it passed, the diagnosis it answers, the repair in words."""
    tried = [(one.resolved, one.diagnosis_id, one.directive or _json(one.action)) for one in bundle.repairs]
    return orjson.dumps(tried).decode() if tried else None


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


def _json(value: Any) -> str:
    return "" if value is None else canonical(value).decode()
