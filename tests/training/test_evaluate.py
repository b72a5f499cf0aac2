"""`errorhub evaluate` as people and scripts meet it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., tuple[int, Any]]


def said(gold: list[dict[str, Any]], step: int = 2, **other: Any) -> list[dict[str, Any]]:
    """Answer every run with one step."""
    return [{"id": one["id"], "step": step, "agent": "coder", "text": ""} | other for one in gold]


def test_one_file(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    code, found = command(
        "evaluate", "--gold", lines("g", gold), "--predictions", lines("p", said(gold)), "--no-reference"
    )
    assert code == 0
    assert {name: found[name] for name in ("n", "tasks", "agent", "parsed", "coverage")} == {
        "n": 12, "tasks": 6, "agent": 1.0, "parsed": 1.0, "coverage": 1.0,
    }  # fmt: skip
    assert found["exact"] == found["joint"] == pytest.approx(11 / 12, abs=1e-6)
    assert found["macro"]["exact"] == pytest.approx((1 + 7 / 8) / 2)
    assert found["interval"]["exact"][0] < 11 / 12 < found["interval"]["exact"][1]
    assert found["by_length"]["6-10"]["n"] == 12
    assert {"random", "first", "last", "constant", "position"} <= set(found["baselines"])
    assert found["baselines"]["random"]["exact"] == pytest.approx(1 / 6, abs=1e-6)
    assert [found["paired"][f"{next(iter(found['students']))} - constant"]["exact"], found["baselines"]["ranker"]] == [
        0.0,
        None,
    ]
    assert [one for one in found["warnings"] if "ranker" not in one] == []


def test_missing_answers_are_misses(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    _, found = command("evaluate", "--gold", lines("g", gold), "--predictions", lines("p", said(gold)[:6]))
    assert [found[name] for name in ("n", "exact", "parsed", "coverage")] == [12, 0.5, 0.5, 0.5]


def test_an_empty_file_of_answers_scores_zero(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    code, found = command("evaluate", "--gold", lines("g", gold), "--predictions", lines("p", []))
    assert (code, found["exact"], found["coverage"]) == (0, 0.0, 0.0)


def test_several_files_are_compared_in_pairs(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    paths = [lines(name, said(gold, step)) for name, step in (("a", 2), ("b", 5), ("c", 2))]
    _, found = command("evaluate", "--gold", lines("g", gold), "--predictions", paths[0], *paths[1:])
    a, b, c = map(str, paths)
    assert found["paired"][f"{b} - {a}"]["exact"] == pytest.approx(-10 / 12, abs=1e-6)
    assert found["paired"][f"{c} - {a}"]["exact"] == 0
    assert found["paired"][f"{c} - {a}"]["interval"]["exact"] == [0, 0]
    assert set(found["students"]) == {a, b, c}
    assert (found["seeds"]["n"], found["exact"]) == (3, found["students"][a]["exact"])


def test_seeds_are_one_student(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    paths = [lines(name, said(gold, step)) for name, step in (("s0", 2), ("s1", 5))]
    _, found = command(
        "evaluate", "--gold", lines("g", gold), "--predictions", paths[0], "--predictions", paths[1], "--seeds"
    )
    assert found["exact"] == found["seeds"]["mean"]["exact"] == pytest.approx(0.5)
    assert found["seeds"]["sd"]["exact"] == pytest.approx(((10 / 12) ** 2 / 2) ** 0.5, abs=1e-6)
    assert "mean of seeds - position" in found["paired"]


def test_two_annotators(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    second = gold[0] | {"step": 4, "agent": "critic", "author": "b"}
    path = lines("g", [gold[0] | {"author": "a"}, second, *gold[1:]])
    _, found = command("evaluate", "--gold", path, "--predictions", lines("p", said(gold)))
    held = found["annotators"]
    assert held["agreement"] == {"cases": 1, "exact": 0, "near": 0, "agent": 0, "joint": 0}
    scores = next(iter(held["scores"].values()))
    assert (scores["a"]["exact"], scores["b"]["exact"], found["n"]) == (1, 0, 12)
    assert found["exact"] == pytest.approx(10.5 / 12)


def test_groups_and_plots(command: Command, lines: Any, gold: list[dict[str, Any]], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need matplotlib")
    arguments = ("evaluate", "--gold", lines("g", gold), "--predictions", lines("p", said(gold)), "--by", "length")
    _, found = command(*arguments, "--plots", tmp_path / "plots")
    first = [Path(path).read_bytes() for path in found["paths"]]
    assert len(first) == 2 and all(b"<svg" in one for one in first)
    _, found = command(*arguments, "--plots", tmp_path / "plots")
    assert [Path(path).read_bytes() for path in found["paths"]] == first
    assert found["macro"]["by"] == "length"


def test_damaged_conditions_are_refused(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    lines("p.conditions.json", ["[]"])
    code, found = command("evaluate", "--gold", lines("g", gold), "--predictions", lines("p", said(gold)))
    assert (code, "holds no conditions" in found["error"]["message"]) == (2, True)


def test_conditions_are_recorded_and_not_mixed(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    paths = [lines(name, said(gold)) for name in ("a", "b")]
    for path, reference in zip(paths, ("true", "false"), strict=True):
        path.with_name(f"{path.name}.conditions.json").write_text(f'{{"reference": {reference}, "model": "m"}}')
    _, found = command("evaluate", "--gold", lines("g", gold), "--predictions", *paths)
    assert found["conditions"][str(paths[0])] == {"reference": True, "model": "m"}
    assert any("do not compare" in one for one in found["warnings"])


@pytest.mark.parametrize(
    ("bad", "exit_code", "word"),
    [
        ("not json", 3, "not JSON"),
        ("[1]", 3, "not a JSON object"),
        ('{"step": 1}', 3, "`id`"),
        ('{"id": 3, "step": 1}', 3, "`id`"),
    ],
    ids=str,
)
def test_a_broken_line_is_a_recorded_refusal(
    bad: str, exit_code: int, word: str, command: Command, lines: Any, gold: list[dict[str, Any]]
) -> None:
    code, found = command("evaluate", "--gold", lines("g", gold), "--predictions", lines("p", [*said(gold)[:-1], bad]))
    assert (code, len(found["refused"]), word in found["refused"][0]) == (exit_code, 1, True)
    assert found["coverage"] == pytest.approx(11 / 12, abs=1e-6)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (lambda g, p: ([], p), "nothing can be scored"),
        (lambda g, p: (["{"], p), "not JSON"),
        (lambda g, p: ([g[0] | {"step": "1"}], p), "no gold"),
        (lambda g, p: ([g[0] | {"step": 6}], p), "another base"),
        (lambda g, p: ([g[0] | {"step": -1}], p), "another base"),
        (lambda g, p: ([g[0], g[0] | {"step": 1, "task": "other"}], p), "another task"),
        (lambda g, p: (g, [*p, p[0] | {"step": 1}]), "second answer"),
        (lambda g, p: (g, [{"id": "strange", "step": 1}]), "shares no id"),
    ],
    ids=["empty", "broken", "text", "base", "negative", "task", "twice", "strange"],
)
def test_what_cannot_be_scored(
    change: Any, word: str, command: Command, lines: Any, gold: list[dict[str, Any]]
) -> None:
    labels, answers = change(gold, said(gold))
    code, found = command("evaluate", "--gold", lines("g", labels), "--predictions", lines("p", answers))
    assert (code, word in found["error"]["message"]) == (2, True), found


def test_some_strange_ids_are_said_and_not_scored(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    answers = [*said(gold), {"id": "strange", "step": 2}]
    _, found = command("evaluate", "--gold", lines("g", gold), "--predictions", lines("p", answers), "--reference")
    assert found["coverage"] == 1 and any("1 ids are not in the gold" in one for one in found["warnings"])


def test_answers_of_another_base_are_noticed(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    _, found = command(
        "evaluate", "--gold", lines("g", gold), "--predictions", lines("p", said(gold, 3)), "--reference"
    )
    assert any("off by +1" in one for one in found["warnings"])


def test_one_task_only(command: Command, lines: Any, gold: list[dict[str, Any]]) -> None:
    labels = [one | {"task": "only"} for one in gold]
    _, found = command("evaluate", "--gold", lines("g", labels), "--predictions", lines("p", said(gold)), "--reference")
    assert found["interval"]["exact"] is None and any("one source task only" in one for one in found["warnings"])
