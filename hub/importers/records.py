"""Files of several runs: one at a time, and a record that is none refuses itself, not the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import FormatError, RecordError
from errorhub.hub.importers.contract import Refused, Runs
from errorhub.hub.importers.draft import unfit
from errorhub.hub.importers.files import Log


def each_record(log: Log, read: Callable[[Any, int], Bundle]) -> Runs:
    """Yield the run of every record: every line of JSONL, every object of a list, or the one document."""
    for index, value, damage in _records(log):
        yield one_record(log, index, value, damage, read)


def one_record(
    log: Log, index: int, value: Any, damage: str | None, read: Callable[[Any, int], Bundle]
) -> Bundle | Refused:
    """Return the run of one record, or why it is none."""
    if damage is not None:
        return Refused(log.path, damage, record=index)
    try:
        return read(value, index)
    except (FormatError, RecordError) as problem:
        reason = str(problem)
    except ValidationError as problem:
        reason = unfit(problem)
    except RecursionError:
        reason = "nested too deeply to be read."
    return Refused(log.path, f"record {index}: {reason}" if log.shape == "lines" else reason, record=index)


def _records(log: Log) -> Iterator[tuple[int, Any, str | None]]:
    for line in log.lines():
        if line.damage is not None:
            yield line.index, None, f"line {line.number}: {line.damage}"
        elif log.shape == "document" and _is_list_of_runs(line.value):
            yield from ((index, value, None) for index, value in enumerate(line.value))
        else:
            yield line.index, line.value, None


def _is_list_of_runs(value: Any) -> bool:
    """A list whose items are runs of their own, not the messages of one."""
    return isinstance(value, list) and bool(value) and all(isinstance(i, dict) and "role" not in i for i in value)
