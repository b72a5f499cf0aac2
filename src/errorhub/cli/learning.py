"""The learning verbs: views, train, predict, evaluate, push."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from errorhub.cli import views
from errorhub.cli.frame import frame, say, table, warn
from errorhub.cli.predict import predict
from errorhub.cli.push import push
from errorhub.cli.train import train

if TYPE_CHECKING:
    from errorhub.training.answers import Case, Prediction, Read

_SCORES = ("exact", "near", "agent", "joint", "parsed", "coverage")


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    views.register(app)
    app.command("train")(train)
    app.command("predict")(predict)
    app.command("evaluate")(evaluate)
    app.command("push")(push)


def evaluate(
    context: typer.Context,
    gold: Annotated[Path, typer.Option("--gold", help="Labels, one JSON object a line.")],
    predictions: Annotated[list[Path], typer.Option("--predictions", help="Answers of a student, repeatable.")],
    more: Annotated[list[Path] | None, typer.Argument(metavar="PRED.jsonl…", help="More files of answers.")] = None,
    mode: Annotated[str, typer.Option("--mode", help="strict, or official: Who&When's substring scorer.")] = "strict",
    by: Annotated[
        str, typer.Option("--by", help="Groups of the macro average: task_family, task, length, agent.")
    ] = "task_family",
    within: Annotated[int, typer.Option("--within", min=0, help="Steps off that still count as near.")] = 1,
    seeds: Annotated[
        bool, typer.Option("--seeds", help="The files are seeds of one student: score their mean.")
    ] = False,
    reference: Annotated[
        bool | None,
        typer.Option(
            "--reference/--no-reference", help="Record that the student saw the reference answer, or did not."
        ),
    ] = None,
    rows: Annotated[Path | None, typer.Option("--rows", help="Rows of the gold, for the ranker as a baseline.")] = None,
    plots: Annotated[Path | None, typer.Option("--plots", help="Folder for plots (SVG).")] = None,
) -> None:
    """Score answers beside baselines, with intervals over source tasks. A missing or unreadable answer is a miss.

    Example: errorhub evaluate --gold test/gold.jsonl --predictions student.jsonl --predictions base.jsonl
    """
    from errorhub.training import Protocol, read_gold, read_predictions
    from errorhub.training import evaluate as score

    call = frame(context)
    cases = read_gold(gold)
    read = {str(path): read_predictions(path) for path in [*predictions, *(more or [])]}
    protocol = Protocol(mode=_mode(mode), by=by, within=within, seeds=seeds)
    said = {name: one.predictions for name, one in read.items()}
    document = score(cases, said, protocol, extra={"ranker": _ranker(cases, rows)})
    document["conditions"] = _conditions(read, reference, document["warnings"])
    document["refused"] = [line for one in read.values() for line in one.refused]
    document["paths"] = []
    if plots:
        from errorhub.training.evaluate import offsets
        from errorhub.training.plots import plot_evaluation

        first = offsets(cases, next(iter(said.values())))
        document["paths"] = [str(path) for path in plot_evaluation(document, first, plots)]
    call.emit(document, lambda: _evaluated(document))
    raise typer.Exit(3 if document["refused"] else 0)


def _ranker(cases: list[Case], rows: Path | None) -> dict[str, Prediction] | str:
    if rows is None:
        return "baseline ranker: it reads runs. Name their rows with --rows."
    from errorhub.training.predict import ranked, rows_to_answer

    return ranked(cases, rows_to_answer(rows))


def _mode(name: str) -> Literal["strict", "official"]:
    from errorhub.hub.errors import UsageError

    if name == "strict" or name == "official":
        return "official" if name == "official" else "strict"
    raise UsageError(f"no such mode: {name}. Use strict or official.")


def _conditions(read: dict[str, Read], reference: bool | None, warnings: list[str]) -> dict[str, Any]:
    """Return what is known of how each file was made; say so where the most telling part is not."""
    known = {name: dict(one.conditions) for name, one in read.items()}
    for name, each in known.items():
        if reference is not None:
            each["reference"] = reference
        if each.setdefault("reference", None) is None:
            warnings.append(f"{name}: not recorded whether the student saw the reference answer. Say --no-reference.")
    if len({each["reference"] for each in known.values()}) > 1:
        warnings.append("some files were made with the reference answer and some without: do not compare them.")
    return known


def _evaluated(document: dict[str, Any]) -> None:
    say(f"{document['n']} runs of {document['tasks']} tasks, mode {document['mode']}")
    rows = [[name, *_cells(one)] for name, one in document["students"].items()]
    rows += [[f"({name})", *_cells(one)] for name, one in document["baselines"].items()]
    table(["answers", *_SCORES], rows)
    for title, key in (("macro by " + document["macro"]["by"], "macro"), ("mean of files", "seeds")):
        if held := document[key]:
            say(f"{title}: " + "  ".join(f"{name} {_percent(held.get('mean', held)[name])}" for name in _SCORES[:4]))
    if document["seeds"]:
        say("deviation: " + "  ".join(f"{name} {_percent(document['seeds']['sd'][name])}" for name in _SCORES[:4]))
    table(["exact step", "difference"], [[name, _ranged(one, "exact")] for name, one in document["paired"].items()])
    if document["annotators"]:
        agreed = document["annotators"]["agreement"]
        shares = "  ".join(f"{name} {_percent(agreed[name])}" for name in _SCORES[:4])
        say(f"agreement of annotators on {agreed['cases']} runs: {shares}")
    for one in document["warnings"]:
        warn(f"warning: {one}")
    for one in document["refused"]:
        warn(f"refused {one}")
    for path in document["paths"]:
        say(path)


def _cells(scores: dict[str, Any] | None) -> list[str]:
    return ["-"] * len(_SCORES) if scores is None else [_ranged(scores, name) for name in _SCORES[:4]] + [
        _percent(scores[name]) for name in _SCORES[4:]
    ]  # fmt: skip


def _ranged(scores: dict[str, Any], name: str) -> str:
    bounds = scores["interval"][name]
    return _percent(scores[name]) + (f" [{_percent(bounds[0])}, {_percent(bounds[1])}]" if bounds else "")


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"
