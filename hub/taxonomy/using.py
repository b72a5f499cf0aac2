"""The taxonomy at work in a workspace: suggest and record assignments, send decisions to a hub."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from errorhub.hub.corpus import corpus
from errorhub.hub.errors import NotFound, RecordError, RemoteError
from errorhub.hub.release import pseudonym
from errorhub.hub.seal import Author
from errorhub.hub.stores import open_store
from errorhub.hub.taxonomy.agreement import agreements
from errorhub.hub.taxonomy.assigning import Settings, Suggestion, Suggestions, suggest
from errorhub.hub.taxonomy.cases import Case, cases
from errorhub.hub.taxonomy.coverage import coverage
from errorhub.hub.taxonomy.decision import Decision, Ref
from errorhub.hub.taxonomy.file import MAX_FILE, read_taxonomy
from errorhub.hub.taxonomy.ledger import deciding, load_taxonomy, own_decisions, pulled_decisions, record
from errorhub.hub.taxonomy.maintainer import Made, Maintainer
from errorhub.hub.taxonomy.modes import Taxonomy
from errorhub.hub.taxonomy.proposals import load_proposals
from errorhub.hub.taxonomy.publishing import PublishedTaxonomy, publish_taxonomy
from errorhub.hub.taxonomy.report import write_report
from errorhub.hub.taxonomy.standing import mode_called
from errorhub.hub.taxonomy.words import scrubbed, unfit
from errorhub.hub.workspace import MIN_PREFIX, Workspace

NOBODY = "none"
"""What to type for a case that falls under no known mode."""


def suggestions(workspace: Workspace, settings: Settings | None = None) -> Suggestions:
    """Return what the decided cases of the corpus say about the open ones."""
    return suggest(cases(corpus(workspace)), load_taxonomy(workspace), settings)


def apply(maintainer: Maintainer, found: Suggestions) -> Made | None:
    """Record every suggestion in one decision; None when there is none. Abstentions stay open."""
    groups: dict[Ref | None, list[str]] = {}
    for one in found.rows:
        if one.mode is not None:
            groups.setdefault(one.mode.ref, []).append(one.case.diagnosis_id)
    return maintainer.assign(groups, method=found.settings.method) if groups else None


def correct(maintainer: Maintainer, names: Sequence[str], mode: str) -> Made:
    """Put cases, named by diagnosis, run or bundle, under a mode or under none. The steps and diagnoses stay."""
    ref = None if mode == NOBODY else mode_called(mode, load_taxonomy(maintainer.workspace)).ref
    known = dict(_keys(maintainer.workspace))
    chosen = [name for short in names for name in _named(short, known)]
    return maintainer.assign({ref: chosen})


def assignments_document(found: Suggestions, taxonomy: Taxonomy) -> dict[str, Any]:
    """Return suggestions and what was assigned before, as JSON."""
    given = [
        {"diagnosis_id": name, "mode": str(ref) if ref else None, "decision": decision}
        for name, (ref, decision) in sorted(taxonomy.assigned.items())
    ]
    return {
        "suggested": sum(one.mode is not None for one in found.rows),
        "abstained": sum(one.mode is None for one in found.rows),
        "floor": round(found.floor, 4), "held_out": found.held_out, "precision": found.precision,
        "coverage": found.coverage, "method": found.settings.method,
        "suggestions": [_suggestion(one) for one in found.rows], "assigned": given,
    }  # fmt: skip


def send(
    workspace: Workspace, spec: str, *, by: str, create: bool = False, message: str | None = None, dry_run: bool = False
) -> PublishedTaxonomy:
    """Publish the workspace's decisions, and those of other hubs that they build on."""
    texts = scrubbed(workspace, {"by": by, "message": message or ""})
    store = open_store(spec, create=create or spec.startswith("local:"), cache=workspace.folder / "cache")
    author = Author(pseudonym(texts["by"]), f"errorhub {version('agent-error-hub')}", datetime.now(UTC))
    own = own_decisions(workspace)
    foundation = _foundation(own, {one.id: one for _, one in pulled_decisions(workspace)})
    try:
        return publish_taxonomy(
            [*own, *foundation], store, author=author, gate=unfit(workspace), message=texts["message"] or None,
            dry_run=dry_run,
        )  # fmt: skip
    except RemoteError as problem:
        if problem.hint and problem.hint.endswith("--create-pr"):
            raise RemoteError(
                f"{problem} Decisions go to a maintainer as a file.",
                hint="errorhub taxonomy export --out taxonomy.json",
            ) from None
        raise


