"""What one answer earns, in both modes, against tables."""

from typing import Any

import numpy as np
import pytest

from errorhub.training import Case, Gold, baselines, bootstrap, marks
from errorhub.training.answers import prediction
from errorhub.training.marks import METRICS, Mode, mark


def case(*golds: Gold, n_steps: int | None = 12) -> Case:
    """A run of twelve steps in which two agents take turns."""
    return Case("a", "t", None, n_steps, ("WebSurfer", "Orchestrator") * 6 if n_steps else (), golds)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ({"step": 1, "agent": "Orchestrator"}, [1, 1, 1, 1, 1, 1]),
        ({"step": 1, "agent": "orchestrator (thought)"}, [1, 1, 1, 1, 1, 1]),
        ({"step": 2, "agent": "Orchestrator"}, [0, 1, 1, 0, 1, 1]),
        ({"step": 10, "agent": "Web Surfer"}, [0, 0, 0, 0, 1, 1]),
        ({"step": 12, "agent": "Orchestrator"}, [0, 0, 1, 0, 1, 1]),
        ({"step": -1, "agent": None}, [0, 0, 0, 0, 1, 1]),
        ({"step": "1", "agent": "Orchestrator"}, [0, 0, 1, 0, 0, 1]),
        ({"step": 1.0, "agent": 7}, [0, 0, 0, 0, 0, 1]),
        ({"step": True, "agent": "Orchestrator"}, [0, 0, 1, 0, 0, 1]),
        ({"step": None, "agent": None}, [0, 0, 0, 0, 0, 1]),
        ({"text": 'It is {"step": 1, "agent": "Orchestrator"}.'}, [1, 1, 1, 1, 1, 1]),
        ({"text": '{"step": 3, "agent": "x"} or {"step": 1, "agent": "Orchestrator"}'}, [0, 0, 0, 0, 1, 1]),
        ({"text": '<think>{"step": 3}</think>{"step": 1, "agent": "Orchestrator"}'}, [1, 1, 1, 1, 1, 1]),
        ({"text": "step 1"}, [0, 0, 0, 0, 0, 1]),
        ({"text": '{"step": 1'}, [0, 0, 0, 0, 0, 1]),
    ],
    ids=str,
)  # fmt: skip
def test_strict(line: dict[str, Any], expected: list[float]) -> None:
    assert mark(case(Gold(1, "Orchestrator")), prediction({"id": "a"} | line)).tolist() == expected


@pytest.mark.parametrize(
    ("line", "exact", "agent"),
    [
        ({"step": 10, "agent": "Orchestrator"}, 1, 1),
        ({"step": "0123456789", "agent": "Orchestrator"}, 1, 1),
        ({"step": 20, "agent": "orchestrator"}, 0, 0),
        ({"step": 1, "agent": "Orchestrator-2"}, 1, 1),
        ({"step": 1, "agent": "The Orchestrator"}, 1, 0),
        ({"text": "Agent Name: Orchestrator\nStep Number: 21"}, 1, 1),
    ],
    ids=str,
)
def test_official_is_a_substring_test(line: dict[str, Any], exact: float, agent: float) -> None:
    """The table of the public scorer's behaviour: gold 1 inside prediction 10, agents cut at spaces and hyphens."""
    found = mark(case(Gold(1, "Orchestrator"), n_steps=None), prediction({"id": "a"} | line), mode="official")
    assert (found[0], found[2]) == (exact, agent)


def test_the_constant_of_all_digits_wins_only_officially() -> None:
    cases = [Case(str(i), str(i), None, 10, (), (Gold(i, "x"),)) for i in range(10)]
    said = {str(i): prediction({"id": str(i), "step": "0123456789", "agent": "x"}) for i in range(10)}
    wins: list[Mode] = ["official", "strict"]
    assert [float(marks(cases, said, mode=mode)[:, 0].mean()) for mode in wins] == [1.0, 0.0]


def test_several_annotators_share_the_mark() -> None:
    found = mark(
        case(Gold(1, "Orchestrator"), Gold(2, "WebSurfer")), prediction({"id": "a", "step": 2, "agent": "Websurfer"})
    )
    assert dict(zip(METRICS, found.tolist(), strict=True)) | {"near": 1.0} == {
        "exact": 0.5, "near": 1.0, "agent": 0.5, "joint": 0.5, "parsed": 1.0, "coverage": 1.0,
    }  # fmt: skip


def test_baselines_by_hand() -> None:
    agents = ("a", "b", "c", "b")
    cases = [Case(str(i), str(i), None, 4, agents, (Gold(1, "b"),)) for i in range(10)]
    found = baselines(cases)
    table = {name: made.mean(axis=0)[:4].tolist() for name, made in found.items() if not isinstance(made, str)}
    assert table == {
        "random": [0.25, 0.75, 0.5, 0.25], "first": [0, 1, 0, 0], "last": [0, 0, 1, 0], "constant": [1, 1, 1, 1],
        "position": [1, 1, 1, 1],
    }  # fmt: skip


def test_what_a_baseline_needs_and_lacks_is_said() -> None:
    found = baselines([Case(str(i), str(i), None, None, (), (Gold(1, "b"),)) for i in range(10)])
    assert {name for name, made in found.items() if isinstance(made, str)} == {"random", "last", "position"}
    assert all("n_steps" in made for made in found.values() if isinstance(made, str))


def test_position_never_sees_its_own_task() -> None:
    """One task holds the only runs of its kind of gold: a rule that saw it would be right there."""
    odd = [Case(f"odd{i}", "odd", None, 8, (), (Gold(6, "b"),)) for i in range(3)]
    even = [Case(f"even{i}", f"even{i}", None, 8, (), (Gold(2, "b"),)) for i in range(20)]
    found = baselines(odd + even)["position"]
    assert not isinstance(found, str)
    assert found[:3, 0].tolist() == [0, 0, 0] and found[3:, 0].mean() == 1


def test_bootstrap_is_paired_clustered_and_repeatable() -> None:
    """Runs of one task are copies: the interval is that of the tasks, far wider than that of as many runs."""
    generator = np.random.default_rng(1)
    per_task = generator.integers(0, 2, 40).astype(float)
    tasks = [f"t{i}" for i in range(40) for _ in range(25)]
    column = np.repeat(per_task, 25)[:, None]
    clustered = bootstrap(np.hstack([column, column - column]), tasks)
    single = bootstrap(column, [str(i) for i in range(1000)])
    assert clustered is not None and single is not None
    assert clustered[:, 1].tolist() == [0, 0]
    spread = clustered[1, 0] - clustered[0, 0]
    assert spread == pytest.approx(2 * 1.96 * per_task.std() / 40**0.5, rel=0.1)
    assert spread > 4 * (single[1, 0] - single[0, 0])
    again = bootstrap(column, tasks)
    assert again is not None and again[:, 0].tolist() == clustered[:, 0].tolist()


def test_one_task_has_no_interval() -> None:
    assert bootstrap(np.ones((5, 1)), ["t"] * 5) is None
