"""An AgentDebugX report as diagnoses and retry directives, and the reports that must not be believed."""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Citation, Correction, Diagnosis, Repair, Trajectory
from errorhub.hub.bundle.diagnosis import Mode, Origin
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.importers.agentdebugx_trajectory import NAME, Events, is_bench
from errorhub.hub.importers.shapes import items, mapping, objects, text_or_none

_CONSTANT: Final = "attribution.root_cause"
"""DeepDebug's only mode: a constant that says nothing of the failure."""

_MAPPED: Final = frozenset({"event_id", "agent_name", "step_index", "confidence", "suggestion", "evidence"})


def poisoned(report: dict[str, Any]) -> bool:
    """Whether DeepDebug wrote the report although its model gave no usable answer (it looks confident all the same)."""
    for entry in objects(report.get("audit")):
        answer = str(entry.get("response_summary", ""))
        if entry.get("stage") == "global_read" and answer.startswith("step=None agent=None"):
            return True
        if entry.get("stage") == "cross_examine" and "aao_empty->moe" in answer:
            return True
    return False


class ReportReader:
    """One report on its way to diagnoses of a run."""

    def __init__(self, report: dict[str, Any], value: dict[str, Any], trajectory: Trajectory) -> None:
        self.report = report
        self.trajectory = trajectory
        self.events = Events(value["events"])
        self.bench = is_bench(value)
        self.unplaced = 0
        self.metadata = mapping(report.get("metadata"))
        self.attribution = mapping(report.get("attribution"))

    def diagnoses(self) -> tuple[Diagnosis, ...]:
        """Return a diagnosis for every finding, hypothesis and root cause that has a place in the run, that one first.

        A finding and a hypothesis about the same event are one diagnosis.
        """
        found = [self._finding(item) for item in objects(self.report.get("findings"))]
        found += [self._hypothesis(item, found) for item in self._hypotheses()]
        found += [self._candidate(item) for item in objects(self.metadata.get("novel_mode_candidates"))]
        placed = [diagnosis for diagnosis in found if diagnosis is not None]
        root = self.events.position(self.report.get("root_cause_event_id"), self.report.get("root_cause_step_index"))
        if root is not None and all(diagnosis.step != root for diagnosis in placed):
            placed.append(self._root(root))
        placed.sort(key=lambda diagnosis: diagnosis.step != root)
        if placed:
            metadata = dict(placed[0].metadata)
            metadata[NAME] = {**metadata.get(NAME, {}), "report": self.remainder()}
            placed[0] = placed[0].replace(metadata=metadata)
        return tuple(placed)

    def repairs(self, diagnoses: tuple[Diagnosis, ...]) -> tuple[Repair, ...]:
        """Return the proposals of the report as directives that nobody has tried."""
        proposals = objects(mapping(self.report.get("recovery")).get("proposals"))
        return tuple(
            Repair(
                diagnosis_id=answered(diagnoses, self.events.position(item.get("target_event_id"), None),
                                      self.trajectory),
                kind="directive",
                directive=str(item.get("suggestion_text") or item.get("summary") or ""),
            )
            for item in proposals
        )  # fmt: skip

    def remainder(self) -> dict[str, Any]:
        """Return everything of the report that is not in a finding."""
        kept = {name: held for name, held in self.report.items() if name not in ("findings", "trace_id")}
        return {name: held for name, held in kept.items() if held not in (None, [], {})}

    def _finding(self, item: dict[str, Any]) -> Diagnosis | None:
        place = self._place(item.get("event_id"), item.get("step_index"))
        if place is None:
            return None
        mode = mapping(item.get("failure_mode"))
        citations, unquoted = self._evidence(item, place)
        constant = mode.get("mode_id") == _CONSTANT
        rest = {name: held for name, held in item.items() if name not in _MAPPED and held not in (None, [], {})}
        rest |= {"statements": unquoted} if unquoted else {}
        hypothesis = next((h for h in self._hypotheses() if h.get("span_id") == item.get("event_id")), {})
        return self._diagnosis(
            place,
            item,
            explanation=self._reason(hypothesis) if constant else _described(mode, unquoted),
            evidence=citations,
            correction=_correction(item.get("suggestion"), hypothesis.get("corrected_action")),
            mode=None if constant or not mode.get("mode_id") else _mode(mode),
            confidence=_confidence(item.get("confidence")),
            author=self._author(),
            metadata={NAME: {"finding": rest}},
        )

    def _hypothesis(self, item: dict[str, Any], found: list[Diagnosis | None]) -> Diagnosis | None:
        place = self._place(item.get("span_id"), item.get("step_index"))
        if place is None or any(diagnosis is not None and diagnosis.step == place for diagnosis in found):
            return None
        citations, _ = self._evidence(item, place)
        return self._diagnosis(
            place,
            item,
            explanation=str(item.get("rationale") or ""),
            evidence=citations,
            correction=_correction(None, item.get("corrected_action")),
            author=f"{NAME}/{self.attribution.get('method') or 'attribution'}",
        )

    def _candidate(self, item: dict[str, Any]) -> Diagnosis | None:
        """Return a suggestion for a mode that no scheme has yet."""
        place = self._place(None, item.get("step_index"))
        if place is None:
            return None
        return self._diagnosis(
            place,
            item,
            explanation=str(item.get("description") or ""),
            evidence=self._evidence(item, place)[0],
            novel_mode=text_or_none(item.get("failure_mode_id")),
            author=self._author(),
        )

    def _author(self) -> str:
        return f"{NAME}/{self.metadata.get('analyzer') or 'report'}"

    def _root(self, place: int) -> Diagnosis:
        written = {"agent_name": self.report.get("root_cause_agent"),
                   "step_index": self.report.get("root_cause_step_index")}  # fmt: skip
        explanation = str(self.report.get("summary") or "")
        return self._diagnosis(place, written, explanation=explanation, author=self._author())

    def _diagnosis(self, place: int, item: dict[str, Any], **parts: Any) -> Diagnosis:
        if self.bench:
            parts["conditions"] = {**parts.get("conditions", {}), "saw_labels": True}
        return Diagnosis(
            step=place,
            agent=text_or_none(item.get("agent_name")) or self.trajectory.steps[place].agent,
            source=Origin(name=NAME, revision=self._revision(), step_as_written=item.get("step_index")),
            **parts,
        )

    def _revision(self) -> str | None:
        return text_or_none(self.report.get("report_id"))

    def _place(self, event_id: Any, step_index: Any) -> int | None:
        place = self.events.position(event_id, step_index)
        self.unplaced += place is None
        return place

    def _reason(self, hypothesis: dict[str, Any]) -> str:
        return str(hypothesis.get("rationale") or self.report.get("summary") or "")

    def _evidence(self, item: dict[str, Any], place: int) -> tuple[tuple[Citation, ...], list[str]]:
        """Split evidence into words that stand in a step and mere statements."""
        texts = [text for text in items(item.get("evidence")) if isinstance(text, str)]
        citations, statements = [], []
        for text in dict.fromkeys(texts):
            step = next((s for s in (place, self._referenced(text)) if s is not None and self._stands(s, text)), None)
            if step is None:
                statements.append(text)
            else:
                citations.append(Citation(step=step, quote=text))
        quote = item.get("wrong_content_quote")
        if isinstance(quote, str) and quote not in texts and self._stands(place, quote):
            citations.append(Citation(step=place, quote=quote))
        return tuple(citations), statements

    def _referenced(self, text: str) -> int | None:
        """Return the step that the audit names for a quote."""
        for entry in objects(self.report.get("audit")):
            for each in objects(mapping(entry.get("payload")).get("evidence_references")):
                if each.get("quote") == text:
                    return self.events.position(each.get("event_id"), None)
        return None

    def _stands(self, step: int, quote: str) -> bool:
        claim = Diagnosis(step=step, agent=self.trajectory.steps[step].agent, explanation="",
                          evidence=(Citation(step=step, quote=quote),), author=NAME)  # fmt: skip
        return ground(self.trajectory, claim).grade == "evidenced"

    def _hypotheses(self) -> list[dict[str, Any]]:
        listed = objects(self.attribution.get("hypotheses"))
        primary = self.attribution.get("primary")
        return [primary, *listed] if isinstance(primary, dict) and primary not in listed else listed


def answered(diagnoses: tuple[Diagnosis, ...], step: int | None, trajectory: Trajectory) -> str | None:
    """Return the id of the first diagnosis of a step."""
    found = next((diagnosis for diagnosis in diagnoses if diagnosis.step == step), None)
    return found.id_in(trajectory.trajectory_id) if found else None


def _described(mode: dict[str, Any], statements: list[str]) -> str:
    name, description = mode.get("name"), mode.get("description")
    told = ": ".join(str(part) for part in (name, description) if part)
    return " ".join([told, *statements]).strip()


def _mode(mode: dict[str, Any]) -> Mode:
    return Mode(scheme=NAME, id=str(mode["mode_id"]), text=text_or_none(mode.get("name")))


def _correction(suggestion: Any, action: Any) -> Correction | None:
    text = suggestion if isinstance(suggestion, str) else ""
    return Correction(text=text, action=action) if text or action is not None else None


def _confidence(value: Any) -> float | None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if fits else None
