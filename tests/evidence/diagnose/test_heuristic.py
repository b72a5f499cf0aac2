"""`errorhub diagnose --with agentdebugx`: what the package's rules say, and what of it is the same for every run."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from diagnose_cases import Command, made, rules

from errorhub.hub.bundle import Step
from errorhub.hub.workspace import Workspace

pytest.importorskip("agentdebug", reason="its rules need agentdebugx")
SHARED = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))


def run_of(*steps: dict[str, Any]) -> Any:
    """Return a bundle of these steps."""
    held = made()
    whole = tuple(Step(**({"agent": "a", "kind": "llm.response"} | one)) for one in steps)
    return held.replace(trajectory=held.trajectory.replace(steps=whole))


def test_an_error_is_quoted(command: Command, workspace: Workspace) -> None:
    workspace.raw.put([made()])
    code, found = command("diagnose", "--with", "agentdebugx")
    assert (code, found["diagnosed"], found["usage"]["asked"]) == (0, 1, 0)
    (bundle,) = workspace.raw.bundles()
    (one,) = bundle.diagnoses
    assert (one.step, one.agent, one.evidence[0].quote) == (5, "shell", "permission denied for table orders_0")
    assert one.mode and one.mode.id == "system.tool_execution_error" and bundle.grades == ("evidenced",)
    assert one.correction is None and one.author == "agentdebugx/HeuristicAnalyzer"
    code, found = command("diagnose", "--with", "agentdebugx")
    assert (code, found["unchanged"]) == (0, 1)


@pytest.mark.parametrize(
    ("steps", "refused"),
    [
        ([{"output": "the JSON schema"}], {"constant_text"}),
        ([{"output": "a loop, repeated"}], {"constant_text"}),
        ([{"kind": "handoff", "output": "to you"}], {"constant_text"}),
        ([{"kind": "run.start", "input": "Return JSON."}], {"not_an_act"}),
        ([{"kind": "message", "input": "Return JSON."}], {"not_an_act"}),
        ([{"output": f"all is well {n}"} for n in range(60)], {"length_only"}),
        ([{"kind": "message", "input": f"said {n}"} for n in range(6)], set()),
        ([{"output": "all is well"}], set()),
    ],
    ids=["json", "loop", "handoff", "start", "message", "length", "talk", "nothing"],
)
def test_constant_text_is_refused(
    steps: list[dict[str, Any]], refused: set[str], command: Command, workspace: Workspace
) -> None:
    workspace.raw.put([run_of(*steps)])
    code, found = command("diagnose", "--with", "agentdebugx")
    assert (code, found["diagnosed"], rules(found)) == (1 if refused else 0, 0, refused)
    assert next(iter(workspace.raw.bundles())).diagnoses == ()


def test_a_repeated_call_is_a_finding_with_its_facts(command: Command, workspace: Workspace) -> None:
    calls = [{"kind": "tool.call", "tool": "sql", "input": {"q": "select 1"}} for _ in range(4)]
    workspace.raw.put([run_of(*calls)])
    command("diagnose", "--with", "agentdebugx")
    (bundle,) = workspace.raw.bundles()
    assert [one.step for one in bundle.diagnoses] == [3] and "4 identical" in bundle.diagnoses[0].explanation


def test_a_run_of_one_mistake_again_and_again_says_it_once(command: Command, workspace: Workspace) -> None:
    same = [{"kind": "tool.result", "error": "permission denied"} for _ in range(30)]
    several = [{"kind": "tool.result", "error": f"error {n}"} for n in range(30)]
    workspace.raw.put([run_of(*same, *several)])
    _, found = command("diagnose", "--with", "agentdebugx")
    (bundle,) = workspace.raw.bundles()
    assert len(bundle.diagnoses) == 12 and rules(found) == {"too_many", "length_only"}
    assert len({one.explanation for one in bundle.diagnoses}) == 12


def test_without_the_package_one_sentence(
    command: Command, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.split(".")[0] == "agentdebug"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "agentdebug", None)
    workspace.raw.put([made()])
    code, found = command("diagnose", "--with", "agentdebugx")
    assert (code, found["error"]["hint"]) == (2, "pip install 'agent-error-hub[diagnose]'")


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the shared data folder (ERRORHUB_SHARED_DATA)")
def test_real_logs(command: Command, workspace: Workspace) -> None:
    """What is kept of real runs holds, and never comes with a correction that the package writes for every run."""
    command(
        "import",
        SHARED / "who-and-when" / "data" if (SHARED / "who-and-when" / "data").is_dir() else SHARED / "who-and-when",
    )
    code, found = command("diagnose", "--with", "agentdebugx")
    assert code in (0, 1, 3) and found["rejected"] == 0
    for bundle in workspace.raw.bundles():
        ours = [one for one in bundle.diagnoses if one.author == "agentdebugx/HeuristicAnalyzer"]
        assert all(one.correction is None and one.step < len(bundle.trajectory.steps) for one in ours)
