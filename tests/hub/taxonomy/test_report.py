"""The report: what holds, who is under-represented, pictures; a stranger's words are shown, never obeyed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from decided_cases import cases_of
from decisions import accepted, ids, proposal, propose, rejected

from errorhub.cards import TaxonomyFacts, taxonomy_card
from errorhub.cards.pictures import COLOURS, Bar, Panel, Point, coverage_picture, map_picture, short, support_picture
from errorhub.cards.taxonomy import cell
from errorhub.hub.taxonomy import fold
from errorhub.hub.taxonomy.cases import Case, cases, distinct_tasks
from errorhub.hub.taxonomy.coverage import UNNAMED, coverage
from errorhub.hub.taxonomy.decision import Answered, Decision, Defined
from errorhub.hub.taxonomy.maintainer import Maintainer
from errorhub.hub.taxonomy.mapping import places
from errorhub.hub.taxonomy.proposals import load_proposals
from errorhub.hub.taxonomy.report import write_report
from errorhub.hub.workspace import Workspace

CASES = list(cases([*cases_of("wait", 0), *cases_of("login", 100, 3)]))
HOSTILE = "x | y <script>alert(1)</script> [a](http://e.example) `rm` \x1b[2J $\\frac{1}{0}$\n# head"


def under(found: list[Case], name: str = "waits") -> Decision:
    members = tuple(sorted(one.diagnosis_id for one in found))
    return Decision(
        action="accept", at="2026-03-01T09:00:00.000000Z", by="ada", answers=(Answered(proposal="p", members=members),),
        defines=(Defined(id="planning.waits", name=name, family="planning"),),
    )  # fmt: skip


def test_coverage_counts_runs_and_finds_who_is_missing() -> None:
    found = [*CASES, *(replace(one, harness="rare", trajectory_id=f"r{n}") for n, one in enumerate(CASES[-2:]))]
    held = coverage(found, fold([under(CASES[:12])]))
    assert (held.runs, held.named) == (17, 12)
    assert [(mode.id, runs) for mode, runs in held.modes] == [("planning.waits", 12)]
    groups = {one.value: one for one in held.groups["harness"]}
    assert groups["claude-code"].runs == 7 and groups["claude-code"].named == 4
    assert ("harness", groups["rare"]) in held.thin and "fewer than 5 runs" in groups["rare"].notes
    assert any("names half as often" in note for note in groups["rare"].notes)
    assert held.cells[UNNAMED, "harness", "rare"] == 2
    assert sum(n for (_, dimension, _), n in held.cells.items() if dimension == "policy") == held.runs


def test_a_run_with_several_diagnoses_is_one_run() -> None:
    double = [*CASES[:12], *(replace(one, diagnosis_id=f"{n:064x}") for n, one in enumerate(CASES[:12]))]
    held = coverage(double, fold([under(CASES[:12])]))
    assert (held.runs, held.named) == (12, 12) and (UNNAMED, "policy", "model-a") not in held.cells


def test_nothing_is_covered_without_cases() -> None:
    assert coverage([], fold([])).groups == {"harness": (), "policy": (), "environment": ()}


@pytest.fixture
def written(workspace: Workspace, maintain: Callable[..., Maintainer], tmp_path: Path) -> tuple[Path, str]:
    """A report about one accepted, one rejected and one open proposal, the words of all of them hostile."""
    texts = [{"text": HOSTILE, "diagnosis_id": "d"}]
    members = ids(*range(12))
    propose(
        workspace, proposal(HOSTILE, range(12), examples=texts, nearest={"id": "memory.hallucination"}),
        proposal("rejected one", range(20, 24)), proposal("open one", range(30, 34), status="unstable"),
    )  # fmt: skip
    known = load_proposals(workspace)
    maintain(HOSTILE[:50], HOSTILE).accept(known[0].id)
    maintain().reject([known[1].id])
    found = [replace(one, diagnosis_id=name) for one, name in zip(CASES, members, strict=False)]
    from errorhub.hub.taxonomy import load_taxonomy

    paths = write_report(tmp_path / "out", found, load_taxonomy(workspace), known)
    assert [path.name for path in paths] == ["report.md", "map.svg", "support.svg", "coverage.svg"]
    return tmp_path / "out", (tmp_path / "out/report.md").read_text()


def test_the_page_escapes_what_strangers_wrote(written: tuple[Path, str]) -> None:
    _, text = written
    assert "<script" not in text and "\x1b" not in text and "](http" not in text
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in (3, 6, 7, 8, 9), line
    assert "# head" not in [line.strip() for line in text.splitlines()]
    assert "rejected" in text and "open one" in text and "1 accepted failure modes" in text


def test_pictures_are_well_formed_and_always_the_same(written: tuple[Path, str], tmp_path: Path) -> None:
    folder, _ = written
    for name in ("map", "support", "coverage"):
        data = (folder / f"{name}.svg").read_bytes()
        root = ElementTree.fromstring(data)
        assert root.tag.endswith("svg") and b"<script" not in data
    points = [Point("a", 0, 0, 3, "proposed"), Point("b", 1, 1, 5, "rejected")]
    assert map_picture(points) == map_picture(points)


@pytest.mark.parametrize("form", ["svg", "png"])
def test_pictures_of_nothing_and_of_much(form: str) -> None:
    for data in (
        map_picture([], form), support_picture([], form), coverage_picture([], [], form),
        coverage_picture([UNNAMED], [Panel("harness", (), (), ((),))], form),
        support_picture([Bar("代码有误", 2, "accepted")], form),
        map_picture([Point(HOSTILE, n % 3, n / 7, n, kind) for n, kind in enumerate(COLOURS)], form),
        support_picture([Bar(HOSTILE * 3, n, kind) for n, kind in enumerate([*COLOURS] * 2)], form),
        coverage_picture(["a"] * 8, [Panel("policy", ("x" * 90,) * 5, (4,) * 5, ((0,) * 5,) * 8)] * 3, form),
    ):  # fmt: skip
        assert data.startswith(b"<?xml" if form == "svg" else b"\x89PNG")


def test_names_are_cut_and_dollars_are_no_mathematics() -> None:
    assert short("x" * 90).endswith("…") and short("$a$") == r"\$a\$"


@pytest.mark.parametrize(
    ("value", "shown"), [(None, "-"), ("", "-"), (0.123, "0.12"), ("a|b", r"a\|b"), ("a\nb", "a b"), (3, "3")], ids=str
)
def test_cells(value: Any, shown: str) -> None:
    assert cell(value) == shown


def test_an_empty_card_is_a_card() -> None:
    text = taxonomy_card(TaxonomyFacts("Failure modes", seed_size=23))
    assert "None yet." in text and "disagree" not in text


def test_conflicts_are_on_the_page(tmp_path: Path) -> None:
    one = accepted("loop", range(6), 1)
    write_report(tmp_path, CASES, fold([one, rejected(range(6), 2)]), pictures=False)
    assert "Maintainers disagree" in (tmp_path / "report.md").read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["report.md"]


def test_places_come_from_the_induction_or_from_words(workspace: Workspace) -> None:
    propose(
        workspace,
        proposal("waits for a reply", [1, 2]),
        proposal("waits for an answer", [3, 4]),
        proposal("units", [5, 6]),
    )
    spots = places(load_proposals(workspace))

    def gap(a: int, b: int) -> float:
        return sum((x - y) ** 2 for x, y in zip(spots[a], spots[b], strict=True))

    assert gap(0, 1) < gap(0, 2) and spots == places(load_proposals(workspace))
    propose(workspace, proposal("a", [1, 2], xy=[0.5, -2]))
    assert places(load_proposals(workspace)) == [(0.5, -2.0)]
    assert places([]) == []


@pytest.mark.parametrize(
    ("recorded", "number"),
    [("", 0), ("aA bB cB", 2), ("aA aB", 1), ("aA aB bB cC", 2), ("aA bA aB cC bC", 1)],
    ids=["none", "two runs of a task", "a run of two tasks", "its tasks are one elsewhere", "names meet in a chain"],
)
def test_tasks_of_one_run_are_one_task(recorded: str, number: int) -> None:
    found = [Case(diagnosis_id=pair, trajectory_id=pair[0], task=pair[1], text="") for pair in recorded.split()]
    assert distinct_tasks(found) == distinct_tasks(reversed(found)) == number
