"""A readable report of a taxonomy with its pictures; the same pages make the card of a hub's taxonomy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from errorhub.cards.pictures import Bar, Panel, Point, coverage_picture, map_picture, support_picture
from errorhub.cards.taxonomy import TaxonomyFacts, taxonomy_card
from errorhub.hub.durable import write_file
from errorhub.hub.extras import extra
from errorhub.hub.taxonomy.agreement import agreements
from errorhub.hub.taxonomy.cases import Case
from errorhub.hub.taxonomy.coverage import UNNAMED, Coverage, coverage
from errorhub.hub.taxonomy.mapping import places
from errorhub.hub.taxonomy.modes import KnownMode, Taxonomy
from errorhub.hub.taxonomy.proposals import Proposal
from errorhub.hub.taxonomy.seed import SEED
from errorhub.hub.taxonomy.showing import answered, conflict_row, decision_row, mode_row, proposal_row

_ROWS = 20
_COLUMNS = 12
_HISTORY = 200


def write_report(
    folder: Path,
    found: Iterable[Case],
    taxonomy: Taxonomy,
    proposals: Sequence[Proposal] = (),
    *,
    title: str = "Failure modes",
    page: str = "report.md",
    form: str = "svg",
    pictures: bool = True,
) -> list[Path]:
    """Write the page and its pictures into a folder and return their paths. Raise UsageError without matplotlib."""
    held = coverage(found, taxonomy)
    made = _drawn(held, taxonomy, proposals, form) if pictures else {}
    names = {name.partition(".")[0]: name for name in made}
    text = taxonomy_card(facts_of_taxonomy(held, taxonomy, proposals, title=title, pictures=names))
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in {page: text.encode(), **made}.items():
        write_file(folder / name, data, mode=0o644)
    return [folder / name for name in (page, *made)]


def _drawn(held: Coverage, taxonomy: Taxonomy, proposals: Sequence[Proposal], form: str) -> dict[str, bytes]:
    extra("matplotlib", feature="pictures of a taxonomy", name="plots")
    made = {f"map.{form}": map_picture(_points(proposals, taxonomy), form)} if proposals else {}
    made[f"support.{form}"] = support_picture(_bars(held, taxonomy, proposals), form)
    made[f"coverage.{form}"] = coverage_picture(*_panels(held, taxonomy), form)
    return made


def facts_of_taxonomy(
    held: Coverage, taxonomy: Taxonomy, proposals: Sequence[Proposal], *, title: str, pictures: dict[str, str]
) -> TaxonomyFacts:
    """Return what the page says."""
    runs = {str(mode.ref): number for mode, number in held.modes}
    accepted = [
        mode_row(one, taxonomy) | {"runs": runs.get(str(one.ref), 0), "at": (one.at or "")[:10]}
        for one in taxonomy.accepted
    ]
    return TaxonomyFacts(
        title=title, modes=sorted(accepted, key=lambda one: (-one["runs"], one["id"])), seed_size=len(SEED),
        seed=[{"id": mode.id, "runs": number} for mode, number in held.modes if mode.status == "seed"],
        retired=[
            mode_row(one, taxonomy) | {"successors": [str(ref) for ref in one.successors]} for one in taxonomy.retired
        ],
        proposals=[_proposal(one, taxonomy) for one in proposals], pictures=pictures,
        conflicts=[_conflict(conflict_row(one, taxonomy)) for one in taxonomy.conflicts],
        history=[_decision(decision_row(one, taxonomy)) for one in reversed(taxonomy.decisions[-_HISTORY:])],
        groups={name: [vars(one) for one in groups] for name, groups in held.groups.items()},
        runs=held.runs, tasks=held.tasks, named=held.named, answered=answered(taxonomy),
        agreement=[one.document() for one in agreements(taxonomy)],
    )  # fmt: skip


def kind_of(one: Proposal, taxonomy: Taxonomy) -> str:
    """Return what colour a proposal has: how it was answered, else its status."""
    row = proposal_row(one, taxonomy)
    said = row["answer"]["action"] if row["answer"] else row["status"]
    kind = {"accept": "accepted", "merge": "merged", "reject": "rejected", "split": "split"}.get(said, said)
    return kind if kind in ("accepted", "merged", "rejected", "split", "unstable", "duplicate") else "proposed"


def _points(proposals: Sequence[Proposal], taxonomy: Taxonomy) -> list[Point]:
    spots = places(proposals)
    return [
        Point(one.title, x, y, max(1, one.support), kind_of(one, taxonomy))
        for one, (x, y) in zip(proposals, spots, strict=True)
    ]


def _bars(held: Coverage, taxonomy: Taxonomy, proposals: Sequence[Proposal]) -> list[Bar]:
    runs = {str(mode.ref): number for mode, number in held.modes}
    bars = [Bar(one.name, runs.get(str(one.ref), 0), "accepted") for one in taxonomy.accepted]
    bars += [Bar(mode.id, number, "seed") for mode, number in held.modes if mode.status == "seed"]
    open_ = [one for one in proposals if kind_of(one, taxonomy) in ("proposed", "unstable", "duplicate")]
    bars += [Bar(one.title, one.support, kind_of(one, taxonomy)) for one in open_]
    return sorted(bars, key=lambda one: (-one.runs, one.name))[: 2 * _ROWS]


def _panels(held: Coverage, taxonomy: Taxonomy) -> tuple[list[str], list[Panel]]:
    """Return the rows, accepted modes first and cases without a mode last, and a panel a dimension."""
    shown = sorted(taxonomy.accepted, key=lambda one: one.id) + [m for m, _ in held.modes if m.status == "seed"]
    keys = [str(one.ref) for one in shown[:_ROWS]] + [UNNAMED]
    panels = []
    for dimension, groups in held.groups.items():
        some = groups[:_COLUMNS]
        cells = tuple(tuple(held.cells.get((key, dimension, one.value), 0) for one in some) for key in keys)
        panels.append(Panel(dimension, tuple(one.value for one in some), tuple(one.runs for one in some), cells))
    return [*(_name(one) for one in shown[:_ROWS]), UNNAMED], panels


def _name(one: KnownMode) -> str:
    return one.id if one.status == "seed" else one.name


def _proposal(one: Proposal, taxonomy: Taxonomy) -> dict[str, Any]:
    row = proposal_row(one, taxonomy)
    near, said = row["nearest"], row["answer"]
    texts = [str(example.get("text", "")) for example in one.examples if isinstance(example, dict)][:3]
    return row | {
        "id": one.id[:12], "runs": one.support, "nearest": near.get("id") if isinstance(near, dict) else near,
        "answer": f"{said['action']} {said['mode'] or ''} by {said['by']}" if said else "", "examples": texts,
    }  # fmt: skip


def _decision(row: dict[str, Any]) -> dict[str, Any]:
    about = ", ".join(
        [*row["about"], *(f"→ {name}" for name in row["modes"] or ([row["into"]] if row["into"] else []))]
    )
    return row | {
        "about": about,
        "at": row["at"][:16].replace("T", " "),
        "state": "" if row["state"] == "holds" else row["state"],
    }


def _conflict(row: dict[str, Any]) -> dict[str, Any]:
    sides = [
        f"{one['action']} {', '.join(one['modes']) or one['into'] or ''} by {one['by']} ({one['id'][:12]})"
        for one in row["decisions"]
    ]
    return row | {"sides": sides}
