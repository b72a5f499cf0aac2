"""Who&When: positions and texts are the source's, labels are overlays, bad labels never cost the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.grounding import ground

One = Callable[..., Bundle]
Put = Callable[..., Path]


def run(**changes: Any) -> dict[str, Any]:
    history = [
        {"role": "human", "content": "Find the ferry."},
        {"role": "Orchestrator (thought)", "content": "Ask the surfer."},
        {"role": "WebSurfer", "content": ""},
    ]
    label = {"mistake_agent": "Websurfer", "mistake_step": "2", "mistake_reason": "Looked at no page."}
    return {"history": history, "question": "Which ferry?", "ground_truth": "Skua", **label, **changes}


def test_label_task_and_outcome(put: Put, one: One) -> None:
    bundle = one(put("1.json", run(is_corrected=False, level=2, question_ID="q-7", mistake_type="wrong_reasoning")))
    trajectory, label = bundle.trajectory, bundle.diagnoses[0]
    assert [step.agent for step in trajectory.steps] == ["human", "Orchestrator (thought)", "WebSurfer"]
    assert [step.kind for step in trajectory.steps] == ["message", "agent.step", "agent.step"]
    assert (trajectory.steps[0].input, trajectory.steps[2].output) == ("Find the ferry.", "")
    assert (trajectory.task.id, trajectory.task.family, trajectory.task.goal) == ("q-7", "2", "Which ferry?")
    assert (trajectory.outcome.status, trajectory.outcome.source) == ("failed", "log")
    assert trajectory.construction_only.reference_answer == "Skua"
    assert (label.step, label.agent, label.explanation, label.author) == (
        2,
        "Websurfer",
        "Looked at no page.",
        "who-and-when",
    )
    assert label.source is not None and (label.source.step_as_written, label.source.base) == ("2", 0)
    assert label.mode is not None and label.mode.id == "wrong_reasoning"
    assert ground(trajectory, label).grade == "located"


def test_names_are_actors_where_there_are_names(put: Put, one: One) -> None:
    history = [
        {"name": "A_Expert", "role": "assistant", "content": "task"},
        {"name": "Computer_terminal", "role": "user", "content": "exitcode: 0"},
    ]
    prompts = {"A_Expert": "You are A."}
    bundle = one(put("1.json", run(history=history, mistake_agent="A_Expert", mistake_step="0", system_prompt=prompts)))
    assert [(s.agent, s.role) for s in bundle.trajectory.steps] == [
        ("A_Expert", "assistant"),
        ("Computer_terminal", "user"),
    ]
    assert bundle.trajectory.steps[0].input == "task"
    assert bundle.trajectory.run.metadata == {"inputs": {"system_prompt": prompts}}


@pytest.mark.parametrize(
    ("changes", "warning"),
    [
        ({"mistake_step": "3"}, "step is not one of the run"),
        ({"mistake_step": "-1"}, "step is not one of the run"),
        ({"mistake_step": "third"}, "step is not one of the run"),
        ({"mistake_step": None}, "step is not one of the run"),
        ({"mistake_agent": "Nobody"}, "agent never acts"),
    ],
    ids=["past the end", "negative", "words", "null", "absent agent"],
)
def test_bad_label_is_refused_and_the_run_stays(changes: dict[str, Any], warning: str, put: Put, one: One) -> None:
    bundle = one(put("1.json", run(**changes)))
    assert bundle.diagnoses == ()
    assert any(warning in each for each in bundle.trajectory.source.warnings)


def test_label_of_an_agent_that_acts_elsewhere_is_kept(put: Put, one: One) -> None:
    bundle = one(put("1.json", run(mistake_agent="human")))
    assert "does not act at the labelled step" in bundle.trajectory.source.warnings[0]
    assert ground(bundle.trajectory, bundle.diagnoses[0]).rule == "agent_not_at_step"


def test_turn_without_text_refuses_the_run(put: Put, read: Callable[..., Any]) -> None:
    bundles, refused = read(put("1.json", run(history=[{"role": "human", "content": None}])))
    assert bundles == []
    assert "entry 0 of history has no text" in refused[0].reason


def test_unknown_fields_are_counted(put: Put, one: One) -> None:
    assert one(put("1.json", run(annotator="x"))).trajectory.source.unmapped == {"annotator": 1}


def test_every_shared_run_keeps_positions_texts_and_labels(shared_data: Path, one: One) -> None:
    paths = sorted((shared_data / "who-and-when").glob("*/*.json"))
    assert len(paths) == 130
    for path in paths:
        source, bundle = json.loads(path.read_text("utf-8")), one(path)
        steps = bundle.trajectory.steps
        assert len(steps) == len(source["history"])
        for step, entry in zip(steps, source["history"], strict=True):
            text = step.input if step.output is None else step.output
            assert text == entry["content"], path
            assert step.agent == entry.get("name", entry["role"]), path
        label = bundle.diagnoses[0]
        assert (label.step, label.agent) == (int(source["mistake_step"]), source["mistake_agent"])
        assert bundle.trajectory.outcome.status == "failed"
        assert bundle.trajectory.construction_only.reference_answer == source["ground_truth"]


def test_labels_that_do_not_fit_their_step_are_the_known_ones(shared_data: Path, one: One) -> None:
    paths = sorted((shared_data / "who-and-when").glob("*/*.json"))
    off = {f"{path.parent.name[0]}{path.stem}" for path in paths if one(path).trajectory.source.warnings}
    assert off == {"A14", "A15", "A59", "H20", "H22", "H49"}
