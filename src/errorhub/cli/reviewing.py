"""review: list, show, diff, grep, accept, reject."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from errorhub.cli.frame import Frame, frame, number, print_json, say, table, warn

if TYPE_CHECKING:
    from errorhub.hub.bundle import Bundle
    from errorhub.hub.review import Desk

_ID = typer.Argument(metavar="ID", help="Bundle or trajectory id, 8 or more characters.")
_IDS = typer.Argument(metavar="ID…", help="Bundle or trajectory ids, 8 or more characters.")
_ALL = typer.Option("--all", help="Every pending bundle; asks for an attestation.")
_ATTEST = typer.Option("--attest", help="What you vouch for, in your own words; recorded.")
_BY = typer.Option("--by", help="Your name or pseudonym. [default: a random one of this workspace]")
_NOTE = typer.Option("--note", help="A note for yourself; never published.")


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(invoke_without_command=True, help="A person's verdict on the exact bytes that would leave.")
    group.callback()(review)
    for verb, function in (
        ("list", list_), ("show", show), ("diff", diff), ("grep", grep), ("accept", accept), ("reject", reject)
    ):  # fmt: skip
        group.command(verb)(function)
    app.add_typer(group, name="review")


def review(context: typer.Context) -> None:
    """A person's verdict on the exact bytes that would leave, riskiest first.

    Example: errorhub review grep "Acme" && errorhub review accept --all --attest "I read all of them"
    """
    if context.invoked_subcommand is None:
        list_(context)


def list_(context: typer.Context) -> None:
    """List clean bundles, riskiest first.

    Example: errorhub review list
    """
    call = frame(context)
    items = _desk(call).items()
    rows = [_row(item) for item in items]
    document = _counts(rows) | {"items": rows}
    if document["pending"]:
        first = next(row["bundle_id"] for row in rows if row["verdict"] == "pending")
        document["next_command"] = f"errorhub review show {first[:12]}"
    elif document["accepted"]:
        document["next_command"] = "errorhub publish --to SPEC"
    columns = ["verdict", "risk", "residue", "free_text", "unmapped", "license", "outcome", "diagnoses", "goal"]
    cells = [[row["bundle_id"][:12], *(row[name] for name in columns)] for row in rows]
    call.emit(document, lambda: table(["bundle", *columns], cells), ids=lambda: [row["bundle_id"] for row in rows])


def show(context: typer.Context, bundle: Annotated[str, _ID]) -> None:
    """Show exactly what would leave.

    Example: errorhub review show 3fa1b2c4
    """
    from errorhub.scrubber.report import report

    call = frame(context)
    desk = _desk(call)
    held = _clean(call, desk, bundle)
    item = desk.item(held)
    left = desk.residue(held)
    lines = list(report(held.document(), held.receipt, left).lines()) if held.receipt else []
    document = _row(item) | {
        "digest": held.digest, "residue_findings": [finding._asdict() for finding in left], "report": lines,
        "document": held.document(),
    }  # fmt: skip
    document["next_command"] = f"errorhub review accept {held.bundle_id[:12]}"
    call.emit(document, lambda: _shown(document), ids=lambda: [held.bundle_id])


def diff(context: typer.Context, bundle: Annotated[str, _ID]) -> None:
    """Show what scrubbing changed. Prints raw text: for your eyes only.

    Example: errorhub review diff 3fa1b2c4
    """
    from errorhub.hub.review import diff as compare

    call = frame(context)
    workspace = call.workspace()
    lines = compare(workspace.find(bundle, workspace.raw), workspace.find(bundle, workspace.clean))
    call.emit({"diff": lines}, lambda: say("\n".join(lines)))


def grep(
    context: typer.Context,
    term: Annotated[str, typer.Argument(help="A word that must not leave.")],
    message: Annotated[str | None, typer.Option("--message", help="The commit message you mean to use.")] = None,
) -> None:
    """Look for a word in everything that would leave: bundles, card and commit message. Exit 1 when it is there.

    Example: errorhub review grep Bluebird
    """
    from errorhub.hub.release import outbound_files
    from errorhub.hub.review import grep as search

    call = frame(context)
    workspace = call.workspace()
    verdicts = _desk(call)
    bundles = [bundle for bundle in workspace.clean.bundles() if verdicts.verdict(bundle) != "rejected"]
    files = outbound_files(bundles, workspace, actor=call.author(None, workspace), message=message)
    found = list(search(term, bundles, files))
    document: dict[str, Any] = {
        "term": term, "searched": len(bundles), "matches": [{"where": one.where, "text": one.text} for one in found]
    }  # fmt: skip
    document["next_command"] = "errorhub scrub --deny words.txt" if found else "errorhub review accept --all"
    if not bundles:
        document["next_command"] = "errorhub scrub"
    call.emit(document, lambda: _matches(document))
    raise typer.Exit(1 if found else 0)


def accept(
    context: typer.Context,
    bundles: Annotated[list[str] | None, _IDS] = None,
    all_: Annotated[bool, _ALL] = False,
    attest: Annotated[str | None, _ATTEST] = None,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Accept exactly these bytes for publishing. One changed byte needs a new verdict.

    Example: errorhub review accept 3fa1b2c4 --note 'read in full'
    """
    _decide(frame(context), "accept", bundles or [], all_=all_, attest=attest, by=by, note=note)


