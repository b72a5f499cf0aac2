"""An independent reading of A1 to A13 over every admitted row. It imports nothing from the views it checks."""

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from errorhub.hub.bundle import Bundle, Outcome
from errorhub.hub.importers import Imported, read_log, walk
from errorhub.hub.labels import labelled as with_labels
from errorhub.hub.labels import of_run, read_labels

WORD = r"\w+"
DIAGNOSIS = {"diagnosis_full", "diagnosis_compact", "diagnosis_rationale"}


def norm(text: str) -> str:
    """Lower case, letters and digits only, what stands in parentheses left out."""
    return re.sub(r"[^a-z0-9]", "", re.sub(r"\(.*?\)", "", text.lower()))


def flat(value: Any) -> str:
    """Text of any JSON value, spaces made one."""
    return re.sub(r"\s+", " ", value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def texts(value: Any) -> list[str]:
    """Every string inside a value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for item in inner for text in texts(item)]


def block(prompt: str, step: int, n: int) -> str:
    """The part of a prompt that shows one step."""
    start = re.search(rf"(?m)^\[{step}\] ", prompt)
    assert start, f"step {step} is not shown"
    end = re.search(rf"(?m)^\[{step + 1}\] ", prompt[start.end() :]) if step + 1 < n else None
    return prompt[start.start() : start.end() + end.start() if end else None]


def rows_of(folder: Path) -> list[tuple[str, str, dict[str, Any]]]:
    """Every row of a build with its view and split."""
    found = []
    for path in sorted(folder.glob("*/*/rows.parquet")):
        found += [(path.parts[-3], path.parts[-2], row) for row in pq.read_table(path).to_pylist()]
    return found


def check_row(view: str, split: str, row: dict[str, Any], bundle: Bundle) -> None:
    """Assert the rules that look at one row: A1 to A9 and A12."""
    run, n = bundle.trajectory, len(bundle.trajectory.steps)
    said, prompt = row["completion"][0]["content"], "\n".join(message["content"] for message in row["prompt"])
    assert (row["view"], row["split"], row["bundle_id"]) == (view, split, bundle.bundle_id)
    label = bundle.diagnoses[bundle.diagnosis_ids.index(row["diagnosis_id"])]
    assert row["source_task"] and row["label_source"] and row["license"], "provenance"
    assert bundle.receipt and bundle.receipt.digest == bundle.certified_digest and not bundle.receipt.residual, "A12"
    assert 0 <= row["gold_step"] < n and norm(run.steps[row["gold_step"]].agent) == norm(row["gold_agent"]), "A2"
    assert not any(message["train"] for message in row["prompt"]) and [m["train"] for m in row["completion"]] == [
        True
    ], "A6"
    assert said.strip(), "A6"
    check_leaks(prompt, bundle, json.dumps({k: v for k, v in row.items() if k not in ("completion", "rejected")}))
    if view in DIAGNOSIS:
        check_diagnosis(view, row, bundle, label, prompt, said)
    else:
        check_recovery(view, row, bundle, prompt, said)


def check_diagnosis(view: str, row: dict[str, Any], bundle: Bundle, label: Any, prompt: str, said: str) -> None:
    """Assert A1, A3 and the target."""
    run, n, target = bundle.trajectory, len(bundle.trajectory.steps), json.loads(said)
    assert run.outcome.status == "failed" and run.outcome.fault not in ("infrastructure", "grader"), "A1"
    assert (target["step"], target["agent"]) == (label.step, label.agent), "target"
    keys = {"diagnosis_full": 5, "diagnosis_rationale": 3, "diagnosis_compact": 2}
    assert len(target) == keys[view] and "\n" not in said
    assert len(re.findall(r"(?m)^\[\d+\] ", prompt)) == n, "one head a step"
    shown = {label.step: ""} | {one.step: one.quote for one in label.evidence if "<DROPPED>" not in one.quote}
    for step, quote in shown.items():
        assert step not in row["elided_steps"], "A3"
        where = run.steps[step]
        inside = [flat(text) for text in [*texts([where.input, where.output]), where.error or ""]]
        assert not quote or any(flat(quote).strip() in text for text in inside), "A3 quote"
        seen = flat(block(prompt, step, n))
        assert all(flat(text).strip() in seen or flat(text).strip() in seen.replace('"', '"') for text in inside), "A3"


def check_recovery(view: str, row: dict[str, Any], bundle: Bundle, prompt: str, said: str) -> None:
    """Assert A7, A8 and A9, and that nothing later than the error is shown."""
    steps, gold = bundle.trajectory.steps, row["gold_step"]
    tried = [a for repair in bundle.repairs for a in repair.attempts if a.state_ref == row["state_ref"]]
    roles = [message["role"] for message in row["prompt"] if message["role"] != "system"]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"], "turns"
    assert any(a.arm == "corrected" and a.outcome.status == "passed" and a.steps for a in tried), "A7"
    after = view in ("recovery_posterror", "recovery_reflect")
    until = gold + (2 if after else 0)
    known = flat(
        " ".join([bundle.trajectory.task.goal or "", *(flat([s.input, s.output, s.error]) for s in steps[:until])])
    )
    for step in steps[until:]:
        for text in texts([step.input, step.output]):
            said_before = flat(text) in known or flat(json.dumps(text, ensure_ascii=False)[1:-1]) in known
            assert len(text) < 12 or said_before or flat(text) not in flat(prompt), "suffix"
    if after:
        assert steps[gold + 1].error and steps[gold].state_ref == steps[gold + 2].state_ref, "A8"
        assert steps[gold + 1].error in prompt
    if view == "preference_action":
        assert any(a.arm == "original" and a.outcome.status == "failed" for a in tried), "A9"
        assert row["rejected"] and row["rejected"][0]["content"] != said, "A9"


def check_leaks(prompt: str, bundle: Bundle, document: str) -> None:
    """Assert A5: nothing of the grader in the prompt, as text or as a field beside it."""
    only = bundle.trajectory.construction_only
    told = f" {' '.join(re.findall(WORD, prompt.lower()))} "
    for secret in filter(None, (only.reference_answer, only.notes)):
        words = f" {' '.join(re.findall(WORD, secret.lower()))} "
        assert len(secret.strip()) < 4 or words not in told, "A5"
    outcomes = [a.outcome.reason for repair in bundle.repairs for a in repair.attempts] + [
        bundle.trajectory.outcome.reason
    ]
    for text in filter(None, outcomes):
        assert text not in prompt and text not in document, "A5"
    for label in bundle.diagnoses:
        assert not label.correction or len(label.correction.text) < 20 or label.correction.text not in prompt, "A5"


def check_all(folder: Path, bundles: dict[str, Bundle], max_length: int | None = None) -> int:
    """Assert every rule over a build and return its number of rows."""
    tasks, seen, ids = defaultdict(set), defaultdict(set), set()
    rows = rows_of(folder)
    for view, split, row in rows:
        check_row(view, split, row, bundles[row["bundle_id"]])
        goal = bundles[row["bundle_id"]].trajectory.task.goal
        tasks[row["source_task"]].add(split)
        tasks[f"goal {goal}"].add(split)
        key = json.dumps([row["prompt"], row["completion"], row["rejected"]])
        assert key not in seen[view], "A13"
        seen[view].add(key)
        ids.add(row["example_id"])
        assert max_length is None or row["n_prompt_tokens"] + row["n_target_tokens"] <= max_length, "A4"
        assert not (row["overlap"] and split == "train"), "A11"
    assert all(len(splits) == 1 for splits in tasks.values()), "A10"
    assert len(ids) == len(rows)
    return len(rows)


def test_every_row_of_every_view(made: list[Bundle], built: Any, tmp_path: Path) -> None:
    report, _ = built(made)
    assert {view: one["rows"] for view, one in report["views"].items()} == dict.fromkeys(report["views"], 40)
    assert check_all(tmp_path / "rows", {one.bundle_id: one for one in made}) == 280


def test_every_row_of_real_logs(built: Any, certified: Callable[[Bundle], Bundle], tmp_path: Path) -> None:
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not (folder / "who-and-when").is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    read = [one for path in sorted((folder / "who-and-when").glob("*/*.json")) for one in read_log(path)]
    bundles = [certified(one.bundle) for one in read if isinstance(one, Imported)]
    report, ledger = built(bundles, "diagnosis_compact", "diagnosis_full")
    admitted = check_all(tmp_path / "rows", {one.bundle_id: one for one in bundles})
    counts = report["views"]["diagnosis_compact"]
    assert admitted == counts["rows"] >= 100
    assert counts["refused"]["A2"] <= 6 and 1 <= counts["refused"]["A5"] <= 20
    assert all(one["rule"] and one["detail"] and one["source"] for one in ledger)


def labelled_runs(data: Path, certified: Callable[[Bundle], Bundle]) -> dict[str, Bundle]:
    """Every run of a folder with a label, its own or one of a file of labels; those are of failed runs."""
    labels = read_labels(data / "ground_truth.json") if (data / "ground_truth.json").is_file() else {}
    found = {}
    for path in walk([data]):
        for one in read_log(path):
            if not isinstance(one, Imported):
                continue
            given = [label for number in of_run(one.bundle, labels) for label in labels[number]]
            bundle = with_labels(one.bundle, given)[0]
            if given and bundle.trajectory.outcome.status == "unknown":
                run = bundle.trajectory.replace(outcome=Outcome(status="failed", source="human"))
                bundle = bundle.replace(trajectory=run)
            if bundle.diagnoses:
                bundle = certified(bundle)
                found[bundle.bundle_id] = bundle
    return found


def test_every_row_of_labels_beside_the_runs(built: Any, certified: Callable[[Bundle], Bundle], tmp_path: Path) -> None:
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data")) / "agentrx"
    if not folder.is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    places = [path.parent for path in sorted(folder.rglob("ground_truth.json"))]
    bundles = {name: one for place in places for name, one in labelled_runs(place, certified).items()}
    report, _ = built(list(bundles.values()))
    counts = report["views"]["diagnosis_compact"]
    assert check_all(tmp_path / "rows", bundles) == sum(one["rows"] for one in report["views"].values())
    assert set(counts["sources"]) == {"agentrx", "tau-bench"} and set(counts["refused"]) <= {"A2", "A5"}
    assert all(one["rows"] >= 10 for one in counts["sources"].values())


def test_the_budget_holds_on_real_logs(built: Any, certified: Callable[[Bundle], Bundle], tmp_path: Path) -> None:
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not (folder / "who-and-when").is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    read = [one for path in sorted((folder / "who-and-when").glob("Hand*/*.json")) for one in read_log(path)]
    bundles = [certified(one.bundle) for one in read if isinstance(one, Imported)]
    built(bundles, "diagnosis_compact", max_length=8192)
    assert check_all(tmp_path / "rows", {one.bundle_id: one for one in bundles}, 8192) >= 20
    assert any(row["elided_steps"] for _, _, row in rows_of(tmp_path / "rows"))
