"""Intake: logs become raw bundles of a workspace. Reading the same log again changes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from errorhub.hub.bundle import Attempt, Bundle, Case, Outcome
from errorhub.hub.errors import FormatError, UsageError
from errorhub.hub.importers import Imported, Refused, read_log, walk
from errorhub.hub.labels import labelled, of_run, read_labels
from errorhub.hub.workspace import VERSION, Workspace, now
from errorhub.scrubber import Vault

_CHUNK = 200
_NO_RUN = "names no run that was read, neither by its file, its task id nor the start of its trajectory id"
_VERDICTS: dict[str, Literal["failed", "passed"]] = {"failed": "failed", "passed": "passed"}
_ARMS: dict[str, Literal["corrected", "original"]] = {"corrected": "corrected", "original": "original"}


@dataclass(frozen=True)
class Terms:
    """What the person importing adds to every run."""

    outcome: Literal["failed", "passed"] | None = None
    """Her own verdict on the runs; recorded with source *human*."""
    license: str | None = None
    """SPDX expression under which she will share them."""
    contributor: str | None = None
    organisation: str | None = None


def licensed(expression: str | None) -> str | None:
    """Read a licence. Raise UsageError when it is no SPDX expression."""
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression

    if not expression:
        return None
    try:
        return canonicalize_license_expression(expression)
    except InvalidLicenseExpression:  # shown in part: it may be something else that was typed there
        raise UsageError(f"not an SPDX licence: {expression[:8]}…. For example CC-BY-4.0, MIT or Apache-2.0.") from None


def judged(outcome: str | None) -> Literal["failed", "passed"] | None:
    """Read a person's verdict. Raise UsageError when it is neither failed nor passed."""
    if outcome is None:
        return None
    if outcome not in _VERDICTS:
        raise UsageError(f"no such outcome: {outcome}. Use failed or passed.")
    return _VERDICTS[outcome]


@dataclass
class Intake:
    """What came in and what was refused."""

    bundles: list[tuple[Bundle, Path]] = field(default_factory=list)
    imported: int = 0
    unchanged: int = 0
    refused: list[Refused] = field(default_factory=list)

    @property
    def exit_code(self) -> int:
        """0 all read, 2 nothing read, 3 some refused."""
        if not self.refused:
            return 0
        return 3 if self.bundles else 2


def intake(
    paths: Iterable[Path],
    workspace: Workspace | None,
    *,
    format: str = "auto",
    terms: Terms | None = None,
    labels: Path | None = None,
) -> Intake:
    """Read logs into the raw stage; without a workspace (dry run) read them and keep nothing.

    A label that names none of these runs is refused. Raise UsageError when a path does not exist.
    """
    paths = list(paths)
    for path in paths:
        if not path.exists():
            raise UsageError(f"no such file or folder: {path}.")
    result, notes = Intake(), read_labels(labels) if labels else []
    unused = {number for number, record in enumerate(notes) if record}
    runs = _read(paths, format, result)
    vault = Vault.open() if workspace else None
    while chunk := list(islice(runs, _CHUNK)):
        for run in chunk:
            bundle = with_terms(run.bundle, terms or Terms())
            own = of_run(bundle, notes)
            unused.difference_update(own)
            given = [label for number in own for label in notes[number]]
            bundle, wrong = labelled(bundle, given)
            result.refused += [Refused(run.source, reason, 3, None) for reason in wrong]
            result.bundles.append((_stamped(bundle, vault), run.source))
        if workspace:
            _keep(workspace, result, len(chunk))
    if not workspace:
        result.imported = len(result.bundles)
    if labels:
        result.refused += [Refused(labels, f"label {number} {_NO_RUN}.", 3, number) for number in sorted(unused)]
    return result


def origin_key(bundle: Bundle, vault: Vault) -> str:
    """Return the keyed name of a run as it was imported: stable under every later diagnosis and scrub."""
    return vault.hmac("origin", f"{bundle.trajectory_id} {bundle.trajectory.task_id}")


def summary(bundle: Bundle, source: Path) -> dict[str, Any]:
    """Return what a person needs to see that a log was understood."""
    steps = bundle.trajectory.steps
    return {
        "bundle_id": bundle.bundle_id,
        "trajectory_id": bundle.trajectory_id,
        "format": bundle.trajectory.source.format,
        "source": str(source),
        "steps": len(steps),
        "tool_calls": sum(step.kind == "tool.call" for step in steps),
        "tool_results": sum(step.kind == "tool.result" for step in steps),
        "agents": list(bundle.trajectory.agents),
        "goal": bundle.trajectory.task.goal,
        "outcome": bundle.trajectory.outcome.status,
        "diagnoses": len(bundle.diagnoses),
        "repairs": len(bundle.repairs),
        "warnings": list(bundle.trajectory.source.warnings),
        "unmapped": sum(bundle.trajectory.source.unmapped.values()),
    }


