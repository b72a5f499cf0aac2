"""The pipeline verbs: formats, scrub, scan, list, show, stats, verify, export, fixture, index."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from errorhub.cli.fixture import fixture
from errorhub.cli.frame import Frame, frame, say, table, warn

if TYPE_CHECKING:
    from collections.abc import Iterator

_POLICY = typer.Option("--policy", help="strict, share, internal, or a policy file. [default: strict]")
_WHERE = typer.Option("--where", help="Filter over flat columns, for example: n_steps > 10 and harness == 'swe'.")
_STAGE = typer.Option("--stage", help="raw or clean. [default: raw]")
_SPEC = typer.Argument(metavar="SPEC", help="A hub instead of the workspace.")


def register(app: typer.Typer) -> None:
    """Add the verbs in the order a bundle passes them."""
    for verb, function in (
        ("formats", formats), ("scrub", scrub), ("scan", scan), ("list", list_), ("show", show),
        ("stats", stats), ("verify", verify), ("export", export), ("fixture", fixture), ("index", index),
    ):  # fmt: skip
        app.command(verb)(function)


def formats(context: typer.Context) -> None:
    """List the log formats that can be read, and how each is recognised.

    Example: errorhub formats
    """
    from errorhub.hub.importers import formats as known

    rows = [
        {
            "name": one.name, "description": one.description, "recognised": one.recognised,
            "step_base": one.step_base, "extensions": list(one.extensions), "status": one.status,
        }
        for one in known()
    ]  # fmt: skip
    cells = [[row["name"], row["status"], row["step_base"], row["description"]] for row in rows]
    frame(context).emit(
        {"formats": rows},
        lambda: table(["name", "status", "base", "description"], cells),
        ids=lambda: [str(row["name"]) for row in rows],
    )


def scrub(
    context: typer.Context,
    policy: Annotated[str | None, _POLICY] = None,
    deny: Annotated[list[Path] | None, typer.Option("--deny", help="Words that must never leave, one a line.")] = None,
    allow: Annotated[list[Path] | None, typer.Option("--allow", help="Values that may stay, with a reason.")] = None,
    document: Annotated[Path | None, typer.Option("--document", help="Scrub JSON documents, one a line.")] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Where the scrubbed documents go.")] = None,
    findings: Annotated[Path | None, typer.Option("--findings", help="Where masked findings go, one a line.")] = None,
) -> None:
    """Take secrets and personal data out: raw becomes clean. Deny lists are remembered by the workspace.

    Example: errorhub scrub --deny customers.txt
    """
    call = frame(context)
    rules = _policy(call, policy, allow)
    if document:
        _scrub_documents(call, rules, deny or [], document, out, findings)
        return
    from errorhub.hub.errors import UsageError
    from errorhub.hub.hands import available
    from errorhub.hub.known import remember, vault
    from errorhub.hub.scrub import clean

    if out or findings:
        raise UsageError("--out and --findings go with --document; without it the workspace is scrubbed.")
    workspace = call.workspace()
    remember(workspace, deny or [])
    with call.progress("scrubbing") as advance:
        result = clean(workspace, rules, vault(workspace), progress=advance, processes=available())
    summary = result.document() | {"next_command": "errorhub review list"}
    call.emit(summary, lambda: _scrubbed(summary))
    raise typer.Exit(result.exit_code)


def scan(
    context: typer.Context,
    paths: Annotated[list[Path], typer.Argument(metavar="PATH…", help="Files or folders.")],
    policy: Annotated[str | None, _POLICY] = None,
) -> None:
    """Find secrets and personal data without changing anything; for hooks and CI. Exit 1 when there is any.

    Example: errorhub scan logs/
    """
    from errorhub.hub.documents import scan as find_in

    call = frame(context)
    result = find_in(paths, call.policy(policy))
    rows = [[one["source"], one["path"], one["kind"], one["masked"]] for one in result.findings]
    document = {"findings": result.findings, "unread": result.unread}
    call.emit(document, lambda: table(["source", "path", "kind", "value"], rows))
    for one in result.unread if not call.json else ():
        warn(f"not read: {one['source']}: {one['reason']}")
    raise typer.Exit(result.exit_code)


def list_(
    context: typer.Context,
    spec: Annotated[str | None, _SPEC] = None,
    stage: Annotated[str, _STAGE] = "raw",
    where: Annotated[str | None, _WHERE] = None,
) -> None:
    """List bundles of the workspace or of a hub.

    Example: errorhub list --where "outcome == 'failed'"
    """
    call = frame(context)
    rows = list(_rows(call, spec, stage, where))
    columns = ["harness", "outcome", "n_steps", "n_diagnoses", "grade", "license", "goal"]
    cells = [[row["bundle_id"][:12], *(row[name] for name in columns)] for row in rows]
    call.emit(
        {"bundles": rows}, lambda: table(["bundle", *columns], cells), ids=lambda: [row["bundle_id"] for row in rows]
    )


def show(
    context: typer.Context,
    bundle: Annotated[str, typer.Argument(metavar="ID", help="Bundle or trajectory id, 8 or more characters.")],
    compare: Annotated[bool, typer.Option("--compare", help="Beside each attempt at a repair.")] = False,
) -> None:
    """Show one bundle, of the workspace or of a pulled hub.

    Example: errorhub show 3fa1b2c4
    """
    from errorhub.cli.render import compared, shown
    from errorhub.hub.recall import find_anywhere
    from errorhub.hub.taxonomy.showing import standing_of

    call = frame(context)
    held = find_anywhere(call.workspace(), bundle)
    document = held.document() | {
        "bundle_id": held.bundle_id, "trajectory_id": held.trajectory_id, "diagnosis_ids": list(held.diagnosis_ids),
        "grades": list(held.grades), "modes": standing_of(call.workspace(), held),
    }  # fmt: skip
    call.emit(
        document, lambda: _shown(document, compared(held) if compare else shown(held)), ids=lambda: [held.bundle_id]
    )


def _shown(document: dict[str, Any], text: str) -> None:
    say(text)
    for one in document["modes"]:
        said = f"“{one['name']}” ({one['mode'].partition('@')[0]})" if one["mode"] else "no known mode"
        say(f"maintainers put diagnosis {one['diagnosis_id'][:12]} under {said}")


def stats(
    context: typer.Context,
    spec: Annotated[str | None, _SPEC] = None,
    by: Annotated[str, typer.Option("--by", help="Columns, for example mode,harness,policy.")] = "mode,harness,policy",
    stage: Annotated[str, _STAGE] = "raw",
) -> None:
    """Count pairs, runs and tasks apart.

    Example: errorhub stats --by harness,outcome
    """
    from errorhub.hub.stats import count

    call = frame(context)
    columns = [name.strip() for name in by.split(",") if name.strip()]
    rows = _rows_with_modes(call, spec, stage) if "mode" in columns else _rows(call, spec, stage, None)
    document = count(rows, columns)
    call.emit(document, lambda: _counted(document))


def verify(
    context: typer.Context,
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="local:DIR, git:URL[#BRANCH] or hf:OWNER/NAME.")],
    subset: Annotated[
        str | None, typer.Option("--read-data-subset", help="Read this share of the shards, for example 10%.")
    ] = None,
    absent: Annotated[str | None, typer.Option("--absent", help="Prove that a bundle is nowhere in the hub.")] = None,
    rescan: Annotated[bool, typer.Option("--rescan", help="Scan every bundle again for secrets.")] = False,
) -> None:
    """Check a hub end to end. Exit 1 on any problem.

    Example: errorhub verify local:./error-hub
    """
    from errorhub.hub.mirrors import no_hub, open_hub, trusted
    from errorhub.hub.verify import share_of
    from errorhub.hub.verify import verify as run

    call = frame(context)
    folder = call.settings.workspace
    again = _again(call) if rescan else None
    result = run(
        open_hub(folder, spec, afresh=True), subset=share_of(subset), absent=absent, trust=trusted(folder, spec),
        rescan=again,
    )  # fmt: skip
    if not result.checked and result.ok:
        raise no_hub(spec)
    document = {"ok": result.ok, "checked": result.checked, "problems": list(result.problems)}
    call.emit(document, lambda: say(f"{'ok' if result.ok else 'NOT ok'}, {result.checked} files checked"))
    if not call.json:
        for problem in result.problems:
            warn(f"problem: {problem}")
    raise typer.Exit(0 if result.ok else 1)


def export(
    context: typer.Context,
    format: Annotated[str, typer.Option("--format", help="agentdebugx, atif, json, otlp or sts.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the files.")],
    bundles: Annotated[list[str] | None, typer.Argument(metavar="ID…", help="Clean bundles.")] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every clean bundle.")] = False,
) -> None:
    """Write clean bundles for other tools.

    Example: errorhub export --all --format agentdebugx --out peer/
    """
    from errorhub.hub.errors import UsageError
    from errorhub.hub.exporters import export as write

    call = frame(context)
    if bool(bundles) == all_:
        raise UsageError("name bundles, or pass --all, not both.", hint="errorhub list --stage clean")
    workspace = call.workspace()
    chosen: Any = workspace.clean.bundles()
    if bundles:
        chosen = [workspace.find(one, workspace.clean) for one in bundles]
    written = [(bundle, write(bundle, format, out)) for bundle in chosen]
    paths = [str(path) for _, files in written for path in files]
    call.emit(
        {"exported": len(written), "paths": paths},
        lambda: say(f"{len(written)} bundles in {out}"),
        ids=lambda: [bundle.bundle_id for bundle, _ in written],
    )


def index(context: typer.Context) -> None:
    """Build the memory anew; `similar` does it by itself when something changed.

    Example: errorhub index
    """
    import time

    from errorhub.hub.recall import memory

    call = frame(context)
    workspace = call.workspace()
    start = time.perf_counter()
    documents = memory(workspace, rebuild=True).documents
    document = {"documents": documents, "seconds": round(time.perf_counter() - start, 3)}
    call.emit(document, lambda: say(f"{documents} documents in {document['seconds']} s"))


def _again(call: Frame) -> Any:
    """Return the second engine's reading; the known values of a workspace count when there is one."""
    from errorhub.hub.gate import rescan
    from errorhub.hub.known import vault
    from errorhub.scrubber import Vault

    here = call.settings.workspace.is_dir()
    return rescan(call.policy("strict"), vault(call.workspace()) if here else Vault.open())


