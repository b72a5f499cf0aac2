"""Real agent logs: little changes, no identifier does, and the second engine finds nothing more."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from errorhub.scrubber import Policy, Vault, reread, scrub

FOLDERS = (
    "agtrace",
    "claude-code-log",
    "claude-code-transcripts",
    "claude-code-viewer",
    "mini-swe-agent",
    "openhands",
    "pi",
)
MOST = 6_000_000
"""Characters read in all, so that the test stays quick."""

IDENTIFIER = re.compile(
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|\b[0-9a-f]{40}\b|\b[0-9a-f]{64}\b"
    r"|\b(?:toolu|call|msg|req|chatcmpl)[_-][A-Za-z0-9]{8,}\b|\b20\d\d-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d:[0-5]\d[0-9.Z]*"
)

pytestmark = pytest.mark.shared


def documents(folder: Path) -> Iterator[Any]:
    size = 0
    for name in FOLDERS:
        for path in sorted((folder / name).rglob("*.json*"))[:40]:
            text = path.read_text("utf-8", errors="replace")
            if size + len(text) > MOST:
                continue
            size += len(text)
            try:
                yield json.loads(text)
            except ValueError:
                yield [json.loads(line) for line in text.splitlines() if line.strip()]


NAMES = frozenset({"role", "type", "kind", "tool", "tool_name", "function"})


def skeleton(value: Any) -> Any:
    """Return a document's containers in their order and what roles and tools are called; what was dropped is a leaf."""
    if isinstance(value, list):
        return [skeleton(item) for item in value]
    if not isinstance(value, dict) or value.keys() == {"dropped", "bytes", "key"}:
        return None
    return [item if key in NAMES and isinstance(item, str) else skeleton(item) for key, item in value.items()]


def test_logs_stay_what_they_are(shared_data: Path, share: Policy, vault: Vault) -> None:
    total = changed = 0
    for document in documents(shared_data):
        result = scrub(document, share, vault)
        before, after = (json.dumps(value, ensure_ascii=False) for value in (document, result.document))
        total += len(before)
        changed += sum(finding.end - finding.start for finding in result.findings)
        assert Counter(IDENTIFIER.findall(before)) == Counter(IDENTIFIER.findall(after))
        assert scrub(result.document, share, vault).document == result.document
        assert json.loads(after) == result.document
        assert skeleton(document) == skeleton(result.document)
        assert reread(result.document, share, vault) == []
    assert total > 500_000
    assert changed / total < 0.003


def test_strict_on_logs_is_stable_and_keeps_no_input(shared_data: Path, vault: Vault) -> None:
    paths = ["**.arguments", "messages[0]", "messages[1]", "**.input"]
    policy = Policy.load("strict").without_names().with_paths(drop=paths)
    for document in list(documents(shared_data))[:40]:
        clean = scrub(document, policy, vault).document
        assert scrub(clean, policy, vault).document == clean
