"""AgentDebugX: events, reports, reruns, stores; nothing of the source is lost, no label leaks, no poison is believed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.importers.agentdebugx_bundle import DERIVED

One = Callable[..., Bundle]
Put = Callable[..., Path]


def event(number: int, kind: str, **fields: Any) -> dict[str, Any]:
    return {"event_id": f"e{number}", "trace_id": "t-1", "agent_name": "worker", "event_type": kind,
            "step_index": number, "timestamp": "2026-01-01T00:00:00Z", **fields}  # fmt: skip


def trace(**changes: Any) -> dict[str, Any]:
    events = [
        event(0, "run.start", output={"goal": "Sum up"}, agent_name="system", step_index=None),
        event(1, "tool.call", input={"tool": "read", "args": {"path": "a.csv"}}, metadata={"tool_call_id": "c1"}),
        event(2, "tool.result", error="no such file a.csv", duration_ms=2.5, metadata={"tool_call_id": "c1"}),
        event(3, "agent.step", output="The total is 12.", parent_event_id="e2"),
    ]
    return {"trace_id": "t-1", "task_id": "k-1", "goal": "Sum up", "framework": "f", "metadata": {"team": "x"},
            "events": events, **changes}  # fmt: skip


def finding(number: int, **changes: Any) -> dict[str, Any]:
    mode = {
        "mode_id": "system.tool_execution_error",
        "name": "Tool error",
        "family": "system",
        "description": "It failed.",
    }
    return {"finding_id": f"f{number}", "failure_mode": mode, "event_id": f"e{number}", "agent_name": "worker",
            "step_index": number, "evidence": [], **changes}  # fmt: skip


def report(*findings: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {"report_id": "r-1", "trace_id": "t-1", "findings": list(findings), "summary": "It made up a number.",
            "metadata": {"analyzer": "HeuristicAnalyzer"}, **changes}  # fmt: skip


def test_events_keep_their_own_input_and_output(put: Put, one: One) -> None:
    trajectory = one(put("x.json", trace())).trajectory
    start, call, result, said = trajectory.steps
    assert [step.kind for step in trajectory.steps] == ["run.start", "tool.call", "tool.result", "agent.step"]
    assert start.output == {"goal": "Sum up"}
    assert (call.input, call.tool, call.call_id) == ({"tool": "read", "args": {"path": "a.csv"}}, "read", "c1")
    assert (result.error, result.duration_ms, result.call_id) == ("no such file a.csv", 2.5, "c1")
    assert (said.parent, said.source_ref, said.metadata) == ("e2", "e3", {"step_index": 3})
    assert (trajectory.task.id, trajectory.task.goal, trajectory.run.framework) == ("k-1", "Sum up", "f")
    assert trajectory.run.metadata == {"trace_id": "t-1", "metadata": {"team": "x"}}
    assert trajectory.outcome.status == "unknown"


def test_run_end_success_is_no_verdict(put: Put, one: One) -> None:
    events = [*trace()["events"], event(4, "run.end", metadata={"success": True})]
    assert one(put("x.json", trace(events=events))).trajectory.outcome.status == "unknown"


def test_unknown_event_type_is_kept_and_told(put: Put, one: One) -> None:
    trajectory = one(put("x.json", trace(events=[event(0, "dream", output="x")]))).trajectory
    assert (trajectory.steps[0].kind, trajectory.steps[0].metadata["event_type"]) == ("agent.step", "dream")
    assert trajectory.source.warnings == ("event types that are not AgentDebugX's own are kept as agent.step.",)


def test_findings_become_diagnoses_with_the_root_cause_first(put: Put, one: One) -> None:
    late = finding(
        3, evidence=["The total is 12.", "no source"], suggestion="Say that the file is missing.", confidence=0.5
    )
    root = {"root_cause_event_id": "e3", "root_cause_agent": "worker", "root_cause_step_index": 3}
    put("x.report.json", report(finding(2), late, **root))
    bundle = one(put("x.json", trace()))
    first, second = bundle.diagnoses
    assert (first.step, second.step) == (3, 2)
    assert [citation.quote for citation in first.evidence] == ["The total is 12."]
    assert first.explanation == "Tool error: It failed. no source"
    assert first.correction is not None and first.correction.text == "Say that the file is missing."
    assert (first.confidence, first.author) == (0.5, "agentdebugx/HeuristicAnalyzer")
    assert first.mode is not None and (first.mode.scheme, first.mode.id) == (
        "agentdebugx",
        "system.tool_execution_error",
    )
    assert first.source is not None and (first.source.revision, first.source.step_as_written) == ("r-1", 3)
    assert [ground(bundle.trajectory, each).grade for each in bundle.diagnoses] == ["actionable", "located"]


def test_constant_mode_is_no_mode(put: Put, one: One) -> None:
    constant = {"mode_id": "attribution.root_cause", "name": "n", "family": "attribution", "description": "constant"}
    put("x.report.json", report(finding(3, failure_mode=constant)))
    label = one(put("x.json", trace())).diagnoses[0]
    assert (label.mode, label.explanation) == (None, "It made up a number.")


def test_hypothesis_and_candidate_become_diagnoses(put: Put, one: One) -> None:
    hypothesis = {"span_id": "e1", "step_index": 1, "agent_name": "worker", "rationale": "Wrong path", "evidence": [],
                  "corrected_action": {"tool": "list"}}  # fmt: skip
    candidate = {
        "failure_mode_id": "output.made_up",
        "description": "Invented",
        "agent_name": "worker",
        "step_index": 3,
    }
    put("x.report.json", report(attribution={"method": "llm", "hypotheses": [hypothesis], "primary": hypothesis},
                                metadata={"analyzer": "Judge", "novel_mode_candidates": [candidate]}))  # fmt: skip
    first, second = one(put("x.json", trace())).diagnoses
    assert (first.author, first.explanation) == ("agentdebugx/llm", "Wrong path")
    assert first.correction is not None and first.correction.action == {"tool": "list"}
    assert (second.novel_mode, second.explanation) == ("output.made_up", "Invented")


def test_label_without_a_place_is_refused_and_the_run_stays(put: Put, one: One) -> None:
    put("x.report.json", report(finding(9)))
    bundle = one(put("x.json", trace()))
    assert bundle.diagnoses == ()
    assert bundle.trajectory.source.warnings == ("1 label refused: named no step of the run, or several.",)


def test_repeated_event_ids_need_the_step_number(put: Put, one: One) -> None:
    events = [event(0, "tool.call", event_id="r"), event(1, "tool.result", event_id="r", output="x")]
    put("x.report.json", report(finding(1, event_id="r"), finding(5, event_id="r")))
    assert [each.step for each in one(put("x.json", trace(events=events))).diagnoses] == [1]


POISON = [
    {"stage": "global_read", "response_summary": "step=None agent=None"},
    {"stage": "cross_examine", "response_summary": "verdict=aao_empty->moe -> step=1"},
]


@pytest.mark.parametrize("audit", POISON, ids=["no reading", "empty reading"])
def test_poisoned_report_is_refused_and_the_run_stays(audit: Any, put: Put, read: Callable[..., Any]) -> None:
    put("x.report.json", report(finding(3), audit=[audit]))
    bundles, refused = read(put("x.json", trace()))
    assert bundles[0].diagnoses == ()
    assert "no usable answer" in refused[0].reason
    assert "a report was refused" in bundles[0].trajectory.source.warnings[0]


def rerun(**changes: Any) -> dict[str, Any]:
    directive = {"text": "List the folder first.", "target_event_id": "e3", "source": "diagnosis"}
    request = {
        "trace_id": "t-1",
        "checkpoint": {"event_id": "e1", "step_index": 1},
        "directive": directive,
        "report_id": "r-1",
    }
    evaluation = {"result": "improved", "error_count_before": 1, "error_count_after": 0, "method": "local_proxy"}
    run = trace(trace_id="t-2", events=[event(0, "agent.step", output="12", trace_id="t-2")])
    return {"stage": "rerun", "status": "executed", "plan": {"request": request}, "evaluation": evaluation,
            "execution": {"trace_id": "t-2", "trajectory": run}, **changes}  # fmt: skip


def test_rerun_is_a_repair_whose_outcome_nobody_knows(put: Put, one: One) -> None:
    put("x.report.json", report(finding(3)))
    put("x.rerun.json", rerun())
    bundle = one(put("x.json", trace()))
    repair = bundle.repairs[0]
    attempt = repair.attempts[0]
    assert (repair.kind, repair.directive) == ("directive", "List the folder first.")
    assert repair.diagnosis_id == bundle.diagnosis_ids[0]
    assert (attempt.arm, attempt.state_ref, attempt.steps[0].output) == ("corrected", "e1", "12")
    assert attempt.outcome.status == "unknown"
    assert (
        attempt.outcome.reason
        == "improved by local_proxy: events with an error 1 before, 0 after; no verdict on the task"
    )
    assert (repair.resolved, repair.verdict) == (False, "inconclusive")


def test_lone_rerun_brings_its_trajectory_and_report(put: Put, one: One) -> None:
    put("traces/x.json", trace())
    put("reports/x.json", report(finding(3)))
    bundle = one(put("reports/what_happened_next.json", rerun()))
    assert bundle.trajectory.run.metadata["trace_id"] == "t-1"
    assert bundle.repairs[0].diagnosis_id == bundle.diagnosis_ids[0]


@pytest.mark.parametrize("value", [report(finding(3)), rerun()], ids=["report", "rerun"])
def test_without_its_trajectory_it_is_refused(value: Any, put: Put, read: Callable[..., Any]) -> None:
    bundles, refused = read(put("deep/er/x.json", value))
    assert bundles == []
    assert "without its trajectory" in refused[0].reason


def test_same_run_with_and_without_report_is_one_case(put: Put, one: One) -> None:
    path = put("x.json", trace())
    alone = one(path)
    put("x.report.json", report(finding(3)))
    both = one(path)
    assert alone.trajectory_id == both.trajectory_id
    assert (len(alone.diagnoses), len(both.diagnoses)) == (0, 1)


def test_jsonl_store_takes_the_last_save(put: Put, read: Callable[..., Any]) -> None:
    put("traces.reports.jsonl", lines=[report(finding(3))])
    other = trace(trace_id="t-9")
    bundles, refused = read(put("traces.jsonl", lines=[trace(goal="Old"), other, "{", trace()]))
    assert [bundle.trajectory.source.record for bundle in bundles] == [1, 3]
    assert [len(bundle.diagnoses) for bundle in bundles] == [0, 1]
    assert bundles[1].trajectory.source.warnings == ("1 earlier save of this trace left out.",)
    assert [item.record for item in refused] == [2]


def test_sqlite_store(tmp_path: Path, one: One) -> None:
    path = tmp_path / "agentdebug.sqlite"
    with closing(sqlite3.connect(path)) as store, store:
        store.execute(
            "create table trajectories (trace_id text, task_id text, framework text, updated_at text, payload_json text)"
        )
        store.execute(
            "create table diagnostic_reports (report_id text, trace_id text, generated_at text, payload_json text)"
        )
        store.execute("insert into trajectories values ('t-1', null, null, '', ?)", (json.dumps(trace()),))
        store.execute("insert into diagnostic_reports values ('r-1', 't-1', '', ?)", (json.dumps(report(finding(3))),))
    bundle = one(path)
    assert (len(bundle.trajectory.steps), len(bundle.diagnoses)) == (4, 1)


def test_damaged_sqlite_is_refused(put: Put, read: Callable[..., Any]) -> None:
    _, refused = read(put("x.sqlite", b"SQLite format 3\x00" + b"\xff" * 500), "agentdebugx")
    assert refused and not refused[0].reason.startswith("Traceback")


def test_gold_labels_leave_the_steps(samples: Path, one: One) -> None:
    bundle = one(samples / "trajectories/store_agenterrorbench.json")
    gold = "ignored the instruction to clean first"
    steps = json.dumps([step.model_dump(mode="json") for step in bundle.trajectory.steps])
    assert gold not in steps and "critical_failure" not in steps and "planning" not in steps
    assert gold not in json.dumps(bundle.trajectory.run.metadata)
    label = bundle.diagnoses[0]
    assert (label.step, label.agent, label.explanation) == (3, "assistant", gold)
    assert label.source is not None and (label.source.step_as_written, label.source.base) == (2, 1)


SOURCES = [
    "trajectories/*.json", "reports/*.report.json", "reports/*rerun*.json", "bundle/*", "store/traces.jsonl",
    "reports/*actor_tasks.jsonl",
]  # fmt: skip


@pytest.mark.parametrize("pattern", SOURCES)
def test_nothing_is_lost(pattern: str, samples: Path, read: Callable[..., Any]) -> None:
    """Every value of the source is in the bundle, or repeats something that is."""
    paths = sorted(samples.glob(pattern))
    assert paths
    for path in paths:
        bundles, refused = read(path)
        held = {_key(value) for bundle in bundles for _, value in _leaves(bundle.document())}
        poisoned = any("no usable answer" in item.reason for item in refused)
        for source in [] if poisoned else _sources(path):
            missing = [place for place, value in _leaves(source) if _key(value) not in held and not _derived(place)]
            assert missing == [], path


def _sources(path: Path) -> list[Any]:
    if path.is_dir():
        return [json.loads((path / f"{name}.json").read_text("utf-8")) for name in ("trajectory", "report", "manifest")]
    texts = path.read_text("utf-8").splitlines() if path.suffix == ".jsonl" else [path.read_text("utf-8")]
    values = [json.loads(text) for text in texts]
    return [value | {"source_trajectory_json": json.loads(value["source_trajectory_json"])}
            if "source_trajectory_json" in value else value for value in values]  # fmt: skip


def _leaves(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _leaves(item, (*place, name))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, (*place, "*"))
    elif value is not None:
        yield place, value


def _key(value: Any) -> str:
    return json.dumps(value)


def _derived(place: tuple[str, ...]) -> bool:
    """Manifest fields that repeat trajectory and report, and marks that a benchmark reader left in the steps."""
    gold = place[-1] in ("module", "critical_failure") and "events" in place
    return (len(place) <= 2 and place[0] in DERIVED) or gold


def test_artifact_files_are_counted_not_held(put: Put, one: One, tmp_path: Path) -> None:
    put("bundle_1/manifest.json", {"license": "MIT", "bundle_id": "../../escape", "contributor": "ann"})
    put("bundle_1/trajectory.json", trace())
    put("bundle_1/artifacts/a.bin", b"\x00")
    bundle = one(tmp_path / "bundle_1")
    assert (bundle.rights.license, bundle.rights.contributor) == ("MIT", "ann")
    assert bundle.trajectory.source.warnings == ("1 artifact file left out: bytes are never held.",)


def test_links_in_a_bundle_are_not_followed(put: Put, read: Callable[..., Any], tmp_path: Path) -> None:
    put("bundle_1/manifest.json", {})
    (tmp_path / "bundle_1/trajectory.json").symlink_to(put("outside.json", trace()))
    bundles, refused = read(tmp_path / "bundle_1")
    assert bundles == []
    assert "links are not followed" in refused[0].reason


def test_trajectory_captured_by_the_package_reads_the_same(samples: Path, one: One) -> None:
    schema = pytest.importorskip("agentdebug.schema")
    path = samples / "trajectories/api_multi_agent_flight.json"
    theirs, ours = schema.trajectory_from_json(path.read_text("utf-8")), one(path).trajectory
    assert [each.event_id for each in theirs.events] == [step.source_ref for step in ours.steps]
    assert [each.event_type for each in theirs.events] == [step.kind for step in ours.steps]
    assert [each.output for each in theirs.events] == [step.output for step in ours.steps]
