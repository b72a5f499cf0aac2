"""predict: answers for rows, from a student, a model behind a URL, or a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from errorhub.cli.frame import Frame, frame, say, warn


def predict(
    context: typer.Context,
    rows: Annotated[Path, typer.Option("--rows", help="rows.parquet of a diagnosis view.")],
    out: Annotated[Path, typer.Option("--out", help="File for the answers.")],
    base_url: Annotated[str | None, typer.Option("--base-url", help="OpenAI-compatible URL, without /chat/…")] = None,
    model: Annotated[str | None, typer.Option("--model", help="Name of the model there.")] = None,
    student: Annotated[
        Path | None, typer.Option("--student", help="Folder of a student, or of any local model.", metavar="DIR")
    ] = None,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Rows a student answers at once.")] = 8,
    baseline: Annotated[
        str | None, typer.Option("--baseline", help="random, first, last, position, ranker or relative.")
    ] = None,
    train: Annotated[Path | None, typer.Option("--train", help="Labelled rows that a baseline learns from.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of a baseline.")] = 0,
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens", min=1, help="Longest answer. [default: 1024; a student's own]", show_default=False
        ),
    ] = None,
    no_thinking: Annotated[
        bool, typer.Option("--no-thinking", help="Ask the chat template to leave thinking out (vLLM, transformers).")
    ] = False,
    price: Annotated[
        str | None, typer.Option("--price", help="Dollars a million tokens, in/out, for example 0.5/1.5.")
    ] = None,
) -> None:
    """Answer rows with a student, a model behind a URL, or a baseline; `ranker` needs no model and learns in seconds.

    Example: errorhub predict --baseline ranker --rows test/rows.parquet --train train/rows.parquet --out ranker.jsonl
    """
    from errorhub.evidence.chat import Endpoint
    from errorhub.hub.durable import output_file
    from errorhub.hub.errors import UsageError
    from errorhub.training.predict import by_baseline, rows_to_answer

    call = frame(context)
    if sum(map(bool, (baseline, base_url, student))) != 1 or bool(base_url) != bool(model):
        raise UsageError("name one who answers: --student DIR, --baseline NAME, or --base-url URL with --model NAME.")
    asked, out = rows_to_answer(rows), output_file(out)
    if baseline:
        result = by_baseline(baseline, asked, train=rows_to_answer(train) if train else (), seed=seed)
    elif student:
        result = _said(call, student, asked, batch, max_tokens)
    else:
        endpoint = Endpoint(str(base_url), str(model), max_tokens=max_tokens or 1024, thinking=not no_thinking)
        result = _asked(call, endpoint, asked, _prices(price))
    result.write(out)
    document = {"predicted": len(result.lines), "parsed": result.parsed, "failed": result.failed, "usage": result.usage}
    document["next_command"] = f"errorhub evaluate --gold {rows.parent / 'gold.jsonl'} --predictions {out}"
    call.emit(document, lambda: _predicted(document))
    raise typer.Exit(3 if result.failed else 0)


def _said(call: Frame, student: Path, rows: Any, batch: int, max_tokens: int | None) -> Any:
    from errorhub.training.student import by_student

    with call.progress("answering") as advance:
        return by_student(student, rows, batch=batch, max_new_tokens=max_tokens, progress=advance)


def _asked(call: Frame, endpoint: Any, rows: Any, prices: tuple[float, float] | None) -> Any:
    from errorhub.training.predict import by_model

    cache = call.workspace().folder / "answers"
    with call.progress("asking") as advance:
        result = by_model(endpoint, rows, cache, progress=advance)
    spent = [result.usage["prompt_tokens"], result.usage["completion_tokens"]]
    cost = sum(price * n / 1e6 for price, n in zip(prices, spent, strict=True)) if prices else None
    result.usage["cost"] = None if cost is None else round(cost, 6)
    return result


def _prices(price: str | None) -> tuple[float, float] | None:
    from errorhub.hub.errors import UsageError

    try:
        return None if price is None else (float(price.split("/")[0]), float(price.split("/")[1]))
    except (ValueError, IndexError):
        raise UsageError(f"not a price: {price}. Use dollars a million tokens, in/out, for example 0.5/1.5.") from None


def _predicted(document: dict[str, Any]) -> None:
    say(f"{document['predicted']} answers, {document['parsed']} of them readable")
    if document["usage"]:
        say("  ".join(f"{name} {value}" for name, value in document["usage"].items() if value is not None))
    for one in document["failed"]:
        warn(f"no answer for {one}")
