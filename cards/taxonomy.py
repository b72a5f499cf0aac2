"""The card of a taxonomy: accepted modes, who decided, what is open, and who is under-represented."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class TaxonomyFacts:
    """Everything that a taxonomy's card is made of. Every text may come from a stranger and is escaped."""

    title: str
    """Of the page."""
    modes: Sequence[Row] = ()
    """Accepted: id, version, name, description, runs, by, at, merged_from, aliases."""
    seed: Sequence[Row] = ()
    """Seed modes that are seen: id, runs."""
    retired: Sequence[Row] = ()
    """Merged and split: id, status, successors."""
    proposals: Sequence[Row] = ()
    """id, name, status, runs, nearest, similarity, stability, answer, examples."""
    conflicts: Sequence[Row] = ()
    """kind, subject, sides."""
    history: Sequence[Row] = ()
    """Decisions: at, by, action, about, note, state."""
    groups: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    """Dimension -> value, runs, tasks, named, notes."""
    runs: int = 0
    """Runs with a diagnosis."""
    tasks: int = 0
    """Their source tasks."""
    named: int = 0
    """Runs with a known mode."""
    pictures: Mapping[str, str] = field(default_factory=dict)
    """map, support, coverage -> file beside the page."""
    answered: Mapping[str, int] = field(default_factory=dict)
    """accept, merge, split, reject -> proposals."""
    agreement: Sequence[Row] = ()
    """Two maintainers: kind, by, both, same, kappa."""
    seed_size: int = 0
    """Modes of the seed."""


def taxonomy_card(facts: TaxonomyFacts) -> str:
    """Return the page as Markdown. The same facts give the same bytes."""
    from errorhub.cards.hub import environment

    made = environment()
    made.filters["cell"] = cell
    return made.get_template("taxonomy.md.j2").render(facts=facts)


def cell(value: object) -> str:
    """Return text that Markdown shows as it is, on one line; what HTML would read is escaped by the template."""
    if value is None or value == "":
        return "-"
    text = f"{value:.2f}" if isinstance(value, float) else str(value)
    plain = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return "".join(f"\\{c}" if c in "\\`*_[]()#!|~" else c for c in plain)
