"""Rewrite the expected bundles of the golden logs: `python tests/hub/importers/regolden.py`. Review the diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from errorhub.hub.importers import Imported, read_log

GOLDEN = Path(__file__).parent / "golden"
LOGS = {
    "agentdebugx": GOLDEN / "agentdebugx" / "log.json",
    "agentrx": GOLDEN / "agentrx" / "log.json",
    "anthropic-messages": GOLDEN / "anthropic-messages" / "log.json",
    "atif": GOLDEN / "atif" / "log.json",
    "autogen": GOLDEN / "autogen" / "log.json",
    "claude-code": GOLDEN / "claude-code" / "3f0c.jsonl",
    "codex": GOLDEN / "codex" / "log.jsonl",
    "gemini-cli": GOLDEN / "gemini-cli" / "log.json",
    "inspect": GOLDEN / "inspect" / "log.json",
    "langfuse": GOLDEN / "langfuse" / "log.json",
    "langsmith": GOLDEN / "langsmith" / "log.jsonl",
    "mini-swe-agent": GOLDEN / "mini-swe-agent" / "log.json",
    "openai-chat": GOLDEN / "openai-chat" / "log.json",
    "openai-responses": GOLDEN / "openai-responses" / "log.json",
    "openhands": GOLDEN / "openhands" / "log.json",
    "otlp": GOLDEN / "otlp" / "log.json",
    "pi": GOLDEN / "pi" / "log.jsonl",
    "sts": GOLDEN / "sts" / "log.jsonl",
    "swe-agent": GOLDEN / "swe-agent" / "log.json",
    "tau-bench": GOLDEN / "tau-bench" / "log.json",
    "tau2-bench": GOLDEN / "tau2-bench" / "log.json",
    "who-and-when": GOLDEN / "who-and-when" / "log.json",
}


def rendered(name: str) -> str:
    """Return the bundles of a golden log as text."""
    documents: list[Any] = []
    for found in read_log(LOGS[name]):
        assert isinstance(found, Imported), found
        documents.append({"bundle_id": found.bundle.bundle_id, **found.bundle.document()})
    return json.dumps(documents, ensure_ascii=False, indent=1) + "\n"


if __name__ == "__main__":
    for name in LOGS:
        (GOLDEN / f"{name}.expected.json").write_text(rendered(name), "utf-8")
