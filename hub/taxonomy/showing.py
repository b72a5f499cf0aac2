"""A taxonomy as results show it: modes, open proposals, answers, conflicts, history."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import NotFound
from errorhub.hub.taxonomy.answers import ANSWERING
from errorhub.hub.taxonomy.decision import Decision
from errorhub.hub.taxonomy.file import mode_document
from errorhub.hub.taxonomy.ledger import load_taxonomy, own_decisions, pulled_decisions
from errorhub.hub.taxonomy.maintainer import Made
from errorhub.hub.taxonomy.modes import Conflict, KnownMode, Taxonomy
from errorhub.hub.taxonomy.proposals import Proposal, load_proposals, pick
from errorhub.hub.taxonomy.standing import answer, answered_before
from errorhub.hub.workspace import MIN_PREFIX, Workspace


def overview(workspace: Workspace) -> dict[str, Any]:
    """Return every mode on offer, the proposals with their answers, and what maintainers disagree about."""
    taxonomy = load_taxonomy(workspace)
    return summary(taxonomy, load_proposals(workspace))


def summary(taxonomy: Taxonomy, proposals: Sequence[Proposal]) -> dict[str, Any]:
    """Return the overview of a taxonomy and the proposals it has answers for."""
    rows = [proposal_row(one, taxonomy) for one in proposals]
    document = {
        "modes": [mode_row(one, taxonomy) for one in taxonomy.modes],
        "retired": [mode_row(one, taxonomy) for one in taxonomy.retired],
        "decisions": len(taxonomy.decisions), "proposals": rows, "answered": answered(taxonomy),
        "conflicts": [conflict_row(one, taxonomy) for one in taxonomy.conflicts],
    }  # fmt: skip
    return document | _next(document)


def answered(taxonomy: Taxonomy) -> dict[str, int]:
    """Count answered proposals by what the answer was."""
    counts = Counter[str](one.action for one in taxonomy.decided)
    return {action: counts[action] for action in ANSWERING}


def made_document(made: Made, workspace: Workspace) -> dict[str, Any]:
    """Return the result of a decision: what it was, the modes it touched, what is left to answer."""
    document = summary(made.taxonomy, load_proposals(workspace))
    touched = [mode_row(one, made.taxonomy) for one in made.modes]
    facts = {"decision": decision_row(made.decision, made.taxonomy), "new": made.new, "touched": touched}
    return facts | document


def detail(workspace: Workspace, text: str) -> dict[str, Any]:
    """Return all that is known of a mode, proposal or decision. Raise NotFound when there is none."""
    taxonomy = load_taxonomy(workspace)
    sources = {one.id: spec for spec, one in pulled_decisions(workspace)}
    sources |= {one.id: "workspace" for one in own_decisions(workspace)}
    proposal = pick(load_proposals(workspace), text) or answered_before(text, taxonomy)
    if proposal is not None:
        document = proposal.model_dump(mode="json") | {"kind": "proposal", **_standing(proposal, taxonomy)}
        touching = [one for one in taxonomy.decisions if any(a.proposal == proposal.id for a in one.answers)]
    elif found := [one for one in taxonomy.decisions if len(text) >= MIN_PREFIX and one.id.startswith(text)]:
        if len(found) > 1:
            raise NotFound(f"{len(found)} decisions have the id {text[:64]}. Type more of it.")
        document, touching = {"kind": "decision", **found[0].document()}, found
    else:
        old = (one for one in taxonomy.retired if text in (one.id, str(one.ref)))
        mode = next(old, None) or taxonomy.mode(text)
        document = {"kind": "mode", **mode_document(mode), "diagnoses": _under(mode, taxonomy)}
        touching = [one for one in taxonomy.decisions if _touches(one, mode)]
    document["history"] = [decision_row(one, taxonomy) | {"source": sources[one.id]} for one in touching]
    return document | _after(document)


def _after(document: Mapping[str, Any]) -> dict[str, str]:
    """Return the likely next command: an open proposal waits for an answer."""
    if document["kind"] == "proposal" and document["status"] != "decided":
        return {"next_command": f"errorhub taxonomy accept {document['id'][:12]} --name NAME"}
    return {"next_command": "errorhub taxonomy list"}


def standing_of(workspace: Workspace, bundle: Bundle) -> list[dict[str, Any]]:
    """Return the mode that maintainers put each diagnosis of a bundle under, None for none of them; no open ones."""
    taxonomy = load_taxonomy(workspace)
    rows = []
    for name in bundle.diagnosis_ids:
        mode = taxonomy.under.get(name)
        if mode is not None or name in taxonomy.assigned:
            words = {"mode": str(mode.ref), "name": mode.name} if mode else {"mode": None, "name": None}
            rows.append({"diagnosis_id": name, **words})
    return rows


def mode_row(one: KnownMode, taxonomy: Taxonomy) -> dict[str, Any]:
    """Return a mode without its members."""
    document = mode_document(one)
    members = document.pop("members")
    return document | {"support": len(members), "diagnoses": len(_under(one, taxonomy))}


def proposal_row(one: Proposal, taxonomy: Taxonomy) -> dict[str, Any]:
    """Return a proposal and how it was answered."""
    row = {
        "id": one.id, "name": one.title, "family": one.family, "support": one.support, "members": len(one.members),
        "nearest": one.nearest, "similarity": one.similarity, "stability": one.stability,
    }  # fmt: skip
    return row | _standing(one, taxonomy)


def decision_row(one: Decision, taxonomy: Taxonomy) -> dict[str, Any]:
    """Return a decision in one line."""
    about = [a.proposal[:12] for a in one.answers] + [str(ref) for ref in one.sources]
    about += [one.target[:12]] if one.target else []
    about += [f"{sum(len(a.diagnoses) for a in one.assigned)} diagnoses"] if one.assigned else []
    state = "undone" if one.id in taxonomy.undone else "replaced" if one.id in taxonomy.replaced else "holds"
    return {
        "id": one.id, "action": one.action, "about": about, "modes": [d.id for d in one.defines],
        "into": str(one.into) if one.into else None, "by": one.by, "at": one.at, "note": one.note,
        "method": one.method, "state": state,
    }  # fmt: skip


def conflict_row(one: Conflict, taxonomy: Taxonomy) -> dict[str, Any]:
    """Return what maintainers disagree about, the decision that holds first."""
    by_id = {decision.id: decision for decision in taxonomy.decisions}
    sides = [decision_row(by_id[name], taxonomy) for name in one.decisions]
    return {"kind": one.kind, "subject": one.subject, "decisions": sides}


def _standing(one: Proposal, taxonomy: Taxonomy) -> dict[str, Any]:
    found = answer(one, taxonomy)
    if found is None:
        return {"status": "proposed" if one.status == "decided" else one.status, "answer": None}
    said = {"action": found.action, "mode": found.mode, "by": found.by, "at": found.at, "decision": found.decision}
    return {"status": "decided", "answer": said}


def _under(mode: KnownMode, taxonomy: Taxonomy) -> list[str]:
    return sorted(name for name, one in taxonomy.under.items() if one.ref == mode.ref)


def _touches(one: Decision, mode: KnownMode) -> bool:
    refs = {*one.sources, *(one.ref(d) for d in one.defines), *(a.mode for a in one.assigned), one.into}
    return mode.ref in refs or one.id == mode.decision


def _next(document: Mapping[str, Any]) -> dict[str, str]:
    waiting = [one for one in document["proposals"] if one["status"] in ("proposed", "unstable")]
    if document["conflicts"]:
        return {"next_command": f"errorhub taxonomy undo {document['conflicts'][0]['decisions'][-1]['id'][:12]}"}
    if waiting:
        return {"next_command": f"errorhub taxonomy show {waiting[0]['id'][:12]}"}
    decided = document["decisions"]
    return {"next_command": "errorhub taxonomy publish --to SPEC" if decided else "errorhub induce"}
