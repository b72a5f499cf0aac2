"""Splits never share a task, stay as the corpus grows, and refuse a run that would tie two together."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Task
from errorhub.hub.errors import UsageError
from errorhub.views import Shares, of_bundles
from errorhub.views.alike import Alike
from errorhub.views.splits import Splits, keys_of

KEYS = st.lists(st.sets(st.integers(0, 30), min_size=1, max_size=3), min_size=1, max_size=40)


def runs_of(groups: list[set[int]], start: int = 0) -> dict[str, list[str]]:
    """Return runs that hang on numbered tasks."""
    return {f"r{start + i}": [f"task:{k}" for k in sorted(g)] + [f"run:{start + i}"] for i, g in enumerate(groups)}


@given(KEYS, KEYS)
@settings(max_examples=60, deadline=None)
def test_a_key_is_in_one_split_and_stays(first: list[set[int]], second: list[set[int]]) -> None:
    splits = Splits(Shares(50, 25, 25))
    early, _ = splits.assign(runs_of(first))
    runs = runs_of(first) | runs_of(second, 100)
    late, refused = splits.assign(runs)
    assert set(late) | set(refused) == set(runs) and not set(late) & set(refused)
    assert {name: late[name] for name in early} == early
    where = defaultdict(set)
    for name, split in late.items():
        for key in runs[name]:
            where[key].add(split)
    assert all(len(one) == 1 for one in where.values())


def test_a_bridge_is_refused_and_reported(make: Callable[..., Bundle], built: Any) -> None:
    known = [make(n) for n in range(30)]
    built(known, "diagnosis_compact")
    tying = make(99, task=Task(id="t99", aliases=tuple(f"t{n}" for n in range(30)), goal="Something else entirely"))
    report, ledger = built([*known, tying], "diagnosis_compact")
    assert report["views"]["diagnosis_compact"]["rows"] == 30
    assert [(one["rule"], one["bundle_id"]) for one in ledger] == [("A10", tying.bundle_id)]
    assert "ties" in ledger[0]["detail"]


def test_growth_moves_nobody(make: Callable[..., Bundle], built: Any, tmp_path: Any) -> None:
    import pyarrow.parquet as pq

    def where() -> dict[str, str]:
        paths = (tmp_path / "rows").glob("*/*/rows.parquet")
        return {row["source_task"]: row["split"] for path in paths for row in pq.read_table(path).to_pylist()}

    built([make(n) for n in range(20)], "diagnosis_compact")
    before = where()
    built([make(n) for n in range(40)], "diagnosis_compact")
    after = where()
    assert (
        {task: after[task] for task in before} == before
        and len(after) == 40
        and set(after.values()) == {"train", "val", "test"}
    )


def test_near_duplicate_goals_hang_together() -> None:
    alike = Alike()
    text = [
        "please",
        "find",
        "every",
        "invoice",
        "of",
        "the",
        "spring",
        "quarter",
        "that",
        "has",
        "no",
        "order",
        "number",
        "and",
        "list",
        "them",
        "by",
        "date",
        "for",
        "the",
        "audit",
    ]
    assert alike.add("a", text) == []
    assert alike.add("b", [*text, "today"]) == ["a"]
    assert (
        alike.add(
            "c",
            [
                "write",
                "a",
                "poem",
                "about",
                "the",
                "sea",
                "and",
                "about",
                "a",
                "ship",
                "that",
                "never",
                "comes",
                "home",
                "again",
            ],
        )
        == []
    )


def test_aliases_hang_together(make: Callable[..., Bundle]) -> None:
    one, other = make(0), make(1, task=Task(id="other", aliases=("t0",), goal="Not alike at all"))
    found, _ = Splits(Shares(34, 33, 33)).assign(
        {b.bundle_id: keys_of(row) for b, row in zip((one, other), of_bundles((one, other)).rows(), strict=True)}
    )
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("text", ["80/20", "80/10/20", "a/b/c", "100/-10/10", ""])
def test_shares_must_make_a_hundred(text: str) -> None:
    with pytest.raises(UsageError, match="not a split"):
        Shares.parse(text)


def test_a_damaged_memory_of_splits_is_refused(make: Callable[..., Bundle], built: Any, tmp_path: Any) -> None:
    built([make(0)], "diagnosis_compact")
    (tmp_path / "rows/splits.json").write_text('{"keys": 3}')
    with pytest.raises(UsageError, match="is damaged"):
        built([make(0)], "diagnosis_compact")


def test_another_split_of_the_same_folder_is_refused(make: Callable[..., Bundle], built: Any) -> None:
    built([make(0)], "diagnosis_compact")
    with pytest.raises(UsageError, match="was split"):
        built([make(0)], "diagnosis_compact", shares=Shares(seed=1))


def test_goals_that_the_scrubber_took_tie_nothing(make: Callable[..., Bundle]) -> None:
    goals = [Task(goal="<DROPPED>"), Task(goal=" <DROPPED> "), Task(id="a", goal="<DROPPED>")]
    rows = list(of_bundles([make(n, task=task) for n, task in enumerate(goals)]).rows())
    keys = [set(keys_of(row, Alike())) for row in rows]
    assert not keys[0] & keys[1] and not keys[0] & keys[2] and "task:a" in keys[2]
