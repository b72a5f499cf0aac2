"""The card and its machine-readable twin."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from errorhub.cards import Facts, File, croissant, dataset_card, label

SHARD = File(f"inbox/v1/202501/ab/{'ab' * 32}.parquet", "ab" * 32, 123)


def facts(**others: object) -> Facts:
    """Return the facts of a small hub."""
    plain: dict[str, object] = {
        "bundles": 3,
        "totals": {"diagnoses": 4, "steps": 30},
        "tables": {"outcome": {"failed": 3}, "license": {"MIT": 2, "Apache-2.0": 1}, "scrub_policy": {"strict": 3}},
        "files": (SHARD,),
        "updated": "2025-01-02",
    }
    return Facts(**(plain | others))  # type: ignore[arg-type]


def front_matter(card: str) -> dict[str, object]:
    """Return the YAML of a card."""
    _, text, _ = card.split("---\n", 2)
    return yaml.safe_load(text)  # type: ignore[no-any-return]


def test_the_front_matter_names_data_files_licences_and_size() -> None:
    found = front_matter(dataset_card(facts()))
    assert found["configs"] == [
        {
            "config_name": "bundles",
            "default": True,
            "data_files": [{"split": "train", "path": ["inbox/v1/**/*.parquet", "data/v1/**/*.parquet"]}],
        }
    ]
    assert found["license"] == ["apache-2.0", "mit"]
    assert found["size_categories"] == ["n<1K"]
    assert "agent-error-hub" in found["tags"]  # type: ignore[operator]


@pytest.mark.parametrize(
    ("licenses", "shown"),
    [({"MIT": 1}, "mit"), ({"LicenseRef-Ours": 1}, "other"), ({"MIT": 1, "MIT OR GPL-2.0-only": 1}, "other"), ({}, "other")],
    ids=["known", "own", "expression", "none"],
)  # fmt: skip
def test_a_licence_the_front_matter_cannot_name_is_other(licenses: dict[str, int], shown: str) -> None:
    assert front_matter(dataset_card(facts(tables={"license": licenses})))["license"] == shown


@pytest.mark.parametrize(
    ("bundles", "size"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (99_999, "10K<n<100K"), (10**6, "1M<n<10M")]
)
def test_the_size_category_follows_the_count(bundles: int, size: str) -> None:
    assert front_matter(dataset_card(facts(bundles=bundles)))["size_categories"] == [size]


def test_the_card_says_what_a_reader_must_know() -> None:
    card = dataset_card(facts())
    headings = re.findall(r"^## (.*)$", card, re.MULTILINE)
    assert headings == [
        "Load it", "What is in it", "Scrubbing", "Review", "Limits and risks", "Licences", "Withdraw a case", "Integrity",
    ]  # fmt: skip
    assert "| failed | 3 |" in card
    assert "| MIT | 2 |" in card
    assert "No policy promises anonymity" in card


HOSTILE = (
    "<script>alert(1)</script>", "a | b", "[x](http://evil)", "`rm`", "x\ny", "---", "{{ 7*7 }}", "*", "$(id)", "a" * 200,
    "name@example.com", "\u202eabc", "",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_no_label_writes_anything_but_itself(text: str) -> None:
    clean = dataset_card(facts())
    card = dataset_card(facts(tables={name: {text: 3} for name in facts().tables}, location=text))
    assert label(text) in ("other", "none")
    for line in set(card.splitlines()) - set(clean.splitlines()):
        assert not text or text not in line
    assert json.dumps(croissant(facts(tables={"license": {text: 1}}))).count("other") <= 1


def test_long_tables_are_summed_up() -> None:
    card = dataset_card(facts(tables={"mode": {f"mode-{number:03d}": 100 - number for number in range(50)}}))
    assert "| mode-019 | 81 |" in card
    assert "mode-020" not in card
    assert f"| 30 more | {sum(100 - number for number in range(20, 50))} |" in card


def test_the_same_facts_give_the_same_bytes() -> None:
    turned = facts(tables={name: dict(reversed(table.items())) for name, table in facts().tables.items()})
    assert dataset_card(facts()) == dataset_card(turned)
    assert croissant(facts()) == croissant(turned)


def test_croissant_has_one_certified_file_a_shard() -> None:
    found = croissant(facts())
    [file] = [item for item in found["distribution"] if item["@type"] == "cr:FileObject"]
    assert (file["contentUrl"], file["sha256"]) == (SHARD.path, SHARD.sha256)
    names = [column["source"]["extract"]["column"] for column in found["recordSet"][0]["field"]]
    from errorhub.hub.bundle.arrow import FLAT

    assert set(names) <= set(FLAT)
    assert croissant(facts(files=()))["recordSet"] == []


def test_croissant_validates(tmp_path: object) -> None:
    mlcroissant = pytest.importorskip("mlcroissant")
    assert mlcroissant.Dataset(croissant(facts())).metadata.name == "agent-error-hub"
