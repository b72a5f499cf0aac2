"""A proposal, mode or decision as a person reads it in the terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from errorhub.cli.frame import number, say, table

Document = Mapping[str, Any]


def told(document: Document) -> None:
    """Print what is known of a proposal, mode or decision, and its history. Members are left to --json."""
    {"proposal": _proposal, "mode": _mode, "decision": _decision}[document["kind"]](document)
    if document["history"] and document["kind"] != "decision":
        say("")
        rows = [
            [one["id"][:12], one["at"][:16].replace("T", " "), one["by"], one["action"], one["note"], one["source"],
             "" if one["state"] == "holds" else one["state"]]
            for one in document["history"]
        ]  # fmt: skip
        table(["decision", "at", "by", "action", "why", "from", ""], rows)


def _proposal(one: Document) -> None:
    say(f"{one['id']}  “{one['name']}”, {one['status']}" if one["name"] else f"{one['id']}  answered, listed no more")
    runs = f"{number(one['support'], 'run')}, " if one["support"] else ""
    if "tasks" in one:
        runs = f"{number(one['support'], 'run')} of {number(one['tasks'], 'task')}, "
    near = one["nearest"] or {}
    _facts(
        {
            "family": one["family"], "support": f"{runs}{number(len(one['members']), 'finding')}",
            "stability": one["stability"], "nearest": f"{near['id']} ({one['similarity']})" if "id" in near else None,
            "words": one["terms"], "agents": _counts(one.get("agents")), "harnesses": _counts(one.get("harnesses")),
            "kin": [name[:12] for name in one.get("kin", ())], "answer": _answer(one["answer"]),
        }
    )  # fmt: skip
    for example in one["examples"]:
        say(f"\n  {example.get('agent', '')}, diagnosis {str(example.get('diagnosis_id', ''))[:12]}")
        say(f"  “{example.get('text', '')}”")


def _mode(one: Document) -> None:
    say(f"{one['id']}  “{one['name']}”, {one['status']}")
    _facts(
        {
            "scheme": f"{one['scheme']}, version {one['version']}", "applies": one["description"],
            "diagnoses": len(one["diagnoses"]), "also called": one["aliases"], "merged from": one["merged_from"],
            "split from": one["parents"], "see": [ref["id"] for ref in one["successors"]],
            "by": f"{one['by']} at {one['at'][:16].replace('T', ' ')}" if one["by"] else None,
        }
    )  # fmt: skip


def _decision(one: Document) -> None:
    row = one["history"][0]
    say(f"{row['id']}  {row['action']} by {row['by']} at {row['at'][:16].replace('T', ' ')}, {row['state']}")
    facts = {"about": row["about"], "modes": row["modes"], "into": row["into"], "why": row["note"]}
    _facts(facts | {"method": row["method"], "replaces": [name[:12] for name in one.get("after", ())]})


def _facts(facts: Mapping[str, Any]) -> None:
    width = max(map(len, facts))
    for name, value in facts.items():
        text = ", ".join(map(str, value)) if isinstance(value, Sequence) and not isinstance(value, str) else value
        if text not in (None, ""):
            say(f"  {name.ljust(width)}  {text}")


def _counts(held: Mapping[str, int] | None) -> list[str]:
    return [f"{name} {count}" for name, count in (held or {}).items()][:8]


def _answer(said: Mapping[str, Any] | None) -> str | None:
    return f"{said['action']} {said['mode'] or ''}".strip() + f" by {said['by']}" if said else None
