"""induce: failures to proposals for modes that the taxonomy lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.diagnosing import BASE_URL, MODEL
from errorhub.cli.frame import Frame, frame, number, say, table, warn

if TYPE_CHECKING:
    from errorhub.hub.bundle import Bundle
    from errorhub.induction import Induction


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("induce")(induce)


def induce(
    context: typer.Context,
    min_support: Annotated[int, typer.Option("--min-support", min=1, help="Distinct runs a proposal needs.")] = 3,
    min_tasks: Annotated[int, typer.Option("--min-tasks", min=1, help="Distinct source tasks it needs.")] = 2,
    limit: Annotated[int, typer.Option("--limit", min=1, help="Most proposals.")] = 12,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, max=1, help="Distance up to which clusters are joined.")
    ] = 0.2,
    mask_entities: Annotated[
        bool, typer.Option("--mask-entities", help="Leave out quotations, URLs and capitalised names.")
    ] = False,
    embed: Annotated[
        str | None, typer.Option("--embed", help="Encoder beside the words: minilm, a folder, or URL#MODEL.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the resamples behind the stability.")] = 0,
    include_pending: Annotated[
        bool, typer.Option("--include-pending", help="Read scrubbed runs that nobody has reviewed, too.")
    ] = False,
    assignments: Annotated[
        Path | None, typer.Option("--assignments", help="Write where every finding ended, one JSON object a line.")
    ] = None,
    base_url: Annotated[str | None, BASE_URL] = None,
    model: Annotated[str | None, MODEL] = None,
) -> None:
    """Group failures that no known mode covers into proposals. Nothing is decided: `taxonomy` answers them.

    Example: errorhub induce --min-support 3 --assignments assignments.jsonl
    """
    from errorhub.hub.durable import output_file
    from errorhub.hub.taxonomy import load_taxonomy
    from errorhub.induction import Settings, findings, propose
    from errorhub.induction.saving import induction_document, save_assignments, save_proposals

    call = frame(context)
    assignments = assignments and output_file(assignments)
    settings = Settings(
        min_support=min_support, min_tasks=min_tasks, limit=limit, threshold=threshold, mask_entities=mask_entities,
        embed=embed, seed=seed,
    )  # fmt: skip
    found = list(findings(_runs(call, include_pending)))
    induction = propose(found, taxonomy=load_taxonomy(call.workspace()), settings=settings)
    induction, told = _titled(call, induction, base_url, model)
    save_proposals(call.workspace(), induction)
    if assignments:
        save_assignments(assignments, induction)
    document = induction_document(induction) | told | {"findings": len(found)}
    first = next(iter(induction.proposals), None)
    document["next_command"] = f"errorhub taxonomy show {first.id}" if first else "errorhub taxonomy list"
    call.emit(document, lambda: _induced(document), ids=lambda: [one.id for one in induction.proposals])
    raise typer.Exit(3 if document.get("unnamed") else 0)


def _runs(call: Frame, include_pending: bool) -> Iterator[Bundle]:
    """Yield the corpus. Raise UsageError when there is nothing to learn from."""
    from errorhub.hub.corpus import corpus
    from errorhub.hub.errors import UsageError

    empty = True
    for bundle in corpus(call.workspace(), pending=include_pending):
        empty = False
        yield bundle
    if empty:
        raise UsageError(
            "no accepted run is here, and no pulled hub holds one. Review scrubbed runs, or pull a hub.",
            hint="errorhub review list",
        )


def _titled(
    call: Frame, induction: Induction, base_url: str | None, model: str | None
) -> tuple[Induction, dict[str, Any]]:
    """Return the induction with a model's names when one is given, and what that cost."""
    from errorhub.cli.diagnosing import endpoint_of

    endpoint = endpoint_of(base_url, model, max_tokens=400, at_once=8, thinking=True)
    if endpoint is None:
        return induction, {}
    from dataclasses import asdict

    from errorhub.induction.titling import title

    done = title(induction, endpoint, call.workspace().folder / "answers")
    return done.induction, {"unnamed": list(done.unnamed), "usage": asdict(done.usage)}


def _induced(document: dict[str, Any]) -> None:
    counts = f"{document['candidates']} without a known mode, {document['unclustered']} of them in no proposal"
    say(f"{number(document['findings'], 'finding')}: {counts}")
    rows = [
        [one["id"], one["name"], one["family"], one["support"], one["tasks"], one["stability"],
         (one["nearest"] or {}).get("id"), one["similarity"], one["status"]]
        for one in document["proposals"]
    ]  # fmt: skip
    if rows:
        headers = ["proposal", "name", "family", "runs", "tasks", "stability", "nearest", "similarity", "status"]
        table(headers, rows)
    for rule, count in document["rejected"].items():
        say(f"{number(count, 'finding')} set aside: {rule}")
    if document["decided"]:
        say(f"{number(len(document['decided']), 'cluster')} answered before, not proposed again")
    for name in document.get("unnamed", ()):
        warn(f"the model gave no name for {name}")
