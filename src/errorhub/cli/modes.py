"""taxonomy assign, publish, report: what follows from decisions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.frame import Frame, frame, number, say, table, warn

if TYPE_CHECKING:
    from errorhub.hub.taxonomy.maintainer import Maintainer

_BY = typer.Option("--by", help="Your name or pseudonym; published. [default: a random one of this workspace]")
_NOTE = typer.Option("--note", "--because", help="Why; scrubbed, then published with the decision.")


def register(group: typer.Typer) -> None:
    """Add the verbs to the group."""
    group.command("assign")(assign)
    group.command("publish")(publish)
    group.command("report")(report)


def assign(
    context: typer.Context,
    cases: Annotated[
        list[str] | None, typer.Argument(metavar="ID…", help="Diagnoses, or runs and bundles that have only one.")
    ] = None,
    mode: Annotated[str | None, typer.Option("--mode", help="The mode these fall under, or none.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Record every suggestion as yours.")] = False,
    neighbours: Annotated[int, typer.Option("--neighbours", min=1, max=50, help="Decided cases that vote.")] = 5,
    precision: Annotated[
        float, typer.Option("--precision", min=0, max=1, help="Share of held-out cases that must land right.")
    ] = 0.8,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Which open cases fall under an accepted mode: suggested with votes, applied or corrected by you, never rewritten.

    Example: errorhub taxonomy assign 3fa1b2c4 --mode planning.waits_for_another_agent --because 'read the run'
    """
    from errorhub.hub.errors import UsageError
    from errorhub.hub.taxonomy.showing import made_document
    from errorhub.hub.taxonomy.using import apply as record
    from errorhub.hub.taxonomy.using import assignments_document, correct, suggestions

    call = frame(context)
    if bool(cases) != bool(mode) or (cases and apply):
        raise UsageError("name cases with --mode MODE, or none: then suggestions are listed, or applied with --apply.")
    person = maintainer(call, by, note)
    if cases:
        document = made_document(correct(person, cases, str(mode)), person.workspace)
        call.emit(document, lambda: _corrected(document), ids=lambda: [document["decision"]["id"]])
        return
    from errorhub.hub.taxonomy import load_taxonomy
    from errorhub.hub.taxonomy.assigning import Settings

    found = suggestions(person.workspace, Settings(neighbours=neighbours, precision=precision))
    made = record(person, found) if apply else None
    result = assignments_document(found, load_taxonomy(person.workspace))
    result["applied"] = result["suggested"] if made else 0
    answered = "errorhub taxonomy publish --to SPEC" if apply else "errorhub taxonomy assign --apply"
    result["next_command"] = answered if result["suggested"] else "errorhub induce"
    call.emit(
        result, lambda: _suggested(result), ids=lambda: [r["diagnosis_id"] for r in result["suggestions"] if r["mode"]]
    )


def publish(
    context: typer.Context,
    to: Annotated[str, typer.Option("--to", help="local:DIR, git:URL[#BRANCH] or hf:OWNER/NAME.", metavar="SPEC")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would leave; send nothing.")] = False,
    create: Annotated[bool, typer.Option("--create", help="Make the hub when it does not exist.")] = False,
    message: Annotated[str | None, typer.Option("--message", help="Commit message; scanned like everything.")] = None,
    by: Annotated[str | None, _BY] = None,
) -> None:
    """Send your decisions to a hub: one commit that joins them with everybody else's. Again is a no-op.

    Example: errorhub taxonomy publish --to git:file:///srv/errors.git
    """
    from errorhub.hub.taxonomy.publishing import describe
    from errorhub.hub.taxonomy.using import send

    call = frame(context)
    workspace = call.workspace()
    done = send(workspace, to, by=call.author(by, workspace), create=create, message=message, dry_run=dry_run)
    document = describe(done)
    document["next_command"] = f"errorhub taxonomy publish --to {to}" if dry_run else f"errorhub pull {to}"
    call.emit(document, lambda: _published(document, dry_run), ids=lambda: [one.id for one in done.decisions])
    for one in document["refused"] if not call.json else ():
        warn(f"refused {one['decision'][:12]}: {one['reason']}")
    left_out = bool(document["refused"])
    raise typer.Exit(0 if not left_out else 3 if document["published"] + document["skipped"] else 1)


def report(
    context: typer.Context,
    out: Annotated[Path, typer.Option("--out", help="Folder for the page and its pictures.")],
    form: Annotated[str, typer.Option("--form", help="Of the pictures: svg or png.")] = "svg",
) -> None:
    """Write a page about modes, proposals, decisions and who is under-represented, with pictures. For your own eyes.

    Example: errorhub taxonomy report --out report/
    """
    from errorhub.hub.errors import UsageError
    from errorhub.hub.taxonomy.using import report as write

    call = frame(context)
    if form not in ("svg", "png"):
        raise UsageError(f"no such form of pictures: {form}. Use svg or png.")
    document = write(call.workspace(), out, form) | {"next_command": "errorhub taxonomy list"}
    call.emit(document, lambda: _reported(document), ids=lambda: document["paths"])


def maintainer(call: Frame, by: str | None, note: str) -> Maintainer:
    """Return who decides, in the workspace of this call; what they write is scrubbed first."""
    from errorhub.hub.taxonomy.maintainer import Maintainer
    from errorhub.hub.taxonomy.words import scrubbed

    workspace = call.workspace()
    return Maintainer(workspace, call.author(by, workspace), note, lambda texts: scrubbed(workspace, texts))


def _reported(document: dict[str, Any]) -> None:
    say("\n".join(document["paths"]))
    say(f"{document['named']} of {number(document['runs'], 'run')} have a mode with a name")
    for one in document["agreement"]:
        beyond = "" if one["kappa"] is None else f", kappa {one['kappa']:.2f}"
        say(f"{' and '.join(one['by'])} agree on {one['same']} of {one['both']} {one['kind']}{beyond}")
    for one in document["under_represented"]:
        why = f"{number(one['runs'], 'run')}: {'; '.join(one['notes'])}"
        say(f"under-represented: {one['dimension']} {one['value']}, {why}")


def _corrected(document: dict[str, Any]) -> None:
    one = document["decision"]
    said = "" if document["new"] else " (as before, nothing was written)"
    say(f"{one['action']} {', '.join(one['about'])}{said}: decision {one['id'][:12]} by {one['by']}")


def _suggested(document: dict[str, Any]) -> None:
    rows = [
        [r["diagnosis_id"][:12], r["score"], _votes(r), r["name"], r["text"]]
        for r in document["suggestions"]
        if r["mode"]
    ]
    if rows:
        table(["diagnosis", "score", "votes", "mode", "text"], rows)
    trust = (
        "" if document["precision"] is None else f"; {document['precision']:.0%} of held-out answers above it are right"
    )
    say(f"{document['suggested']} suggested, {document['abstained']} abstained; floor {document['floor']:.2f}{trust}")
    if document["applied"]:
        say(f"{number(document['applied'], 'case')} assigned")


def _votes(row: dict[str, Any]) -> str:
    return ", ".join(f"{name.partition('@')[0]} {n}" for name, n in row["votes"].items())


def _published(document: dict[str, Any], dry_run: bool) -> None:
    done = "would be published" if dry_run else "published"
    say(f"{number(document['published'], 'decision')} {done}, {document['skipped']} already there")
    modes, conflicts = number(document["modes"], "accepted mode"), number(document["conflicts"], "conflict")
    say(f"{modes}, {conflicts} in {document['path']}")
