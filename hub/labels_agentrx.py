"""AgentRx label files: a list of `{trajectory_id, failures, root_cause, failure_summary}`, several failures a run.

`step_number` counts the messages of the source from 1: entries of a Magentic list, or the `index` of a tau message. The
failure that `root_cause` points to comes first. Categories are spelt in several ways, so their letters decide.
"""

from __future__ import annotations

import re
from typing import Any, Final

NAME: Final = "agentrx"


def is_agentrx(row: Any) -> bool:
    """Whether a row is the label of one run in this form."""
    return isinstance(row, dict) and {"trajectory_id", "failures", "root_cause"} <= row.keys()


def rows_of(row: dict[str, Any]) -> list[dict[str, Any]]:
    """Return one label row a failure, the root cause first. Raise ValueError when the row is not in this form."""
    failures, root = row["failures"], row["root_cause"]
    if not isinstance(failures, list) or not isinstance(root, dict):
        raise ValueError("failures is no list, or root_cause no object")
    if not all(isinstance(each, dict) for each in failures):
        raise ValueError("a failure is no object")
    decisive = str(root.get("failure_id"))
    ordered = sorted(failures, key=lambda each: str(each.get("failure_id")) != decisive)
    return [_label(row, each, str(each.get("failure_id")) == decisive) for each in ordered]


def _label(row: dict[str, Any], failure: dict[str, Any], decisive: bool) -> dict[str, Any]:
    told = [failure.get("step_reason"), failure.get("category_reason")]
    told += [row["root_cause"].get("reason_for_root_cause")] if decisive else []
    category = failure.get("failure_category")
    return {
        "run": str(row["trajectory_id"]),
        "task": str(row["trajectory_id"]),
        "step": failure.get("step_number"),
        "agent": failure.get("failed_agent"),
        "explanation": "\n".join(dict.fromkeys(str(text) for text in told if text)),
        "base": 1,
        "space": "message",
        "author": NAME,
        "mode": category,
        "scheme": NAME,
        "root_cause": decisive,
    }


def mode_id(category: str) -> str:
    """Return a category as an id: its words in lower case, joined by underscores."""
    return "_".join(re.findall(r"[a-z0-9]+", category.lower()))
