"""repair add, repair import, repair list: what was tried and how it ended."""

from __future__ import annotations

from pathlib import Path
from textwrap import shorten
from typing import Annotated, Any

import typer

from errorhub.cli.frame import frame, say, table, warn

_ID = typer.Argument(metavar="ID", help="Bundle or trajectory id, 8 or more characters.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(no_args_is_help=True, help="What was tried against a failure, and how it ended.")
    group.command("add")(add)
    group.command("import")(import_)
    group.command("list")(list_)
    app.add_typer(group, name="repair")


def add(
    context: typer.Context,
    bundle: Annotated[str, _ID],
    directive: Annotated[str, typer.Option("--directive", help="What the retry was told.")],
    run: Annotated[Path | None, typer.Option("--run", help="Log of the retry.")] = None,
    arm: Annotated[
        str, typer.Option("--arm", help="corrected, or original for a retry without the fix.")
    ] = "corrected",
    outcome: Annotated[str | None, typer.Option("--outcome", help="How the retry ended: passed or failed.")] = None,
    state_ref: Annotated[str | None, typer.Option("--state-ref", help="Checkpoint it started from.")] = None,
    diagnosis: Annotated[str | None, typer.Option("--diagnosis", help="Diagnosis it answers. [default: last]")] = None,
) -> None:
    """Record a fix that was tried.

    Example: errorhub repair add 3fa1b2c4 --directive 'read .env.prod first' --outcome passed
    """
    from errorhub.evidence import add_repair
    from errorhub.hub.intake import retry

    call = frame(context)
    workspace = call.workspace()
    tried = retry(run, arm=arm, outcome=outcome, state_ref=state_ref)
    with workspace.raw.editing():
        held = workspace.find(bundle, workspace.raw)
        after, repair = add_repair(held, directive, attempt=tried, diagnosis=diagnosis)
        if after.bundle_id != held.bundle_id:
            workspace.raw.put([after])
    document = _document(repair) | {"bundle_id": after.bundle_id, "next_command": "errorhub scrub"}
    call.emit(document, lambda: say(_line(document)))


def import_(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="JSON, JSONL or Parquet.")],
    outcome: Annotated[
        str | None, typer.Option("--outcome", help="Your verdict on the reruns: passed or failed.")
    ] = None,
    bundle: Annotated[
        str | None, typer.Option("--bundle", help="Bundle they are about. [default: by trace id]")
    ] = None,
) -> None:
    """Read AgentDebugX rerun plans, results and actor tasks as repairs of the runs they are about.

    Its own verdict `improved` only counts errors: a rerun passes when its verifier or you say so.

    Example: errorhub repair import rerun_result.json --outcome passed
    """
    from errorhub.evidence.rerun import import_repairs
    from errorhub.hub.errors import UsageError
    from errorhub.hub.intake import judged

    call = frame(context)
    for path in files:
        if not path.is_file():
            raise UsageError(f"no such file: {path}.")
    workspace = call.workspace()
    clean = {row["origin_key"] or "": row["trajectory_id"] for row in workspace.clean.rows(("trajectory_id",))}
    with workspace.raw.editing():
        about = workspace.find(bundle, workspace.raw) if bundle else None
        result = import_repairs(
            files, workspace.raw.bundles(), outcome=judged(outcome), about=about, scrubbed=clean
        )  # fmt: skip
        if result.changed:
            workspace.raw.put(result.changed.values())
    document: dict[str, Any] = {
        "imported": result.imported, "unchanged": result.unchanged,
        "repairs": [_document(repair) | {"bundle_id": held.bundle_id} for held, repair in result.repairs],
        "refused": [{"source": str(one.source), "record": one.record, "reason": one.reason, "exit": one.exit}
                    for one in result.refused],
    }  # fmt: skip
    if result.repairs:
        document["next_command"] = f"errorhub show {result.repairs[-1][0].bundle_id[:12]} --compare"
    call.emit(document, lambda: _imported(document), ids=lambda: [one["bundle_id"] for one in document["repairs"]])
    raise typer.Exit(result.exit_code)


def list_(context: typer.Context, bundle: Annotated[str, _ID]) -> None:
    """List what was tried against a failure.

    Example: errorhub repair list 3fa1b2c4
    """
    call = frame(context)
    workspace = call.workspace()
    held = workspace.find(bundle, workspace.raw)
    repairs = [_document(repair) for repair in held.repairs]
    document = {"bundle_id": held.bundle_id, "repairs": repairs}
    rows = [[one["kind"], one["directive"], one["verdict"], len(one["attempts"])] for one in repairs]
    call.emit(document, lambda: table(["kind", "directive", "verdict", "attempts"], rows))


def _imported(document: dict[str, Any]) -> None:
    say(f"{document['imported']} imported, {document['unchanged']} unchanged, {len(document['refused'])} refused")
    for one in document["repairs"]:
        say(f"{one['bundle_id'][:12]}  {_line(one)}")
    tried = [one["attempts"][-1]["outcome"]["status"] for one in document["repairs"] if one["attempts"]]
    if "unknown" in tried:
        warn("no verdict in it, so nothing is resolved. If you know how the retry ended: --outcome passed or failed.")
    for one in document["refused"]:
        warn(f"refused {one['source']}, record {one['record']}: {one['reason']}")


def _document(repair: Any) -> dict[str, Any]:
    derived = {"resolved": repair.resolved, "verdict": repair.verdict}
    return dict(repair.model_dump(mode="json")) | derived


def _line(document: dict[str, Any]) -> str:
    ended = ", ".join(f"{one['arm']} {one['outcome']['status']}" for one in document["attempts"]) or "not tried yet"
    told = shorten(document["directive"], width=100, placeholder=" …")
    return f"{document['kind']}, {ended}: {told}"
