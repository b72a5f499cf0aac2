"""One training row, its Arrow schema, and the ids that name it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from errorhub.hub.bundle.canonical import canonical, digest
from errorhub.hub.errors import RecordError, UsageError

BUILDER: Final = "errorhub.views/1"
"""Version of what a builder makes of a bundle; it is part of every row's id."""

DIAGNOSIS: Final = ("diagnosis_full", "diagnosis_compact", "diagnosis_rationale")
RECOVERY: Final = ("recovery_preventive", "recovery_posterror", "recovery_reflect")
PREFERENCE: Final = ("preference_action",)
VIEWS: Final = DIAGNOSIS + RECOVERY + PREFERENCE

Message = dict[str, Any]
"""role, content, and whether its tokens carry loss: train."""


@dataclass(frozen=True)
class Row:
    """A prompt, what is to be said, and where both come from. Text of a grader is in none of its fields."""

    view: str
    bundle_id: str
    trajectory_id: str
    diagnosis_id: str
    prompt: tuple[Message, ...]
    completion: tuple[Message, ...]
    source_task: str
    task_family: str | None
    environment: str | None
    harness: str | None
    policy_model: str | None
    license: str | None
    scrub_policy: str | None
    label_source: str
    n_steps: int
    gold_step: int
    gold_agent: str
    agents: tuple[str, ...]
    evidence_steps: tuple[int, ...] = ()
    elided_steps: tuple[int, ...] = ()
    rejected: tuple[Message, ...] = ()
    state_ref: str | None = None
    split: str = ""
    nest: float = 0.0
    """Place of the source task between 0 and 1: rows below any bound are a nested subset of whole tasks."""
    overlap: tuple[str, ...] = ()
    n_prompt_tokens: int = 0
    n_target_tokens: int = 0
    tokenizer: str = ""
    weight: float = 1.0
    schema_version: str = field(default=BUILDER)

    @property
    def example_id(self) -> str:
        """Digest of view, bundle, diagnosis and builder version."""
        return digest([self.view, self.bundle_id, self.diagnosis_id, self.state_ref, self.schema_version])

    @property
    def content_key(self) -> str:
        """Digest of what a trainer sees: equal keys are exact duplicates."""
        parts = sha256()
        for kind, messages in (("p", self.prompt), ("c", self.completion), ("r", self.rejected)):
            for one in messages:
                text = one["content"].encode()
                parts.update(f"{kind} {one['role']} {len(text)} ".encode() + text)
        return parts.hexdigest()

    def document(self) -> dict[str, Any]:
        """Return the row as one plain object."""
        return {"example_id": self.example_id} | {name: getattr(self, name) for name in self.__dataclass_fields__}

    def placed(self, **parts: Any) -> Row:
        """Return the row with other parts."""
        return replace(self, **parts)


_MESSAGE: Final = pa.struct([("role", pa.string()), ("content", pa.string()), ("train", pa.bool_())])
_MANY: Final = {
    **dict.fromkeys(("prompt", "completion", "rejected"), _MESSAGE),
    **dict.fromkeys(("agents", "overlap"), pa.string()),
    **dict.fromkeys(("evidence_steps", "elided_steps"), pa.int32()),
}  # fmt: skip
_NUMBERS: Final = {
    **dict.fromkeys(("n_steps", "gold_step", "n_prompt_tokens", "n_target_tokens"), pa.int32()),
    "nest": pa.float64(), "weight": pa.float32(),
}  # fmt: skip


def _type(name: str) -> pa.DataType:
    return pa.list_(_MANY[name]) if name in _MANY else _NUMBERS.get(name, pa.string())


SCHEMA: Final = pa.schema(
    [(name, _type(name)) for name in ("example_id", *Row.__dataclass_fields__)], metadata={"errorhub.views": BUILDER}
)
"""One row an example; `datasets.load_dataset("parquet", …)` reads it as it is."""


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file this package wrote. Raise UsageError when it cannot be read as one."""
    try:
        with pq.ParquetFile(path) as file:
            if not {"example_id", "prompt", "completion"} <= set(file.schema_arrow.names):
                raise RecordError(f"{path} holds no rows of a view.", hint="errorhub views build")
            for batch in file.iter_batches(batch_size=200):
                yield from batch.to_pylist()
    except (OSError, pa.ArrowException) as problem:
        raise UsageError(f"cannot read rows from {path}: {type(problem).__name__}.") from None


def batch_of(rows: Iterable[Row]) -> pa.RecordBatch:
    """Return rows as one Arrow batch."""
    return pa.RecordBatch.from_pylist([row.document() for row in rows], SCHEMA)


def action_text(value: Any) -> str:
    """Return an action as text: as it is, or as canonical JSON."""
    return value if isinstance(value, str) else canonical(value).decode()
