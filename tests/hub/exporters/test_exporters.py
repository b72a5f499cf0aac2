"""Exports: the peer's reader accepts them, importing them gives the same bundle, raw bundles stay at home."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorhub.hub.bundle import (
    Attempt,
    Bundle,
    Citation,
    Correction,
    Diagnosis,
    Outcome,
    Repair,
    Rights,
    Step,
    Trajectory,
)
from errorhub.hub.bundle.diagnosis import Mode
from errorhub.hub.bundle.trajectory import Run, Source, Task
from errorhub.hub.errors import Blocked, FormatError
from errorhub.hub.exporters import EXPORTERS, export
from errorhub.hub.importers import Imported, read_log
from errorhub.scrubber import Receipt


@pytest.fixture
def bundle() -> Bundle:
    steps = (
        Step(agent="user", kind="message", role="user", input="Book \\ud83d it", at="2026-01-01T00:00:00Z"),
        Step(
            agent="assistant",
            kind="tool.call",
            tool="book",
            call_id="c",
            input={"n": 10**30},
            source_ref="2.0",
            at="soon",
        ),
        Step(agent="tool", kind="tool.result", call_id="c", error="refused", output=["x", None], parent="2.0"),
    )
    first = Diagnosis(
        step=1, agent="assistant", explanation="Never asked.", author="ann", confidence=0.5,
        evidence=(Citation(step=2, quote="refused"),), correction=Correction(text="Ask first.", action={"a": 1}),
        mode=Mode(scheme="agentdebugx", id="planning.constraint_ignorance"),
    )  # fmt: skip
    second = Diagnosis(step=2, agent="tool", explanation="Also odd.", author="bob", novel_mode="odd")
    trajectory = Trajectory(
        task=Task(id="t", goal="g" * 300),
        run=Run(harness="claude-code"),
        steps=steps,
        source=Source(format="claude-code"),
    )
    attempt = Attempt(arm="corrected", steps=steps[:1], outcome=Outcome(status="passed", source="human"))
    repair = Repair(
        diagnosis_id=first.id_in(trajectory.trajectory_id),
        kind="directive",
        directive="Ask first.",
        attempts=(attempt,),
    )
    receipt = Receipt(policy="strict", policy_digest="0" * 64, scrubber="1")
    return Bundle(
        trajectory=trajectory,
        diagnoses=(first, second),
        repairs=(repair,),
        rights=Rights(license="MIT"),
        receipt=receipt,
    )


def restored(path: Path) -> Bundle:
    found = list(read_log(path))
    assert len(found) == 1 and isinstance(found[0], Imported), found
    return found[0].bundle


@pytest.mark.parametrize("format", sorted(EXPORTERS))
def test_import_of_an_export_is_the_same_bundle(format: str, bundle: Bundle, tmp_path: Path) -> None:
    (path,) = export(bundle, format, tmp_path / "out")
    again = restored(path)
    assert again.bundle_id == bundle.bundle_id
    assert again.receipt is None
    assert bundle.bundle_id[:32] in path.name


@pytest.mark.parametrize("format", sorted(EXPORTERS))
def test_export_is_repeatable_and_leaves_nothing_else(format: str, bundle: Bundle, tmp_path: Path) -> None:
    def content() -> dict[str, bytes]:
        return {str(path.relative_to(tmp_path)): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    export(bundle, format, tmp_path)
    before = content()
    export(bundle, format, tmp_path)
    assert content() == before
    assert [path for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_raw_bundle_is_not_exported_unless_asked(bundle: Bundle, tmp_path: Path) -> None:
    raw = bundle.replace(receipt=None)
    with pytest.raises(Blocked, match="not scrubbed") as caught:
        export(raw, "json", tmp_path)
    assert caught.value.hint == "errorhub scrub"
    assert len(export(raw, "json", tmp_path, raw=True)) == 1


def test_unknown_format_lists_the_known_ones(bundle: Bundle, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="Known: agentdebugx, atif, json, otlp, sts"):
        export(bundle, "csv", tmp_path)


def test_peer_reads_the_bundle_folder(bundle: Bundle, tmp_path: Path) -> None:
    hub = pytest.importorskip("agentdebug.hub")
    (path,) = export(bundle, "agentdebugx", tmp_path)
    read = hub.unpack_bundle(path)
    assert read.manifest.bundle_id == path.name
    assert (read.manifest.license, read.manifest.n_events, read.manifest.has_report) == ("MIT", 3, True)
    assert [event.agent_name for event in read.trajectory.events] == ["user", "assistant", "tool"]
    assert [event.event_type for event in read.trajectory.events] == ["observation", "tool.call", "tool.result"]
    assert read.trajectory.events[1].input == {"n": 10**30}
    assert (read.report.root_cause_agent, read.report.root_cause_step_index) == ("assistant", 1)
    assert [finding.failure_mode.mode_id for finding in read.report.findings] == [
        "planning.constraint_ignorance",
        "odd",
    ]
    assert read.report.findings[0].evidence == ["refused"]
    assert read.report.findings[0].suggestion == "Ask first."


def test_peer_reads_a_run_without_diagnosis(bundle: Bundle, tmp_path: Path) -> None:
    hub = pytest.importorskip("agentdebug.hub")
    (path,) = export(bundle.replace(diagnoses=(), repairs=()), "agentdebugx", tmp_path)
    assert hub.unpack_bundle(path).report is None


def test_report_that_a_peer_adds_is_added(bundle: Bundle, tmp_path: Path) -> None:
    (path,) = export(bundle, "agentdebugx", tmp_path)
    report = json.loads((path / "report.json").read_text("utf-8"))
    report["report_id"], report["metadata"] = "report_other", {"analyzer": "Peer"}
    (path / "report.json").write_text(json.dumps(report), "utf-8")
    again = restored(path)
    assert again.trajectory_id == bundle.trajectory_id
    assert [found.author for found in again.diagnoses] == ["ann", "bob", "agentdebugx/Peer", "agentdebugx/Peer"]


def test_side_file_that_does_not_match_is_not_believed(bundle: Bundle, tmp_path: Path) -> None:
    (path,) = export(bundle, "agentdebugx", tmp_path)
    value = json.loads((path / "trajectory.json").read_text("utf-8"))
    value["events"][0]["output"] = "changed"
    (path / "trajectory.json").write_text(json.dumps(value), "utf-8")
    again = restored(path)
    assert again.trajectory.steps[0].output == "changed"
    assert again.trajectory.source.warnings == ("errorhub.json does not match trajectory.json; left out.",)
    assert len(again.diagnoses) == 2
