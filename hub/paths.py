"""The tree of a hub: which paths exist, what each one is, and how a file is named by its bytes.

README.md, croissant.json, hub.json, .gitattributes     the card, its machine-readable twin, the settings
inbox/v1/<yyyymm>/<first 2 hex>/<sha256>.parquet        one write-once shard a publish, at most 1,000 bundles
data/v1/<leading hex of ids>/<sha256>.parquet           compacted shards
log/<yyyymm>/<ulid>-<sha256>.json                       write-once events
manifests/<sequence>-<sha256>.json                      exactly one: the seal of this revision
taxonomy/v1/<sha256>.json                               accepted failure modes

Everything below a folder is named by the SHA-256 of its bytes, so a name certifies its file.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Literal, get_args

Kind = Literal["root", "shard", "event", "manifest", "taxonomy"]

_SHA = r"(?P<sha>[0-9a-f]{64})"
_GRAMMAR: tuple[tuple[Kind, str], ...] = (
    ("root", r"README\.md|croissant\.json|hub\.json|\.gitattributes"),
    ("shard", rf"inbox/v[0-9]{{1,4}}/[0-9]{{6}}/(?P<two>[0-9a-f]{{2}})/(?=(?P=two)){_SHA}\.parquet"),
    ("shard", rf"data/v[0-9]{{1,4}}/(?:[0-9a-f]{{1,8}}/)?{_SHA}\.parquet"),
    ("event", rf"log/[0-9]{{6}}/[0-9A-HJKMNP-TV-Z]{{26}}-{_SHA}\.json"),
    ("manifest", rf"manifests/[0-9]{{10}}-{_SHA}\.json"),
    ("taxonomy", rf"taxonomy/v[0-9]{{1,4}}/{_SHA}\.json"),
)
_RULES = tuple((kind, re.compile(pattern, re.ASCII)) for kind, pattern in _GRAMMAR)

_BYSTANDER = re.compile(r"LICENSE|LICENSE\.md|\.gitignore|\.github/[A-Za-z0-9_./-]+", re.ASCII)

KINDS: tuple[str, ...] = get_args(Kind)


def kind(path: str) -> Kind | None:
    """Return what a path of a hub is, None when the grammar does not know it."""
    return next((name for name, rule in _RULES if rule.fullmatch(path)), None)


def bystander(path: str) -> bool:
    """Whether a file may lie in a hub's repository without being part of the hub."""
    return _BYSTANDER.fullmatch(path) is not None


def named_digest(path: str) -> str | None:
    """Return the SHA-256 a path promises for its bytes, None for files of the root."""
    for _, rule in _RULES:
        if (found := rule.fullmatch(path)) and "sha" in rule.groupindex:
            return found["sha"]
    return None


def shown(path: str) -> str:
    """Return a stranger's path as it may be printed."""
    plain = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in path)
    return plain if len(plain) <= 200 else f"{plain[:200]}…"


def shard_path(data: bytes, at: str) -> str:
    """Return where a new shard goes. `at` is an ISO 8601 time."""
    name = sha256(data).hexdigest()
    return f"inbox/v1/{_month(at)}/{name[:2]}/{name}.parquet"


def event_path(name: str, data: bytes, at: str) -> str:
    """Return where an event with this ULID goes."""
    return f"log/{_month(at)}/{name}-{sha256(data).hexdigest()}.json"


def manifest_path(sequence: int, data: bytes) -> str:
    """Return where the manifest with this number goes."""
    return f"manifests/{sequence:010d}-{sha256(data).hexdigest()}.json"


def _month(at: str) -> str:
    return at[:4] + at[5:7]
