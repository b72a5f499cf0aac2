"""Overlap with a public benchmark: the same task id, or eight words of the task in a row."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import UsageError
from errorhub.views.leaks import GRAM, grams, words

_ID_KEYS: Final = frozenset({"id", "task_id", "question_id", "instance_id", "uid", "uuid"})


@dataclass(frozen=True)
class Benchmark:
    """A registered benchmark: its name, its ids, the word runs of its tasks."""

    name: str
    ids: frozenset[str]
    grams: frozenset[str]

    def holds(self, bundle: Bundle) -> bool:
        """Tell whether a run's task is, or quotes, one of the benchmark's."""
        task = bundle.trajectory.task
        if self.ids & {task.id, *task.aliases}:
            return True
        return not self.grams.isdisjoint(grams(words(task.goal or "")))


def read_benchmark(path: Path) -> Benchmark:
    """Read a JSON, JSONL or text file of tasks. Raise UsageError when there is nothing to compare with."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise UsageError(f"cannot read the benchmark {path}: {type(problem).__name__}.") from None
    ids: set[str] = set()
    told: set[str] = set()
    for value in _values(text):
        for key, one in _leaves("", value):
            if key.lower() in _ID_KEYS:
                ids.add(str(one))
            elif isinstance(one, str):
                told |= grams(words(one))
    if not ids and not told:
        raise UsageError(f"the benchmark {path} holds no id and no text of {GRAM} words.")
    return Benchmark(path.stem, frozenset(ids), frozenset(told))


def _values(text: str) -> Iterator[Any]:
    """Yield the JSON documents of a text, else its lines."""
    try:
        yield json.loads(text)
        return
    except ValueError:
        pass
    for line in text.splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            yield line


def _leaves(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(str(name), item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(key, item)
    elif value is not None:
        yield key, value
