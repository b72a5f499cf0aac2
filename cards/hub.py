"""The card of a hub: YAML that makes `load_dataset` work, and what a reader must know before using the data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from errorhub.cards.facts import Facts, label

if TYPE_CHECKING:
    from jinja2 import Environment

_ROWS = 20
_HEADINGS = {
    "outcome": "Outcome", "harness": "Harness", "policy": "Policy (model)",
    "mode": "Failure mode of the first diagnosis", "license": "Licence", "scrub_policy": "Scrub policy",
}  # fmt: skip
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))

_HUGGING_FACE = (
    "apache-2.0", "mit", "cc0-1.0", "cc-by-2.0", "cc-by-2.5", "cc-by-3.0", "cc-by-4.0", "cc-by-sa-3.0", "cc-by-sa-4.0",
    "cc-by-nc-2.0", "cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-4.0", "cc-by-nc-nd-4.0", "cc-by-nd-4.0",
    "bsd-2-clause", "bsd-3-clause", "gpl-2.0", "gpl-3.0", "agpl-3.0", "mpl-2.0", "unlicense", "wtfpl", "isc", "zlib",
    "artistic-2.0", "bsl-1.0", "epl-2.0", "cdla-permissive-1.0", "cdla-permissive-2.0", "cdla-sharing-1.0",
)  # fmt: skip
"""Licence names that a dataset card's front matter may hold."""


def dataset_card(facts: Facts) -> str:
    """Return README.md of a hub. The same facts give the same bytes."""
    tables = {_HEADINGS[name]: _rows(counts) for name, counts in facts.tables.items() if name in _HEADINGS and counts}
    licenses = sorted({label(name) for name in facts.tables.get("license", {})})
    return environment().get_template("hub.md.j2").render(
        facts=facts,
        tables=tables,
        accepted=_rows(facts.tables.get("accepted_mode", {})),
        licenses=licenses,
        license_ids=front_matter(licenses),
        size=next((name for limit, name in _SIZES if facts.bundles < limit), "1M<n<10M"),
        location=label(facts.location) if facts.location else "path/to/this/folder",
        policies=sorted({label(name) for name in facts.tables.get("scrub_policy", {})}),
    )  # fmt: skip


def _rows(counts: dict[str, int]) -> list[tuple[str, int]]:
    """Return the largest counts first, the tail summed up."""
    safe: dict[str, int] = {}
    for name, number in counts.items():
        safe[label(name)] = safe.get(label(name), 0) + number
    ordered = sorted(safe.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = sum(number for _, number in ordered[_ROWS:])
    return ordered[:_ROWS] + ([(f"{len(ordered) - _ROWS} more", rest)] if rest else [])


def front_matter(licenses: list[str]) -> list[str]:
    """Return the licences as the Hub knows them, `other` when it does not know each."""
    known = [name.lower() for name in licenses if name.lower() in _HUGGING_FACE]
    return known if known and len(known) == len(licenses) else ["other"]


def environment() -> Environment:
    """Return where the templates of all cards are."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("errorhub.cards", "templates")
    return Environment(
        loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
