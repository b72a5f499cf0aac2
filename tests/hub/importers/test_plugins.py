"""Importers of other packages: an entry point is enough, and it never replaces one of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from errorhub.hub.errors import FormatError
from errorhub.hub.importers import Imported, formats, read_log, registry

MODULE = """
from errorhub.hub.importers import Format, Importer
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.bundle.trajectory import Run, Task

def fits(sample):
    return any("diary" in value for value in sample.objects)

def read(log):
    draft = Draft("diary")
    draft.add("keeper", "agent.step", output=log.document["diary"])
    yield bundle(draft.trajectory(task=Task(), run=Run()))

IMPORTER = Importer(Format("diary", "diaries", "an object with `diary`", (".json",), status="experimental"), fits, read)
NOTHING = 7
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    site = tmp_path / "site"
    info = site / "diary-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "diary_reader.py").write_text(MODULE, "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: diary\nVersion: 1.0\n", "utf-8")
    names = "diary = diary_reader:IMPORTER\nopenai-chat = diary_reader:IMPORTER\n"
    (info / "entry_points.txt").write_text(f"[errorhub.importers]\n{names}", "utf-8")
    monkeypatch.syspath_prepend(str(site))
    registry._places.cache_clear()
    yield info
    registry._places.cache_clear()


def test_importer_of_another_package_is_found_and_used(plugin: Path, tmp_path: Path) -> None:
    assert "diary" in {each.name for each in formats()}
    log = tmp_path / "x.json"
    log.write_text(json.dumps({"diary": "fog"}), "utf-8")
    (found,) = read_log(log)
    assert isinstance(found, Imported)
    assert found.bundle.trajectory.steps[0].output == "fog"


def test_importer_of_ours_is_not_replaced(plugin: Path) -> None:
    assert registry.importer("openai-chat").format.name == "openai-chat"


def test_entry_point_that_is_no_importer_is_named(plugin: Path) -> None:
    (plugin / "entry_points.txt").write_text("[errorhub.importers]\nodd = diary_reader:NOTHING\n", "utf-8")
    registry._places.cache_clear()
    with pytest.raises(FormatError, match="diary_reader:NOTHING is not an errorhub importer"):
        registry.importer("odd")
