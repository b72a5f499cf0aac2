"""The page of every format: it is there, says the same as the program, and its example is read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.exporters import EXPORTERS
from errorhub.hub.importers import Format, formats

DOCS = Path(__file__).resolve().parents[3] / "docs"
HEADINGS = ["Recognised", "Step numbers", "What goes where", "Not kept", "Example"]


def page(name: str) -> str:
    return (DOCS / "formats" / f"{name}.md").read_text("utf-8")


@pytest.mark.parametrize("format", formats(), ids=lambda each: each.name)
def test_page_of_a_format(format: Format) -> None:
    text = page(format.name)
    assert [heading for heading in re.findall(r"^## (.+)$", text, re.M) if heading in HEADINGS] == HEADINGS
    assert format.recognised in text
    assert ("Experimental" in text) == (format.status == "experimental")


@pytest.mark.parametrize("name", [each.name for each in formats()])
def test_example_is_read_as_its_format(name: str, tmp_path: Path, one: Callable[..., Any]) -> None:
    language, example = re.findall(r"^```(jsonl?)\n(.*?)^```", page(name), re.M | re.S)[-1]
    log = tmp_path / f"log.{language}"
    log.write_text(example, "utf-8")
    bundle = one(log)
    assert bundle.trajectory.source.format == name or name == "errorhub"
    assert len(bundle.trajectory.steps) >= 2


def test_table_lists_every_format_and_every_export() -> None:
    text = (DOCS / "formats.md").read_text("utf-8")
    for each in formats():
        base = "–" if each.step_base is None else each.step_base
        row = f"| [{each.name}](formats/{each.name}.md) | {each.description} | {each.recognised} | {base} | {each.status} |"
        assert row in text
    assert set(re.findall(r"^\| `(\w+)` \|", text, re.M)) == set(EXPORTERS)
    assert {path.stem for path in (DOCS / "formats").glob("*.md")} == {each.name for each in formats()}
