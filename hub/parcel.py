"""A parcel: a folder of view rows or of a student, as it may leave. What is not known to be safe is left out.

Only names on a list are taken: rows, gold, reports; safe weights, configuration, tokenizer. Never a pickle, whatever
it is called, never a link, never logs and checkpoints, whose files name machines.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, Literal

from errorhub.hub.errors import Blocked, RecordError, UsageError

PUSHED: Final = "pushed.json"
"""What a push left: every file with its SHA-256."""

Kind = Literal["views", "student"]
_KINDS: Final[Mapping[str, Kind]] = {"build.json": "views", "student.json": "student"}
_TAKEN: Final[Mapping[Kind, re.Pattern[str]]] = {
    "views": re.compile(
        r"(?:build|splits)\.json|refused\.jsonl|[a-z_]+/(?:train|val|test)/(?:rows\.parquet|gold\.jsonl)|.*\.svg"
    ),
    "student": re.compile(
        r"student\.json|README\.md|(?:model|adapter_model)[\w-]*\.safetensors|[\w-]+\.index\.json"
        r"|(?:generation_|adapter_|tokenizer_|processor_)?config\.json|special_tokens_map\.json|added_tokens\.json"
        r"|tokenizer\.(?:json|model)|vocab\.(?:json|txt)|merges\.txt|chat_template\.jinja|recipe\.toml|\w+\.svg"
    ),
}
_VOCABULARY: Final = re.compile(r"tokenizer\.(?:json|model)|vocab\.(?:json|txt)|merges\.txt")
_PICKLES: Final = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05", b"PK\x03\x04")
_BATCH: Final = 200


@dataclass(frozen=True)
class Parcel:
    """The files of a folder that may leave, and what stays."""

    folder: Path
    kind: Kind
    paths: tuple[str, ...]
    left_out: tuple[str, ...]

    @classmethod
    def of(cls, folder: Path) -> Parcel:
        """Look at a folder. Raise UsageError when it holds neither rows nor a student, Blocked for unsafe weights."""
        kind = next((kind for name, kind in _KINDS.items() if (folder / name).is_file()), None)
        if kind is None:
            raise UsageError(
                f"neither rows nor a finished student: {folder}.", hint="errorhub views build VIEW --out DIR"
            )
        found = sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
        names = {path.relative_to(folder).as_posix(): path for path in found}
        taken = [name for name, path in names.items() if _TAKEN[kind].fullmatch(name) and _safe(path)]
        if kind == "student" and not any(name.endswith(".safetensors") for name in taken):
            raise Blocked(f"no weights in the safetensors format in {folder}: pickled ones are never pushed.")
        own = {"README.md"} if kind == "views" else set()
        return cls(folder, kind, tuple(taken), tuple(name for name in names if name not in {*taken, *own, PUSHED}))

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the folder says of itself."""
        name = next(name for name, kind in _KINDS.items() if kind == self.kind)
        try:
            held = json.loads((self.folder / name).read_bytes())
        except (ValueError, RecursionError):
            held = None
        if not isinstance(held, dict):
            raise RecordError(f"{self.folder / name} is not readable.")
        return held

    def digests(self) -> dict[str, str]:
        """Return the SHA-256 of every file."""
        return {name: _sha256(self.folder / name) for name in self.paths}

    def rows(self, columns: tuple[str, ...]) -> Iterator[dict[str, Any]]:
        """Yield these columns of every row of a view."""
        for name in self.paths:
            if name.endswith(".parquet"):
                yield from (row for batch in _batches(self.folder / name, columns) for row in batch)

    def texts(self) -> Iterator[tuple[str, Any]]:
        """Yield every text with its file, a few rows at a time; weights and public vocabularies hold none."""
        for name in self.paths:
            path = self.folder / name
            if name.endswith(".parquet"):
                yield from ((name, batch) for batch in _batches(path, None))
            elif name.endswith(".jsonl"):
                with path.open(encoding="utf-8") as lines:
                    yield from ((name, json.loads(line)) for line in lines if line.strip())
            elif name.endswith(".json") and not _VOCABULARY.fullmatch(name):
                yield name, json.loads(path.read_bytes())
            elif name.endswith((".md", ".toml", ".svg", ".jinja")):
                yield name, path.read_text(encoding="utf-8")


def _batches(path: Path, columns: tuple[str, ...] | None) -> Iterator[list[dict[str, Any]]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=_BATCH, columns=columns):
                yield batch.to_pylist()
    except (OSError, pa.ArrowException) as problem:
        raise RecordError(f"{path.name} is not readable: {type(problem).__name__}.") from None


def _safe(path: Path) -> bool:
    """Whether a file is a plain one and no pickle, by its first bytes."""
    if path.is_symlink():
        return False
    with path.open("rb") as file:
        return not file.read(4).startswith(_PICKLES)


def _sha256(path: Path) -> str:
    from hashlib import file_digest

    with path.open("rb") as file:
        return file_digest(file, sha256).hexdigest()
