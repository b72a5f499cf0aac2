"""What people say about the runs: anchored, readable, and found again."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.examples import Annotation, annotations, planted

Told = Callable[[str, int], tuple[list[str], list[str]]]
ROWS = annotations()


def named(row: Annotation) -> str:
    """Sessions are named by their project's folder, other logs by their file."""
    path = Path(row.file)
    return path.parent.name if path.parts[0] == "claude-code" else path.stem


def test_there_are_enough() -> None:
    assert len(ROWS) >= 10
    outcomes = [row.repair.outcome for row in ROWS if row.repair]
    assert len(outcomes) >= 4
    assert set(outcomes) == {"passed", "failed"}
    assert len({(row.file, row.run) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_marker_and_quote_stand_in_one_step(told: Told, row: Annotation) -> None:
    said, _ = told(row.file, row.run)
    marked = [text for text in said if row.marker in text]
    assert len(marked) == 1
    assert row.quote in marked[0]
    assert sum(row.quote in text for text in said) == 1


@pytest.mark.parametrize("row", ROWS, ids=named)
def test_nothing_repeats_what_the_agent_was_given(told: Told, row: Annotation) -> None:
    """A strict policy blanks every text that repeats 20 characters of an input; these survive it."""
    _, given = told(row.file, row.run)
    texts = [row.explanation, row.fix, row.quote, *([row.repair.directive] if row.repair else [])]
    for text in texts:
        windows = {text[start : start + 20] for start in range(len(text) - 19)}
        assert not [window for window in windows if any(window in source for source in given)]


def test_they_name_nobody() -> None:
    texts = " ".join(f"{row.explanation} {row.fix}" for row in ROWS)
    assert not [slot for slot, value in planted().items() if value.value in texts]


@pytest.fixture(scope="module")
def cases(folder: Path, records: Callable[[Path], list[Any]]) -> dict[str, str]:
    """The diagnosis text of every run that has one, by the run's name."""
    found = {named(row): f"{row.explanation} {row.fix}" for row in ROWS}
    for path in folder.glob("who-and-when/*.json"):
        found[path.stem] = records(path)[0]["mistake_reason"]
    for path in folder.glob("agentdebugx/**/report.json"):
        finding = records(path)[0]["findings"][0]
        found[path.relative_to(folder).parts[1]] = f"{records(path)[0]['summary']} {finding['suggestion']}"
    return found


def nearest(cases: dict[str, str], query: str, without: str = "") -> dict[str, float]:
    """The three best cases and their scores by BM25 over stemmed words."""
    import bm25s
    import Stemmer

    stem = Stemmer.Stemmer("english")
    names = [name for name in cases if name != without]
    index = bm25s.BM25(method="lucene")
    index.index(
        bm25s.tokenize([cases[name] for name in names], stopwords="en", stemmer=stem, show_progress=False),
        show_progress=False,
    )
    asked = bm25s.tokenize([query], stopwords="en", stemmer=stem, show_progress=False)
    ranked, scores = index.retrieve(asked, k=3, show_progress=False)
    return {names[place]: float(score) for place, score in zip(ranked[0], scores[0], strict=True)}


PAIRS = [
    pytest.param("desk-batch", "crew-hours", id="join-multiplies-rows"),
    pytest.param("refund-lamp", "harbour-dues", id="wrong-unit"),
    pytest.param("library-borrowers", "audit-trip", id="handoff-loses-conditions"),
    pytest.param("archive-bridge", "ticket-export", id="loop"),
    pytest.param("first", "search-restart", id="stale-file-trusted"),
    pytest.param("recall-mailing", "claims-core", id="empty-result-as-success"),
]


@pytest.mark.parametrize(("one", "other"), PAIRS)
def test_runs_that_fail_alike_find_each_other(cases: dict[str, str], one: str, other: str) -> None:
    assert other in nearest(cases, cases[one], without=one)
    assert one in nearest(cases, cases[other], without=other)


def test_the_story_finds_its_first_run_and_nothing_for_the_unrelated_one(told: Told, cases: dict[str, str]) -> None:
    second = nearest(cases, " ".join(told("story/second.jsonl", 0)[0][-3:]))
    unrelated = nearest(cases, " ".join(told("story/unrelated.jsonl", 0)[0][-3:]))
    assert next(iter(second)) == "first"
    assert max(unrelated.values()) < second["first"] / 3


def test_the_story_is_not_told_twice(told: Told) -> None:
    """The second run is found for what happened, not for sentences it shares with the first."""
    first, second = (
        phrases(" ".join([*said, *given]))
        for said, given in (told("story/first.jsonl", 0), told("story/second.jsonl", 0))
    )
    assert not first & second


def phrases(text: str) -> set[str]:
    words = re.findall(r"\w+", text.lower())
    return {" ".join(words[start : start + 8]) for start in range(len(words) - 7)}
