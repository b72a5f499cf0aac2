"""Rewrite the expected bundles of the golden logs: `python tests/hub/importers/regolden.py`. Review the diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from errorhub.hub.importers import Imported, read_log

GOLDEN = Path(__file__).parent / "golden"
LOGS = {
    "agentdebugx": GOLDEN / "agentdebugx" / "log.json",
    "anthropic-messages": GOLDEN / "anthropic-messages" / "log.json",
    "atif": GOLDEN / "atif" / "log.json",
    "claude-code": GOLDEN / "claude-code" / "3f0c.jsonl",
    "codex": GOLDEN / "codex" / "log.jsonl",
    "openai-chat": GOLDEN / "openai-chat" / "log.json",
    "openai-responses": GOLDEN / "openai-responses" / "log.json",
    "otlp": GOLDEN / "otlp" / "log.json",
    "pi": GOLDEN / "pi" / "log.jsonl",
    "sts": GOLDEN / "sts" / "log.jsonl",
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
