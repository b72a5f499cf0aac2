"""taxonomy: list, show, accept, reject, merge, split, rename, undo, export, import."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli import modes
from errorhub.cli.frame import Frame, frame, number, print_json, say, table, warn

if TYPE_CHECKING:
    from errorhub.hub.taxonomy.maintainer import Made, Maintainer

_ID = typer.Argument(metavar="ID", help="Id of a proposal, 8 or more characters.")
_ITEM = typer.Argument(metavar="ID", help="A proposal, or a mode by id or name.")
_ITEMS = typer.Argument(metavar="ID…", help="Proposals, or modes by id or name.")
_BY = typer.Option("--by", help="Your name or pseudonym; published. [default: a random one of this workspace]")
_NOTE = typer.Option("--note", "--because", help="Why; scrubbed, then published with the decision.")
_NAME = typer.Option("--name", help="The mode in words. [default: as proposed]")
_FAMILY = typer.Option("--family", help="Family, the first half of the id. [default: as proposed]")
_SAYS = typer.Option("--description", help="When the mode applies.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(invoke_without_command=True)
    group.callback()(taxonomy)
    for verb, function in (
        ("list", list_), ("show", show), ("accept", accept), ("reject", reject), ("merge", merge), ("split", split),
        ("rename", rename), ("undo", undo), ("export", export), ("import", import_),
    ):  # fmt: skip
        group.command(verb)(function)
    modes.register(group)
    app.add_typer(group, name="taxonomy")


def taxonomy(context: typer.Context) -> None:
    """Failure modes: answer proposals, publish and use what holds.

    Example: errorhub taxonomy accept 3fa1b2c4 --name 'Waits for another agent' --because 'seen in four teams'
    """
    if context.invoked_subcommand is None:
        list_(context)


def list_(context: typer.Context) -> None:
    """List the modes on offer, the proposals with their answers, and conflicts between maintainers.

    Example: errorhub taxonomy list
    """
    from errorhub.hub.taxonomy.showing import overview

    call = frame(context)
    document = overview(call.workspace())
    call.emit(document, lambda: _listed(document), ids=lambda: [one["id"] for one in document["modes"]])


def show(context: typer.Context, item: Annotated[str, _ITEM]) -> None:
    """Show a proposal, mode or decision with everything that was decided about it.

    Example: errorhub taxonomy show planning.constraint_ignorance
    """
    from errorhub.cli.mode_text import told
    from errorhub.hub.taxonomy.showing import detail

    call = frame(context)
    document = detail(call.workspace(), item)
    call.emit(document, lambda: told(document), ids=lambda: [document["id"]])


def accept(
    context: typer.Context,
    proposal: Annotated[str, _ID],
    name: Annotated[str | None, _NAME] = None,
    family: Annotated[str | None, _FAMILY] = None,
    description: Annotated[str | None, _SAYS] = None,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Make a proposal a mode. The seed stays as it is.

    Example: errorhub taxonomy accept 3fa1b2c4 --name 'Waits for another agent'
    """
    call, maintainer = _maintainer(context, by, note)
    _decided(call, maintainer, maintainer.accept(proposal, _wording(name, family, description)))


