"""`errorhub diagnose --with deepdebug`: the package on our client, and everything it would make up refused."""

import json
from typing import Any

import pytest
from chatserver import Model
from diagnose_cases import Command, asking, debugged, made, rules

from errorhub.hub.workspace import Workspace

pytest.importorskip("agentdebug", reason="DeepDebug needs agentdebugx")


def test_a_model_that_finds_the_step(command: Command, workspace: Workspace, model: Model) -> None:
    model.answer = lambda body: (200, debugged(body))
    workspace.raw.put([made(n) for n in range(3)])
    code, found = command(*asking(model, "deepdebug"))
    assert (code, found["diagnosed"], found["rejected"], found["refused"]) == (0, 3, 0, [])
    assert found["usage"]["asked"] == len(model.asked) and found["usage"]["prompt_tokens"] == 100 * len(model.asked)
    for bundle in workspace.raw.bundles():
        (one,) = bundle.diagnoses
        assert (one.step, one.agent, one.confidence, bundle.grades) == (3, "planner", None, ("actionable",))
        assert one.explanation == "It took a stale setting for the truth."
        assert one.conditions["model"] == "m" and one.conditions["package"] == "agentdebugx 0.5.2"
        assert one.metadata["agentdebugx"]["verdict"] == "agreement"  # type: ignore[index,call-overload]


def test_nothing_hidden_is_shown(command: Command, workspace: Workspace, model: Model) -> None:
    model.answer = lambda body: (200, debugged(body))
    workspace.raw.put([made()])
    command(*asking(model, "deepdebug"))
    for hidden in ("gold answer", "hidden grader", "dropped_constraint", "cluster constraint"):
        assert hidden not in "\n".join(model.prompts)
    command(*asking(model, "deepdebug", "--reference"))
    assert "the gold answer is new-cluster-0" in "\n".join(model.prompts)
    said = [one.conditions["reference"] for one in next(iter(workspace.raw.bundles())).diagnoses]
    assert said == [False, True]


@pytest.mark.parametrize(
    ("refined", "grade", "rule"),
    [
        ({"evidence": [{"event_id": "step_3", "quote": "I never said this"}]}, "rejected", "quote_not_in_step"),
        ({"evidence": [{"event_id": "step_2", "quote": "I assume that nothing"}]}, "rejected", "quote_not_in_step"),
        ({"evidence": ["I assume that nothing", "not in the run"]}, "rejected", "quote_not_in_step"),
        ({"evidence": []}, "located", "located"),
        ({"evidence": "I assume that nothing has to be changed"}, "actionable", "actionable"),
        ({"suggestion": ""}, "evidenced", "evidenced"),
    ],
    ids=str,
)
def test_the_models_own_quotes_count(
    refined: dict[str, Any], grade: str, rule: str, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda body: (200, debugged(body, **refined))
    workspace.raw.put([made()])
    code, found = command(*asking(model, "deepdebug"))
    (one,) = found["bundles"][0]["diagnoses"]
    assert (code, one["grade"], one["rule"]) == (1 if grade == "rejected" else 0, grade, rule)


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({"step": 21}, "step_out_of_range"),
        ({"step": -1}, "step_out_of_range"),
        ({"step": 999}, "step_out_of_range"),
        ({"half": "neither"}, "model_failed"),
        ({"summary": ""}, "constant_text"),
        ({"summary": None}, "constant_text"),
        ({"evidence": [{"event_id": "step_99", "quote": "I assume"}]}, "unknown_event"),
    ],
    ids=str,
)
def test_reports_that_must_not_be_believed(
    parts: dict[str, Any], rule: str, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda body: (200, debugged(body, **parts))
    workspace.raw.put([made(said=[f"I assume {n}." for n in range(21)])])
    code, found = command(*asking(model, "deepdebug"))
    assert (code, found["diagnosed"], rule in rules(found)) == (1, 0, True), found
    assert next(iter(workspace.raw.bundles())).diagnoses == ()


@pytest.mark.parametrize("said", ["", "I cannot say.", "[]", "{"], ids=repr)
@pytest.mark.parametrize("when", ["always", "first", "last"])
def test_a_model_that_talks_nonsense(
    said: str, when: str, command: Command, workspace: Workspace, model: Model
) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, str]:
        last = '"summary"' in body["messages"][0]["content"]
        wrong = when == "always" or (when == "first" and len(model.asked) == 1) or (when == "last" and last)
        return 200, said if wrong else debugged(body)

    model.answer = answer
    workspace.raw.put([made()])
    code, found = command(*asking(model, "deepdebug"))
    assert (code, found["diagnosed"], rules(found)) == (1, 0, {"model_failed"})


def test_a_model_that_fails_leaves_the_package(command: Command, workspace: Workspace, model: Model) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, Any]:
        last = '"summary"' in body["messages"][0]["content"]
        return (500, {}) if last and "orders 1" in json.dumps(body) else (200, debugged(body))

    model.answer = answer
    workspace.raw.put([made(n) for n in range(3)])
    code, found = command(*asking(model, "deepdebug"))
    assert (code, found["diagnosed"], rules(found)) == (3, 2, {"no_answer"})
    model.answer = lambda _: (401, {})
    workspace.raw.put([made(8)])
    name = next(one.bundle_id for one in workspace.raw.bundles() if one.trajectory.task.id == "task-8")
    code, found = command(*asking(model, "deepdebug"), name)
    assert (code, found["error"]["code"]) == (4, "remote")


def test_readings_that_disagree_go_to_a_vote(command: Command, workspace: Workspace, model: Model) -> None:
    def answer(body: dict[str, Any]) -> tuple[int, str]:
        first = len(model.asked) == 1
        return 200, debugged(body, step=3 if first else 1)

    model.answer = answer
    workspace.raw.put([made()])
    code, found = command(*asking(model, "deepdebug"))
    assert (code, found["diagnosed"] + found["rejected"]) in ((0, 1), (1, 1))


def test_a_batch_goes_on_without_asking_again(command: Command, workspace: Workspace, model: Model) -> None:
    model.answer = lambda body: (200, debugged(body)) if '"summary"' not in str(body["messages"][0]) else (500, {})
    workspace.raw.put([made()])
    command(*asking(model, "deepdebug"))
    before = len(model.asked)
    model.answer = lambda body: (200, debugged(body))
    code, found = command(*asking(model, "deepdebug"))
    assert (code, found["diagnosed"], len(model.asked) - before) == (0, 1, 1)
    assert found["usage"]["cached"] >= 2


def test_past_cases_reach_every_reading_quoted(command: Command, workspace: Workspace, model: Model) -> None:
    from errorhub.hub.bundle import Diagnosis

    model.answer = lambda body: (200, debugged(body))
    known = Diagnosis(step=3, agent="planner", explanation="The planner trusted a stale settings file.", author="ada")
    workspace.raw.put([made(n, diagnoses=[known]) for n in range(1, 4)])
    command("scrub", "--policy", "share")
    workspace.raw.put([made(0)])
    name = next(one.bundle_id for one in workspace.raw.bundles() if not one.diagnoses)
    code, found = command(*asking(model, "deepdebug", name, "--with-memory"))
    assert (code, found["diagnosed"]) == (0, 1)
    assert "│ why: The planner trusted a stale settings file." in model.prompts[0]
    assert "│ why: The planner trusted a stale settings file." in model.prompts[-1]
    (bundle,) = [one for one in workspace.raw.bundles() if one.bundle_id == found["bundles"][0]["bundle_id"]]
    assert bundle.diagnoses[0].conditions["memory"]
