"""Our own bundle documents, as `export --format json` writes them: one object a file, or one a line."""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.records import each_record

NAME: Final = "errorhub"


def fits(sample: Sample) -> bool:
    """Whether one of the first objects is a bundle of any version."""
    return any(is_document(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield the bundles of a file, each as raw: a receipt is only a claim of whoever wrote the file."""
    return each_record(log, lambda value, _: restored(value))


def restored(value: Any) -> Bundle:
    """Return the bundle of a document without its receipt; its bundle_id is the one it had."""
    return Bundle.from_document(value).replace(receipt=None)


def is_document(value: dict[str, Any]) -> bool:
    """Whether an object says that it is one of our bundles."""
    return str(value.get("schema", "")).startswith("errorhub.bundle/") and "trajectory" in value


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Bundles of this program, as JSON",
        recognised="an object whose `schema` begins with `errorhub.bundle/`",
        extensions=(".json", ".jsonl"),
        step_base=0,
    ),
    fits,
    read,
)
