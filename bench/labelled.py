"""The labelled runs the retrieval benchmark reads: AgentRx, Who&When, and the small sets beside this file."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from errorhub.hub.bundle import Bundle, Diagnosis, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.intake import intake

HERE = Path(__file__).parent
Half = Literal["calibration", "seen", "fresh"]
"""What the floor was set by, what was scored while it was, and what was written before it was first scored."""

_CATEGORIES = {
    "adherence": "adherence", "misalignment": "misalignment", "misinterpretation": "misinterpretation",
    "invention": "invention", "invalid": "invalid", "guardrail": "guardrail", "underspecified": "underspecified",
    "not supported": "unsupported", "system": "system",
}  # fmt: skip
"""What a category of AgentRx contains in any of its spellings -> its name."""


@dataclass(frozen=True)
class Labelled:
    """One diagnosis of one run, and what the benchmark knows about it."""

    bundle: Bundle
    group: str
    """Trajectory or question: a query never sees its own."""
    mode: str
    """What makes two diagnoses relevant to each other."""


def agentrx(folder: Path) -> tuple[list[Labelled], list[Labelled]]:
    """Return every labelled failure and the root cause of every run."""
    failures, roots = [], []
    for name, runs in (("magentic", _magentic(folder)), ("tau_retail", _tau(folder))):
        for label in json.loads((folder / name / "ground_truth.json").read_text()):
            group = f"{name}/{label['trajectory_id']}"
            root = label["root_cause"]
            for failure in label["failures"]:
                failures.append(_labelled(runs[group], group, failure, failure["step_reason"]))
                if str(failure["failure_id"]) == str(root["failure_id"]):
                    text = f"{label['failure_summary']} {root['reason_for_root_cause']}"
                    roots.append(_labelled(runs[group], group, failure, text))
    return failures, roots


def who_and_when(folder: Path) -> list[Labelled]:
    """Return the 130 labelled runs; they carry no mode."""
    found = []
    for path in sorted(folder.glob("*/*.json")):
        one = json.loads(path.read_text())
        run = _run([(turn.get("name") or turn["role"], turn["content"]) for turn in one["history"]], one["question"])
        run = run.model_copy(update={"task": Task(id=one["question_ID"], goal=one["question"])})
        label = (one["mistake_agent"], int(one["mistake_step"]), one["mistake_reason"])
        found.append(_one(run, one["question_ID"], "", *label))
    return found


def from_file(path: Path) -> list[Labelled]:
    """Return the labelled runs of a JSON Lines file.

    A line holds mode, group, agent, step (0-based), explanation, `steps`: a list of "who: what", and perhaps a goal.
    """
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        _one(
            _talk(row["steps"]).replace(task=Task(goal=row.get("goal"))),
            str(row["group"]), row["mode"], row["agent"], int(row["step"]), row["explanation"],
        )
        for row in rows
    ]  # fmt: skip


def pairs(name: str = "pairs") -> tuple[list[Labelled], list[Trajectory]]:
    """Return invented cases and, for each, the log of another run that fails in the same way."""
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    cases = [
        _one(_talk(row["window"]), row["mode"], row["mode"], row.get("agent", "assistant"), 1, row["explanation"])
        for row in rows
    ]
    return cases, [_talk(row["log"]) for row in rows]


def related(half: Half) -> Iterator[Labelled]:
    """Yield invented cases of one half."""
    for row in _rows("related", half):
        yield _one(_talk(row["window"]), row["mode"], row["mode"], "assistant", 1, row["explanation"])


def questions(half: Half) -> list[tuple[str, dict[str, str], Trajectory]]:
    """Return, for each invented case of a half, its mode, questions by form, and a log that fails in the same way."""
    forms = {"question": "text", "error line": "error", "chat": "chat"}
    return [
        (row["mode"], {form: row[name] for form, name in forms.items() if name in row}, _talk(row["log"]))
        for row in _rows("related", half)
    ]


def strangers(half: Half) -> list[tuple[str, str | Trajectory]]:
    """Return kind and text or log of what has nothing to do with any case."""
    return [(row["kind"], row["text"] if "text" in row else _talk(row["log"])) for row in _rows("unrelated", half)]


def _rows(name: str, half: Half) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (HERE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["half"] == half]


def unrelated() -> tuple[list[str], list[Trajectory]]:
    """Return texts and logs that have nothing to do with any case."""
    texts = (HERE / "unrelated.txt").read_text().splitlines()
    logs = (HERE / "unrelated_logs.jsonl").read_text().splitlines()
    return texts, [_talk(json.loads(line)) for line in logs]


def docstrings(packages: Sequence[str] = (), number: int = 300) -> list[str]:
    """Return docstrings of installed packages, or of Python's standard library: technical prose, no failures."""
    homes = [Path(str(find_spec(name).origin)).parent for name in packages] or [Path(ast.__file__).parent]  # type: ignore[union-attr]
    paths = sorted(path for home in homes for path in home.glob("*.py"))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in paths]
    nodes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Module)]
    texts = sorted({text for node in nodes if (text := ast.get_docstring(node)) and 80 < len(text) < 1_500})
    return texts[:: max(1, len(texts) // number)][:number]


def foreign_logs(data: Path) -> dict[str, list[Trajectory]]:
    """Return logs of other systems on other tasks."""
    paths = sorted((data / "mini-swe-agent").glob("*/*.traj.json"))
    coding = [json.loads(path.read_text())["messages"] for path in paths]
    airline = [run["traj"] for run in json.loads((data / "tau-bench" / "gpt-4o-airline.json").read_text())]
    return {name: [_chat(turns) for turns in runs] for name, runs in (("coding", coding), ("airline", airline))}


def harness_logs(data: Path) -> dict[str, list[Trajectory]]:
    """Return real logs of coding harnesses, of which nothing was looked at while the floor was set."""
    folders = (
        "swe-agent",
        "openhands",
        "claude-code-log",
        "claude-code-transcripts",
        "claude-code-viewer",
        "agtrace",
        "pi",
    )
    return {name: [run.trajectory for run, *_ in intake([data / name], None).bundles] for name in folders}


def _magentic(folder: Path) -> dict[str, Trajectory]:
    paths = [path for path in sorted((folder / "magentic").glob("*.json")) if path.stem != "ground_truth"]
    turns = {path.stem: json.loads(path.read_text()) for path in paths}
    return {
        f"magentic/{name}": _run([(turn["role"], turn["content"]) for turn in history], history[0]["content"])
        for name, history in turns.items()
    }


def _tau(folder: Path) -> dict[str, Trajectory]:
    runs = json.loads((folder / "tau_retail" / "failed_runs.json").read_text())
    return {
        f"tau_retail/{run['task_id']}": _run(_turns(run["traj"]), run["info"]["task"]["instruction"]) for run in runs
    }


def _turns(history: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(one["role"], f"{one.get('content') or ''} {json.dumps(one.get('tool_calls') or '')}") for one in history]


def category(written: str) -> str:
    """Return the name of an AgentRx category in any of its spellings."""
    return next((name for part, name in _CATEGORIES.items() if part in written.lower()), written.lower())


def _labelled(run: Trajectory, group: str, failure: dict[str, Any], text: str) -> Labelled:
    mode = category(failure["failure_category"])
    return _one(run, group, mode, failure["failed_agent"], int(failure["step_number"]) - 1, text)


def _one(run: Trajectory, group: str, mode: str, agent: str, step: int, text: str) -> Labelled:
    step = min(max(step, 0), len(run.steps) - 1)
    found = Diagnosis(step=step, agent=agent, explanation=text, author="label")
    return Labelled(Bundle(trajectory=run, diagnoses=(found,)), group, mode)


def _run(turns: list[tuple[str, str]], goal: str) -> Trajectory:
    steps = tuple(Step(agent=who, kind="message", output=text) for who, text in turns)
    return Trajectory(task=Task(goal=goal), steps=steps, source=Source(format="benchmark"))


def _talk(lines: list[str]) -> Trajectory:
    """Read lines of the form "who: what"."""
    return _chat([{"role": who, "content": text} for who, _, text in (line.partition(": ") for line in lines)])


def _chat(turns: list[dict[str, Any]]) -> Trajectory:
    steps = []
    for turn in turns:
        who, text = turn["role"], turn.get("content") or ""
        if who in ("user", "system"):
            steps.append(Step(agent=who, kind="message", role=who, input=text))
        elif who == "tool":
            steps.append(Step(agent=who, kind="tool.result", role=who, output=text))
        else:
            steps.append(Step(agent=who, kind="agent.step", role="assistant", output=text))
    return Trajectory(steps=tuple(steps), source=Source(format="benchmark"))
