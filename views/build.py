"""Bundles in; rows, gold and a ledger of refusals out. A stream: a few rows are in memory at a time.

OUT/VIEW/SPLIT/rows.parquet   the rows          OUT/refused.jsonl   every refusal with its rule
OUT/VIEW/SPLIT/gold.jsonl     what they ask     OUT/splits.json     which task is where, for the next build
OUT/build.json                counts; written last: while it is missing, the build is not complete
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from errorhub.hub.durable import write_file
from errorhub.hub.errors import UsageError
from errorhub.views.alike import Alike
from errorhub.views.candidates import Made, candidates
from errorhub.views.draft import Refused
from errorhub.views.plan import Plan
from errorhub.views.row import BUILDER, DIAGNOSIS, VIEWS, Row
from errorhub.views.sources import Source
from errorhub.views.splits import NAMES, Shares, Splits, fraction, keys_of
from errorhub.views.writing import RowFile


@dataclass
class _Tally:
    """Counts of one view."""

    rows: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    splits: Counter[str] = field(default_factory=Counter)
    sources: dict[str, Counter[str]] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    labels: dict[str, set[int]] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        conflicting = sum(len(steps) > 1 for steps in self.labels.values())
        return {
            "rows": self.rows, "refused": dict(sorted(self.refused.items())), "conflicting": conflicting,
            "splits": {name: self.splits[name] for name in NAMES},
            "sources": {name: dict(counts) for name, counts in sorted(self.sources.items())},
        }  # fmt: skip


def build(source: Source, plan: Plan, out: Path) -> dict[str, Any]:
    """Build the rows of views in a folder and return the report. Raise UsageError when there is no bundle."""
    if strange := [view for view in plan.views if view not in VIEWS]:
        raise UsageError(f"no such view: {', '.join(strange)}. Use {', '.join(VIEWS)}.")
    splits = Splits(plan.shares, _remembered(out / "splits.json", plan.shares))
    alike = Alike()
    keys = {str(row["bundle_id"]): keys_of(row, alike) for row in source.rows()}
    if not keys:
        raise UsageError("no bundle to build from.", hint="errorhub scrub, or errorhub pull SPEC")
    placed, bridging = splits.assign(keys)
    part = out / ".part"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    try:
        tallies = _write(source, plan, part, placed, bridging, len(keys))
        report = _report(plan, tallies, keys, placed)
        _publish(part, out, plan, splits, report)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return report


def _write(
    source: Source, plan: Plan, part: Path, placed: dict[str, str], bridging: dict[str, str], number: int
) -> dict[str, _Tally]:
    tallies = {view: _Tally() for view in plan.views}
    with ExitStack() as stack:
        ledger = stack.enter_context((part / "refused.jsonl").open("w", encoding="utf-8"))
        files = {
            (view, split): stack.enter_context(RowFile(part / view / split, gold=view in DIAGNOSIS))
            for view in plan.views
            for split in NAMES
        }
        for made in candidates(source, plan, placed, number):
            for row in made.rows:
                tally = tallies[row.view]
                settled = _admitted(row, made, placed, bridging, tally.seen) if isinstance(row, Row) else row
                _count(settled, tally, made.source)
                if isinstance(settled, Refused):
                    _log(ledger, settled)
                else:
                    files[settled.view, settled.split].add(settled)
    return tallies


def _admitted(row: Row, made: Made, placed: dict[str, str], bridging: dict[str, str], seen: set[str]) -> Row | Refused:
    """Apply the rules that look beyond one bundle: A6, A10, A11, A13."""

    def refused(rule: str, why: str) -> Refused:
        return Refused(row.view, rule, why, row.bundle_id, row.diagnosis_id, made.source)

    split = placed.get(row.bundle_id)
    if any(one["train"] for one in row.prompt) or [one["train"] for one in row.completion] != [True]:
        return refused("A6", "not exactly one trained span")
    if not all(one["content"].strip() for one in (*row.completion, *row.rejected)):
        return refused("A6", "empty target")
    if split is None:
        return refused("A10", bridging.get(row.bundle_id, "no split"))
    if made.overlap and split == "train":
        return refused("A11", f"overlaps {', '.join(made.overlap)}")
    if row.content_key in seen:
        return refused("A13", "the same prompt and target as another row")
    seen.add(row.content_key)
    return row.placed(split=split, nest=fraction(f"nest:{row.source_task}"), overlap=made.overlap)


def _count(made: Row | Refused, tally: _Tally, form: str) -> None:
    counts = tally.sources.setdefault(form, Counter())
    if isinstance(made, Refused):
        tally.refused[made.rule] += 1
        counts[made.rule] += 1
    else:
        tally.rows += 1
        tally.labels.setdefault(made.trajectory_id, set()).add(made.gold_step)
        tally.splits[made.split] += 1
        counts["rows"] += 1


def _log(ledger: TextIO, refused: Refused) -> None:
    ledger.write(json.dumps(refused.document(), ensure_ascii=False) + "\n")


def _report(plan: Plan, tallies: dict[str, _Tally], keys: dict[str, Any], placed: dict[str, str]) -> dict[str, Any]:
    warnings = []
    used = [split for split in NAMES if split in placed.values()]
    if len(used) == 1:
        warnings.append(f"every task is in {used[0]}: too few source tasks to split.")
    warnings += [f"{view} is empty: every candidate was refused." for view, one in tallies.items() if not one.rows]
    return {
        "builder": BUILDER, "bundles": len(keys), "tokenizer": plan.budget.counter.name,
        "max_length": plan.budget.max_length, "benchmarks": [one.name for one in plan.benchmarks],
        "views": {view: tally.document() for view, tally in tallies.items()}, "warnings": warnings,
    }  # fmt: skip


def _publish(part: Path, out: Path, plan: Plan, splits: Splits, report: dict[str, Any]) -> None:
    """Move finished views into place; build.json goes first and comes last."""
    (out / "build.json").unlink(missing_ok=True)
    for view in plan.views:
        shutil.rmtree(out / view, ignore_errors=True)
        (part / view).replace(out / view)
    (part / "refused.jsonl").replace(out / "refused.jsonl")
    held = {"shares": _shares(plan.shares), "keys": dict(sorted(splits.known.items()))}
    write_file(out / "splits.json", json.dumps(held, indent=0).encode())
    write_file(out / "build.json", json.dumps(report, ensure_ascii=False, indent=1).encode())


def _remembered(path: Path, shares: Shares) -> dict[str, str]:
    """Return the splits of an earlier build. Raise UsageError when it was split in another way."""
    if not path.is_file():
        return {}
    try:
        held = json.loads(path.read_bytes())
        shared, keys = held["shares"], dict(held["keys"])
    except (ValueError, LookupError, TypeError):
        raise UsageError(f"{path} is damaged. Restore it: it says which task was trained on.") from None
    if shared != _shares(shares):
        raise UsageError(f"{path.parent} was split {shared}. Use the same --splits and --seed, or another --out.")
    return keys


def _shares(shares: Shares) -> str:
    return f"{shares.train}/{shares.val}/{shares.test} seed {shares.seed}"
