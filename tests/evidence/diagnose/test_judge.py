"""`errorhub diagnose --with judge` end to end against a scripted server: good answers, wrong ones, none."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from chatserver import Model
from diagnose_cases import MAIL, Command, asking, hypothesis, judged, made, rules

from errorhub.hub.bundle import Outcome
from errorhub.hub.workspace import Workspace


def test_a_judge_that_quotes(command: Command, workspace: Workspace, model: Model) -> None:
    workspace.raw.put([made(n) for n in range(5)])
    code, found = command(*asking(model, "judge", "--price", "1/10"))
    assert (code, found["diagnosed"], found["accepted"], found["rejected"], found["refused"]) == (0, 5, 5, 0, [])
    assert found["usage"] == {
        "asked": 5, "cached": 0, "prompt_tokens": 500, "completion_tokens": 50, "cost": pytest.approx(0.001),
    }  # fmt: skip
    for bundle in workspace.raw.bundles():
        (one,) = bundle.diagnoses
        assert (one.step, one.agent, one.author, bundle.grades) == (3, "planner", "judge:m", ("actionable",))
        assert one.mode and one.mode.id == "planning.constraint_ignorance"
        said = {name: one.conditions[name] for name in ("stage", "reference", "model", "endpoint", "temperature")}
        assert said == {"stage": "raw", "reference": False, "model": "m", "endpoint": "loopback", "temperature": 0}
        assert model.url not in json.dumps(one.conditions)
    shown = {one["bundle_id"] for one in found["bundles"]}
    assert shown == {bundle.bundle_id for bundle in workspace.raw.bundles()}


def test_again_is_a_no_op(command: Command, workspace: Workspace, model: Model) -> None:
    workspace.raw.put([made()])
    command(*asking(model))
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], found["unchanged"], len(model.asked)) == (0, 0, 1, 1)
    command(*asking(model, "judge", "--max-tokens", 99))
    assert len(model.asked) == 2 and len(next(iter(workspace.raw.bundles())).diagnoses) == 2


def test_a_judge_sees_what_a_student_sees(command: Command, workspace: Workspace, model: Model) -> None:
    workspace.raw.put([made()])
    command(*asking(model))
    (prompt,) = model.prompts
    assert "[3] planner (llm.response): The settings say" in prompt and "Move orders 0" in prompt
    for hidden in ("gold answer", "hidden grader", "dropped_constraint"):
        assert hidden not in prompt
    command(*asking(model, "judge", "--reference"))
    assert "the gold answer is new-cluster-0" in model.prompts[1] and "hidden grader" in model.prompts[1]
    said = [one.conditions["reference"] for one in next(iter(workspace.raw.bundles())).diagnoses]
    assert said == [False, True]


def test_an_invented_quote_is_mended_once_and_both_are_kept(
    command: Command, workspace: Workspace, model: Model
) -> None:
    invented = {"quotes": [{"step": 3, "quote": "I never read the settings"}]}
    model.answer = lambda body: (200, judged(body, **(invented if len(body["messages"]) == 2 else {})))
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], found["rejected"], len(model.asked)) == (0, 1, 1, 2)
    assert "quote_not_in_step: hypothesis 1, step 3" in model.asked[1]["messages"][-1]["content"]
    (bundle,) = workspace.raw.bundles()
    said = [(g.grade, g.rule) for g in bundle.groundings]
    assert said == [("actionable", "actionable"), ("rejected", "quote_not_in_step")]
    code, checked = command("check")
    assert (code, checked["grades"], len(checked["rejected"])) == (1, {"actionable": 1, "rejected": 1}, 1)


def test_at_most_one_repair(command: Command, workspace: Workspace, model: Model) -> None:
    model.answer = lambda body: (200, judged(body, quotes=[{"step": 3, "quote": "no such words"}]))
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], found["rejected"], len(model.asked)) == (1, 0, 1, 2)


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({"quotes": None}, "no_quote"),
        ({"quotes": []}, "no_quote"),
        ({"quotes": ["I assume"]}, "quote_malformed"),
        ({"quotes": [{"step": 3, "quote": " "}]}, "quote_malformed"),
        ({"quotes": [{"quote": "I assume"}]}, "quote_malformed"),
        ({"quotes": [{"step": -1, "quote": "I assume"}]}, "quote_step_out_of_range"),
        ({"step": None}, "no_step"),
        ({"step": "third"}, "no_step"),
        ({"step": True}, "no_step"),
        ({"step": 2.5}, "no_step"),
        ({"step": -1}, "step_out_of_range"),
        ({"step": 10**12}, "step_out_of_range"),
        ({"agent": None}, "no_agent"),
        ({"agent": "  "}, "no_agent"),
        ({"explanation": None}, "no_explanation"),
    ],
    ids=str,
)
def test_hypotheses_that_cannot_be_kept(
    parts: dict[str, Any], rule: str, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda body: (200, judged(body, **parts))
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], rules(found), len(model.asked)) == (1, 0, {rule}, 2)


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({"step": 7}, "step_out_of_range"),
        ({"step": 2**31 - 1}, "step_out_of_range"),
        ({"agent": "coder"}, "agent_not_at_step"),
        ({"quotes": [{"step": 4, "quote": "I assume that nothing has to be changed"}]}, "quote_not_in_step"),
        ({"quotes": [{"step": 99, "quote": "I assume"}]}, "quote_step_out_of_range"),
        ({"quotes": [{"step": 3, "quote": "planner (llm.response)"}]}, "quote_not_in_step"),
    ],
    ids=str,
)
def test_hypotheses_that_do_not_hold_are_kept_as_rejected(
    parts: dict[str, Any], rule: str, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda body: (200, judged(body, **parts))
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], found["rejected"], found["refused"]) == (1, 0, 1, [])
    (bundle,) = workspace.raw.bundles()
    assert [(one.grade, one.rule) for one in bundle.groundings] == [("rejected", rule)]


@pytest.mark.parametrize(
    ("said", "rule", "times"),
    [
        ("I'm sorry, but I can't help with that.", "refusal", 1),
        ({"choices": [{"message": {"content": None, "refusal": "No."}}]}, "refusal", 1),
        ({"choices": [{"message": {"content": "{"}, "finish_reason": "content_filter"}]}, "refusal", 1),
        ("", "empty", 2),
        ("The planner was wrong at step 3.", "no_json", 2),
        ({"choices": [{"message": {"content": '{"run": "x", "hyp'}, "finish_reason": "length"}]}, "cut_off", 2),
        ("half a character: \ud800", "no_json", 2),
        ("[1, 2]", "no_json", 2),
        ('{"step": 3, "agent": "planner"}', "no_hypotheses", 2),
        ('{"hypotheses": "step 3"}', "no_hypotheses", 2),
        ('{"hypotheses": []}', "none_found", 1),
        ('{"hypotheses": ["step 3"]}', "no_hypotheses", 2),
        (json.dumps({"run": "0123456789ab", "hypotheses": [hypothesis()]}), "other_run", 2),
    ],
    ids=str,
)
def test_answers_that_are_none(
    said: Any, rule: str, times: int, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda _: (200, said)
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], rules(found), len(model.asked)) == (1, 0, {rule}, times)
    assert next(iter(workspace.raw.bundles())).diagnoses == ()
    (noted,) = (workspace.folder / "diagnosing").iterdir()
    assert json.loads(noted.read_bytes())["refused"] == found["refused"]


def test_an_answer_about_another_run_is_rejected_by_its_quotes(
    command: Command, workspace: Workspace, model: Model
) -> None:
    other = hypothesis(quotes=[{"step": 2, "quote": "The spaceship landed on the wrong moon"}], step=2, agent="shell")
    model.answer = lambda _: (200, json.dumps({"hypotheses": [other]}))
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    assert (code, found["rejected"]) == (1, 1) and found["bundles"][0]["diagnoses"][0]["rule"] == "quote_not_in_step"


def test_ranked_hypotheses_and_names_of_modes(command: Command, workspace: Workspace, model: Model) -> None:
    second = hypothesis(
        quotes=[{"step": 5, "quote": "permission denied"}], step=4, agent="Coder", mode="stale settings", correction=None,
        confidence=80, explanation="It wrote without asking.",
    )  # fmt: skip
    third = hypothesis(quotes=None, explanation="It is all wrong.")
    model.answer = lambda body: (200, f"<think>{{}}</think>Here:\n```json\n{judged(body, second, third)}\n```")
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], found["accepted"], rules(found), len(model.asked)) == (0, 1, 2, {"no_quote"}, 1)
    (bundle,) = workspace.raw.bundles()
    one, two = bundle.diagnoses
    assert (two.novel_mode, two.mode, two.confidence, two.correction) == ("stale settings", None, None, None)
    assert [d.metadata["judge"]["rank"] for d in (one, two)] == [1, 2]  # type: ignore[index,call-overload]
    assert bundle.grades == ("actionable", "evidenced")


@pytest.mark.parametrize("quote", ["<sql>", "sql", "<sql> I write", "without asking which cluster"])
def test_whatever_a_prompt_shows_of_a_step_can_be_quoted(
    quote: str, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda body: (200, judged(body, step=4, agent="coder", quotes=[{"step": 4, "quote": quote}]))
    workspace.raw.put([made()])
    code, found = command(*asking(model))
    shown = " ".join(model.prompts[0].split())
    assert (code, found["diagnosed"], quote in shown) == (0, 1, True)


def test_a_batch_of_many_chunks(command: Command, workspace: Workspace) -> None:
    pytest.importorskip("agentdebug", reason="its rules need agentdebugx")
    workspace.raw.put([made(n) for n in range(150)])
    for diagnosed, unchanged in ((150, 0), (0, 150)):
        code, found = command("diagnose", "--with", "agentdebugx")
        assert (code, found["diagnosed"], found["unchanged"]) == (0, diagnosed, unchanged)
    assert sum(len(bundle.diagnoses) for bundle in workspace.raw.bundles()) == 150


def test_runs_that_hold_no_error_are_passed_over_unless_named(
    command: Command, workspace: Workspace, model: Model
) -> None:
    outcomes = [Outcome(status="passed"), Outcome(status="ungradable"), Outcome(status="failed", fault="grader")]
    workspace.raw.put([made(n, outcome=outcome) for n, outcome in enumerate(outcomes)])
    code, found = command(*asking(model))
    assert (code, found["skipped"], model.asked) == (0, {"passed": 1, "ungradable": 1, "fault of the grader": 1}, [])
    name = next(iter(workspace.raw.bundles())).bundle_id
    code, found = command(*asking(model), name)
    assert (code, found["diagnosed"]) == (0, 1)


def test_a_long_run_loses_the_middle_of_its_longest_steps(command: Command, workspace: Workspace, model: Model) -> None:
    said = [
        "Start.",
        "I look.",
        "x" * 50_000,
        "The settings say old-cluster, so I assume that nothing has to be changed.",
    ]
    workspace.raw.put([made(said=said)])
    command(*asking(model, "judge", "--max-characters", 5000))
    assert len(model.asked[0]["messages"][1]["content"]) < 6000 and "characters left out]" in model.prompts[0]
    (bundle,) = workspace.raw.bundles()
    assert bundle.grades == ("actionable",) and bundle.diagnoses[0].conditions["steps_cut"] == 1
    workspace.raw.put([made(said=["y" * 300] * 40)])
    _, found = command(*asking(model, "judge", "--max-characters", 1000))
    assert rules(found) == {"over_budget"}


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_server_is_asked_again(status: int, command: Command, workspace: Workspace, model: Model) -> None:
    model.answer = None
    model.reply = lambda time, text: (status, {}) if time == 1 else (200, judged({"messages": [{"content": text}]}))
    workspace.raw.put([made(n) for n in range(3)])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], set(model.times.values())) == (0, 3, {2})


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_server_that_lets_nobody_in_is_exit_four(
    status: int, command: Command, workspace: Workspace, model: Model
) -> None:
    model.answer = lambda _: (status, {})
    workspace.raw.put([made(n) for n in range(20)])
    code, found = command(*asking(model))
    assert (code, found["error"]["code"], len(model.asked) <= 8) == (4, "remote", True)
    assert str(status) in found["error"]["message"]


def test_nobody_there_is_exit_four(command: Command, workspace: Workspace, model: Model) -> None:
    model.url = "http://127.0.0.1:9/v1"
    workspace.raw.put([made(n) for n in range(20)])
    code, found = command(*asking(model))
    assert (code, found["error"]["code"]) == (4, "remote")


@pytest.mark.parametrize("said", [None, {}, {"choices": []}, {"choices": [{"message": {}}]}, []], ids=str)
def test_wrong_json_from_the_server(said: Any, command: Command, workspace: Workspace, model: Model) -> None:
    model.answer = lambda body: (200, said if "orders_1 " in body["messages"][1]["content"] else judged(body))
    workspace.raw.put([made(n) for n in range(3)])
    code, found = command(*asking(model))
    assert (code, found["diagnosed"], rules(found)) == (3, 2, {"no_answer"})
    model.answer = lambda _: (200, said)
    workspace.raw.put([made(9)])
    name = next(one.bundle_id for one in workspace.raw.bundles() if one.trajectory.task.id == "task-9")
    code, found = command(*asking(model), name)
    assert (code, "no chat completion" in found["error"]["message"]) == (4, True)


def test_only_so_many_at_once(command: Command, workspace: Workspace, model: Model) -> None:
    model.seconds = 0.05
    workspace.raw.put([made(n) for n in range(8)])
    code, _ = command(*asking(model, "judge", "--at-once", 2))
    assert (code, model.most_at_once) == (0, 2)


def test_a_batch_that_was_killed_goes_on_where_it_stopped(
    tmp_path: Path, workspace: Workspace, model: Model, command: Command
) -> None:
    workspace.raw.put([made(n) for n in range(6)])
    line = [
        sys.executable,
        "-c",
        "from errorhub.cli import main; main()",
        *map(str, asking(model, "judge", "--at-once", 1)),
    ]
    model.seconds = 0.15
    held = subprocess.Popen(line, cwd=tmp_path, env=os.environ | {"ERRORHUB_CONFIG_DIR": str(tmp_path)})
    until = time.monotonic() + 60
    while len(model.asked) < 4 and time.monotonic() < until:
        time.sleep(0.01)
    held.send_signal(signal.SIGKILL)
    held.wait()
    kept = len(list((workspace.folder / "answers").glob("[0-9a-f]*.json")))
    assert kept >= 2 and not any(one.diagnoses for one in workspace.raw.bundles())
    model.seconds = 0.0
    before = len(model.asked)
    code, found = command(*asking(model, "judge", "--at-once", 1))
    assert (code, found["diagnosed"], found["usage"]["cached"]) == (0, 6, kept)
    assert len(model.asked) - before == 6 - kept


@pytest.mark.parametrize(
    ("more", "word"),
    [
        (("--with", "judge"), "asks a model"),
        (("--with", "deepdebug"), "asks a model"),
        (("--with", "oracle"), "no such diagnoser"),
        (("--with", "judge", "--base-url", "http://127.0.0.1:9"), "both"),
        (("--with", "judge", "--base-url", "ftp://x", "--model", "m"), "not a URL"),
        (("--with", "judge", "--base-url", "http://[", "--model", "m"), "not a URL"),
        (("--with", "agentdebugx", "--base-url", "http://x", "--model", "m"), "asks no model"),
        (("--with", "judge", "--base-url", "http://x", "--model", "m", "--price", "cheap"), "not a price"),
        (("--with", "agentdebugx", "--stage", "shiny"), "no such stage"),
        (("--with", "judge", "--base-url", "http://0.0.0.0:9", "--model", "m", "--stage", "raw"), "leave this machine"),
        (("--with", "agentdebugx", "--with-memory"), "the run alone"),
        (("--with", "agentdebugx", "--reference"), "the run alone"),
        (("--with", "agentdebugx", "0123456789"), "no bundle"),
    ],
    ids=str,
)
def test_bad_input_is_said(more: tuple[str, ...], word: str, command: Command, workspace: Workspace) -> None:
    workspace.raw.put([made()])
    code, found = command("diagnose", *more)
    assert (code, word in found["error"]["message"]) == (2, True), found


def test_the_mail_address_is_planted() -> None:
    assert MAIL in str(made().trajectory.steps[6].output)
