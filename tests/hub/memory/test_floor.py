"""When the memory answers and when it keeps silent, on the sets of `bench/` and on real labels."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorhub.hub.bundle import Bundle, Diagnosis, Step, Trajectory
from errorhub.hub.bundle.trajectory import Source, Task
from errorhub.hub.memory import Memory, Query
from errorhub.hub.memory.floor import ANSWERED, LEAST, LOWEST, OF_A_RUN, floor, surprise
from errorhub.hub.memory.probes import PROBES
from errorhub.hub.memory.search import Search

Make = Callable[..., Bundle]
Remember = Callable[..., Memory]

BENCH = Path(__file__).parents[3] / "bench"
PAIRS = [json.loads(line) for line in (BENCH / "pairs.jsonl").read_text().splitlines()]
RELATED = [json.loads(line) for line in (BENCH / "related.jsonl").read_text().splitlines()]
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
    assert sum(first) >= 0.95 * len(PAIRS)


def test_their_text_finds_it_too(pairs: Memory) -> None:
    said = [Query.from_text("\n".join(pair["log"])) for pair in PAIRS]
    assert answered(pairs, said) >= 0.95


def test_unrelated_texts_and_logs_get_no_answer(pairs: Memory, run: Callable[..., Trajectory]) -> None:
    assert answered(pairs, [Query.from_text(text) for text in PROSE]) <= 0.05
    assert answered(pairs, [Query.from_log(run(*lines)) for lines in LOGS]) <= 0.1


@pytest.mark.parametrize("pair", PAIRS[:6], ids=lambda pair: str(pair["mode"]))
def test_one_case_is_enough(
    pair: dict[str, str], case: Make, run: Callable[..., Trajectory], remember: Remember
) -> None:
    memory = remember([case(pair["explanation"], *pair["window"])])
    assert not memory.similar(Query.from_log(run(*pair["log"]))).abstained
    assert answered(memory, [Query.from_text(text) for text in PROSE]) <= 0.02


def test_surprise_bounds_the_probability_of_sharing_so_much() -> None:
    rng = np.random.default_rng(0)
    shares = np.array([rng.uniform(0.02, 0.4, 30), np.zeros(30)])
    held = rng.random((20_000, 30)) < shares[0]
    bound = np.exp(-surprise(list(shares), np.tile([25.0, 0.0], (20_000, 1)), held))
    for least in (0.5, 0.2, 0.05, 0.01):
        assert np.mean(bound <= least) <= least


def test_rare_words_and_short_cases_surprise_more() -> None:
    rare, common, none = np.array([0.01] * 3), np.array([0.3] * 3), np.zeros(3)
    held, short, long = np.ones((1, 3), bool), np.array([[10.0, 20.0]]), np.array([[80.0, 200.0]])
    assert surprise([rare, none], short, held) > surprise([common, none], short, held)
    assert surprise([rare, rare], short, held) > surprise([rare, rare], long, held)
    assert surprise([rare, rare], short, ~held) == 0


def test_one_word_alone_carries_no_match_among_many() -> None:
    shares = [np.array([1e-6] + [0.1] * 9)] * 2
    one, three = np.zeros((2, 10), bool)
    one[0] = three[:3] = True
    lengths = np.array([[25.0, 60.0]])
    assert surprise(shares, lengths, one[None]) < surprise(shares, lengths, three[None])


def test_the_floor_lets_a_share_of_the_probes_through() -> None:
    assert floor([]) == floor([0.0]) == LOWEST
    reached = np.arange(100.0)
    assert np.mean(reached > floor(reached.tolist())) == pytest.approx(ANSWERED, abs=0.01)


def test_more_is_asked_of_many_cases(case: Make, remember: Remember) -> None:
    cases = [case(one["explanation"], *one["window"], task=one["mode"]) for one in [*PAIRS, *RELATED]]
    floors = [remember(cases[:number], str(number)).corpus.floor for number in (0, 1, 40, len(cases))]
    assert floors == sorted(floors) and floors[-1] > floors[0] == LOWEST


def test_probes_are_answered_as_rarely_as_the_floor_says(pairs: Memory) -> None:
    assert len(set(PROBES)) == len(PROBES) >= 100
    assert answered(pairs, [Query.from_text(text) for text in PROBES]) <= ANSWERED + 1 / len(PROBES)


def test_what_is_shared_no_more_than_usual_speaks_for_nothing(five: Memory) -> None:
    rows = list(range(len(five.corpus)))
    assert Search(five.corpus, Query.from_text("cannot whistle after an error")).evidence(rows).max() == 0
    assert Search(five.corpus, Query.from_text("cannot bind the port")).evidence(rows).max() > LEAST


def test_what_reports_a_failure_needs_to_share_less(pairs: Memory) -> None:
    rows = list(range(len(pairs.corpus)))

    def reached(text: str) -> float:
        return float(Search(pairs.corpus, Query.from_text(text)).evidence(rows).max())

    plain = reached("address already in use 0.0.0.0:8080")
    assert reached("the agent hallucinated: address already in use 0.0.0.0:8080") > plain + 1
    assert 0 < reached("how do I whistle: address already in use 0.0.0.0:8080") < plain
    assert reached("the agent hallucinated") == 0


def test_windows_of_one_run_are_no_independent_chances(pairs: Memory) -> None:
    rows, text = list(range(len(pairs.corpus))), str(PAIRS[0]["window"][1])
    one, four = (Query("log", (text,) * number, (text,) * number) for number in (1, 4))
    best = [float(Search(pairs.corpus, query).evidence(rows).max()) for query in (one, four)]
    assert best[0] - best[1] == pytest.approx(OF_A_RUN * np.log(4), abs=1e-3)


@pytest.mark.shared
def test_real_labels(shared: Path, remember: Remember, run: Callable[..., Trajectory]) -> None:
    bundles = [_labelled(path) for path in sorted((shared / "who-and-when").glob("*/*.json"))]
    memory = remember(bundles)
    assert answered(memory, [Query.from_bundle(bundle) for bundle in bundles]) >= 0.95
    said = [
        replace(Query.from_text(bundle.diagnoses[0].explanation), trajectory_id=bundle.trajectory.trajectory_id)
        for bundle in bundles
    ]
    assert answered(memory, said) >= 0.95
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
