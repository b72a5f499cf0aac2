"""Answers for rows, whoever gives them: a baseline, the ranker, or a model behind a URL. One line an id."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from errorhub.evidence.chat import Endpoint
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.durable import write_file, writing
from errorhub.hub.errors import UsageError
from errorhub.training.answers import Case, Prediction, conditions_path, prediction
from errorhub.training.asking import Answers, ask
from errorhub.training.features import Run, run_of_prompt
from errorhub.training.ranker import Kind, Ranker, cross_validated
from errorhub.views import read_rows

Row = dict[str, Any]

LEARNT: Final[dict[str, Kind]] = {"ranker": "boosted", "relative": "relative", "position": "position"}
"""Baselines that learn from labelled rows -> kind of ranker."""
PLAIN: Final = ("random", "first", "last")
BASELINES: Final = (*PLAIN, *LEARNT)


@dataclass
class Predicted:
    """Lines in the order of the rows, and how they came about."""

    lines: list[dict[str, Any]] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    conditions: dict[str, Any] = field(default_factory=dict)
    usage: dict[str, Any] = field(default_factory=dict)

    @property
    def parsed(self) -> int:
        """Lines a step could be read from."""
        return sum(prediction(line).step is not None for line in self.lines)

    def write(self, out: Path) -> None:
        """Write the lines whole or not at all, with the conditions beside them."""
        with writing("answers", out):
            write_file(conditions_path(out), json.dumps(self.conditions, ensure_ascii=False, indent=1).encode())
            write_file(out, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in self.lines).encode())


def rows_to_answer(path: Path) -> list[Row]:
    """Return the diagnosis rows of a file. Raise UsageError when there is none."""
    rows = [row for row in read_rows(path) if row["view"].startswith("diagnosis_")]
    if not rows:
        raise UsageError(f"{path} holds no diagnosis row: nothing can be answered.", hint="errorhub views show DIR")
    return rows


def by_baseline(name: str, rows: Sequence[Row], *, train: Sequence[Row] = (), seed: int = 0) -> Predicted:
    """Answer rows without a language model. The label of a row is never looked at, its prompt alone.

    Raise UsageError for an unknown name, and for a baseline that learns when no labelled rows are given.
    """
    if name not in BASELINES:
        raise UsageError(f"no such baseline: {name}. Use {', '.join(BASELINES)}.")
    if name in LEARNT and not train:
        raise UsageError(f"the baseline {name} learns from labelled rows. Name them with --train.")
    tasks = {row["source_task"] for row in rows}
    known = [row for row in train if row["source_task"] not in tasks]
    answer = _learnt(LEARNT[name], known, seed) if name in LEARNT else _plain(name, seed)
    found = [answer(run_of_row(row)) for row in rows]
    lines = [{"id": one.id, "step": one.step, "agent": one.agent, "text": ""} for one in found]
    conditions = {"baseline": name, "reference": False, "seed": seed, "trained_on": len(known) if train else 0}
    return Predicted(lines, conditions=conditions | _prompts(rows))


def by_model(
    endpoint: Endpoint, rows: Sequence[Row], cache: Path, *, progress: Callable[[int], None] = lambda _: None
) -> Predicted:
    """Answer rows with a model behind a URL. A row it does not answer has no line: a miss."""
    answers: Answers = ask(endpoint, [row["prompt"] for row in rows], cache, progress=progress)
    lines = [_line(row["example_id"], answers.texts[i]) for i, row in enumerate(rows) if i in answers.texts]
    failed = [f"{rows[i]['example_id'][:12]}: {why}" for i, why in sorted(answers.failed.items())]
    usage = {
        "prompt_tokens": answers.usage.prompt_tokens,
        "completion_tokens": answers.usage.completion_tokens,
        "cached": answers.usage.cached,
    }
    return Predicted(lines, failed, endpoint.conditions | {"reference": False} | _prompts(rows), usage)


def answered(
    said: Iterable[tuple[Row, str]], rows: Sequence[Row], failed: list[str], conditions: dict[str, Any]
) -> Predicted:
    """Return the texts a model gave to some of the rows as predictions; the rest are misses."""
    lines = [_line(row["example_id"], text) for row, text in said]
    return Predicted(lines, failed, conditions | {"reference": False} | _prompts(rows))


def ranked(cases: Sequence[Case], rows: Sequence[Row]) -> dict[str, Prediction] | str:
    """Return out-of-fold answers of the ranker to the rows of cases, or why there are none."""
    gold = {case.id: case.golds[0].step for case in cases}
    runs = [run for row in rows if row["example_id"] in gold and (run := run_of_row(row)).texts]
    if len({run.task for run in runs}) < 2:
        return "baseline ranker: the rows are not those of the gold, or all of one task."
    return cross_validated(runs, [min(gold[run.id], len(run.texts) - 1) for run in runs])


def run_of_row(row: Row) -> Run:
    """Return the run a row's prompt shows."""
    return run_of_prompt(row["example_id"], row["source_task"], row["prompt"][-1]["content"])


def _line(name: str, text: str) -> dict[str, Any]:
    read = prediction({"id": name, "step": None, "agent": None, "text": text})
    return {"id": name, "step": read.step, "agent": read.agent, "text": text}


def _prompts(rows: Iterable[Row]) -> dict[str, Any]:
    views = sorted({row["view"] for row in rows})
    return {"views": views, "prompts": digest([[one["content"] for one in row["prompt"]] for row in rows])}


def _learnt(kind: Kind, train: Sequence[Row], seed: int) -> Callable[[Run], Prediction]:
    runs = {run_of_row(row): int(row["gold_step"]) for row in train}
    kept = {run: step for run, step in runs.items() if step < len(run.texts)}
    return Ranker(kind, seed).fit(list(kept), list(kept.values())).answer


def _plain(name: str, seed: int) -> Callable[[Run], Prediction]:
    generator = np.random.default_rng(seed)

    def answer(run: Run) -> Prediction:
        if not run.texts:
            return Prediction(run.id)
        n = len(run.texts)
        step = {"first": 0, "last": n - 1}.get(name, int(generator.integers(n)))
        return Prediction(run.id, step, run.agents[step], str(step))

    return answer
