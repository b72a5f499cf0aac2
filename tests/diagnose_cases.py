"""What tests of diagnosing share: failed runs, what a judge and DeepDebug's model say of them, the line that asks."""

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from chatserver import Model

from errorhub.hub.bundle import Bundle, Diagnosis, Outcome, Step, Trajectory
from errorhub.hub.bundle.bundle import Provenance, Rights
from errorhub.hub.bundle.trajectory import ConstructionOnly, Source, Task

Command = Callable[..., tuple[int, Any]]
MAIL = "ada.deploy" + "@" + "example-corp.com"
"""Somebody's address, which a scrubber takes out."""


def made(n: int = 0, *, said: Sequence[str] = (), diagnoses: Sequence[Diagnosis] = (), **parts: Any) -> Bundle:
    """Return a failed run of two agents and seven steps."""
    texts = said or (
        f"Move table orders_{n} to the new cluster.",
        f"I will read the settings of number {n} first.",
        "DB_HOST=old-cluster",
        "The settings say old-cluster, so I assume that nothing has to be changed.",
        "I write the migration without asking which cluster is meant.",
        f"permission denied for table orders_{n}",
        f"Done, mailed {MAIL}.",
    )
    kinds = ("message", "llm.response", "tool.result", "llm.response", "tool.call", "tool.result", "llm.response")
    agents = ("user", "planner", "shell", "planner", "coder", "shell", "coder")
    steps = tuple(
        Step(
            agent=agents[i % 7], kind=kinds[i % 7], input=text if kinds[i % 7] in ("message", "tool.call") else None,
            output=None if kinds[i % 7] in ("message", "tool.call") else text, tool="sql" if i == 4 else None,
            error=text if i == 5 else None, metadata={"dropped_constraint": "cluster"},
        )
        for i, text in enumerate(texts)
    )  # fmt: skip
    run = Trajectory(
        task=Task(id=f"task-{n}", goal=f"Move orders {n} to the new cluster"), steps=steps,
        outcome=parts.pop("outcome", Outcome(status="failed", reason="the hidden grader wants new-cluster-9")),
        source=Source(format="made"),
        construction_only=ConstructionOnly(reference_answer=f"the gold answer is new-cluster-{n}"),
    )  # fmt: skip
    return Bundle(
        trajectory=run, diagnoses=tuple(diagnoses), rights=Rights(license="MIT"),
        provenance=Provenance(origin_key=f"{n:064x}"), **parts,
    )  # fmt: skip


def judged(body: dict[str, Any], *others: dict[str, Any], **parts: Any) -> str:
    """Return what a good judge says of the run in a request, with other parts."""
    text = "\n".join(one["content"] for one in body["messages"])
    found = re.search(r"Id of the run: (\w+)", text)
    run = found[1] if found else "?"
    return json.dumps({"run": run, "hypotheses": [hypothesis(**parts), *others]})


def hypothesis(**parts: Any) -> dict[str, Any]:
    """Return a hypothesis that holds of a made run, with other parts; None leaves one out."""
    one = {
        "quotes": [{"step": 3, "quote": "I assume that nothing has to be changed"}], "step": 3, "agent": "planner",
        "explanation": "It took a stale setting for the truth.", "correction": "Ask which cluster is meant.",
        "mode": "planning.constraint_ignorance", "confidence": 0.8,
    }  # fmt: skip
    return {name: value for name, value in (one | parts).items() if value is not None}


def asking(model: Model, by: str = "judge", *more: object) -> tuple[object, ...]:
    """Return the line that asks the model."""
    return ("diagnose", "--with", by, "--base-url", model.url, "--model", "m", *more)


def rules(document: Any) -> set[str]:
    """Return the rules that refused."""
    return {one["rule"] for one in document["refused"]}


def debugged(
    body: dict[str, Any], *, step: Any = 3, agent: str = "planner", half: str = "upper", **refined: Any
) -> str:
    """Return what a model says to a prompt of DeepDebug that blames a step."""
    system = body["messages"][0]["content"]
    if '"summary"' in system:
        quote = "I assume that nothing has to be changed"
        said = {
            "summary": "It took a stale setting for the truth.", "evidence": [{"event_id": f"step_{step}", "quote": quote}],
            "suggestion": "Ask which cluster is meant.",
        }  # fmt: skip
        return json.dumps(said | refined)
    if '"half"' in system:
        return json.dumps({"half": half, "confidence": 0.9})
    if '"candidate"' in system:
        return json.dumps({"candidate": "A"})
    return json.dumps(
        {"span_id": f"step_{step}", "event_id": f"step_{step}", "step_index": step, "step": step, "agent_name": agent}
        | {"agent": agent, "confidence": 0.9, "rationale": "It assumed."}
    )
