"""ATIF, STS and OTLP exports: independent validators accept them, every golden log survives there and back."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, Outcome
from errorhub.hub.bundle.paths import PATHS
from errorhub.hub.bundle.trajectory import ConstructionOnly
from errorhub.hub.exporters import export
from errorhub.hub.importers import Imported, read_log, walk
from errorhub.scrubber import Policy, Vault, scrub

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests/hub/importers/golden"
LOGS = sorted(path for path in walk([GOLDEN]) if "expected" not in path.name)
FOREIGN = ("atif", "otlp", "sts")


def bundles(path: Path) -> list[Bundle]:
    return [found.bundle for found in read_log(path) if isinstance(found, Imported)]


def shared_data() -> Path:
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", "../shared/data"))
    return folder if folder.is_absolute() else ROOT / folder


@pytest.mark.parametrize("format", FOREIGN)
@pytest.mark.parametrize("path", LOGS, ids=[f"{path.parent.name}-{path.stem}" for path in LOGS])
def test_there_and_back_loses_only_what_graders_knew(path: Path, format: str, tmp_path: Path) -> None:
    for bundle in bundles(path):
        (out,) = export(bundle, format, tmp_path, raw=True)
        (again,) = bundles(out)
        shown = bundle.replace(trajectory=bundle.trajectory.replace(construction_only=ConstructionOnly()))
        assert again.document() | {"provenance": None} == shown.document() | {"provenance": None}


@pytest.mark.parametrize("format", FOREIGN)
def test_what_graders_knew_stays_at_home(format: str, tmp_path: Path) -> None:
    bundle = bundles(GOLDEN / "tau-bench/log.json")[0]
    (out,) = export(bundle, format, tmp_path, raw=True)
    assert "Never say which lamp" not in out.read_text("utf-8")


@pytest.mark.parametrize("package", ["atif", "nat.atif"], ids=["atif", "nvidia-nat-atif"])
@pytest.mark.parametrize("path", LOGS, ids=[f"{path.parent.name}-{path.stem}" for path in LOGS])
def test_atif_is_valid_for_two_independent_validators(path: Path, package: str, tmp_path: Path) -> None:
    model = pytest.importorskip(f"{package}.trajectory").Trajectory
    for bundle in bundles(path):
        (out,) = export(bundle, "atif", tmp_path, raw=True)
        read = model.model_validate(json.loads(out.read_text("utf-8")))
        assert read.schema_version == "ATIF-v1.7"
        calls = sum(step.kind == "tool.call" for step in bundle.trajectory.steps)
        assert sum(len(step.tool_calls or []) for step in read.steps) == calls


def test_orphan_result_has_no_call_in_atif(tmp_path: Path) -> None:
    bundle = bundles(GOLDEN / "openai-chat/log.json")[0]
    steps = tuple(step for step in bundle.trajectory.steps if step.kind != "tool.call")
    (out,) = export(bundle.replace(trajectory=bundle.trajectory.replace(steps=steps)), "atif", tmp_path, raw=True)
    results = [
        each for step in json.loads(out.read_text())["steps"] for each in step.get("observation", {}).get("results", [])
    ]
    assert [each["source_call_id"] for each in results] == [None, None]
    assert [step.call_id for step in bundles(out)[0].trajectory.steps if step.kind == "tool.result"] == ["c2", "c1"]


@pytest.mark.parametrize("format", FOREIGN)
def test_export_that_was_changed_is_read_as_the_format_itself(format: str, tmp_path: Path) -> None:
    bundle = bundles(GOLDEN / "openai-chat/log.json")[0]
    (out,) = export(bundle, format, tmp_path, raw=True)
    changed = out.read_text("utf-8").replace('"position": 3', '"position": 2').replace(
        '\\"position\\": 3', '\\"position\\": 2'
    )  # fmt: skip
    out.write_text(changed, "utf-8")
    (again,) = bundles(out)
    kinds = Counter(step.kind for step in again.trajectory.steps)
    assert (again.trajectory.source.format, kinds["tool.call"], kinds["tool.result"]) == (format, 2, 2)


@pytest.mark.parametrize("format", FOREIGN)
def test_words_that_a_person_changed_are_read(format: str, tmp_path: Path) -> None:
    bundle = bundles(GOLDEN / "openai-chat/log.json")[0]
    (out,) = export(bundle, format, tmp_path, raw=True)
    out.write_text(out.read_text("utf-8").replace("Yes, noon is fine.", "No, wait."), "utf-8")
    (again,) = bundles(out)
    assert again.trajectory.steps[-1].output == "No, wait."
    assert again.trajectory_id != bundle.trajectory_id


def test_outcome_and_rights_travel(tmp_path: Path) -> None:
    bundle = bundles(GOLDEN / "sts/log.jsonl")[0]
    outcome = Outcome(status="ungradable", fault="infrastructure", reason="sandbox lost", source="rule")
    bundle = bundle.replace(
        trajectory=bundle.trajectory.replace(outcome=outcome), rights=bundle.rights.replace(license="MIT")
    )
    for format in FOREIGN:
        (out,) = export(bundle, format, tmp_path, raw=True)
        (again,) = bundles(out)
        assert (again.trajectory.outcome, again.rights.license) == (outcome, "MIT")


def test_scrubbed_bundles_survive_too(tmp_path: Path) -> None:
    policy = Policy.load("strict").without_names().with_paths(**PATHS)
    for path in LOGS:
        for raw in bundles(path)[:1]:
            bundle = Bundle.from_document(scrub(raw.document(), policy, Vault(b"k" * 32)).document)
            for format in FOREIGN:
                (out,) = export(bundle, format, tmp_path, raw=True)
                assert bundles(out)[0].trajectory_id == bundle.trajectory_id, (path, format)
                if format == "atif":
                    valid(json.loads(out.read_text("utf-8")))


@pytest.mark.shared
def test_real_logs_survive(tmp_path: Path) -> None:
    """Every tenth real log, there and back in every format, ATIF for both validators."""
    folder = shared_data()
    if not folder.is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    compared = 0
    for path in list(walk([folder]))[::10]:
        for bundle in bundles(path)[:3]:
            for format in FOREIGN:
                (out,) = export(bundle, format, tmp_path, raw=True)
                assert [each.trajectory_id for each in bundles(out)] == [bundle.trajectory_id], (path, format)
                if format == "atif":
                    valid(json.loads(out.read_text("utf-8")))
                compared += 1
    assert compared > 80


def valid(value: Any) -> None:
    """Show a trajectory to both validators."""
    for package in ("atif", "nat.atif"):
        pytest.importorskip(f"{package}.trajectory").Trajectory.model_validate(value)


SCHEMAS = {"gen_ai.input.messages": "gen-ai-input-messages", "gen_ai.output.messages": "gen-ai-output-messages"}


@pytest.mark.shared
def test_otlp_messages_fit_the_published_schemas(tmp_path: Path) -> None:
    folder = shared_data() / "openinference/genai_schemas"
    if not folder.is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    schemas = {name: json.loads((folder / f"{file}.json").read_text("utf-8")) for name, file in SCHEMAS.items()}
    checked = 0
    for path in LOGS:
        for bundle in bundles(path):
            (out,) = export(bundle, "otlp", tmp_path, raw=True)
            for span in json.loads(out.read_text())["resourceSpans"][0]["scopeSpans"][0]["spans"]:
                for attribute in span["attributes"]:
                    if schema := schemas.get(attribute["key"]):
                        checked += 1
                        assert fits(json.loads(attribute["value"]["stringValue"]), schema, schema), path
    assert checked > 50


TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "null": type(None),
    "boolean": bool,
}


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """Check a value against the keywords that the published schemas use."""
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    rules: list[tuple[str, Callable[[Any], bool]]] = [
        ("anyOf", lambda rule: any(fits(value, each, root) for each in rule)),
        ("const", lambda rule: value == rule),
        ("enum", lambda rule: value in rule),
        ("type", lambda rule: isinstance(value, TYPES[rule])),
        ("required", lambda rule: isinstance(value, dict) and all(name in value for name in rule)),
        ("items", lambda rule: isinstance(value, list) and all(fits(each, rule, root) for each in value)),
        ("properties", lambda rule: all(fits(value[name], each, root) for name, each in rule.items() if name in value)),
    ]
    return all(check(schema[name]) for name, check in rules if name in schema)