def _rows_with_modes(call: Frame, spec: str | None, stage: str) -> list[dict[str, Any]]:
    from errorhub.hub.taxonomy.tally import rows_of_hub, rows_of_stage

    if spec:
        return rows_of_hub(call.settings.workspace, spec)
    return rows_of_stage(call.workspace(), _stage_named(stage))


def _stage_named(name: str) -> str:
    from errorhub.hub.errors import UsageError

    if name not in ("raw", "clean"):
        raise UsageError(f"no such stage: {name}. Use raw or clean.")
    return name


def _rows(call: Frame, spec: str | None, stage: str, where: str | None) -> Iterator[dict[str, Any]]:
    from errorhub.hub.where import parse

    keep = parse(where) if where else lambda _: True
    if spec:
        from errorhub.hub.bundle.arrow import flat
        from errorhub.hub.mirrors import looking_at

        with looking_at(call.settings.workspace, spec) as mirror:
            yield from (row for row in map(flat, mirror.bundles()) if keep(row))
        return
    workspace = call.workspace()
    source = workspace.raw if _stage_named(stage) == "raw" else workspace.clean
    yield from (row for row in source.rows() if keep(row))


def _policy(call: Frame, name: str | None, allow: list[Path] | None) -> Any:
    from errorhub.scrubber.policy import read_allow

    rules = call.policy(name)
    return rules.with_rules(allow=[entry for path in allow or [] for entry in read_allow(path)])


