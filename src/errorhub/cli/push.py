"""push: rows of views, or a student, to a repository of their own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.frame import Frame, frame, number, say, warn

if TYPE_CHECKING:
    from errorhub.hub.workspace import Workspace


def push(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of `views build` or of a finished student.")],
    to: Annotated[str, typer.Option("--to", help="local:DIR, git:URL[#BRANCH] or hf:OWNER/NAME.")],
    create: Annotated[bool, typer.Option("--create", help="Make a repository that is not there, private.")] = False,
    message: Annotated[str, typer.Option("--message", help="Title of the commit.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check everything and send nothing.")] = False,
    by: Annotated[str | None, typer.Option("--by", help="Pseudonym in the commit. [default: the workspace's]")] = None,
) -> None:
    """Push training rows or a student to a repository of their own, in one commit with the hash of every file.

    What leaves the machine comes from bundles that were accepted in review, or that a pulled hub published.

    Example: errorhub push rows/ --to hf:acme/error-rows --create
    """
    from errorhub.hub.known import vault
    from errorhub.hub.parcel import Parcel
    from errorhub.hub.push import document as told
    from errorhub.hub.push import inspect, open_place
    from errorhub.hub.push import push as send
    from errorhub.hub.release import pseudonym

    call = frame(context)
    parcel, workspace = Parcel.of(folder), call.workspace()
    allowed = (lambda _: True) if to.startswith("local:") else _may_leave(workspace)
    licenses = inspect(parcel, call.policy("strict"), vault(workspace), may_leave=allowed)
    store = open_place(parcel, to, create=create, cache=workspace.folder / "cache")
    if dry_run:
        plan: dict[str, Any] = {
            "kind": parcel.kind, "files": len(parcel.paths), "left_out": list(parcel.left_out),
            "licenses": list(licenses), "paths": list(parcel.paths),
            "next_command": f"errorhub push {folder} --to {store.spec}",
        }  # fmt: skip
        call.emit(plan, lambda: _planned(plan), ids=lambda: list(parcel.paths))
        return
    author = pseudonym(call.author(by, workspace))
    done = told(send(parcel, store, licenses, message=message, author=author), store.spec)
    call.emit(done, lambda: _pushed(call, done), ids=lambda: [str(done["revision"])])


def _may_leave(workspace: Workspace) -> Callable[[str], bool]:
    """Return whether a bundle was accepted here or published by a hub that was pulled."""
    from errorhub.hub.mirrors import mirrors
    from errorhub.hub.release import desk

    verdicts = desk(workspace)
    names = {one.bundle_id for one in workspace.clean.bundles() if verdicts.verdict(one) == "accepted"}
    for mirror in mirrors(workspace):
        names |= mirror.state.visible
    return names.__contains__


def _planned(plan: dict[str, Any]) -> None:
    for path in plan["paths"]:
        say(path)
    _stayed(plan)


def _pushed(call: Frame, done: dict[str, Any]) -> None:
    what = f"{number(done['changed'], 'file')} pushed" if done["changed"] or done["removed"] else "already there"
    say(f"{what}: {done['kind']} at {done['url']}, revision {done['revision']}")
    say(done["load"])
    _stayed(done)


def _stayed(document: dict[str, Any]) -> None:
    for path in document["left_out"]:
        warn(f"left out: {path}")
