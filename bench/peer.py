"""The memory of agentdebugx, run through its own class: whole runs, token overlap, the newest 200."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.exporters.agentdebugx import write


class Peer:
    """Its store with some bundles saved in it, oldest first."""

    def __init__(self, bundles: Sequence[Bundle], folder: Path) -> None:
        from agentdebug.diagnose.attribute.deep_memory import SQLiteDeepMemoryStore

        folder.mkdir()
        self.store = SQLiteDeepMemoryStore(str(folder / "peer.sqlite"))
        self.runs = [_pair(bundle, folder) for bundle in bundles]
        self.places: dict[str, list[int]] = {}
        for at, (run, report) in enumerate(self.runs):
            self.store.save_run(run, report)
            said = " | ".join(one.failure_mode.description for one in report.findings).strip() or report.summary
            self.places.setdefault(said, []).append(at)

    def find(self, at: int, number: int = 200) -> dict[int, float]:
        """Return the score of every run it finds for the run at this place."""
        found = self.store.search_references(self.runs[at][0], top_k=number) or []
        return {place: one.score for one in found for place in self.places.get(one.description, [])}


def _pair(bundle: Bundle, folder: Path) -> tuple[Any, Any]:
    from agentdebug.schema import AgentTrajectory, DiagnosticReport

    (home,) = write(bundle, folder)
    run, report = (json.loads((home / f"{name}.json").read_text()) for name in ("trajectory", "report"))
    return AgentTrajectory.model_validate(run), DiagnosticReport.model_validate(report)