def with_terms(bundle: Bundle, terms: Terms) -> Bundle:
    """Return the bundle under a person's terms; what she leaves open stays as it is.

    A verdict on all runs at once does not make one that nobody can grade an agent's error.
    """
    given = {"license": terms.license, "contributor": terms.contributor, "organisation": terms.organisation}
    rights = bundle.rights.replace(**{name: value for name, value in given.items() if value is not None})
    trajectory = bundle.trajectory
    if terms.outcome and trajectory.outcome.status != "ungradable":
        outcome = Outcome(status=terms.outcome, source="human", reason=trajectory.outcome.reason)
        trajectory = trajectory.replace(outcome=outcome)
    return bundle.replace(rights=rights, trajectory=trajectory)


def merged(held: Bundle, fresh: Bundle) -> Bundle:
    """Return the held bundle with everything the fresh one adds: diagnoses, repairs, a verdict, terms."""
    case = Case.of(held, fresh)
    added = [one for one in case.diagnoses if one not in held.diagnoses]
    tried = [one for one in case.repairs if one not in held.repairs]
    outcome = _outcome(held.trajectory.outcome, fresh.trajectory.outcome)
    rights = held.rights.replace(**fresh.rights.model_dump(exclude_none=True))
    return held.replace(
        diagnoses=(*held.diagnoses, *added),
        repairs=(*held.repairs, *tried),
        trajectory=held.trajectory.replace(outcome=outcome),
        rights=rights,
    )


def _outcome(held: Outcome, fresh: Outcome) -> Outcome:
    if fresh.source == "human" and fresh.status != "unknown":
        return held if held.source == "human" and held.status == fresh.status else fresh
    return fresh if held.status == "unknown" else held


def _read(paths: list[Path], format: str, result: Intake) -> Iterator[Imported]:
    for log in walk(paths):
        for run in read_log(log, format=format):
            if isinstance(run, Refused):
                result.refused.append(run)
            else:
                yield run


def _stamped(bundle: Bundle, vault: Vault | None) -> Bundle:
    """Add when, by which version, and the keyed name of the run as it was imported."""
    key = origin_key(bundle, vault) if vault else None
    return bundle.replace(provenance=bundle.provenance.replace(version=VERSION, imported_at=now(), origin_key=key))


def _keep(workspace: Workspace, result: Intake, size: int) -> None:
    start = len(result.bundles) - size
    fresh = result.bundles[start:]
    with workspace.raw.editing():
        held = workspace.raw.held({bundle.provenance.origin_key or "" for bundle, _ in fresh})
        changed: dict[str, Bundle] = {}
        for place, (bundle, source) in enumerate(fresh, start):
            key = bundle.provenance.origin_key or ""
            before = changed.get(key) or held.get(key)
            after = merged(before, bundle) if before else bundle
            if before and after.bundle_id == before.bundle_id:
                result.unchanged += 1
            else:
                changed[key] = after
                result.imported += 1
            result.bundles[place] = (after, source)
        if changed:
            workspace.raw.put(changed.values())


def retry(run: Path | None, *, arm: str, outcome: str | None, state_ref: str | None) -> Attempt | None:
    """Return one attempt at a repair, its steps read from a log when there is one; None when nothing is told of it.

    Raise UsageError for an unknown arm or outcome, FormatError when the log does not hold exactly one run.
    """
    if arm not in _ARMS:
        raise UsageError(f"no such arm: {arm}. Use corrected or original.")
    verdict = judged(outcome)
    if not (run or verdict or state_ref):
        return None
    ended = Outcome(status=verdict, source="human") if verdict else None
    if run is None:
        return Attempt(arm=_ARMS[arm], state_ref=state_ref, outcome=ended or Outcome())
    found = intake([run], None)
    if len(found.bundles) != 1:
        reason = found.refused[0].reason if found.refused else f"it holds {len(found.bundles)} runs"
        raise FormatError(f"log of the retry is not one run: {run.name}: {reason}")
    trajectory = found.bundles[0][0].trajectory
    return Attempt(arm=_ARMS[arm], state_ref=state_ref, steps=trajectory.steps, outcome=ended or trajectory.outcome)
