"""What can go wrong in the hub.

HubError
├── UsageError            exit 2   the request makes no sense; nothing was done
│   ├── RecordError       exit 2   a value or document is not a valid record
│   │   └── SchemaFromFuture       written by a newer version
│   ├── FormatError       exit 2   a log cannot be read as any, or as the named, format
│   └── NotFound          exit 2   no such bundle, stage or hub
├── Blocked               exit 1   a gate is closed: review, licence, scan
├── RemoteError           exit 4   the remote failed or refused
│   └── Conflict          exit 4   somebody else committed first; retries ran out
└── ChainBroken           exit 4   the hub does not verify; nothing was applied

`message` says what failed, which value (never a secret) and what to do; `hint` is the next command or None.
"""

from __future__ import annotations

from typing import ClassVar


class HubError(Exception):
    """Base of every error the hub raises on purpose."""

    exit_code: ClassVar[int] = 2
    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(HubError):
    """The request makes no sense; nothing was done."""

    code = "usage"


class RecordError(UsageError):
    """A value or document is not a valid record."""

    code = "invalid_record"


class SchemaFromFuture(RecordError):
    """The document was written by a newer version of this software."""

    code = "newer_schema"


class FormatError(UsageError):
    """A log cannot be read as any, or as the named, format."""

    code = "unreadable_log"


class NotFound(UsageError):
    """There is no such bundle, stage or hub, or the id prefix is ambiguous."""

    code = "not_found"


class Blocked(HubError):
    """A gate is closed: review, licence, scan or grounding."""

    exit_code = 1
    code = "blocked"


class RemoteError(HubError):
    """The remote failed, refused or is not reachable."""

    exit_code = 4
    code = "remote"


class Conflict(RemoteError):
    """Somebody else committed first."""

    code = "conflict"


class ChainBroken(HubError):
    """The hub does not verify; nothing of it was applied."""

    exit_code = 4
    code = "chain_broken"
