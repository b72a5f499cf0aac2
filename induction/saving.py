"""The result on disk: proposals for whoever decides, assignments for whoever measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.durable import write_file, writing
from errorhub.hub.taxonomy.proposals import FILE, FORMAT
from errorhub.hub.workspace import Workspace
from errorhub.induction.proposal import Induction


def save_proposals(workspace: Workspace, induction: Induction) -> Path:
    """Write the proposals into the workspace, whole or not at all, in place of those of the last induction."""
    path = workspace.folder / FILE
    with writing("proposals", path):
        write_file(path, canonical({"format": FORMAT, **induction_document(induction)}) + b"\n")
    return path


def induction_document(induction: Induction) -> dict[str, Any]:
    """Return the result as one JSON object, without the assignments."""
    return induction.model_dump(mode="json", exclude={"assignments"})


def save_assignments(path: Path, induction: Induction) -> None:
    """Write where every finding ended, one JSON object a line, by diagnosis id."""
    lines = [canonical(one.model_dump(mode="json")) + b"\n" for one in induction.assignments]
    with writing("assignments", path):
        write_file(path, b"".join(lines), mode=0o644)
