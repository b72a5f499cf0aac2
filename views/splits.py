"""Splits by source task, stable as the corpus grows.

Task id, aliases and near-duplicate tasks hang together; a cluster is in one split. Where a cluster goes is decided by a
hash of its first key, and then remembered: a later build reads the keys it gave away before. A run that ties two
remembered splits together is refused, never moved.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from errorhub.hub.bundle.grounding import WITHHELD
from errorhub.hub.errors import UsageError
from errorhub.views.alike import Alike
from errorhub.views.leaks import words

NAMES: Final = ("train", "val", "test")


@dataclass(frozen=True)
class Shares:
    """How much of the tasks goes where, in per cent, and the seed of the hash."""

    train: int = 80
    val: int = 10
    test: int = 10
    seed: int = 0

    @classmethod
    def parse(cls, text: str, seed: int = 0) -> Shares:
        """Read `80/10/10`. Raise UsageError unless it is three numbers that make 100."""
        parts = text.split("/")
        if len(parts) != 3 or not all(part.isdecimal() for part in parts) or sum(map(int, parts)) != 100:
            raise UsageError(f"not a split: {text}. Use three numbers that make 100, for example 80/10/10.")
        train, val, test = map(int, parts)
        return cls(train, val, test, seed)

    def of(self, key: str) -> str:
        """Return the split of a cluster by its first key."""
        place = 100 * fraction(f"split:{self.seed}:{key}")
        return "train" if place < self.train else "val" if place < self.train + self.val else "test"


def fraction(key: str) -> float:
    """Return a number from 0 to 1 that depends on the key alone."""
    return int.from_bytes(hashlib.sha256(f"errorhub-1:{key}".encode()).digest()[:6], "big") / 2**48


def source_task(given: str | None, goal: str | None, named: str, trajectory_id: str) -> str:
    """Return the name of a run's source task.

    Without an id of its own a task is named by its goal; where the scrubber took the goal, that name would be the same
    for all, and a run stands for itself.
    """
    taken = goal is not None and WITHHELD in goal and not goal.replace(WITHHELD, "").strip()
    return f"run-{trajectory_id[:16]}" if taken and not given else named


def keys_of(row: Mapping[str, Any], alike: Alike | None = None) -> tuple[str, ...]:
    """Return every name of a run's source task: id, aliases, the words of its goal, its near-duplicates.

    `row` holds the flat columns of a bundle that `sources.COLUMNS` lists.
    """
    task = json.loads(row["task_json"] or "{}")
    name = source_task(task.get("id"), row["goal"], str(row["task"]), str(row["trajectory_id"]))
    names = [f"task:{name}", *(f"task:{one}" for one in task.get("aliases") or ()), f"run:{row['trajectory_id']}"]
    tokens = words((row["goal"] or "").replace(WITHHELD, " "))
    if tokens:
        goal = hashlib.sha256(" ".join(tokens).encode()).hexdigest()[:32]
        names += [f"goal:{one}" for one in (goal, *(alike.add(goal, tokens) if alike else ()))]
    return tuple(dict.fromkeys(names))


@dataclass
class Splits:
    """Which split each known key is in."""

    shares: Shares
    known: dict[str, str] = field(default_factory=dict)
    """Key -> split, of this and of earlier builds."""

    def assign(self, runs: Mapping[str, Sequence[str]]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the split of each run, and for refused runs why. `runs`: bundle id -> keys of its task."""
        old = {key: self.known[key] for keys in runs.values() for key in keys if key in self.known}
        refused = {name: why for name, keys in runs.items() if (why := _bridge(keys, old))}
        clusters = _clusters({name: keys for name, keys in runs.items() if name not in refused})
        found: dict[str, str] = {}
        for members in clusters:
            keys = sorted({key for name in members for key in runs[name]})
            splits = sorted({old[key] for key in keys if key in old})
            if len(splits) > 1:
                fresh = [name for name in members if f"{_run(runs[name])}" not in old]
                refused |= dict.fromkeys(fresh, f"together with others it ties {' and '.join(splits)}")
                found |= {name: old[_run(runs[name])] for name in members if name not in fresh}
                continue
            split = splits[0] if splits else self.shares.of(keys[0])
            found |= dict.fromkeys(members, split)
            self.known |= dict.fromkeys(keys, split)
        return found, refused


def _run(keys: Sequence[str]) -> str:
    return next(key for key in keys if key.startswith("run:"))


def _bridge(keys: Sequence[str], old: Mapping[str, str]) -> str | None:
    """Return why a run cannot be placed: its keys are known in several splits and it is not itself known."""
    splits = sorted({old[key] for key in keys if key in old})
    return f"ties {' and '.join(splits)} together" if len(splits) > 1 and _run(keys) not in old else None


def _clusters(runs: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """Return runs that share a key, directly or through others: union-find with path halving."""
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for keys in runs.values():
        first = root(keys[0])
        for key in keys[1:]:
            parent[root(key)] = first
    groups: dict[str, list[str]] = {}
    for name, keys in runs.items():
        groups.setdefault(root(keys[0]), []).append(name)
    return list(groups.values())
