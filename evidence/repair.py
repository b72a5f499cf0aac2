"""What was tried against a failure, and how it ended."""

from __future__ import annotations

from errorhub.hub.bundle import Attempt, Bundle, Repair
from errorhub.hub.errors import NotFound, UsageError


def add_repair(
    bundle: Bundle, directive: str, *, attempt: Attempt | None = None, diagnosis: str | None = None
) -> tuple[Bundle, Repair]:
    """Return the bundle with a directive and, when given, one more attempt at it.

    `diagnosis` is a prefix of the diagnosis_id it answers, by default that of the last one. The same directive
    gathers its attempts; the same attempt twice is one. Raise UsageError without a directive.
    """
    if not directive.strip():
        raise UsageError("no directive given. Say in words what the retry was told.")
    name = _answered(bundle, diagnosis)
    held = next((one for one in bundle.repairs if (one.directive, one.diagnosis_id) == (directive, name)), None)
    attempts = held.attempts if held else ()
    if attempt and attempt not in attempts:
        attempts = (*attempts, attempt)
    repair = Repair(diagnosis_id=name, kind="directive", directive=directive, attempts=attempts)
    others = tuple(one for one in bundle.repairs if one is not held)
    return bundle.replace(repairs=(*others, repair)), repair


def _answered(bundle: Bundle, prefix: str | None) -> str | None:
    if prefix is None:
        return bundle.diagnosis_ids[-1] if bundle.diagnoses else None
    found = [name for name in bundle.diagnosis_ids if name.startswith(prefix)]
    if len(found) != 1:
        raise NotFound(f"{len(found)} diagnoses of the bundle have the id {prefix}.")
    return found[0]
