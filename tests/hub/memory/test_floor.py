"""When the memory answers and when it keeps silent, on the sets of `bench/` and on real labels."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from errorhub.hub.bundle import Bundle, Diagnosis, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.memory import Memory, Query
from errorhub.hub.memory.floor import enough, evidence

Make = Callable[..., Bundle]
Remember = Callable[..., Memory]

BENCH = Path(__file__).parents[3] / "bench"
PAIRS = [json.loads(line) for line in (BENCH / "pairs.jsonl").read_text().splitlines()]
PROSE = (BENCH / "unrelated.txt").read_text().splitlines()
LOGS = [json.loads(line) for line in (BENCH / "unrelated_logs.jsonl").read_text().splitlines()]


def answered(memory: Memory, queries: Sequence[Query]) -> float:
    """Return the share of queries with an answer."""
    return sum(not memory.similar(query).abstained for query in queries) / len(queries)


@pytest.fixture
def pairs(case: Make, remember: Remember) -> Memory:
    return remember([case(pair["explanation"], *pair["window"], task=pair["mode"]) for pair in PAIRS])


def test_logs_that_fail_in_the_same_way_find_their_case(pairs: Memory, run: Callable[..., Trajectory]) -> None:
    answers = [pairs.similar(Query.from_log(run(*pair["log"]))).hits for pair in PAIRS]
    first = [
        bool(hits) and hits[0].explanation == pair["explanation"] for hits, pair in zip(answers, PAIRS, strict=True)
    ]
    assert sum(first) >= 0.85 * len(PAIRS)


def test_their_text_finds_it_too(pairs: Memory) -> None:
    said = [Query.from_text("\n".join(pair["log"])) for pair in PAIRS]
    assert answered(pairs, said) >= 0.85


def test_unrelated_texts_and_logs_get_no_answer(pairs: Memory, run: Callable[..., Trajectory]) -> None:
    assert answered(pairs, [Query.from_text(text) for text in PROSE]) <= 0.05
    assert answered(pairs, [Query.from_log(run(*lines)) for lines in LOGS]) <= 0.05


@pytest.mark.parametrize("pair", PAIRS[:6], ids=lambda pair: str(pair["mode"]))
def test_one_case_is_enough(
    pair: dict[str, str], case: Make, run: Callable[..., Trajectory], remember: Remember
) -> None:
    memory = remember([case(pair["explanation"], *pair["window"])])
    assert not memory.similar(Query.from_log(run(*pair["log"]))).abstained
    assert answered(memory, [Query.from_text(text) for text in PROSE]) == 0


def test_more_is_asked_of_many_cases_and_of_short_pastes() -> None:
    text, paste, long = (Query.from_text(said) for said in ("it failed", "it\nfailed", "it\nfailed\n" * 300))
    assert [query.form for query in (text, paste, long)] == ["text", "paste", "paste"]
    for query in (text, paste, long):
        asked = [enough(query, cases) for cases in (0, 1, 10, 100, 1_000, 100_000)]
        assert asked == sorted(asked) and asked[0] == asked[1] and asked[-1] == asked[-2]
    assert enough(long, 100) < enough(paste, 100)


def test_a_text_that_tells_of_a_failure_has_evidence_for_it() -> None:
    calm, failing = Query.from_text("returns the port of the server"), Query.from_text("cannot bind the port")
    assert evidence(failing, 1, 0, 0.1) > evidence(calm, 1, 0, 0.1)
    assert evidence(failing, 0, 0, 0.1) == 0


@pytest.mark.shared
def test_real_labels(shared: Path, remember: Remember, run: Callable[..., Trajectory]) -> None:
    bundles = [_labelled(path) for path in sorted((shared / "who-and-when").glob("*/*.json"))]
    memory = remember(bundles)
    assert answered(memory, [Query.from_bundle(bundle) for bundle in bundles]) >= 0.95
    assert answered(memory, [Query.from_text(text) for text in PROSE]) <= 0.1
    assert answered(memory, [Query.from_log(run(*lines)) for lines in LOGS]) <= 0.1


def _labelled(path: Path) -> Bundle:
    one = json.loads(path.read_text())
    steps = [
        Step(agent=turn.get("name") or turn["role"], kind="message", output=turn["content"]) for turn in one["history"]
    ]
    trajectory = Trajectory(task=Task(id=one["question_ID"]), steps=tuple(steps), source=Source(format="test"))
    step, agent = int(one["mistake_step"]), one["mistake_agent"]
    found = Diagnosis(step=step, agent=agent, explanation=one["mistake_reason"], author="label")
    return Bundle(trajectory=trajectory, diagnoses=(found,))
