"""A request and a reply, and the replies that mean an error to the client."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs


@dataclass(frozen=True)
class Request:
    """One request, its user found out."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes
    user: str | None
    base: str
    """Scheme and host of this server."""

    def json(self) -> Any:
        """Return the body as JSON; none is an empty object."""
        return json.loads(self.body or b"{}")

    def asked(self, name: str, default: str = "") -> str:
        """Return one parameter of the query."""
        return parse_qs(self.query, keep_blank_values=True).get(name, [default])[0]


@dataclass(frozen=True)
class Reply:
    """What is sent back."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


class Refused(Exception):
    """A request ends here, with this reply."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.status)
        self.reply = reply


def answer(value: Any, headers: dict[str, str] | None = None, kind: str = "application/json") -> Reply:
    """Return JSON."""
    return Reply(200, json.dumps(value).encode(), {"Content-Type": kind} | (headers or {}))


def error(status: int, text: str, code: str | None = None, **others: str) -> Refused:
    """Return an error the way the Hub words it."""
    headers = {"X-Error-Message": text, "Content-Type": "application/json"} | others
    return Refused(
        Reply(status, json.dumps({"error": text}).encode(), headers | ({"X-Error-Code": code} if code else {}))
    )


def paged(request: Request, items: list[Any], size: int) -> Reply:
    """Return one page of a list and the link to the next."""
    start = int(request.asked("cursor", "0"))
    headers = {}
    if start + size < len(items):
        rest = "&".join(part for part in request.query.split("&") if part and not part.startswith("cursor="))
        url = f"{request.base}{request.path}?{rest}{'&' if rest else ''}cursor={start + size}"
        headers["Link"] = f'<{url}>; rel="next"'
    return answer(items[start : start + size], headers)
