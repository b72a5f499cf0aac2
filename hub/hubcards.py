"""The cards of a hub: its dataset card, Croissant file and taxonomy card, made from a verified copy."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from errorhub.hub.durable import write_file
from errorhub.hub.facts import card_files, facts_of
from errorhub.hub.mirror import Mirror
from errorhub.hub.mirrors import looking_at
from errorhub.hub.taxonomy.cases import cases
from errorhub.hub.taxonomy.fold import fold
from errorhub.hub.taxonomy.ledger import mirrored_decisions
from errorhub.hub.taxonomy.report import write_report


def write_hub_cards(workspace_folder: Path, spec: str, out: Path, form: str = "svg") -> list[Path]:
    """Pull a hub, write its cards into a folder and return their paths. Pictures need matplotlib."""
    with looking_at(workspace_folder, spec) as mirror:
        out.mkdir(parents=True, exist_ok=True)
        made = _dataset_card(mirror)
        for name, data in made.items():
            write_file(out / name, data, mode=0o644)
        title = f"Failure modes of {location}" if (location := _location(mirror)) else "Failure modes"
        drawn = find_spec("matplotlib") is not None
        pages = write_report(
            out, cases(mirror.bundles()), fold(mirrored_decisions(mirror)), title=title, page="TAXONOMY.md", form=form,
            pictures=drawn,
        )  # fmt: skip
    return [*(out / name for name in made), *pages]


def _dataset_card(mirror: Mirror) -> dict[str, bytes]:
    manifest = mirror.manifest
    if manifest is None:
        return {}
    facts = facts_of(
        manifest.files, yanked=len(mirror.state.yanked), updated=manifest.created_at, tool=manifest.tool,
        location=_location(mirror),
    )  # fmt: skip
    return card_files(facts)


def _location(mirror: Mirror) -> str | None:
    """Return OWNER/NAME of a hub that everybody knows by it; where any other lies is nobody's business."""
    kind, _, place = (mirror.spec or "").partition(":")
    return place.partition("@")[0] if kind == "hf" else None
