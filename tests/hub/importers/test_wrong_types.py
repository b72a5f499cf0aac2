"""Wrong types anywhere in a log: a refusal or a run, never a crash, and never a word of the log in a refusal."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.importers import Refused, read_log

GOLDEN = Path(__file__).parent / "golden"
LOGS = sorted(path for path in GOLDEN.rglob("log.*") if path.suffix in (".json", ".jsonl"))
LOGS += [GOLDEN / "claude-code/3f0c.jsonl"]
JUNK: tuple[Any, ...] = (
    None,
    True,
    7,
    -1.5,
    "",
    "zz-canary",
    [],
    ["zz-canary"],
    [[]],
    {},
    {"zz": 1},
    [None],
    {"type": 3},
    {"role": "user"},
    "\ud800",
    float("nan"),
    10**400,
)


@pytest.mark.parametrize("path", LOGS, ids=[f"{path.parent.name}-{path.name}" for path in LOGS])
def test_wrong_types_never_crash(path: Path, tmp_path: Path) -> None:
    lines = path.suffix == ".jsonl"
    text = path.read_text("utf-8")
    values = [json.loads(line) for line in text.splitlines()] if lines else json.loads(text)
    format = "claude-code" if path.name.startswith("3f0c") else _format(path)
    chance = random.Random(path.parent.name)
    log = tmp_path / "apart" / "here" / path.name  # a lone report looks into the folders beside its own
    log.parent.mkdir(parents=True)
    for _ in range(60):
        mutant = copy.deepcopy(values)
        for holder, key in chance.sample(list(_places(mutant)), 2):
            holder[key] = copy.deepcopy(chance.choice(JUNK))
        log.write_text("\n".join(json.dumps(v) for v in mutant) if lines else json.dumps(mutant), "utf-8")
        for named in ("auto", format):
            found = list(read_log(log, format=named))
            assert found
            assert all("zz-canary" not in item.reason for item in found if isinstance(item, Refused))


def _format(path: Path) -> str:
    return path.parent.name


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield every place of a JSON value as (holder, key)."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(items):
        yield value, key
        yield from _places(inner)
