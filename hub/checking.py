"""Checking many shards: one process a core decodes them.

A checker is a plain program that is told files and answers ids or a reason, a line of JSON each. It shares nothing
with the caller, and a shard that ends it ends no more than its own check.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import IO, cast

from errorhub.hub.manifest import Entry
from errorhub.hub.sealed import Damaged, check_content

MANY = 8
"""Shards from which on starting processes pays: each needs half a second to start and saves one a shard."""

_PROGRAM = "from errorhub.hub.checking import serve; serve()"


@dataclass(frozen=True)
class Job:
    """A shard whose bytes are those that the manifest names, waiting in a file to be decoded."""

    path: str
    entry: Entry
    file: Path


@dataclass(frozen=True)
class Checked:
    """A job and what came of it."""

    job: Job
    names: list[str]
    """The ids in it."""
    reason: str | None
    """Why it is not what it claims to be; None when it is."""


def check_all(jobs: Iterable[Job], expected: int) -> Iterator[Checked]:
    """Yield each job, in order, with what its content is. Few are checked here, many by one process a core."""
    workers = min(os.cpu_count() or 1, 8)
    if expected < MANY or workers < 2:
        yield from map(_check, jobs)
        return
    idle: SimpleQueue[subprocess.Popen[str]] = SimpleQueue()
    with ExitStack() as crew, ThreadPoolExecutor(workers) as threads:
        crew.callback(_dismiss, idle)
        for _ in range(workers):
            idle.put(_start())
        waiting: deque[Future[Checked]] = deque()
        for job in jobs:
            waiting.append(threads.submit(_ask, idle, job))
            if len(waiting) > 2 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def serve() -> None:
    """Answer the caller until it hangs up."""
    for line in sys.stdin:
        asked = json.loads(line)
        job = Job(asked["path"], Entry.model_validate(asked["entry"]), Path(asked["file"]))
        done = _check(job)
        print(json.dumps({"names": done.names, "reason": done.reason}), flush=True)


def _check(job: Job) -> Checked:
    try:
        return Checked(job, check_content(job.path, job.file.read_bytes(), job.entry), None)
    except Damaged as problem:
        return Checked(job, [], problem.reason)


def _ask(idle: SimpleQueue[subprocess.Popen[str]], job: Job) -> Checked:
    checker = idle.get()
    asked = {"path": job.path, "file": str(job.file), "entry": job.entry.model_dump(mode="json")}
    try:
        pipe = cast(IO[str], checker.stdin)
        pipe.write(json.dumps(asked) + "\n")
        pipe.flush()
        line = cast(IO[str], checker.stdout).readline()
    except BrokenPipeError:
        line = ""
    if not line:
        _end(checker)
        idle.put(_start())
        return Checked(job, [], "decoding it ended the program that checks it")
    idle.put(checker)
    answer = json.loads(line)
    return Checked(job, answer["names"], answer["reason"])


def _start() -> subprocess.Popen[str]:
    """Start a checker; -P keeps modules of the current folder out."""
    return subprocess.Popen(
        [sys.executable, "-P", "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


def _dismiss(idle: SimpleQueue[subprocess.Popen[str]]) -> None:
    while not idle.empty():
        _end(idle.get())


def _end(checker: subprocess.Popen[str]) -> None:
    with suppress(BrokenPipeError), checker:
        checker.kill()