def reject(
    context: typer.Context,
    bundles: Annotated[list[str] | None, _IDS] = None,
    all_: Annotated[bool, _ALL] = False,
    attest: Annotated[str | None, _ATTEST] = None,
    by: Annotated[str | None, _BY] = None,
    note: Annotated[str, _NOTE] = "",
) -> None:
    """Keep these bytes from ever being published.

    Example: errorhub review reject 3fa1b2c4 --note 'names a customer'
    """
    _decide(frame(context), "reject", bundles or [], all_=all_, attest=attest, by=by, note=note)


def _decide(
    call: Frame, word: Literal["accept", "reject"], ids: list[str], *, all_: bool, attest: str | None,
    by: str | None, note: str,
) -> None:  # fmt: skip
    from errorhub.hub.errors import UsageError

    if bool(ids) == all_:
        raise UsageError("name bundles, or pass --all, not both.", hint="errorhub review list")
    desk = _desk(call)
    if all_:
        chosen = [one for one in desk.workspace.clean.bundles() if desk.verdict(one) == "pending"]
        attest = attest or _attestation(call, len(chosen), word)
    else:
        chosen = [_clean(call, desk, one) for one in ids]
    who = call.author(by, desk.workspace)
    decided = desk.decide(chosen, word, by=who, note=note, attest=attest or "")
    rows = [_row(item) for item in desk.items()]
    document = _counts(rows) | {"decided": decided, "items": rows}
    if document["pending"]:
        document["next_command"] = "errorhub review list"
    elif document["accepted"]:
        document["next_command"] = "errorhub publish --to SPEC"
    document["unlicensed"] = sum(one.rights.license is None for one in chosen) if word == "accept" else 0
    call.emit(document, lambda: _said(document, word), ids=lambda: [one.bundle_id for one in chosen])


def _said(document: dict[str, Any], word: str) -> None:
    say(f"{word}ed {document['decided']}; {document['pending']} pending, {document['accepted']} accepted")
    if document["unlicensed"]:
        warn(
            f"{number(document['unlicensed'], 'bundle')} without a licence will not be published: "
            "`errorhub import LOG --license SPDX`, then scrub and review again"
        )


def _attestation(call: Frame, number: int, word: str) -> str:
    """Ask a person at a terminal to type what she vouches for. Raise UsageError where nobody can answer."""
    import sys

    from errorhub.hub.errors import UsageError

    if call.json or not sys.stdin.isatty():
        raise UsageError(
            f"--all would {word} {number} bundles. Say what you vouch for with --attest.",
            hint=f"errorhub review {word} --all --attest 'I read every one of the {number} bundles'",
        )
    answer = str(typer.prompt(f"Type what you vouch for to {word} {number} bundles"))
    if not answer.strip():
        raise UsageError("nothing attested. Nothing was decided.")
    return answer


def _desk(call: Frame) -> Desk:
    from errorhub.hub.release import desk

    return desk(call.workspace())


def _clean(call: Frame, desk: Desk, prefix: str) -> Bundle:
    return desk.workspace.find(prefix, desk.workspace.clean)


def _row(item: Any) -> dict[str, Any]:
    bundle = item.bundle
    return {
        "bundle_id": bundle.bundle_id, "trajectory_id": bundle.trajectory_id, "verdict": item.verdict,
        "risk": round(item.risk, 2), "residue": item.residue, "free_text": item.free_text, "unmapped": item.unmapped,
        "policy": bundle.receipt.policy if bundle.receipt else None, "license": bundle.rights.license,
        "outcome": bundle.trajectory.outcome.status, "diagnoses": len(bundle.diagnoses), "grades": list(bundle.grades),
        "findings": bundle.receipt.counts if bundle.receipt else {}, "goal": bundle.trajectory.task.goal,
    }  # fmt: skip


def _counts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: sum(row["verdict"] == name for row in rows) for name in ("pending", "accepted", "rejected")}


def _shown(document: dict[str, Any]) -> None:
    print_json(document["document"])
    say(f"\n{document['verdict']}, policy {document['policy']}, licence {document['license']}, risk {document['risk']}")
    for line in document["report"]:
        say(line)


def _matches(document: dict[str, Any]) -> None:
    for one in document["matches"]:
        say(f"{one['where']}: …{one['text']}…")
    where = number(document["searched"], "bundle")
    say(f"{number(len(document['matches']), 'place')} in {where}, card and commit message")
