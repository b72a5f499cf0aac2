"""A reading remembers what it read, within bounds; a quick one finds the same before and after it changes engines."""

from __future__ import annotations

import pytest

from errorhub.scrubber import KnownValue, Policy, Vault
from errorhub.scrubber import reading as module
from errorhub.scrubber.plan import Plan
from errorhub.scrubber.reading import Reading
from errorhub.scrubber.spans import Region

MODE = Plan({}).keys
TEXTS = [
    f"line {number}: mail maria.volkov{number}" + "@" + "northwind.dev, token ghp_" + f"{number:036d}"
    for number in range(6)
]


def read(reading: Reading, *texts: str) -> list[list[Region]]:
    """Read texts in one call; return what each holds."""
    entries = [(text, MODE) for text in texts]
    found = reading.regions(entries)
    return [found.get(entry, []) for entry in entries]


def test_a_quick_reading_finds_the_same(share: Policy, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUICK", 150)
    quick, full = Reading(share, vault, quick=True), Reading(share, vault)
    engines = [quick._detector.engine]
    for text in TEXTS:
        assert read(quick, text) == read(full, text) != [[]]
        engines.append(quick._detector.engine)
    assert engines[0] == "ahocorasick+re2"
    assert engines[-1] == full.engine


def test_what_is_remembered_is_bounded(share: Policy, vault: Vault, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 3 * len(TEXTS[0]))
    reading = Reading(share, vault)
    for text in TEXTS * 2:
        assert read(reading, text) != [[]]
        assert sum(len(text) for memo in reading._memos.values() for text in memo) <= 4 * len(TEXTS[0])


@pytest.mark.parametrize("engine", ["hyperscan", "re2"])
def test_texts_read_together_hold_what_each_holds_alone(vault: Vault, engine: str) -> None:
    policy, known = Policy.load("share"), vault.with_known([KnownValue("zephyrine", "CUSTOM")])
    mail = "maria.volkov" + "@" + "northwind.dev"
    texts = [mail, f"{mail} ", "PASSWORD=hunter", "Aa9!xQ", "", "zephyr", "ine", "zephyrine's", "/home/", "mvolkov/x"]
    texts += [f"{start}{middle}{end}" for start in ("", "ok ", "\n") for middle in TEXTS[:2] for end in ("", "\n", ".")]
    together, alone = (Reading(policy, known, quick=engine == "re2") for _ in range(2))
    assert read(together, *texts) == [read(alone, text)[0] for text in texts]
    assert sum(map(bool, read(together, *texts))) > len(texts) // 2