def _scrub_documents(
    call: Frame, rules: Any, deny: list[Path], source: Path, out: Path | None, findings: Path | None
) -> None:
    from errorhub.hub.documents import scrub_documents
    from errorhub.hub.errors import UsageError

    if out is None:
        raise UsageError("--document needs --out, the file for the scrubbed documents.")
    result = scrub_documents(source, out, rules, deny=deny, findings=findings)
    summary = result.document()
    call.emit(summary, lambda: _scrubbed(summary))
    raise typer.Exit(result.exit_code)


def _scrubbed(document: dict[str, Any]) -> None:
    say(f"{document['scrubbed']} scrubbed, {document['unchanged']} unchanged, {len(document['refused'])} refused")
    table(["replaced", "n"], [[kind, n] for kind, n in sorted(document["findings"].items(), key=lambda p: -p[1])])
    table(["dropped", "n"], [[path, n] for path, n in sorted(document["dropped"].items())])
    if document["scrubbed"] or document["unchanged"]:
        say(f"names in prose read by: {document['ner']}")
    for one in document["refused"]:
        warn(f"refused {one['bundle_id'][:12]}: {one['reason']}")


def _counted(document: dict[str, Any]) -> None:
    say(f"{document['pairs']} pairs, {document['runs']} runs, {document['tasks']} tasks")
    columns = list(document["table"][0]) if document["table"] else []
    if columns:
        table(columns, [[row[name] for name in columns] for row in document["table"]])