def take(workspace: Workspace, file: Path) -> tuple[list[Decision], int]:
    """Take over the decisions of an exported taxonomy; return the new ones and the number of known ones.

    Raise RecordError for a file that is no taxonomy: it is a stranger's until it was read whole.
    """
    size = file.stat().st_size
    if size > MAX_FILE:
        raise RecordError(f"taxonomy file of {size} bytes: at most {MAX_FILE} are read.")
    decisions = read_taxonomy("", file.read_bytes())
    with deciding(workspace):
        known = {one.id for one in load_taxonomy(workspace).decisions}
        news = [one for one in decisions if one.id not in known]
        record(workspace, news)
    return news, len(decisions) - len(news)


def report(workspace: Workspace, folder: Path, form: str = "svg") -> dict[str, Any]:
    """Write the report of a workspace, with examples, and return its files and who is under-represented."""
    found, taxonomy = list(cases(corpus(workspace))), load_taxonomy(workspace)
    paths = write_report(folder, found, taxonomy, load_proposals(workspace), form=form)
    held = coverage(found, taxonomy)
    thin = [
        {"dimension": name, "value": one.value, "runs": one.runs, "notes": list(one.notes)} for name, one in held.thin
    ]
    return {
        "paths": [str(path) for path in paths], "runs": held.runs, "named": held.named, "under_represented": thin,
        "agreement": [one.document() for one in agreements(taxonomy)],
    }  # fmt: skip


def _foundation(own: Iterable[Decision], pulled: Mapping[str, Decision]) -> list[Decision]:
    """Return the pulled decisions that own ones name: what made the modes they use, what they undo or replace."""
    makers: dict[Ref, list[str]] = {}
    for one in pulled.values():
        for defined in one.defines if one.action != "rename" else ():
            makers.setdefault(one.ref(defined), []).append(one.id)
    needed: dict[str, Decision] = {}
    todo = list(own)
    while todo:
        one = todo.pop()
        refs = [*one.sources, *([one.into] if one.into else []), *(a.mode for a in one.assigned if a.mode)]
        names = [name for ref in refs for name in makers.get(ref, ())] + [
            *one.after,
            *([one.target] if one.target else []),
        ]
        fresh = [pulled[name] for name in names if name in pulled and name not in needed]
        needed |= {other.id: other for other in fresh}
        todo += fresh
    return list(needed.values())


def _keys(workspace: Workspace) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield diagnosis id -> ids a person may type for it: its own, its run's, its bundle's."""
    seen: dict[str, set[str]] = {}
    for bundle in corpus(workspace):
        for name in bundle.diagnosis_ids:
            seen.setdefault(name, {name}).update((bundle.trajectory_id, bundle.bundle_id))
    yield from ((name, frozenset(keys)) for name, keys in seen.items())


def _named(short: str, known: Mapping[str, frozenset[str]]) -> list[str]:
    if len(short) < MIN_PREFIX:
        raise NotFound(f"id too short: {short[:64]}. Type {MIN_PREFIX} or more characters.")
    found = [name for name, keys in known.items() if any(key.startswith(short) for key in keys)]
    if len(found) != 1:
        raise NotFound(
            f"{len(found) or 'no'} diagnoses have the id {short[:64]}. Type the id of one diagnosis.",
            hint="errorhub taxonomy assign",
        )
    return found


def _suggestion(one: Suggestion) -> dict[str, Any]:
    case: Case = one.case
    return {
        "diagnosis_id": case.diagnosis_id, "trajectory_id": case.trajectory_id, "task": case.task,
        "mode": str(one.mode.ref) if one.mode else None, "name": one.mode.name if one.mode else None,
        "score": round(one.score, 4), "votes": one.votes, "voters": list(one.voters), "reason": one.reason or None,
        "text": case.text[:200],
    }  # fmt: skip
