"""A reading remembers what it read, within bounds; a quick one finds the same before and after it changes engines."""

from __future__ import annotations

import pytest

from errorhub.scrubber import Policy, Vault
from errorhub.scrubber import reading as module
from errorhub.scrubber.plan import Plan
from errorhub.scrubber.reading import Reading

MODE = Plan({}).keys
TEXTS = [
    f"line {number}: mail maria.volkov{number}" + "@" + "northwind.dev, token ghp_" + f"{number:036d}"
    for number in range(6)
]


def test_a_quick_reading_finds_the_same(share: Policy, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK", 150)
    quick, full = Reading(share, vault, quick=True), Reading(share, vault)
    engines = [quick._detector.engine]
    for text in TEXTS:
        assert quick.regions(text, MODE) == full.regions(text, MODE) != []
        engines.append(quick._detector.engine)
    assert engines[0] == "ahocorasick+re2"
    assert engines[-1] == full.engine


def test_what_is_remembered_is_bounded(share: Policy, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 3 * len(TEXTS[0]))
    reading = Reading(share, vault)
    for text in TEXTS * 2:
        assert reading.regions(text, MODE)
        assert sum(len(text) for text, _ in reading._memo) <= module.REMEMBERED
    assert reading.regions(TEXTS[-1], MODE) is reading.regions(TEXTS[-1], MODE)
