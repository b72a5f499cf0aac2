"""The AgentDebugX logs, read by AgentDebugX itself."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

Read = Callable[[Path], list[Any]]

agentdebug = pytest.importorskip("agentdebug", reason="needs the extra [diagnose]")


@pytest.fixture
def load() -> Callable[[Path], tuple[Any, Any]]:
    """Load a trajectory and the report beside it."""

    def both(trajectory: Path) -> tuple[Any, Any]:
        report = trajectory.with_name("report.json")
        return (
            agentdebug.schema.trajectory_from_json(trajectory.read_text(encoding="utf-8")),
            agentdebug.schema.report_from_json(report.read_text(encoding="utf-8")) if report.exists() else None,
        )

    return both


def test_trajectories_load_whole(folder: Path, records: Read, load: Callable[[Path], tuple[Any, Any]]) -> None:
    for path in folder.glob("agentdebugx/**/trajectory.json"):
        trajectory, _ = load(path)
        written = agentdebug.schema.model_to_dict(trajectory)
        assert written.keys() == records(path)[0].keys()
        assert [event["event_id"] for event in written["events"]] == [e.event_id for e in trajectory.events]
        for event, raw in zip(written["events"], records(path)[0]["events"], strict=True):
            assert event.keys() == raw.keys()
            assert (event["input"], event["output"], event["error"]) == (raw["input"], raw["output"], raw["error"])


def test_reports_point_into_their_trajectory(folder: Path, load: Callable[[Path], tuple[Any, Any]]) -> None:
    reports = 0
    for path in folder.glob("agentdebugx/**/trajectory.json"):
        trajectory, report = load(path)
        if report is None:
            continue
        reports += 1
        events = {event.event_id: event for event in trajectory.events}
        cause = events[report.root_cause_event_id]
        assert (report.trace_id, report.root_cause_agent) == (trajectory.trace_id, cause.agent_name)
        assert report.root_cause_step_index == cause.step_index
        first = report.findings[0]
        assert first.event_id == cause.event_id and first.evidence
        shown = [str(value) for event in trajectory.events for value in (event.output, event.error) if value]
        for finding in report.findings:
            assert all(any(quote in text for text in shown) for quote in finding.evidence)
    assert reports >= 5


def test_bundles_unpack(folder: Path) -> None:
    bundles = [path.parent for path in folder.glob("agentdebugx/**/manifest.json")]
    assert len(bundles) >= 2
    for path in bundles:
        bundle = agentdebug.hub.unpack_bundle(path)
        assert bundle.manifest.bundle_id == path.name
        assert bundle.manifest.n_events == len(bundle.trajectory.events)
        assert bundle.report is not None and bundle.report.trace_id == bundle.manifest.trace_id


def test_reruns_have_the_shape_and_the_score_of_the_tool(
    folder: Path, records: Read, load: Callable[[Path], tuple[Any, Any]]
) -> None:
    results = set()
    for path in folder.glob("agentdebugx/*/rerun.json"):
        rerun = records(path)[0]
        trajectory, report = load(next(path.parent.rglob("trajectory.json")))
        again = agentdebug.AgentTrajectory(**rerun["execution"]["trajectory"])
        assert rerun["plan"]["request"]["trace_id"] == trajectory.trace_id == again.metadata["rerun_of"]
        assert rerun["plan"]["request"]["report_id"] == report.report_id
        assert rerun["evaluation"] == asdict(agentdebug.rerun.evaluate_local_proxy(trajectory, again))
        results.add(rerun["evaluation"]["result"])
    assert results == {"improved", "unchanged"}


def test_retry_directives_have_the_shape_of_the_tool(
    folder: Path, records: Read, load: Callable[[Path], tuple[Any, Any]]
) -> None:
    path = next(folder.glob("agentdebugx/*/retry.json"))
    trajectory, report = load(path.with_name("trajectory.json"))
    model = agentdebug.rerun.RerunWorkflow().plan(report, trajectory).to_dict()
    plan = records(path)[0]
    assert plan.keys() == model.keys()
    assert plan["request"].keys() == model["request"].keys()
    assert plan["request"]["directive"].keys() == model["request"]["directive"].keys()
    assert plan["request"]["checkpoint"].keys() == model["request"]["checkpoint"].keys()
    assert plan["capability"].keys() == model["capability"].keys()


def test_the_infrastructure_fault_blames_nobody(folder: Path, records: Read) -> None:
    trajectory = folder / "agentdebugx/form-audit/trajectory.json"
    assert not trajectory.with_name("report.json").exists()
    end = records(trajectory)[0]["events"][-1]
    assert end["metadata"] == {"success": None, "termination": "infrastructure", "aborted_by": "scheduler"}
