"""The card of a folder of training rows: YAML that makes `load_dataset` work, one config a view."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from errorhub.cards.facts import label
from errorhub.cards.hub import environment, front_matter

_SPLITS = {"train": "train", "val": "validation", "test": "test"}


@dataclass(frozen=True)
class ViewFacts:
    """What the card of rows is made of."""

    views: Mapping[str, Mapping[str, int]]
    """View -> split -> rows."""
    licenses: tuple[str, ...]
    bundles: int
    location: str | None
    """OWNER/NAME when it has a name that `load_dataset` knows everywhere."""


def views_readme(facts: ViewFacts) -> str:
    """Return README.md of rows. The same facts give the same bytes; a split without rows has no config."""
    views = {
        label(view): [(_SPLITS[name], name, number) for name, number in splits.items() if number and name in _SPLITS]
        for view, splits in sorted(facts.views.items())
    }
    licenses = sorted({label(name) for name in facts.licenses})
    return environment().get_template("views.md.j2").render(
        views={view: splits for view, splits in views.items() if splits}, bundles=facts.bundles, licenses=licenses,
        license_ids=front_matter(licenses), location=label(facts.location) if facts.location else "path/to/this/folder",
    )  # fmt: skip
