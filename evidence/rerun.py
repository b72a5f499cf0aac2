"""Retries that AgentDebugX planned or ran, as repairs of the bundles they are about.

| record                              | becomes                                                                    |
|-------------------------------------|----------------------------------------------------------------------------|
| rerun plan, actor task (pending)    | a directive nobody has tried yet                                           |
| rerun result, executed              | a directive with both arms: the source run as it ended, and the rerun      |
| rerun result, simulated             | the same, but its outcome can never be a pass: nothing was executed        |

Its `improved` is a lower count of events with an error, never a verdict: the outcome stays unknown unless the runner
recorded one (`outcome` with `status` and `verifier` in the metadata of the execution or of its trajectory), or a
person gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from errorhub.hub.bundle import Attempt, Bundle, Outcome, Repair
from errorhub.hub.errors import FormatError, RecordError
from errorhub.hub.exporters.agentdebugx import event_ids
from errorhub.hub.importers import Refused
from errorhub.hub.importers.agentdebugx_files import Kind, kind_of, trace_of
from errorhub.hub.importers.agentdebugx_rerun import repair_of
from errorhub.hub.importers.agentdebugx_trajectory import NAME, read_trajectory
from errorhub.hub.importers.files import Log, parse
from errorhub.hub.importers.shapes import mapping, text_or_none

SOURCE_RUN = "the source run itself, not a fresh retry"
"""Reason of an original arm that is the recorded run: no view and no statistic takes it for a matched retry."""

_ELSEWHERE = {
    "report": "a report of AgentDebugX. `errorhub import` reads it with the run beside it.",
    "trajectory": "a run of AgentDebugX. `errorhub import` reads it.",
}
"""Records of the package that are none of these."""

_CERTAINTY = {"log": 0, "rule": 1, "human": 2}


@dataclass
class Retries:
    """What a set of files brought."""

    changed: dict[str, Bundle] = field(default_factory=dict)
    """bundle_id as it was -> bundle with its new repairs."""
    repairs: list[tuple[Bundle, Repair]] = field(default_factory=list)
    """Each record's repair with its bundle, new or not."""
    imported: int = 0
    unchanged: int = 0
    refused: list[Refused] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 all read, 2 nothing read, 3 some refused."""
        return 0 if not self.refused else 3 if self.repairs else 2


def import_repairs(
    paths: Iterable[Path],
    bundles: Iterable[Bundle],
    *,
    outcome: Literal["passed", "failed"] | None = None,
    about: Bundle | None = None,
    scrubbed: Mapping[str, str] | None = None,
) -> Retries:
    """Attach plans, tasks and results to the bundles of their traces, or all to the one they are said to be `about`.

    `outcome` is a person's verdict on every rerun; `scrubbed` gives the trajectory_id of the clean copy of an origin,
    under which it was exported. A record that fits no bundle, or several, is refused; reading the same files again
    changes nothing.
    """
    result, held = Retries(), _by_trace(bundles if about is None else (about,), scrubbed or {})
    for path in paths:
        for number, record in _records(path, result):
            kind = kind_of(record)
            if kind in ("rerun", "plan", "task"):
                found = [about] if about else _owners(kind, record, held)
                reason = _attach(result, kind, record, found, outcome)
            else:
                reason = _ELSEWHERE.get(kind or "", "no rerun plan, rerun result or actor task of AgentDebugX.")
            if reason:
                result.refused.append(Refused(path, reason, record=number))
    return result


def _records(path: Path, result: Retries) -> Iterator[tuple[int, dict[str, Any]]]:
    try:
        if path.suffix.lower() == ".parquet":
            yield from enumerate(_rows(path))
            return
        for line in Log(path).lines():
            for place, value in enumerate(line.value if isinstance(line.value, list) else [line.value], line.index):
                if line.damage is None and isinstance(value, dict):
                    yield place, value
                else:
                    result.refused.append(Refused(path, line.damage or "no JSON object.", record=place))
    except (FormatError, OSError) as problem:
        result.refused.append(Refused(path, str(problem) if isinstance(problem, FormatError) else "cannot be read."))


def _rows(path: Path) -> list[dict[str, Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return [dict(row) for row in pq.read_table(path).to_pylist()]
    except (pa.ArrowException, ValueError):
        raise FormatError("no readable Parquet table.") from None


def _by_trace(bundles: Iterable[Bundle], scrubbed: Mapping[str, str]) -> dict[str, list[Bundle]]:
    """Return the bundles by the names a trace may have: the source's own, that of our export, the trajectory's."""
    found: dict[str, list[Bundle]] = {}
    for bundle in bundles:
        names = {text_or_none(bundle.trajectory.run.metadata.get("trace_id"))}
        for name in {bundle.trajectory_id, scrubbed.get(bundle.provenance.origin_key or "")} - {None}:
            names |= {name, f"trace_{str(name)[:32]}"}
        for name in names - {None}:
            found.setdefault(str(name), []).append(bundle)
    return found


def _owners(kind: Kind, record: dict[str, Any], held: dict[str, list[Bundle]]) -> list[Bundle]:
    named = held.get(trace_of(kind, record), [])
    text = record.get("source_trajectory_json")
    if len(named) == 1 or kind != "task" or not isinstance(text, str):
        return named
    try:
        run = read_trajectory(mapping(parse(text.encode("utf-8", "surrogatepass"))), 0)
    except (FormatError, ValueError):
        return named
    return held.get(run.trajectory_id, named)


def _attach(
    result: Retries,
    kind: Kind,
    record: dict[str, Any],
    found: list[Bundle],
    outcome: Literal["passed", "failed"] | None,
) -> str | None:
    """Add one record to its bundle; return why not."""
    if len(found) != 1:
        many = f"{len(found)} bundles are of its trace. Name one with --bundle."
        return many if found else "no bundle is of its trace. Import the trajectory first, or name one with --bundle."
    bundle = result.changed.get(found[0].bundle_id, found[0])
    steps = bundle.trajectory.steps
    named = zip(event_ids(steps), steps, strict=True)
    events = [{"event_id": name, "step_index": one.metadata.get("step_index")} for name, one in named]
    try:
        fresh = repair_of(kind, record, {"events": events}, bundle.trajectory, bundle.diagnoses)
    except (FormatError, RecordError, ValueError) as problem:
        return str(problem) if isinstance(problem, FormatError) else "it does not fit the record of a repair."
    if fresh.attempts:
        if outcome and _simulated(record):
            return "a model played this rerun and nothing was executed: it has no outcome."
        tried = fresh.attempts[0].replace(outcome=_outcome(record, fresh.attempts[0].outcome, outcome))
        fresh = fresh.replace(attempts=(_original(bundle), tried))
    after, repair = _gathered(bundle, fresh, kind)
    result.repairs.append((after, repair))
    if after.bundle_id == bundle.bundle_id:
        result.unchanged += 1
    else:
        result.imported += 1
        result.changed[found[0].bundle_id] = after
    return None


def _original(bundle: Bundle) -> Attempt:
    """Return the source run as the original arm: without a checkpoint, so that nothing pairs it as a fresh retry."""
    return Attempt(arm="original", outcome=bundle.trajectory.outcome.replace(reason=SOURCE_RUN))


def _simulated(record: dict[str, Any]) -> bool:
    return record.get("verified") is False or "simulated" in str(record.get("execution_mode"))


def _outcome(record: dict[str, Any], told: Outcome, human: Literal["passed", "failed"] | None) -> Outcome:
    """Return the verdict of a person, else of a verifier that the runner named, else none."""
    if human:
        return Outcome(status=human, source="human", reason=told.reason)
    execution = mapping(record.get("execution"))
    places = (mapping(execution.get("metadata")), mapping(mapping(execution.get("trajectory")).get("metadata")))
    for said in (mapping(place.get("outcome")) for place in places):
        verifier, status = text_or_none(said.get("verifier")), said.get("status")
        if verifier and status in ("passed", "failed") and not _simulated(record):
            reason = text_or_none(said.get("reason")) or told.reason
            return Outcome(status="passed" if status == "passed" else "failed", verifier=verifier, reason=reason)
    return told


def _gathered(bundle: Bundle, fresh: Repair, kind: Kind) -> tuple[Bundle, Repair]:
    """Return the bundle with a repair; the same directive for the same diagnosis gathers its attempts."""
    key = (fresh.directive.strip(), fresh.diagnosis_id)
    held = next((one for one in bundle.repairs if (one.directive.strip(), one.diagnosis_id) == key), None)
    if held is None:
        return bundle.replace(repairs=(*bundle.repairs, fresh)), fresh
    attempts = list(held.attempts)
    for one in fresh.attempts:
        same = next((n for n, old in enumerate(attempts) if _same(old, one)), None)
        if same is None:
            attempts.append(one)
        elif _weight(one.outcome) > _weight(attempts[same].outcome):
            attempts[same] = one
    own, new = mapping(held.metadata.get(NAME)), mapping(fresh.metadata.get(NAME))
    known = own in ({}, new) or own.get(kind) == new
    metadata = held.metadata | {NAME: (own or new) if known else own | {kind: new}}
    repair = held.replace(attempts=tuple(attempts), metadata=metadata)
    return bundle.replace(repairs=tuple(repair if one is held else one for one in bundle.repairs)), repair


def _same(one: Attempt, other: Attempt) -> bool:
    return (one.arm, one.state_ref, one.steps) == (other.arm, other.state_ref, other.steps)


def _weight(outcome: Outcome) -> int:
    return 0 if outcome.status == "unknown" else 1 + _CERTAINTY[outcome.source]
