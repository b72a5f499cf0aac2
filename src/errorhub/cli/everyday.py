"""The everyday verbs: share, import, annotate, publish, pull, similar, demo."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from errorhub.cli.frame import Frame, frame, number, plain, say, table, warn

_SHOWN = 20
"""Rows of a long import that a person sees."""

_LOGS = typer.Argument(help="Logs, or folders of logs.", metavar="LOG…")
_TO = typer.Option("--to", help="Where: local:DIR, git:URL[#BRANCH] or hf:OWNER/NAME.", metavar="SPEC")
_LICENSE = typer.Option("--license", help="SPDX licence of what you share, for example CC-BY-4.0.", metavar="SPDX")
_POLICY = typer.Option("--policy", help="strict, share, internal, or a policy file. [default: strict]")
_REVIEW = typer.Option("--policy-review", help="human, or auto (local hubs, policy strict, clean re-reads only).")
_BY = typer.Option("--by", help="Your name or pseudonym. [default: a random one of this workspace]")
_FORMAT = typer.Option("--format", help="A name from `errorhub formats`; auto decides on structure.")
_OUTCOME = typer.Option("--outcome", help="How the runs ended, in your judgement: failed or passed.")


def register(app: typer.Typer) -> None:
    """Add the verbs in the order people meet them."""
    for verb, function in (
        ("share", share), ("demo", demo), ("import", import_), ("annotate", annotate), ("publish", publish),
        ("pull", pull), ("similar", similar),
    ):  # fmt: skip
        app.command(verb)(function)


def share(
    context: typer.Context,
    logs: Annotated[list[Path], _LOGS],
    to: Annotated[str, _TO],
    license: Annotated[str | None, _LICENSE] = None,
    policy: Annotated[str | None, _POLICY] = None,
    policy_review: Annotated[str, _REVIEW] = "human",
    format: Annotated[str, _FORMAT] = "auto",
    outcome: Annotated[str | None, _OUTCOME] = None,
    deny: Annotated[list[Path] | None, typer.Option("--deny", help="Words that must never leave, one a line.")] = None,
    create: Annotated[bool, typer.Option("--create", help="Make the hub when it does not exist.")] = False,
    no_ner: Annotated[bool, typer.Option("--no-ner", help="Publish without the name reader; recorded.")] = False,
    by: Annotated[str | None, _BY] = None,
) -> None:
    """Take logs all the way: import, check, scrub, review, publish. Stops at review; run again after accepting.

    Example: errorhub share ~/.claude/projects/app --to git:git@example.com:team/errors.git --license CC-BY-4.0
    """
    from errorhub.share import Request
    from errorhub.share import share as run

    call = frame(context)
    request = Request(
        logs=tuple(logs), to=to, format=format, terms=_terms(call, license, outcome), policy=call.policy(policy),
        review=policy_review, deny=tuple(deny or ()), create=create, no_ner=no_ner, by=by or call.settings.by,
    )  # fmt: skip
    with call.progress("sharing") as advance:
        result, code = run(call.workspace(), request, progress=advance)
    call.emit(result, lambda: _shared(result))
    raise typer.Exit(code)


def demo(context: typer.Context) -> None:
    """Tour the whole way on packaged examples, in a temporary workspace.

    Example: errorhub demo
    """
    from errorhub.demo import tour

    call = frame(context)
    result = tour(say if not (call.json or call.quiet) else lambda _: None)
    call.emit(result, lambda: None, ids=lambda: [result["retrieved"]["bundle_id"]])


def import_(
    context: typer.Context,
    paths: Annotated[list[Path], _LOGS],
    format: Annotated[str, _FORMAT] = "auto",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Read and report; keep nothing.")] = False,
    labels: Annotated[Path | None, typer.Option("--labels", help="Diagnoses of the runs, JSON or JSONL.")] = None,
    outcome: Annotated[str | None, _OUTCOME] = None,
    license: Annotated[str | None, _LICENSE] = None,
) -> None:
    """Read logs into the workspace as raw bundles. Folders are walked; reading twice changes nothing.

    Example: errorhub import ~/.claude/projects/app --outcome failed
    """
    from errorhub.hub.intake import intake, summary

    call = frame(context)
    workspace = None if dry_run else call.workspace()
    terms = _terms(call, license, outcome)
    result = intake(paths, workspace, format=format, terms=terms, labels=labels)
    bundles = [summary(bundle, source) for bundle, source in result.bundles]
    refused = [{"source": str(one.source), "reason": one.reason, "exit": one.exit} for one in result.refused]
    document: dict[str, Any] = {
        "imported": result.imported, "unchanged": result.unchanged, "bundles": bundles, "refused": refused
    }  # fmt: skip
    if bundles and not dry_run:
        first = bundles[0]
        bare = not any(one["diagnoses"] for one in bundles)
        advice = f"annotate {first['bundle_id'][:12]} --step N --because '…'" if bare else "check"
        document["next_command"] = f"errorhub {advice}"
    call.emit(document, lambda: _imported(document), ids=lambda: [one["bundle_id"] for one in bundles])
    raise typer.Exit(result.exit_code)


def annotate(
    context: typer.Context,
    bundle: Annotated[str, typer.Argument(metavar="ID", help="Bundle or trajectory id, 8 or more characters.")],
    step: Annotated[int, typer.Option("--step", help="0-based number of the step where it went wrong.")],
    because: Annotated[str, typer.Option("--because", help="Why, in your words.")],
    agent: Annotated[str | None, typer.Option("--agent", help="Who is responsible. [default: who acts there]")] = None,
    quote: Annotated[list[str] | None, typer.Option("--quote", help="STEP:TEXT, words that prove it.")] = None,
    fix: Annotated[str | None, typer.Option("--fix", help="What should have been done.")] = None,
    action: Annotated[str | None, typer.Option("--action", help="The same as an action, in JSON.")] = None,
    mode: Annotated[
        str | None, typer.Option("--mode", help="Failure mode by id or name; an unknown one counts as novel.")
    ] = None,
    by: Annotated[str | None, _BY] = None,
) -> None:
    """Say where a run went wrong, and what should have been done.

    Example: errorhub annotate 3fa1b2c4 --step 7 --because 'trusted a stale file' --quote '7:DB_HOST=old' --fix 'ask'
    """
    from errorhub.evidence import annotate as add
    from errorhub.evidence import citation
    from errorhub.hub.taxonomy import load_taxonomy

    call = frame(context)
    workspace = call.workspace()
    with workspace.raw.editing():
        held = workspace.find(bundle, workspace.raw)
        after, diagnosis = add(
            held, step=step, because=because, by=call.author(by, workspace), agent=agent,
            quotes=[citation(text) for text in quote or ()], fix=fix, action=_json(action), mode=mode,
            taxonomy=load_taxonomy(workspace),
        )  # fmt: skip
        if after is not held:
            workspace.raw.put([after])
    place = after.diagnoses.index(diagnosis)
    document = diagnosis.model_dump(mode="json") | {
        "diagnosis_id": after.diagnosis_ids[place], "bundle_id": after.bundle_id, "grade": after.grades[place],
        "next_command": "errorhub scrub",
    }  # fmt: skip
    call.emit(
        document,
        lambda: say(f"{document['grade']}: step {step}, {diagnosis.agent}: {because}"),
        ids=lambda: [document["diagnosis_id"]],
    )


def publish(
    context: typer.Context,
    to: Annotated[str, _TO],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what would leave; send nothing.")] = False,
    policy_review: Annotated[str, _REVIEW] = "human",
    create: Annotated[bool, typer.Option("--create", help="Make the hub when it does not exist.")] = False,
    create_pr: Annotated[
        bool, typer.Option("--create-pr", help="Open a pull request: for who may not write to an hf: hub.")
    ] = False,
    no_ner: Annotated[bool, typer.Option("--no-ner", help="Publish without the name reader; recorded.")] = False,
    message: Annotated[str | None, typer.Option("--message", help="Commit message; scanned like everything.")] = None,
    by: Annotated[str | None, _BY] = None,
) -> None:
    """Send accepted bundles to a hub: one atomic commit, read back and verified. Again is a no-op.

    Example: errorhub publish --to git:file:///srv/errors.git
    """
    from errorhub.hub.release import release

    call = frame(context)
    workspace = call.workspace()
    with call.progress("publishing") as advance:
        result = release(
            workspace, to, review=policy_review, create=create, create_pr=create_pr, no_ner=no_ner, message=message,
            dry_run=dry_run, by=call.author(by, workspace), progress=advance,
        )  # fmt: skip
    call.emit(result.document(), lambda: published(result.document()))
    raise typer.Exit(result.exit_code)


def pull(
    context: typer.Context,
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="local:DIR, git:URL[#BRANCH] or hf:OWNER/NAME.")],
    revision: Annotated[str | None, typer.Option("--revision", help="Exactly this revision.")] = None,
) -> None:
    """Copy a hub into the workspace, verifying every byte.

    Example: errorhub pull git:file:///srv/errors.git
    """
    from errorhub.hub.mirrors import pull_into

    call = frame(context)
    with call.progress("pulling") as advance:
        result = pull_into(call.workspace(), spec, revision=revision, progress=advance)
    document = {
        "bundles": result.bundles, "new": result.new, "revision": result.revision,
        "quarantined": list(result.quarantined), "tombstones": result.tombstones,
        "next_command": "errorhub similar --text 'what went wrong'",
    }  # fmt: skip
    call.emit(document, lambda: say(f"{number(result.bundles, 'bundle')}, {result.new} new, at {result.revision}"))
    for one in result.quarantined:
        warn(f"quarantined {one['path']}: {one['reason']}")
    for name in result.ignored:
        warn(f"ignored: {name}")
    raise typer.Exit(3 if result.quarantined else 0)


def similar(
    context: typer.Context,
    text: Annotated[str | None, typer.Option("--text", help="What went wrong, in words.")] = None,
    bundle: Annotated[str | None, typer.Option("--bundle", help="A bundle of yours, or of a pulled hub.")] = None,
    log: Annotated[Path | None, typer.Option("--log", help="A failed run's log.")] = None,
    k: Annotated[int, typer.Option("-k", help="At most this many cases.", min=1, max=100)] = 5,
    resolved: Annotated[bool, typer.Option("--resolved", help="Only cases whose fix passed.")] = False,
    include_unreviewed: Annotated[
        bool, typer.Option("--include-unreviewed", help="Foreign cases nobody reviewed, too.")
    ] = False,
    where: Annotated[str | None, typer.Option(help="Filter, for example: harness == 'claude-code'.")] = None,
) -> None:
    """Has anyone hit this before, and what fixed it? Searches pulled hubs and your own runs.

    Example: errorhub similar --log failed-session.jsonl
    """
    from errorhub.hub.recall import look_up

    call = frame(context)
    answer = look_up(
        call.workspace(), text=text, bundle=bundle, log=log, k=k, resolved=resolved,
        include_unreviewed=include_unreviewed, where=where,
    )  # fmt: skip
    document = {
        "hits": [hit.model_dump(mode="json") for hit in answer.hits],
        "abstained": answer.abstained, "reason": answer.reason,
    }  # fmt: skip
    if answer.hits:
        document["next_command"] = f"errorhub show {answer.hits[0].bundle_id[:12]}"
    call.emit(document, lambda: _answered(document), ids=lambda: [hit.bundle_id for hit in answer.hits])


def published(document: dict[str, Any]) -> None:
    """Print the result of a publish for a person."""
    done = "would be published" if document.get("plan") else "published"
    say(f"{document['published']} {done}, {document['skipped']} already there, {len(document['refused'])} refused")
    for one in document["refused"][:10]:
        warn(f"refused {one['bundle_id'][:12]}: {one['reason']}")
    for line in document.get("plan") or ():
        say(f"  {line}")
    if document["revision"]:
        say(f"revision {document['revision']} at {document['url']}\nload with {document['load']}")


def _shared(document: dict[str, Any]) -> None:
    rows = [
        [name, one["in"], one["out"], ", ".join(f"{rule} {n}" for rule, n in one["refused"].items())]
        for name, one in document["stages"].items()
    ]
    table(["stage", "in", "out", "refused"], rows)
    if document.get("stage") == "review":
        waiting = document["pending"]
        verb = "waits" if waiting == 1 else "wait"
        say(f"\n{number(waiting, 'bundle')} {verb} for a person's review. Nothing has left this machine.")
    else:
        published(document)
    for one in document.get("unread", ()):
        warn(f"not read: {one['source']}: {one['reason']}")


def _imported(document: dict[str, Any]) -> None:
    columns = ["bundle_id", "format", "steps", "tool_calls", "tool_results", "outcome", "diagnoses", "source"]
    rows = [[one["bundle_id"][:12], *(one[name] for name in columns[1:])] for one in document["bundles"]]
    if rows:
        table(["bundle", *columns[1:]], rows[:_SHOWN])
    if len(rows) > _SHOWN:
        say(f"… and {len(rows) - _SHOWN} more: errorhub list")
    read = {one["source"] for one in document["bundles"]}
    partly = [one for one in document["refused"] if one["source"] in read]
    refused = len(document["refused"]) - len(partly)
    part = f", {number(len(partly), 'file')} read in part" if partly else ""
    say(f"{document['imported']} imported, {document['unchanged']} unchanged, {refused} refused{part}")
    for one in document["bundles"]:
        for text in one["warnings"]:
            warn(f"{one['bundle_id'][:12]}: {text}")
    for one in document["refused"]:
        warn(f"{'in part' if one in partly else 'refused'} {one['source']}: {one['reason']}")


def _answered(document: dict[str, Any]) -> None:
    if document["abstained"]:
        say(document["reason"])
    for rank, hit in enumerate(document["hits"], 1):
        say(f"{rank}. {hit['score']:.2f}  {hit['bundle_id'][:12]}  {hit['source']}  ({hit['trust']})")
        say(f"   went wrong  step {hit['step']}, {hit['agent']}: {_quoted(hit['explanation'])}")
        if hit["assigned"]:
            say(f"   put under   {plain(hit['assigned'])}")
        say(f"   should have {_quoted(hit['correction'])}")
        ending = {True: "the fix passed", False: "the fix did not pass"}.get(hit["resolved"], "not tried")
        say(f"   tried       {_quoted(hit['repair'])}: {ending}" if hit["repair"] else "   tried       nothing yet")
        say(f"   because of  {', '.join(hit['matched'])}")
        if hit["flags"]:
            say(f"   beware      {', '.join(hit['flags'])}: this is somebody's text, not an instruction")


def _quoted(text: str | None) -> str:
    return f"“{plain(text)}”" if text else "not known"


def _terms(call: Frame, license: str | None, outcome: str | None) -> Any:
    from errorhub.hub.intake import Terms, judged, licensed

    settings = call.settings
    return Terms(
        outcome=judged(outcome), license=licensed(license or settings.license), contributor=settings.contributor,
        organisation=settings.organisation,
    )  # fmt: skip


def _json(text: str | None) -> Any:
    if text is None:
        return None
    try:
        return json.loads(text)
    except ValueError:
        from errorhub.hub.errors import UsageError

        raise UsageError(f"--action is not JSON: {text[:40]}. Quote it for the shell.") from None
