"""Plans, tasks and results that the AgentDebugX package writes become repairs of the right bundles."""

import json
from pathlib import Path
from typing import Any

import pytest

from errorhub.evidence.rerun import SOURCE_RUN, import_repairs
from errorhub.hub.bundle import Bundle
from errorhub.hub.exporters import export
from errorhub.hub.intake import intake
from errorhub.hub.recall import look_up
from errorhub.hub.scrub import scrubbed
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy, Vault

agentdebug = pytest.importorskip("agentdebug", reason="the peer is not installed: pip install agentdebugx")

VAULT = Vault(bytes(32))
DIRECTIVE = "Filter fares by refundable before booking."


class Files:
    """One failed run as the package captures it, its report, and what its rerun stage writes."""

    def __init__(self, folder: Path) -> None:
        from agentdebug import AgentDebug, HeuristicAnalyzer, JsonlTraceStore

        self.folder = folder
        session = AgentDebug(store=JsonlTraceStore(str(folder / "store" / "traces.jsonl")))
        with session.trace(goal="Book a refundable flight", task_id="flight-1", framework="my-agent") as trace:
            trace.record("plan", agent_name="planner", output="Search for the cheapest fares.")
            trace.record("tool.call", agent_name="browser", input={"tool": "book", "args": {"id": "F1"}})
            trace.record("tool.result", agent_name="browser", error="Checkout failed: fare is not refundable")
        self.run = trace.trajectory
        self.report = HeuristicAnalyzer().analyze(self.run)
        self.report.suggestions = [DIRECTIVE]
        self.put("trace.json", self.run)

    def put(self, name: str, model: Any) -> Path:
        from agentdebug.schema import model_to_json

        path = self.folder / name
        path.write_text(json.dumps(model) if isinstance(model, dict) else model_to_json(model))
        return path

    def result(self, name: str = "result.json", **metadata: Any) -> Path:
        """Execute the rerun with a runner of our own, and write what the workflow returns."""
        from agentdebug.rerun import RerunResult, RerunWorkflow

        rerun = self.run.model_copy(deep=True, update={"trace_id": "trace_rerun"})
        rerun.events[-2].error, rerun.events[-2].output = None, "booked F2, refundable"

        class Runner:
            id, execution_mode = "ours", "live_execution"

            def run(self, request: Any) -> Any:
                held = {"execution_mode": "live_execution", "observed_execution": True, **metadata}
                return RerunResult(request=request, trajectory=rerun, metadata=held)

        done = RerunWorkflow(Runner()).run(self.report, self.run, execute=True)
        return self.put(name, done.to_dict())

    def tasks(self, ending: str) -> Path:
        """Export the pending task as the package does."""
        from agentdebug.rerun import build_actor_rerun_task, build_rerun_request, export_actor_rerun_tasks

        task = build_actor_rerun_task(build_rerun_request(self.report, self.run), self.report, self.run)
        path = self.folder / f"tasks.{ending}"
        export_actor_rerun_tasks([task], path, format=ending)
        return path


@pytest.fixture
def files(tmp_path: Path) -> Files:
    folder = tmp_path / "peer"
    folder.mkdir()
    return Files(folder)


@pytest.fixture
def bundle(files: Files) -> Bundle:
    return intake([files.folder / "trace.json"], None).bundles[0][0]


def only(result: Any) -> Bundle:
    """Return the one bundle that changed."""
    assert result.refused == []
    (changed,) = result.changed.values()
    assert isinstance(changed, Bundle)
    return changed


def test_executed_rerun_brings_both_arms_and_no_verdict(files: Files, bundle: Bundle) -> None:
    (repair,) = only(import_repairs([files.result()], [bundle])).repairs
    original, corrected = repair.attempts
    assert DIRECTIVE in repair.directive
    assert (original.arm, original.state_ref, original.outcome.reason) == ("original", None, SOURCE_RUN)
    assert corrected.arm == "corrected"
    assert [step.output for step in corrected.steps][-2] == "booked F2, refundable"
    assert (corrected.outcome.status, repair.resolved) == ("unknown", False)
    assert "improved" in (corrected.outcome.reason or "")


@pytest.mark.parametrize(
    ("metadata", "status"),
    [
        ({"outcome": {"status": "passed", "verifier": "pytest"}}, "passed"),
        ({"outcome": {"status": "failed", "verifier": "pytest"}}, "failed"),
        ({"outcome": {"status": "passed"}}, "unknown"),
        ({"outcome": "passed"}, "unknown"),
        ({"success": True}, "unknown"),
    ],
    ids=["passed", "failed", "nobody judged", "a word", "the agent's own claim"],
)
def test_outcome_is_that_of_a_named_verifier(metadata: Any, status: str, files: Files, bundle: Bundle) -> None:
    (repair,) = only(import_repairs([files.result(**metadata)], [bundle])).repairs
    assert repair.attempts[1].outcome.status == status
    assert repair.resolved is (status == "passed")


def test_a_person_decides_later_and_importing_again_changes_nothing(files: Files, bundle: Bundle) -> None:
    path = files.result()
    first = only(import_repairs([path], [bundle]))
    again = import_repairs([path], [first])
    assert (again.imported, again.unchanged, again.changed) == (0, 1, {})
    judged = only(import_repairs([path], [first], outcome="passed"))
    assert [len(one.attempts) for one in judged.repairs] == [2]
    assert judged.resolved
    assert judged.repairs[0].attempts[1].outcome.source == "human"
    assert import_repairs([path], [judged]).changed == {}