def reject(
    context: typer.Context,
    proposals: Annotated[list[str], typer.Argument(metavar="ID…", help="Ids of proposals, 8 or more characters.")],
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Answer that proposals are no modes. They come back only after growing by half.

    Example: errorhub taxonomy reject 3fa1b2c4 --because 'one topic, not one failure'
    """
    call, maintainer = _maintainer(context, by, note)
    _decided(call, maintainer, maintainer.reject(proposals))


def merge(
    context: typer.Context,
    items: Annotated[list[str], _ITEMS],
    into: Annotated[str | None, typer.Option("--into", help="The mode that stays, also one of the seed.")] = None,
    name: Annotated[str | None, _NAME] = None,
    family: Annotated[str | None, _FAMILY] = None,
    description: Annotated[str | None, _SAYS] = None,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Put proposals and accepted modes together: into a known mode, or into a new one.

    Example: errorhub taxonomy merge 3fa1b2c4 9c0d1e2f --into planning.constraint_ignorance
    """
    call, maintainer = _maintainer(context, by, note)
    _decided(call, maintainer, maintainer.merge(items, into, _wording(name, family, description)))


def split(
    context: typer.Context,
    item: Annotated[str, _ITEM],
    part: Annotated[
        list[str], typer.Option("--part", help="'NAME=ID,ID' or 'NAME~WORDS': members by id, or whose text says so.")
    ],
    family: Annotated[str | None, _FAMILY] = None,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Make two or more modes of one proposal or accepted mode. A member goes to the first part that names it.

    Example: errorhub taxonomy split 3fa1b2c4 --part 'Times out~timed out' --part 'Loops~again and again'
    """
    from errorhub.hub.taxonomy.cases import parts_of

    call, maintainer = _maintainer(context, by, note)
    parts = parts_of(maintainer.workspace, item, part)
    _decided(call, maintainer, maintainer.split(item, parts, _wording(None, family, None)))


def rename(
    context: typer.Context,
    mode: Annotated[str, typer.Argument(metavar="MODE", help="An accepted mode, by id or name.")],
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Its new name; the id and all labels stay.")
    ] = None,
    family: Annotated[str | None, _FAMILY] = None,
    description: Annotated[str | None, _SAYS] = None,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Give an accepted mode another name, family or description.

    Example: errorhub taxonomy rename planning.waits_for_another_agent 'Deadlock between agents'
    """
    call, maintainer = _maintainer(context, by, note)
    _decided(call, maintainer, maintainer.rename(mode, _wording(name, family, description)))


def undo(
    context: typer.Context,
    decision: Annotated[
        str | None, typer.Argument(metavar="ID", help="A decision, proposal or mode. [default: your newest decision]")
    ] = None,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Take a decision back. It stays in the history, and an undo can be undone.

    Example: errorhub taxonomy undo 7d21c0aa --because 'the two are the same after all'
    """
    call, maintainer = _maintainer(context, by, note)
    _decided(call, maintainer, maintainer.undo(decision))


def export(
    context: typer.Context,
    out: Annotated[Path | None, typer.Option("--out", help="File for it. [default: standard output]")] = None,
) -> None:
    """Write the taxonomy as hubs hold it: accepted modes and every decision, as JSON.

    Example: errorhub taxonomy export --out taxonomy.json
    """
    from errorhub.hub.durable import output_file, write_file, writing
    from errorhub.hub.taxonomy.file import taxonomy_document
    from errorhub.hub.taxonomy.ledger import load_taxonomy

    call = frame(context)
    document = taxonomy_document(load_taxonomy(call.workspace()))
    if out is None:
        call.emit(document, lambda: print_json(document), ids=lambda: [one["id"] for one in document["modes"]])
        return
    out = output_file(out)
    with writing("taxonomy", out):
        write_file(out, (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode(), mode=0o644)
    facts = {"paths": [str(out)], "modes": document["modes"], "decisions": len(document["decisions"])}
    call.emit(facts, lambda: say(f"{number(len(document['modes']), 'accepted mode')} in {out}"))


def import_(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `taxonomy export --out` wrote.")],
) -> None:
    """Take over the decisions of somebody who may not write to your hub. Nothing of yours is overwritten.

    Example: errorhub taxonomy import taxonomy.json
    """
    from errorhub.hub.taxonomy.showing import overview
    from errorhub.hub.taxonomy.using import take

    call = frame(context)
    workspace = call.workspace()
    news, known = take(workspace, file)
    document = {"imported": len(news), "unchanged": known, **overview(workspace)}
    call.emit(
        document,
        lambda: _imported(document),
        ids=lambda: [one.id for one in news],
    )


def _maintainer(context: typer.Context, by: str | None, note: str) -> tuple[Frame, Maintainer]:
    from errorhub.cli.modes import maintainer

    call = frame(context)
    return call, maintainer(call, by, note)


def _wording(name: str | None, family: str | None, description: str | None) -> Any:
    from errorhub.hub.taxonomy.maintainer import Wording

    return Wording(name, family, description)


def _decided(call: Frame, maintainer: Maintainer, made: Made) -> None:
    from errorhub.hub.taxonomy.showing import made_document

    document = made_document(made, maintainer.workspace)
    call.emit(document, lambda: _told(document), ids=lambda: [made.decision.id])


def _told(document: dict[str, Any]) -> None:
    one = document["decision"]
    said = "" if document["new"] else " (as before, nothing was written)"
    say(f"{one['action']} {', '.join(one['about'])}{said}: decision {one['id'][:12]} by {one['by']}")
    for mode in document["touched"]:
        say(f"  {mode['id']}  “{mode['name']}”, {number(mode['support'], 'diagnosis').replace('siss', 'ses')}")
    _warned(document)


def _imported(document: dict[str, Any]) -> None:
    say(f"{number(document['imported'], 'decision')} imported, {document['unchanged']} known")
    _warned(document)


def _listed(document: dict[str, Any]) -> None:
    seed = [one for one in document["modes"] if one["status"] == "seed"]
    accepted = [one for one in document["modes"] if one["status"] != "seed"]
    say(f"{number(len(seed), 'seed mode')}, {len(accepted)} accepted, {number(document['decisions'], 'decision')}")
    if accepted:
        cells = [[one["id"], one["name"], one["diagnoses"], one["by"], one["at"][:10]] for one in accepted]
        table(["mode", "name", "diagnoses", "by", "at"], cells)
    if document["proposals"]:
        say("")
        table(
            ["proposal", "status", "support", "nearest", "answer", "name"], [_cells(p) for p in document["proposals"]]
        )
    _warned(document)


def _cells(one: dict[str, Any]) -> list[Any]:
    near, answer = one["nearest"], one["answer"]
    near = near.get("id") if isinstance(near, dict) else near
    said = f"{answer['action']} {answer['mode'] or ''}".strip() if answer else "-"
    return [one["id"][:12], one["status"], one["support"], near, said, one["name"]]


def _warned(document: dict[str, Any]) -> None:
    for one in document["conflicts"]:
        sides = "; ".join(
            f"{d['action']} {', '.join(d['modes']) or d['into'] or ''} by {d['by']} ({d['id'][:12]}, {d['state']})"
            for d in one["decisions"]
        )
        warn(f"conflict about {one['subject'][:60]}: {sides}")
