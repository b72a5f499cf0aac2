"""Proposals and decisions to test with."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from errorhub.hub.taxonomy.decision import Decision
from errorhub.hub.workspace import Workspace

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


def ids(*numbers: int) -> list[str]:
    """Return diagnosis ids, sorted."""
    return sorted(sha256(str(number).encode()).hexdigest() for number in numbers)


def proposal(name: str, numbers: Iterable[int], **facts: Any) -> dict[str, Any]:
    """Return a proposal as the induction writes it."""
    members = ids(*numbers)
    return {
        "id": sha256("".join(members).encode()).hexdigest(), "name": name, "family": "planning", "description": "",
        "support": len(members), "members": members, "status": "proposed", "terms": name.split(), "nearest": None,
        "similarity": 0.2, "stability": 0.9, "examples": [],
    } | facts  # fmt: skip


def propose(workspace: Workspace, *proposals: dict[str, Any]) -> list[str]:
    """Save proposals as those of the last induction and return their ids."""
    document = {"format": "errorhub.proposals/1", "proposals": proposals}
    (workspace.folder / "proposals.json").write_text(json.dumps(document))
    return [one["id"] for one in proposals]


def at(minute: int) -> str:
    """Return a time as decisions hold it."""
    return (START + timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def decided(action: str, minute: int, **facts: Any) -> Decision:
    """Return a decision."""
    return Decision.model_validate({"action": action, "at": at(minute), "by": "ada"} | facts)


def accepted(name: str, numbers: Iterable[int], minute: int = 0, **facts: Any) -> Decision:
    """Return the decision to accept a proposal of these diagnoses."""
    one = proposal(name, numbers)
    defined = {"id": f"planning.{name}", "name": name, "family": "planning"}
    answers = [{"proposal": one["id"], "members": one["members"]}]
    return decided("accept", minute, answers=answers, defines=[defined], **facts)


def rejected(numbers: Iterable[int], minute: int = 0, **facts: Any) -> Decision:
    """Return the decision to reject a proposal of these diagnoses."""
    one = proposal("x", numbers)
    return decided("reject", minute, answers=[{"proposal": one["id"], "members": one["members"]}], **facts)


def undone(one: Decision, minute: int = 50) -> Decision:
    """Return the decision to take one back."""
    return decided("undo", minute, target=one.id)
