"""The journal of a batch of runs: what is done is on the disk, so an interrupted batch goes on where it stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.durable import if_free

Done = dict[str, Any]


class Journal:
    """Two files beside each other: the bundles, as `import` reads them, and one line for each finished episode.

    The bundle is written first; an episode whose line is missing is played again and gives the same bundle.
    """

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.bundles = folder / f"{name}.jsonl"
        self._ledger = folder / f"{name}.done"
        self._lock = folder / f"{name}.lock"

    @contextmanager
    def held(self) -> Iterator[bool]:
        """Give True and hold the batch when no other process does, else False. The lock dies with its holder."""
        self._lock.mkdir(mode=0o700, exist_ok=True)
        with if_free(self._lock) as free:
            yield free

    def done(self) -> dict[str, Done]:
        """Return the finished episodes by name; a line that was cut off does not count."""
        for path in (self.bundles, self._ledger):
            _mend(path)
        if not self._ledger.exists():
            return {}
        lines = (json.loads(line) for line in self._ledger.read_text("utf-8").splitlines())
        return {str(line["episode"]): line for line in lines}

    def write(self, episode: str, told: Mapping[str, Any], bundle: Bundle | None) -> None:
        """Put a finished episode on the disk."""
        if bundle is not None:
            _append(self.bundles, canonical(bundle.document()))
        _append(self._ledger, canonical({"episode": episode, **told}))

    def close(self) -> None:
        """Forget the batch: its bundles are in the workspace."""
        self.bundles.unlink(missing_ok=True)
        self._ledger.unlink(missing_ok=True)


def _append(path: Path, line: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
    with os.fdopen(descriptor, "ab") as file:
        file.write(line + b"\n")
        file.flush()
        os.fsync(file.fileno())


def _mend(path: Path) -> None:
    """Cut off a last line that was not finished."""
    if path.exists() and (held := path.read_bytes()) and not held.endswith(b"\n"):
        os.truncate(path, held.rfind(b"\n") + 1)
