"""All labelled logs of the shared data go the whole way with one command, into a scratch hub."""

import json
import os
from pathlib import Path

import pytest

from errorhub.hub.bundle import Bundle, read_shard

SHARED = Path(os.environ.get("ERRORHUB_SHARED_DATA") or Path(__file__).parents[2].parent / "shared" / "data")
LOGS = SHARED / "who-and-when"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.slow,
    pytest.mark.skipif(not LOGS.is_dir(), reason=f"no shared data at {SHARED}"),
]


def gold(path: Path) -> tuple[int, str, str]:
    """Return step, agent and text of the labelled step, read without any of our code."""
    log = json.loads(path.read_text(encoding="utf-8"))
    step = int(log["mistake_step"])
    return step, log["mistake_agent"], log["history"][step]["content"]


@pytest.mark.timeout(900)  # models read all of it for names, twice
def test_every_labelled_log_is_imported_checked_scrubbed_reviewed_and_published(command, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    files = sorted(LOGS.glob("*/*.json"))
    raw = command("import", *sorted({path.parent for path in files}), "--json")
    assert (raw.code, raw.json["imported"], raw.json["refused"]) == (0, len(files), [])
    hub = tmp_path / "scratch"
    arguments = ["--to", f"local:{hub}", "--license", "MIT", "--policy-review", "auto", "--json"]
    shared = command("share", *sorted({path.parent for path in files}), *arguments)
    stages = shared.json["stages"]
    assert {name: stage["out"] for name, stage in stages.items() if name != "check"} == dict.fromkeys(
        ("import", "scrub", "review", "publish"), len(files)
    )
    assert stages["check"]["out"] + sum(stages["check"]["refused"].values()) == len(files)
    assert stages["check"]["out"] >= 0.95 * len(files)
    assert (shared.code, shared.json["published"]) == (0, len(files))
    assert command("verify", f"local:{hub}", "--json").json["ok"]
    published = [one for shard in hub.rglob("*.parquet") for one in read_shard(shard)]
    assert len(published) == len(files)
    assert all(step.input is None for one in published for step in one.trajectory.steps)


def test_every_gold_step_is_the_text_of_the_source_at_that_label(command) -> None:  # type: ignore[no-untyped-def]
    files = {path.parent.name + "/" + path.name: path for path in LOGS.glob("*/*.json")}
    listed = command("import", LOGS, "--json").json["bundles"]
    assert len(listed) == len(files)
    for row in listed:
        source = Path(row["source"])
        step, agent, text = gold(source)
        document = command("show", row["bundle_id"], "--json").json
        (diagnosis,) = document["diagnoses"]
        held = document["trajectory"]["steps"][diagnosis["step"]]
        assert (diagnosis["step"], diagnosis["agent"]) == (step, agent)
        assert text in (held["output"], held["input"]), source
        assert diagnosis["source"]["step_as_written"] == json.loads(source.read_text())["mistake_step"]
        assert isinstance(Bundle.from_document(_plain(document)), Bundle)


def _plain(document: dict[str, object]) -> dict[str, object]:
    shown = ("bundle_id", "trajectory_id", "diagnosis_ids", "grades", "modes")
    return {name: value for name, value in document.items() if name not in shown}
