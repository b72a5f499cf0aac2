"""The run an importer is putting together: its steps, and a ledger of what has no place in the record."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from pydantic import ValidationError

from errorhub.hub.bundle import Bundle, Diagnosis, Outcome, Repair, Rights, Step, Trajectory
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Source, Task
from errorhub.hub.errors import FormatError

_NAME: Final = re.compile(r"[\w .,:$@/+-]{1,80}")


class Draft:
    """Collect one run step by step. Nothing is dropped without a count or a warning."""

    def __init__(self, format: str, *, step_base: int | None = None, record: int = 0) -> None:
        self.format = format
        self.step_base = step_base
        self.record = record
        self.version: str | None = None
        self.steps: list[Step] = []
        self.warnings: list[str] = []
        self._lost: Counter[str] = Counter()
        self._tools: dict[str, str] = {}

    def add(self, agent: str, kind: str, **parts: Any) -> int:
        """Append a step and return its position."""
        if metadata := parts.get("metadata"):
            parts["metadata"] = {name: value for name, value in metadata.items() if value is not None}
        step = Step.model_validate({"agent": agent, "kind": kind, **parts})
        self.steps.append(step)
        if step.kind == "tool.call" and step.call_id and step.tool:
            self._tools[step.call_id] = step.tool
        return len(self.steps) - 1

    def tool_of(self, call_id: str | None) -> str | None:
        """Return the tool that the latest call of this id named."""
        return self._tools.get(call_id) if call_id else None

    def lose(self, what: str, count: int = 1) -> None:
        """Count something that has no place in the record, under its name if it looks like one."""
        self._lost[what if _NAME.fullmatch(what) else "unusual name"] += count

    def lose_unknown(self, value: dict[str, Any], known: frozenset[str], prefix: str = "") -> None:
        """Count every field that is set and not known."""
        for name in sorted(value.keys() - known):
            if value[name] not in (None, "", [], {}):
                self.lose(f"{prefix}{name}")

    def warn(self, text: str) -> None:
        """Say once what a reader should know before trusting the steps."""
        if text not in self.warnings:
            self.warnings.append(text)

    def trajectory(
        self,
        *,
        task: Task,
        run: Run,
        outcome: Outcome | None = None,
        construction_only: ConstructionOnly | None = None,
    ) -> Trajectory:
        """Return the finished run. Raise FormatError when nothing happened in it."""
        if not self.steps:
            raise FormatError("holds no step of a run.")
        self._pair()
        source = Source(
            format=self.format,
            version=self.version,
            record=self.record,
            step_base=self.step_base,
            unmapped=dict(sorted(self._lost.items())),
            warnings=tuple(self.warnings),
        )
        return Trajectory(
            task=task,
            run=run,
            steps=tuple(self.steps),
            outcome=outcome or Outcome(),
            source=source,
            construction_only=construction_only or ConstructionOnly(),
        )

    def _pair(self) -> None:
        """Warn of results without a call and of ids used twice: calls and results pair by id only."""
        calls = Counter(step.call_id for step in self.steps if step.kind == "tool.call" and step.call_id)
        results = [step for step in self.steps if step.kind == "tool.result"]
        orphans = sum(step.call_id not in calls for step in results if step.call_id or step.role == "tool")
        twice = sum(count > 1 for count in calls.values())
        if orphans:
            self.warn(f"{plural(orphans, 'tool result')} without a call of the same id, kept.")
        if twice:
            self.warn(f"{plural(twice, 'call id')} used by more than one call: their results cannot be told apart.")


def bundle(
    trajectory: Trajectory,
    *,
    diagnoses: tuple[Diagnosis, ...] = (),
    repairs: tuple[Repair, ...] = (),
    rights: Rights | None = None,
) -> Bundle:
    """Return the raw bundle of a run."""
    return Bundle(trajectory=trajectory, diagnoses=diagnoses, repairs=repairs, rights=rights or Rights())


def unfit(problem: ValidationError) -> str:
    """Say where a run does not fit the record, without its content."""
    first = problem.errors(include_input=False, include_url=False, include_context=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return f"does not fit the record at {place}: {first['msg']}."


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return the count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {many or noun + 's'}"


def listed(numbers: list[int], most: int = 5) -> str:
    """Return line numbers as words: `line 3`, `lines 3, 4 and 9 more`."""
    shown = ", ".join(str(number) for number in numbers[:most])
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown}{more}"
