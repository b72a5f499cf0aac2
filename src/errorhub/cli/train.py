"""train: a student from a recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from errorhub.cli.frame import frame, number, say, warn


def train(
    context: typer.Context,
    recipe: Annotated[str, typer.Argument(metavar="RECIPE.toml", help="A recipe, or the name of a packaged one.")],
    resume: Annotated[bool, typer.Option("--resume", help="Continue an interrupted training.")] = False,
    rows: Annotated[
        list[Path] | None, typer.Option("--rows", help="Folder of a view, in place of the recipe's. Repeatable.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the student, in place of the recipe's.")] = None,
    base: Annotated[str | None, typer.Option("--base", help="Base model, in place of the recipe's.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", min=0, help="Seed, in place of the recipe's.")] = None,
    share: Annotated[
        float | None, typer.Option("--share", help="Nested training set: the first part of the source tasks.")
    ] = None,
) -> None:
    """Fine-tune a student. Stops on the best exact step of the validation split; an interrupted training resumes.

    Packaged recipes: tiny, smollm2, qwen3-8b, qwen3-8b-gpus, actor, preference.

    Example: errorhub train tiny --rows rows/diagnosis_compact --out student
    """
    from errorhub.training.recipe import read_recipe
    from errorhub.training.train import train as run

    call = frame(context)
    read = read_recipe(recipe, rows=rows, out=out, base=base, seed=seed, share=share)
    with call.progress("training") as advance:
        result = run(read, resume=resume, progress=advance)
    document = {
        "student": str(result.student), "steps": result.steps, "loss": result.loss, "best": result.document["best"],
        "rows": result.document["n_train"], "refused": result.document["refused"],
        "warnings": _warnings(result.document),
    }  # fmt: skip
    document["next_command"] = f"errorhub predict --student {result.student} --rows ROWS --out student.jsonl"
    if read.kind == "diagnosis":
        test = read.rows[0] / "test" / "rows.parquet"
        document["next_command"] = document["next_command"].replace("ROWS", str(test))
    if not result.first:
        raise typer.Exit
    call.emit(document, lambda: _trained(document), ids=lambda: [document["student"]])
    raise typer.Exit(3 if document["refused"] else 0)


def _warnings(manifest: dict[str, Any]) -> list[str]:
    empty = [] if manifest["n_val"] else ["no validation row: the last weights were kept, not the best."]
    return empty + (
        ["preferences are experimental: the published pilot found no benefit."] if manifest["experimental"] else []
    )


def _trained(document: dict[str, Any]) -> None:
    made = f"{number(document['steps'], 'step')} over {number(document['rows'], 'row')}"
    say(f"{document['student']}: {made}, loss {document['loss']:.4f}")
    if best := document["best"]:
        say(f"best {best['metric'].removeprefix('eval_')} {best['value']:.3f} at step {best['step']}")
    for why, rows in document["refused"].items():
        warn(f"left out: {number(rows, 'row')}, {why}")
    for one in document["warnings"]:
        warn(f"warning: {one}")
