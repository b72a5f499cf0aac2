"""The Hugging Face Hub's API for one repository: what is read is never taken from a cache of the client.

Every failure becomes one sentence without tokens or signed addresses. Credentials are those huggingface_hub finds:
HF_TOKEN or a stored login. They go to the Hub, never to the storage it points to.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from errorhub.hub.errors import Conflict, NotFound, RemoteError
from errorhub.hub.stores.store import Busy, mask

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.errors import HfHubHTTPError

_TRIES = 5
_TIMEOUT = 60.0
_BUSY = (429, 500, 502, 503, 504)
_LFS = {"Accept": "application/vnd.git-lfs+json", "Content-Type": "application/vnd.git-lfs+json"}


@dataclass(frozen=True)
class Item:
    """One file of a revision."""

    path: str
    oid: str
    """Its id in Git."""
    size: int
    """Of the file itself."""
    lfs: str | None
    """SHA-256, when it lies in large-file storage."""


class HubApi:
    """One repository, as its owner's or reader's token sees it."""

    def __init__(self, name: str, kind: str = "dataset") -> None:
        self.name = name
        self.kind = kind
        """dataset or model."""
        self._place = f"datasets/{name}" if kind == "dataset" else name
        self._links: dict[str, tuple[str, dict[str, str]]] = {}

    @cached_property
    def api(self) -> HfApi:
        """The client; HF_ENDPOINT says where the Hub is."""
        from huggingface_hub import HfApi

        return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None)

    @property
    def page(self) -> str:
        """Address of the repository for a browser."""
        return f"{(os.environ.get('HF_ENDPOINT') or 'https://huggingface.co').rstrip('/')}/{self._place}"

    def newest(self, revision: str = "main") -> tuple[str, list[str]]:
        """Ask which commit a revision is, and which files it has."""
        with self.telling():
            if self.kind == "model":
                found = self.api.model_info(self.name, revision=revision)
                return str(found.sha), [one.rfilename for one in found.siblings or []]
            info = self.api.dataset_info(self.name, revision=revision)
        return str(info.sha), [one.rfilename for one in info.siblings or []]

    def files(self, commit: str) -> list[Item]:
        """List the files of a commit."""
        from huggingface_hub.hf_api import RepoFile

        with self.telling():
            found = list(self.api.list_repo_tree(self.name, recursive=True, revision=commit, repo_type=self.kind))
        return [
            Item(one.path, one.blob_id, one.size, one.lfs.sha256 if one.lfs else None)
            for one in found
            if isinstance(one, RepoFile)
        ]

    def read(self, commit: str, item: Item, ahead: Sequence[Item]) -> bytes:
        """Return a file's bytes as the Hub gives them; `ahead` are stored files that will be wanted soon."""
        if item.lfs:
            if item.lfs not in self._links:
                self._links |= self._addresses([item, *ahead])
            if item.lfs in self._links:
                url, headers = self._links.pop(item.lfs)
                return self._get(url, headers, item.size)
        url = f"{self.api.endpoint}/{self._place}/resolve/{commit}/{quote(item.path)}"
        return self._get(url, self._headers(), item.size)

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Turn what the client raises into the hub's own errors."""
        import httpx2
        from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

        try:
            yield
        except OfflineModeIsEnabled:
            raise RemoteError("HF_HUB_OFFLINE is set, so the Hub is not asked. Unset it and try again.") from None
        except HfHubHTTPError as problem:
            raise self._told(problem) from None
        except (httpx2.ConnectError, ConnectionError) as problem:
            raise RemoteError(f"the Hub is not reachable: {type(problem).__name__}.") from None
        except httpx2.HTTPError as problem:
            raise Busy(f"the connection to the Hub broke: {type(problem).__name__}.") from None
        except RuntimeError as problem:  # an upload's error, wrapped by the client
            if isinstance(problem.__cause__, HfHubHTTPError):
                raise self._told(problem.__cause__) from None
            if isinstance(problem.__cause__, httpx2.HTTPError):
                raise Busy("the connection to the Hub's storage broke.") from None
            raise RemoteError(f"upload to the Hub failed: {type(problem.__cause__).__name__}.") from None
        except ValueError as problem:
            raise RemoteError(f"the Hub refused: {_line(str(problem))}") from None
        except (KeyError, TypeError, AttributeError) as problem:
            raise RemoteError(f"the Hub's answer cannot be read: {type(problem).__name__}.") from None

    def _told(self, problem: HfHubHTTPError) -> Exception:
        from huggingface_hub.errors import GatedRepoError, RepositoryNotFoundError, RevisionNotFoundError

        spec, status = f"hf:{self.name}", problem.response.status_code
        if isinstance(problem, GatedRepoError):
            return RemoteError(
                f"{spec} is gated and this account has no access.", hint=f"ask for access at {self.page}"
            )
        if isinstance(problem, RepositoryNotFoundError):
            text = f"no {self.kind} {self.name} on the Hub, or this account may not see it."
            return NotFound(text, hint=f"hf auth login, or errorhub publish --to {spec} --create")
        if isinstance(problem, RevisionNotFoundError):
            return NotFound(f"no such revision at {spec}.")
        if status == 412:
            return Conflict(f"somebody else committed to {spec} first.")
        if status == 401:
            return RemoteError("the Hub does not accept this token.", hint="hf auth login")
        if status == 403:
            text = f"this account may not write to {spec}: {_line(problem.server_message or '')}"
            return RemoteError(text, hint=f"errorhub publish --to {spec} --create-pr")
        if status in _BUSY:
            return Busy(f"the Hub answered {status}.", wait=_wait(problem.response))
        return RemoteError(f"the Hub answered {status}: {_line(problem.server_message or '')}")

    def _addresses(self, items: Sequence[Item]) -> dict[str, tuple[str, dict[str, str]]]:
        """Ask where stored files can be fetched; the Hub may name none, then each is asked for by its path."""
        from huggingface_hub.utils import http_backoff

        body = {
            "operation": "download", "transfers": ["basic"], "hash_algo": "sha256",
            "objects": [{"oid": one.lfs, "size": one.size} for one in items],
        }  # fmt: skip
        url = f"{self.api.endpoint}/{self._place}.git/info/lfs/objects/batch"
        with self.telling():
            reply = http_backoff("POST", url, headers=self._headers() | _LFS, json=body, timeout=_TIMEOUT)
            if reply.status_code != 200:
                return {}
            actions = {one["oid"]: one.get("actions", {}).get("download") for one in reply.json()["objects"]}
            return {oid: (action["href"], action.get("header") or {}) for oid, action in actions.items() if action}

    def _get(self, url: str, headers: dict[str, str], size: int) -> bytes:
        """Fetch a body of `size` bytes, and never more than one byte beyond."""
        for attempt in range(_TRIES):
            try:
                with self.telling():
                    return _stream(url, headers | {"Accept-Encoding": "identity"}, size)
            except Busy as problem:
                if attempt == _TRIES - 1:
                    raise
                time.sleep(problem.wait or 0.2 * 2**attempt)
        raise AssertionError

    def _headers(self) -> dict[str, str]:
        from huggingface_hub.utils import build_hf_headers

        return build_hf_headers()


def _stream(url: str, headers: dict[str, str], size: int) -> bytes:
    from huggingface_hub.utils import get_session, hf_raise_for_status

    with get_session().stream("GET", url, headers=headers, timeout=_TIMEOUT) as reply:
        if reply.status_code >= 400:
            reply.read()
        hf_raise_for_status(reply)
        body = bytearray()
        for piece in reply.iter_bytes():
            body += piece
            if len(body) > size:
                break
        return bytes(body[: size + 1])


def _wait(reply: Any) -> float | None:
    """Return how many seconds the Hub asks to wait."""
    from huggingface_hub.utils import parse_ratelimit_headers

    limit = parse_ratelimit_headers(reply.headers)
    if limit and limit.remaining == 0:
        return limit.reset_in_seconds + 1.0
    told = str(reply.headers.get("Retry-After", ""))
    return float(told) if told.isdecimal() else None


def _line(text: str) -> str:
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return mask(plain)[:300].rstrip(".") + "."
