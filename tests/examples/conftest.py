"""Factories over the written example logs."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.examples import write


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example logs, written once a test process."""
    path = tmp_path_factory.mktemp("example-logs")
    write(path)
    return path


@pytest.fixture(scope="session")
def records() -> Callable[[Path], list[Any]]:
    """Read a JSON or JSONL file as a list of documents."""

    def read(path: Path) -> list[Any]:
        text = path.read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()] if path.suffix == ".jsonl" else [json.loads(text)]

    return read


@pytest.fixture(scope="session")
def told(folder: Path, records: Callable[[Path], list[Any]]) -> Callable[[str, int], tuple[list[str], list[str]]]:
    """Split a Claude Code or chat run into what its agents said and what they were given."""

    def split(file: str, run: int) -> tuple[list[str], list[str]]:
        path = folder / file
        if file.startswith("openai-chat"):
            document = records(path)[run]
            return _chat(document if isinstance(document, list) else document["messages"])
        assert run == 0
        parts = [path, *sorted(path.with_suffix("").glob("subagents/*.jsonl"))]
        return _session([record for part in parts for record in records(part) if "message" in record])

    return split


def _chat(messages: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    said = [message["content"] for message in messages if message["role"] == "assistant" and message["content"]]
    given = [str(message["content"]) for message in messages if message["role"] in {"system", "user"}]
    calls = [call for message in messages for call in message.get("tool_calls", [])]
    return said, given + [call["function"]["arguments"] for call in calls]


def _session(records: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    said, given = [], []
    for record in records:
        content = record["message"]["content"]
        if isinstance(content, str):
            given.append(content)
            continue
        for block in content:
            if block["type"] == "text":
                said.append(block["text"])
            elif block["type"] == "tool_use":
                given += [str(value) for value in block["input"].values()]
    return said, given
