"""Faults a server can be told to have: what to match, when, and what happens instead."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

ACTIONS = ("status", "lost", "drop", "truncate", "tamper", "delay", "race", "stale")


@dataclass
class Fault:
    """Do something to the matching requests number `nth` to `nth + times - 1`.

    status    answer with this status and these headers; nothing is applied
    lost      apply the request, then hang up without a reply
    drop      hang up before anything is applied
    truncate  send the headers of the whole body and half of it
    tamper    flip one bit of the body, same length
    delay     wait `seconds` first
    race      let a phantom writer commit to main first
    stale     answer as if main stood at `revision`
    """

    action: str
    path: str = ".*"
    method: str = ".*"
    nth: int = 1
    times: int = 1
    status: int = 500
    headers: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.2
    revision: str = ""
    seen: int = 0
    """Matching requests so far."""

    def __post_init__(self) -> None:
        assert self.action in ACTIONS, self.action

    def strikes(self, method: str, path: str) -> bool:
        """Whether this request is hit; counts it when it matches."""
        if not re.fullmatch(self.method, method) or not re.search(self.path, path):
            return False
        self.seen += 1
        return self.nth <= self.seen < self.nth + self.times


@dataclass(frozen=True)
class Seen:
    """One request of the log."""

    method: str
    path: str
    query: str
    host: str
    authorization: str | None
    body_sha256: str
    status: int
