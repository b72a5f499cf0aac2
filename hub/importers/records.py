"""Files of several runs: one at a time, and a record that is none refuses itself, not the file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import FormatError, RecordError
from errorhub.hub.importers.contract import Refused, Runs
from errorhub.hub.importers.draft import Draft, listed, plural, unfit
from errorhub.hub.importers.files import Line, Log


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


def session_lines(log: Log, draft: Draft) -> tuple[list[Line], list[Refused]]:
    """Return the objects of a log that is one run, and one refusal for all its damaged lines.

    Raise FormatError when more than half of the lines are damaged.
    """
    good: list[Line] = []
    damaged: list[Line] = []
    for line in log.lines():
        fine = line.damage is None and isinstance(line.value, dict)
        (good if fine else damaged).append(line)
    return good, damage(log, draft, damaged, len(good) + len(damaged))


def damage(log: Log, draft: Draft, damaged: list[Line], count: int) -> list[Refused]:
    """Note the damaged lines of a run of `count` lines, and return their refusal."""
    if not damaged:
        return []
    if 2 * len(damaged) > count:
        raise FormatError(f"{len(damaged)} of {plural(count, 'line')} are no records: more than half.")
    where = listed([line.number for line in damaged])
    draft.lose("damaged line", len(damaged))
    draft.warn(f"{where}: no record, left out.")
    reason = (damaged[0].damage or "not an object.").rstrip(".")
    return [Refused(log.path, f"{where}: no record ({reason}); the rest was read.", record=damaged[0].index)]


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
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(item, dict) and {"role", "from"}.isdisjoint(item) for item in value)
    )
