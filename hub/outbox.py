"""The outbox: what is on its way to a hub. A killed publish leaves an entry; the next one looks whether it arrived.

Stages: planned → spooled → pushed → verified, then the entry is gone. An entry is never sent again as it is: verdicts
may have changed since, so what did not arrive is gated and built anew.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from errorhub.hub.durable import if_free, locked, write_file
from errorhub.hub.log import stamp, ulid


class Spool(Mapping[str, bytes]):
    """Files of a commit: small ones held, shards read from the outbox when their turn comes."""

    def __init__(self, held: Mapping[str, bytes], spooled: Mapping[str, Path]) -> None:
        self._held = held
        self._spooled = spooled

    def __getitem__(self, path: str) -> bytes:
        return self._held[path] if path in self._held else self._spooled[path].read_bytes()

    def source(self, path: str) -> bytes | Path:
        """Return a small file's bytes, or where a shard lies."""
        return self._held[path] if path in self._held else self._spooled[path]

    def __iter__(self) -> Iterator[str]:
        yield from sorted({*self._held, *self._spooled})

    def __len__(self) -> int:
        return len({*self._held, *self._spooled})


class Entry:
    """One publish in flight."""

    def __init__(self, folder: Path, target: str) -> None:
        self.folder = folder
        self._target = target

    def put(self, data: bytes, name: str) -> Path:
        """Spool a file, on the disk when this returns."""
        write_file(self.folder / name, data)
        return self.folder / name

    def mark(self, stage: str, **facts: Any) -> None:
        """Write down how far it has come."""
        record = {"format": "errorhub.outbox/1", "target": self._target, "stage": stage, **facts}
        write_file(self.folder / "journal.json", json.dumps(record, sort_keys=True).encode())


@contextmanager
def in_flight(outbox: Path, target: str, at: datetime) -> Iterator[Entry]:
    """Open an entry that is locked while it is worked on; it stays when the work fails or is killed."""
    outbox.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = outbox / ulid(at)
    with ExitStack() as held:
        with locked(outbox / ".lock"):
            folder.mkdir(mode=0o700)
            held.enter_context(if_free(folder))
        entry = Entry(folder, target)
        entry.mark("planned", at=stamp(at))
        yield entry
        shutil.rmtree(folder, ignore_errors=True)


def sweep(outbox: Path, target: str) -> int:
    """Drop the entries for a target that nobody works on and return their number. Look at the hub first."""
    if not outbox.is_dir():
        return 0
    swept = 0
    with locked(outbox / ".lock"):
        for folder in sorted(path for path in outbox.iterdir() if path.is_dir()):
            with suppress(FileNotFoundError), if_free(folder) as free:
                if free and _target(folder) in (target, None):
                    shutil.rmtree(folder, ignore_errors=True)
                    swept += 1
    return swept


def _target(folder: Path) -> str | None:
    """Return where an entry was going; None when it was killed before it said so."""
    with suppress(OSError, ValueError):
        return str(json.loads((folder / "journal.json").read_bytes())["target"])
    return None
