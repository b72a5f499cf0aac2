"""The keeping verbs: inbox, workflow, mcp, skill."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.frame import Frame, frame, number, print_json, say, table, warn

if TYPE_CHECKING:
    from errorhub.hub.inbox import Contribution

_ACTIONS = ("list", "show", "accept", "reject")


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command("inbox")(inbox)
    app.command("workflow")(workflow)
    app.command("mcp")(mcp)
    app.command("skill")(skill)


def inbox(
    context: typer.Context,
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="hf:OWNER/NAME.")],
    action: Annotated[str, typer.Argument(metavar="ACTION", help="list, show, accept or reject.")] = "list",
    pull: Annotated[int | None, typer.Argument(metavar="N", help="Number of the pull request.")] = None,
    reason: Annotated[
        str, typer.Option("--reason", help="Why it is rejected; its author reads it.")
    ] = "no reason given",
    by: Annotated[str | None, typer.Option("--by", help="Pseudonym in the log. [default: the workspace's]")] = None,
) -> None:
    """Contributions waiting as pull requests: scanned again, readable, sealed in one commit on acceptance.

    Example: errorhub inbox hf:acme/errors show 3
    """
    from errorhub.hub.errors import UsageError

    call = frame(context)
    if action not in _ACTIONS or (action == "list") == (pull is not None):
        raise UsageError(
            f"not something to do with an inbox: {action} {pull or ''}. Use list, or show, accept or reject N."
        )
    if action == "list":
        _list(call, spec)
    elif action == "show":
        _show(call, spec, pull or 0)
    elif action == "accept":
        _accept(call, spec, pull or 0, by)
    else:
        _reject(call, spec, pull or 0, reason)


def workflow(context: typer.Context) -> None:
    """Print a workflow for a hub's repository: it verifies every revision and scans contributions again.

    Example: errorhub workflow > .github/workflows/verify-hub.yml
    """
    from errorhub import __version__
    from errorhub.cards import workflow as text

    document = {"path": ".github/workflows/verify-hub.yml", "text": text(__version__)}
    frame(context).emit(document, lambda: print(document["text"], end=""))


def mcp(
    context: typer.Context,
    allow_raw: Annotated[
        bool, typer.Option("--allow-raw", help="Show your own runs unscrubbed: for a model on this machine.")
    ] = False,
) -> None:
    """Serve the memory to an agent over MCP: search_cases and get_case, read-only, on standard input and output.

    Example: errorhub mcp
    """
    from errorhub.mcp import serve

    serve(frame(context).workspace(), raw=allow_raw)


def skill(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder of skills to write it to, for example .claude/skills.")
    ] = None,
) -> None:
    """Print the skill that tells a coding agent how to look up failures and, if you agree, prepare a bundle.

    Example: errorhub skill --out .claude/skills
    """
    from errorhub.skill import TEXT, write_skill

    call = frame(context)
    path = write_skill(out) if out else None
    document = {"path": str(path) if path else None, "text": TEXT}
    call.emit(document, lambda: say(f"skill written to {path}") if path else print(TEXT, end=""))


def _list(call: Frame, spec: str) -> None:
    from errorhub.hub.inbox import hub_with_pulls
    from errorhub.hub.mirrors import open_hub

    store = hub_with_pulls(open_hub(call.settings.workspace, spec))
    rows: list[dict[str, Any]] = [
        {"number": one.number, "title": one.title, "author": one.author, "created": one.created, "url": one.url}
        for one in store.pulls.waiting()
    ]
    document: dict[str, Any] = {"contributions": rows}
    if rows:
        document["next_command"] = f"errorhub inbox {spec} show {rows[0]['number']}"
    cells = [[row["number"], row["author"], row["title"]] for row in rows]
    call.emit(
        document, lambda: table(["number", "author", "title"], cells), ids=lambda: [str(r["number"]) for r in rows]
    )


def _show(call: Frame, spec: str, pull: int) -> None:
    from errorhub.hub.inbox import contribution
    from errorhub.hub.mirrors import open_hub

    found = contribution(open_hub(call.settings.workspace, spec, afresh=True), pull, _gate(call))
    document: dict[str, Any] = {
        "number": pull, "title": found.pull.title, "author": found.pull.author, "status": found.pull.status,
        "url": found.pull.url, "problems": found.problems, "ignored": found.ignored,
        "bundles": [one.document() | {"bundle_id": one.bundle_id} for one in found.bundles],
        "next_command": f"errorhub inbox {spec} {'reject' if found.problems else 'accept'} {pull}",
    }  # fmt: skip
    call.emit(document, lambda: _shown(found), ids=lambda: [one.bundle_id for one in found.bundles])
    raise typer.Exit(1 if found.problems else 0)


def _accept(call: Frame, spec: str, pull: int, by: str | None) -> None:
    from errorhub.hub.inbox import accept
    from errorhub.hub.mirrors import open_hub
    from errorhub.hub.release import pseudonym

    workspace = call.workspace()
    store = open_hub(workspace.folder, spec)
    done = accept(
        store, pull, outbox=workspace.outbox, actor=pseudonym(call.author(by, workspace)), gate=_gate(call)
    )  # fmt: skip
    document = {
        "published": done.published, "skipped": done.skipped, "revision": done.revision, "url": store.url,
        "next_command": f"errorhub pull {spec}",
    }  # fmt: skip
    call.emit(document, lambda: say(f"{number(done.published, 'bundle')} sealed in {done.revision}"))


def _reject(call: Frame, spec: str, pull: int, reason: str) -> None:
    from errorhub.hub.inbox import reject
    from errorhub.hub.mirrors import open_hub

    reject(open_hub(call.settings.workspace, spec), pull, reason)
    call.emit({"rejected": pull}, lambda: say(f"pull request {pull} closed"))


def _gate(call: Frame) -> Any:
    """Return the second engine's reading, with every value this workspace knows."""
    from errorhub.hub.gate import rescan
    from errorhub.hub.known import vault

    return rescan(call.policy("strict"), vault(call.workspace()))


def _shown(found: Contribution) -> None:
    for bundle in found.bundles:
        print_json(bundle.document())
    say(f"\n{number(len(found.bundles), 'bundle')} by {found.pull.author}: {found.pull.title}\n{found.pull.url}")
    for text in found.ignored:
        warn(f"not part of a hub, never taken over: {text}")
    for text in found.problems:
        warn(f"problem: {text}")