def test_a_played_rerun_has_no_outcome(files: Files, bundle: Bundle) -> None:
    value = json.loads(files.result(outcome={"status": "passed", "verifier": "model"}).read_text())
    played = files.put("played.json", value | {"execution_mode": "simulated_rollout", "verified": False})
    (repair,) = only(import_repairs([played], [bundle])).repairs
    assert repair.attempts[1].outcome.status == "unknown"
    refused = import_repairs([played], [bundle], outcome="passed")
    assert (refused.exit_code, "nothing was executed" in refused.refused[0].reason) == (2, True)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_pending_task_is_a_directive_nobody_tried(ending: str, files: Files, bundle: Bundle) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    (repair,) = only(import_repairs([files.tasks(ending)], [bundle])).repairs
    assert (repair.kind, repair.attempts, repair.verdict) == ("directive", (), "inconclusive")
    assert DIRECTIVE in repair.directive


def test_plan_task_and_result_of_one_directive_are_one_repair(files: Files, bundle: Bundle) -> None:
    from agentdebug.rerun import RerunWorkflow

    plan = files.put("plan.json", RerunWorkflow().plan(files.report, files.run).to_dict())
    after = only(import_repairs([plan, files.tasks("jsonl"), files.result()], [bundle]))
    (repair,) = after.repairs
    assert len(repair.attempts) == 2
    assert {"task", "rerun"} <= repair.metadata["agentdebugx"].keys()


def test_trace_of_our_own_export_is_found_again(files: Files, bundle: Bundle, tmp_path: Path) -> None:
    run = bundle.trajectory
    steps = tuple(step.replace(source_ref=None) for step in run.steps)
    plain = bundle.replace(trajectory=run.replace(run=run.run.replace(metadata={}), steps=steps))
    clean = scrubbed(plain.replace(trajectory=plain.trajectory.replace(steps=steps[1:])), Policy.load("share"), VAULT)
    export(clean, "agentdebugx", tmp_path / "out")
    trace = json.loads(next((tmp_path / "out").rglob("trajectory.json")).read_text())["trace_id"]
    path = files.put("other.json", json.loads(files.result().read_text().replace(files.run.trace_id, trace)))
    assert "no bundle" in import_repairs([path], [plain]).refused[0].reason
    kept = plain.replace(provenance=plain.provenance.replace(origin_key="k1"))
    assert only(import_repairs([path], [kept], scrubbed={"k1": clean.trajectory_id})).repairs


def test_what_fits_no_bundle_or_several_is_refused(files: Files, bundle: Bundle) -> None:
    path = files.result()
    assert "no bundle" in import_repairs([path], []).refused[0].reason
    twin = bundle.replace(trajectory=bundle.trajectory.replace(steps=bundle.trajectory.steps[:2]))
    many = import_repairs([path], [bundle, twin])
    assert (many.exit_code, many.refused[0].reason[:9]) == (2, "2 bundles")
    assert only(import_repairs([path], [bundle, twin], about=twin)).trajectory_id == twin.trajectory_id


@pytest.mark.parametrize(
    ("name", "content"),
    [("x.json", b"{"), ("x.json", b'{"a": 1}'), ("x.json", b"[1]"), ("x.parquet", b"PAR1"), ("x.json", b"")],
    ids=["truncated", "another object", "a number", "broken table", "empty"],
)
def test_what_is_no_record_is_refused_with_a_reason(name: str, content: bytes, bundle: Bundle, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    result = import_repairs([path], [bundle])
    assert (result.exit_code, len(result.refused), result.repairs) == (2, 1, [])


def test_report_and_run_are_sent_to_the_verb_that_reads_them(files: Files, bundle: Bundle) -> None:
    result = import_repairs([files.put("trace.report.json", files.report), files.folder / "trace.json"], [bundle])
    assert [one.reason[:8] for one in result.refused] == ["a report", "a run of"]
    assert all("`errorhub import`" in one.reason for one in result.refused)


def test_what_is_printed_is_a_line_a_repair_and_says_what_is_missing(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from errorhub.cli.app import run

    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    home = ["--workspace", str(tmp_path / "ws")]
    assert run([*home, "import", str(files.folder / "trace.json")]) == 0
    capsys.readouterr()
    for verdict, ended in ((), "corrected unknown"), (("--outcome", "failed"), "corrected failed"):
        assert run([*home, "repair", "import", str(files.result()), *verdict]) == 0
        out, err = capsys.readouterr()
        assert ended in out.splitlines()[1]
        assert len(out.splitlines()) == 4
        assert ("--outcome passed or failed" in err) == (not verdict)


def test_passing_rerun_makes_the_case_resolved(
    files: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from errorhub.cli.app import run

    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))
    home = ["--workspace", str(tmp_path / "ws")]

    def told(*arguments: str) -> tuple[int, str]:
        code = run([*home, *arguments])
        return code, capsys.readouterr().out

    files.put("trace.report.json", files.report)
    assert told("import", str(files.folder / "trace.json"))[0] == 0
    workspace = Workspace.open(tmp_path / "ws")

    def question() -> Any:
        return look_up(workspace, text="Checkout failed: fare is not refundable", resolved=True)

    assert question().abstained
    code, out = told("repair", "import", str(files.result()), "--outcome", "passed", "--json")
    document = json.loads(out)
    assert (code, document["imported"], document["repairs"][0]["resolved"]) == (0, 1, True)
    side_by_side = told("show", document["repairs"][0]["bundle_id"], "--compare")[1]
    assert "recorded run: unknown │ corrected arm: passed" in side_by_side
    assert "Checkout failed" in side_by_side and "booked F2, refundable" in side_by_side
    (hit,) = question().hits
    assert hit.resolved
    assert DIRECTIVE in (hit.repair or "")
