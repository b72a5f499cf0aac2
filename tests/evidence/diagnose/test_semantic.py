"""`errorhub check --judge`: a model's opinion on quotes and corrections, beside the grade and never in its place."""

import json
from typing import Any

import pytest
from chatserver import Model
from diagnose_cases import MAIL, Command, made

from errorhub.hub.bundle import Citation, Correction, Diagnosis
from errorhub.hub.workspace import Workspace


def diagnosis(**parts: Any) -> Diagnosis:
    """Return a diagnosis that holds of a made run."""
    said: dict[str, Any] = {
        "step": 3, "agent": "planner", "explanation": "It took a stale setting for the truth.", "author": "ada",
        "evidence": (Citation(step=3, quote="I assume that nothing has to be changed"),),
        "correction": Correction(text="Ask which cluster is meant."),
    }  # fmt: skip
    return Diagnosis(**(said | parts))


def checking(model: Model, *more: object) -> tuple[object, ...]:
    """Return the line that asks for opinions."""
    return ("check", "--judge", "--base-url", model.url, "--model", "m", *more)


def says(model: Model, **said: Any) -> None:
    """Let the model have an opinion."""
    text = json.dumps({"reason": "Because.", "supports": True, "different": True} | said)
    model.answer = lambda _: (200, text)


@pytest.mark.parametrize(
    ("said", "fix", "rule", "grade"),
    [
        ({}, True, "supported_and_different", "actionable"),
        ({"different": False}, True, "correction_not_different", "evidenced"),
        ({"different": None}, False, "supported", "evidenced"),
        ({"different": True}, False, "supported", "evidenced"),
        ({"supports": False}, True, "not_supported", "rejected"),
        ({"supports": False, "different": None}, False, "not_supported", "rejected"),
    ],
    ids=str,
)
def test_an_opinion_stands_beside_the_grade(
    said: dict[str, Any], fix: bool, rule: str, grade: str, command: Command, workspace: Workspace, model: Model
) -> None:
    says(model, **said)
    workspace.raw.put([made(diagnoses=[diagnosis() if fix else diagnosis(correction=None)])])
    code, found = command(*checking(model))
    assert (code, found["opinions"]["rules"], found["opinions"]["by"]) == (0, {rule: 1}, "judge:m")
    (bundle,) = workspace.raw.bundles()
    structural = "actionable" if fix else "evidenced"
    assert bundle.grades == (structural,) and found["grades"] == {structural: 1}
    (opinion,) = [one for one in bundle.groundings if one.by == "judge:m"]
    assert (opinion.grade, opinion.rule, opinion.detail) == (grade, rule, "Because.")
    code, again = command("check")
    assert (code, again["grades"], len(next(iter(workspace.raw.bundles())).groundings)) == (0, {structural: 1}, 2)


def test_an_opinion_is_asked_for_once_and_survives_the_scrub(
    command: Command, workspace: Workspace, model: Model
) -> None:
    says(model)
    workspace.raw.put([made(n, diagnoses=[diagnosis()]) for n in range(3)])
    command(*checking(model))
    code, found = command(*checking(model))
    assert (code, found["opinions"]["unchanged"], len(model.asked)) == (0, 3, 3)
    command("scrub", "--policy", "share")
    (first, *_) = workspace.clean.bundles()
    opinions = [one for one in first.groundings if one.by == "judge:m"]
    assert [one.diagnosis_id for one in opinions] == list(first.diagnosis_ids)
    assert first.grades == ("actionable",)


def test_only_what_holds_and_quotes_is_asked_about(command: Command, workspace: Workspace, model: Model) -> None:
    says(model)
    bad = diagnosis(evidence=(Citation(step=3, quote="no such words"),), explanation="b")
    bare = diagnosis(evidence=(), explanation="c")
    workspace.raw.put([made(diagnoses=[diagnosis(), bad, bare])])
    code, _ = command(*checking(model))
    (prompt,) = model.prompts
    assert code == 1 and "a stale setting" in prompt and "hidden grader" not in prompt and "gold" not in prompt


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ("Yes.", "no_json"),
        ('{"supports": "yes", "different": true}', "no_opinion"),
        ('{"supports": true}', "no_opinion"),
        ('{"supports": true, "different": null}', "no_opinion"),
        ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, "refusal"),
    ],
    ids=str,
)
def test_answers_that_are_no_opinion(
    said: Any, rule: str, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda _: (200, said)
    workspace.raw.put([made(diagnoses=[diagnosis()])])
    code, found = command(*checking(model))
    assert (code, [one["rule"] for one in found["opinions"]["refused"]]) == (3, [rule])
    assert [one.by for one in next(iter(workspace.raw.bundles())).groundings] == ["structure"]


def test_raw_runs_do_not_leave(command: Command, workspace: Workspace, model: Model) -> None:
    says(model)
    model.url = model.url.replace("127.0.0.1", "0.0.0.0")
    workspace.raw.put([made()])
    command("scrub", "--policy", "share")
    (raw,) = workspace.raw.bundles()
    workspace.raw.put([raw.replace(diagnoses=(diagnosis(),))])
    code, found = command(*checking(model))
    assert (code, found["opinions"]["refused"][0]["rule"], model.asked) == (3, "stale", [])
    command("scrub", "--policy", "share")
    code, found = command(*checking(model))
    assert (code, found["opinions"]["rules"], MAIL in json.dumps(model.asked)) == (
        0,
        {"supported_and_different": 1},
        False,
    )


def test_nobody_there(command: Command, workspace: Workspace, model: Model) -> None:
    workspace.raw.put([made(diagnoses=[diagnosis()])])
    model.url = "http://127.0.0.1:9/v1"
    code, found = command(*checking(model))
    assert (code, found["error"]["code"]) == (4, "remote")


@pytest.mark.parametrize("line", [("--judge",), ("--base-url", "http://127.0.0.1:9", "--model", "m")], ids=str)
def test_half_a_request(line: tuple[str, ...], command: Command, workspace: Workspace) -> None:
    code, found = command("check", *line)
    assert (code, "--judge" in found["error"]["message"]) == (2, True)
