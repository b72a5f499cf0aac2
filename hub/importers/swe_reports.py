"""SWE-bench reports beside a run: `report.json` or `<run>.report.json` in its folder, whose `resolved` is the outcome.

A report is either the verdict on one instance or maps instance ids to verdicts. What the tests were is known to graders
only.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Outcome
from errorhub.hub.bundle.trajectory import ConstructionOnly
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.files import Log
from errorhub.hub.importers.outcomes import broken, ended_as, judged
from errorhub.hub.importers.shapes import mapping

REPORT: Final = "report.json"
_RUNS: Final = (".traj.json", ".traj")
_LARGEST: Final = 1 << 24
_FAULTS: Final = ("install_failed", "timeout", "error_eval", "test_timeout", "empty_generation")


def outcome_of(path: Path, instance: str | None, exit_status: Any) -> tuple[Outcome, ConstructionOnly | None]:
    """Return the outcome of a run and what its report says; "submitted" alone is no verdict."""
    verdict = _verdict(path, instance)
    if verdict:
        fault = next((name for name in _FAULTS if verdict.get(name) is True), None)
        known = ConstructionOnly(verifier_context={"report": verdict})
        if fault:
            return broken("infrastructure", f"{REPORT} says {fault}", by=REPORT), known
        return judged(verdict["resolved"], by=REPORT), known
    if outcome := ended_as(exit_status, by="exit_status"):
        return outcome, None
    return Outcome(reason=f"exit status {exit_status}" if isinstance(exit_status, str) else None), None


def owner_of(path: Path) -> Path | None:
    """Return the one run whose outcome a report holds, if it lies beside it."""
    if path.name != REPORT:
        return None
    runs = [each for each in sorted(path.parent.iterdir()) if each.name.endswith(_RUNS) and each.is_file()]
    return runs[0] if len(runs) == 1 and _verdict(runs[0], None) else None


def _verdict(path: Path, instance: str | None) -> dict[str, Any]:
    """Return the report's verdict on a run, or nothing when there is none or it cannot be read."""
    for name in (f"{path.name.partition('.')[0]}.{REPORT}", REPORT):
        report = path.with_name(name)
        if report == path or report.is_symlink() or not report.is_file() or report.stat().st_size > _LARGEST:
            continue
        try:
            value = mapping(Log(report).document)
        except (FormatError, OSError):
            continue
        names = [key for key in (instance, path.name.partition(".")[0]) if key]
        for held in (value, *(mapping(value.get(key)) for key in names)):
            if "resolved" in held and isinstance(held["resolved"], bool | None):
                return held
    return {}
