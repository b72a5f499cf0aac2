"""Harbor trials: `result.json` beside a trajectory, or above its `agent/` folder, holds the outcome of the trial."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from errorhub.hub.bundle import Outcome
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.files import Log
from errorhub.hub.importers.outcomes import broken, rewarded
from errorhub.hub.importers.shapes import mapping

RESULT: Final = "result.json"
_LARGEST: Final = 1 << 24


def outcome_of(path: Path) -> Outcome | None:
    """Return the outcome of the trial a trajectory belongs to, or None when there is no result of one.

    A missing reward, or one that an exception made void, is nobody's error.
    """
    places = [path.with_name(RESULT)]
    places += [path.parent.parent / RESULT] if path.parent.name == "agent" else []
    for place in places:
        if result := _result(place):
            return _outcome(result)
    return None


def owner_of(path: Path) -> Path | None:
    """Return the one trajectory whose outcome a result holds, if it is there."""
    if path.name != RESULT or not _result(path):
        return None
    folders = (path.parent, path.parent / "agent")
    found = [each for folder in folders for each in sorted(folder.glob("trajectory*.json")) if each.is_file()]
    return found[0] if len(found) == 1 else None


def _outcome(result: dict[str, Any]) -> Outcome:
    stopped = mapping(result.get("exception_info"))
    if result.get("reward_valid") is False or (stopped and not mapping(result.get("verifier_result"))):
        return broken("infrastructure", f"the trial stopped: {stopped.get('exception_type') or 'exception'}", by=RESULT)
    rewards = mapping(mapping(result.get("verifier_result")).get("rewards"))
    return rewarded(rewards.get("reward", next(iter(rewards.values()), None)), by="reward")


def _result(path: Path) -> dict[str, Any]:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > _LARGEST:
        return {}
    try:
        value = mapping(Log(path).document)
    except (FormatError, OSError):
        return {}
    return value if {"verifier_result", "exception_info"} & value.keys() else {}
