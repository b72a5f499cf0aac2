"""How fast logs are read, and in how much memory, beside agentdebugx's and agentpile's importers.

    python bench/import.py [--megabytes 60] [--data ../shared/data]

Makes logs of invented text, reads each in a process of its own, and prints megabytes a second of processor time and the
peak memory of that process. A peer that is not installed, or does not read a format, is a dash. With `--data`, every
real log of a folder is read as well.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

WORDS = (
    "harbour", "lamp", "tide", "ferry", "record", "winter", "error", "file", "path", "return", "value", "none", "test",
    "passed", "failed", "retry", "read",
)  # fmt: skip
READERS = ("errorhub", "agentdebugx", "agentpile")
PEER_FORMATS = {"openai-chat": "messages", "claude-code": "claude_code", "codex": "codex", "pi": "openclaw"}
"""What agentdebugx calls the formats that it reads."""

Make = Callable[[random.Random], Iterator[Any]]


def said(chance: random.Random, count: int) -> str:
    """Return text of some words."""
    return " ".join(chance.choices(WORDS, k=count))


def openai_chat(chance: random.Random) -> Iterator[Any]:
    """Yield conversations of 42 messages."""
    while True:
        messages = [{"role": "system", "content": said(chance, 150)}, {"role": "user", "content": said(chance, 50)}]
        for number in range(20):
            function = {"name": "bash", "arguments": json.dumps({"command": said(chance, 20)})}
            call = {"id": f"c{number}", "type": "function", "function": function}
            messages.append({"role": "assistant", "content": said(chance, 60), "tool_calls": [call]})  # type: ignore[dict-item]
            messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": said(chance, 250)})
        yield {"messages": messages, "model": "m"}


def claude_code(chance: random.Random) -> Iterator[Any]:
    """Yield the records of one long session."""
    shared = {"sessionId": "s", "version": "2.1.0", "cwd": "/repo", "isSidechain": False, "userType": "external"}
    usage = {"input_tokens": 900, "output_tokens": 40, "cache_read_input_tokens": 3000}
    number = 0
    while True:
        for kind, content in _claude_turn(chance, number):
            message = {"role": kind, "content": content}
            if kind == "assistant":
                message |= {"id": f"m{number // 3}", "model": "m", "usage": usage, "type": "message"}
            yield {**shared, "type": kind, "uuid": f"u{number}", "parentUuid": f"u{number - 1}" if number else None,
                   "timestamp": "2026-01-04T08:00:00.000Z", "message": message}  # fmt: skip
            number += 1


def _claude_turn(chance: random.Random, number: int) -> Iterator[tuple[str, Any]]:
    if number == 0:
        yield "user", said(chance, 50)
    yield "assistant", [{"type": "text", "text": said(chance, 60)}]
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": said(chance, 20)}}
    yield "assistant", [call]
    yield "user", [{"type": "tool_result", "tool_use_id": f"t{number}", "content": said(chance, 250)}]


def codex(chance: random.Random) -> Iterator[Any]:
    """Yield the records of one long rollout."""
    at = {"timestamp": "2026-01-04T08:00:00.000Z"}
    yield {**at, "type": "session_meta", "payload": {"id": "s", "cwd": "/repo", "cli_version": "0.77.0"}}
    yield _item(at, type="message", role="user", content=[{"type": "input_text", "text": said(chance, 50)}])
    number = 0
    while True:
        number += 1
        text = [{"type": "output_text", "text": said(chance, 60)}]
        yield _item(at, type="message", role="assistant", content=text)
        yield _item(at, type="function_call", name="shell", call_id=f"c{number}",
                    arguments=json.dumps({"command": said(chance, 20)}))  # fmt: skip
        yield _item(at, type="function_call_output", call_id=f"c{number}", output=said(chance, 250))


def _item(at: dict[str, str], **payload: Any) -> dict[str, Any]:
    return {**at, "type": "response_item", "payload": payload}


def pi(chance: random.Random) -> Iterator[Any]:
    """Yield the entries of one long session."""
    yield {"type": "session", "version": 3, "id": "s", "timestamp": "2026-01-04T08:00:00.000Z", "cwd": "/repo"}
    number = 0
    while True:
        call = {"type": "toolCall", "id": f"c{number}", "name": "bash", "arguments": {"command": said(chance, 20)}}
        text = {"type": "text", "text": said(chance, 60)}
        answer = [{"type": "text", "text": said(chance, 250)}]
        for message in (
            {"role": "assistant", "content": [text, call], "model": "m"},
            {"role": "toolResult", "toolCallId": f"c{number}", "toolName": "bash", "content": answer},
        ):
            yield {"type": "message", "id": f"e{number}", "parentId": f"e{number - 1}" if number else None,
                   "timestamp": "2026-01-04T08:00:00.000Z", "message": message}  # fmt: skip
            number += 1


def atif(chance: random.Random) -> Iterator[Any]:
    """Yield trajectories of 21 steps."""
    while True:
        steps: list[dict[str, Any]] = [{"step_id": 1, "source": "user", "message": said(chance, 50)}]
        for number in range(2, 22):
            call = {"tool_call_id": f"c{number}", "function_name": "bash", "arguments": {"command": said(chance, 20)}}
            results = [{"source_call_id": f"c{number}", "content": said(chance, 250)}]
            steps.append({"step_id": number, "source": "agent", "message": said(chance, 60), "tool_calls": [call],
                          "observation": {"results": results}})  # fmt: skip
        agent = {"name": "a", "version": "1", "model_name": "m"}
        yield {"schema_version": "ATIF-v1.7", "session_id": "s", "agent": agent, "steps": steps}


def agentdebugx(chance: random.Random) -> Iterator[Any]:
    """Yield trajectories of 40 events."""
    trace = 0
    while True:
        trace += 1
        events = [_event(chance, trace, number) for number in range(40)]
        yield {"trace_id": f"t{trace}", "goal": said(chance, 20), "events": events, "metadata": {}}


def _event(chance: random.Random, trace: int, number: int) -> dict[str, Any]:
    call = number % 2 == 0
    told = {"input": {"tool": "bash", "args": {"command": said(chance, 20)}}} if call else {"output": said(chance, 250)}
    return {"event_id": f"e{trace}-{number}", "trace_id": f"t{trace}", "agent_name": "a", "step_index": number,
            "event_type": "tool.call" if call else "tool.result", "timestamp": "2026-01-04T08:00:00Z",
            **told}  # fmt: skip


FORMATS: dict[str, Make] = {
    "openai-chat": openai_chat, "claude-code": claude_code, "codex": codex, "pi": pi, "atif": atif,
    "agentdebugx": agentdebugx,
}  # fmt: skip


def make(name: str, path: Path, size: int) -> None:
    """Write a log of a format, of about `size` bytes."""
    written = 0
    with path.open("w", encoding="utf-8") as file:
        for record in FORMATS[name](random.Random(name)):
            written += file.write(json.dumps(record) + "\n")
            if written >= size:
                return


def measure(reader: str, name: str, path: Path) -> dict[str, Any] | None:
    """Read a log in a fresh process and return what it counted, or None when the reader does not read it."""
    done = subprocess.run(
        [sys.executable, __file__, "--reader", reader, "--format", name, "--log", str(path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return json.loads(done.stdout) if done.returncode == 0 else None


def read_once(reader: str, name: str, path: Path) -> dict[str, Any]:
    """Read a log with one reader, in this process."""
    count = {"errorhub": _errorhub, "agentdebugx": _agentdebugx, "agentpile": _agentpile}[reader](name, path)
    runs, steps = count()  # the second round measures reading, the imports are paid for
    start = time.process_time()
    runs, steps = count()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"runs": runs, "steps": steps, "rate": path.stat().st_size / 1e6 / seconds, "peak": peak}


def _errorhub(name: str, path: Path) -> Callable[[], tuple[int, int]]:
    from errorhub.hub.importers import Imported, read_log

    def count() -> tuple[int, int]:
        runs = steps = 0
        for found in read_log(path, format=name):
            assert isinstance(found, Imported), found
            runs, steps = runs + 1, steps + len(found.bundle.trajectory.steps)
        return runs, steps

    return count


def _agentpile(name: str, path: Path) -> Callable[[], tuple[int, int]]:
    import agentpile  # type: ignore[import-untyped]

    def count() -> tuple[int, int]:
        runs = steps = 0
        for run in agentpile.load(path):
            runs, steps = runs + 1, steps + len(run.steps)
        assert runs
        return runs, steps

    return count


def _agentdebugx(name: str, path: Path) -> Callable[[], tuple[int, int]]:
    from agentdebug.ingest.importers import convert_file
    from agentdebug.runtime.storage import trajectory_from_jsonl_record

    def stored() -> tuple[int, int]:
        with path.open(encoding="utf-8") as file:
            found = [len(trajectory_from_jsonl_record(line, number).events) for number, line in enumerate(file)]
        return len(found), sum(found)

    def count() -> tuple[int, int]:
        return 1, len(convert_file(path, format=cast(Any, PEER_FORMATS[name])).events)

    return stored if name == "agentdebugx" else count


def real(folder: Path) -> None:
    """Read every real log of a folder with ours and print the rate."""
    from errorhub.hub.importers import read_log, walk

    paths = list(walk([folder]))
    for _ in range(2):
        start = time.process_time()
        runs = sum(1 for path in paths for _ in read_log(path))
        seconds = time.process_time() - start
    size = sum(path.stat().st_size for path in paths) / 1e6
    print(f"{folder}: {len(paths)} logs, {size:.1f} MB, {runs} runs and refusals, {size / seconds:.1f} MB/s")


def main() -> None:
    """Make logs, measure every reader on each, print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--megabytes", type=int, default=60)
    options.add_argument("--data", type=Path)
    options.add_argument("--reader", choices=READERS)
    options.add_argument("--format", choices=[*FORMATS, "all"], default="all")
    options.add_argument("--log", type=Path)
    given = options.parse_args()
    if given.reader:
        print(json.dumps(read_once(given.reader, given.format, given.log)))
        return
    print(f"{'format':12} {'reader':12} {'MB/s':>7} {'peak MB':>8} {'runs':>6} {'steps':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in FORMATS if given.format == "all" else [given.format]:
            path = Path(folder) / f"{name}.jsonl"
            make(name, path, given.megabytes * 1_000_000)
            for reader in READERS:
                row = measure(reader, name, path)
                cells = (
                    (f"{row['rate']:7.1f} {row['peak']:8.0f} {row['runs']:6} {row['steps']:8}") if row else "      –"
                )
                print(f"{name:12} {reader:12} {cells}", flush=True)
            path.unlink()
    if given.data:
        real(given.data)


if __name__ == "__main__":
    main()
