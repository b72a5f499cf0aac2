"""views build, export, show, mask: bundles become training rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.frame import Frame, frame, number, say, table, warn

if TYPE_CHECKING:
    from errorhub.views import Source

_HELP = """Bundles become training rows; every refusal has a rule.

Example: errorhub views build all --out rows/
"""
_DIR = typer.Argument(metavar="DIR", help="Folder of a build.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help=_HELP)
    for verb, function in (("build", build), ("export", export), ("show", show), ("mask", mask)):
        group.command(verb)(function)
    app.add_typer(group, name="views")


def build(
    context: typer.Context,
    views: Annotated[list[str], typer.Argument(metavar="VIEW…", help="Names of views, or all.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for rows, gold and the ledger of refusals.")],
    tokenizer: Annotated[Path | None, typer.Option("--tokenizer", help="A tokenizer.json, or its folder.")] = None,
    max_length: Annotated[int | None, typer.Option("--max-length", min=1, help="Most tokens of a row.")] = None,
    splits: Annotated[str, typer.Option("--splits", help="Train, val and test in per cent.")] = "80/10/10",
    seed: Annotated[int, typer.Option("--seed", help="Seed of the splits.")] = 0,
    benchmark: Annotated[
        list[Path] | None, typer.Option("--benchmark", help="Tasks of a benchmark, kept out of train. Repeatable.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--from", help="One hub only. [default: clean stage and pulled hubs]", metavar="SPEC")
    ] = None,
) -> None:
    """Turn scrubbed bundles into rows, split by source task, with a ledger of what was refused and why.

    Example: errorhub views build diagnosis_compact diagnosis_full --out rows/
    """
    from errorhub.views import VIEWS, Budget, Plan, Shares, read_benchmark
    from errorhub.views import build as run
    from errorhub.views.tokens import counter

    call = frame(context)
    plan = Plan(
        VIEWS if views == ["all"] else tuple(dict.fromkeys(views)),
        Budget(counter(tokenizer), max_length),
        Shares.parse(splits, seed),
        [read_benchmark(path) for path in benchmark or []],
        jobs=None,
    )
    document = run(_source(call, source), plan, out)
    rows = sum(one["rows"] for one in document["views"].values())
    document["next_command"] = f"errorhub views show {out}"
    call.emit(document, lambda: _built(document))
    raise typer.Exit(0 if rows else 1)


def export(
    context: typer.Context,
    folder: Annotated[Path, _DIR],
    format: Annotated[str, typer.Option("--format", help="trl, messages, llamafactory, dpo or tokenized.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the files.")],
    tokenizer: Annotated[
        str | None, typer.Option("--tokenizer", help="Folder or name of a tokenizer, for tokenized.")
    ] = None,
) -> None:
    """Write rows for other people's trainers.

    Example: errorhub views export rows/ --format trl --out trl/
    """
    from errorhub.views.exports import export as write

    paths = [str(path) for path in write(folder, format, out, tokenizer=tokenizer)]
    frame(context).emit({"paths": paths}, lambda: say("\n".join(paths)), ids=lambda: paths)


def show(
    context: typer.Context,
    folder: Annotated[Path, _DIR],
    plots: Annotated[Path | None, typer.Option("--plots", help="Folder for plots (SVG).")] = None,
) -> None:
    """Show what a build holds: counts, lengths, places of the gold step, agents, refusals.

    Example: errorhub views show rows/
    """
    from errorhub.views.summary import summary

    call = frame(context)
    document: dict[str, Any] = summary(folder) | {"paths": []}
    if plots:
        from errorhub.training.plots import plot_views

        document["paths"] = [str(path) for path in plot_views(document["shown"], plots)]
    document["next_command"] = f"errorhub views export {folder} --format trl --out trl/"
    call.emit(document, lambda: _shown(document))


def mask(
    context: typer.Context,
    folder: Annotated[Path, _DIR],
    row: Annotated[str, typer.Option("--row", help="Example id, 8 or more characters.")],
    tokenizer: Annotated[
        str | None, typer.Option("--tokenizer", help="Folder or name of a tokenizer: show its tokens.")
    ] = None,
) -> None:
    """Show which text, or with a tokenizer which tokens, of a row carry loss.

    Example: errorhub views mask rows/ --row 3fa1b2c4
    """
    from errorhub.views.summary import mask as masked

    document = masked(folder, row, tokenizer)
    frame(context).emit(document, lambda: _masked(document), ids=lambda: [document["example_id"]])


def _source(call: Frame, spec: str | None) -> Source:
    from errorhub.views.sources import at_hand, of_hub

    return of_hub(call.settings.workspace, spec) if spec else at_hand(call.workspace())


def _built(document: dict[str, Any]) -> None:
    say(f"{number(document['bundles'], 'bundle')}, tokens by {document['tokenizer'][:12]}")
    cells = [
        [view, one["rows"], *one["splits"].values(), "  ".join(f"{rule} {n}" for rule, n in one["refused"].items())]
        for view, one in document["views"].items()
    ]
    table(["view", "rows", "train", "val", "test", "refused by rule"], cells)
    for one in document["warnings"]:
        warn(f"warning: {one}")


def _shown(document: dict[str, Any]) -> None:
    _built(document)
    for view, one in document["shown"].items():
        say(f"\n{view}")
        for name in ("tokens", "steps"):
            say(f"  {name}: " + "  ".join(f"{part} {value}" for part, value in one[name].items()))
        say("  gold by tenth of the run: " + " ".join(map(str, one["place"])))
        say("  agents: " + ", ".join(f"{agent} {n}" for agent, n in list(one["agents"].items())[:8]))
        say(f"  rows with steps left out: {one['elided']}")
    for path in document["paths"]:
        say(path)


def _masked(document: dict[str, Any]) -> None:
    if document["tokens"] is not None:
        for one in document["tokens"]:
            sign = "LOSS" if one["loss"] else "    "
            say(f"{sign} {number(one['tokens'], 'token')}")
            say("\n".join(f"{sign} {line}" for line in one["text"].splitlines()))
        return
    for one in document["messages"]:
        sign = "LOSS" if one["train"] else "    "
        for line in one["content"].splitlines() or [""]:
            say(f"{sign} {one['role']:9} {line}")
