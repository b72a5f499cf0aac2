"""Every rule refuses what it should, with its id in the ledger, and nothing else."""

from collections.abc import Callable
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle, Citation, Correction, Outcome, Step
from errorhub.hub.bundle.trajectory import ConstructionOnly, Task
from errorhub.views import Benchmark
from errorhub.views.leaks import grams, words

Make = Callable[..., Bundle]
WHO = "diagnosis_full"


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ({"certify": False}, "A12"),
        ({"outcome": Outcome(status="unknown")}, "A1"),
        ({"outcome": Outcome(status="passed")}, "A1"),
        ({"outcome": Outcome(status="ungradable")}, "A1"),
        ({"outcome": Outcome(status="failed", fault="infrastructure")}, "A1"),
        ({"outcome": Outcome(status="failed", fault="grader")}, "A1"),
        ({"diagnosis": {"step": 9}}, "A2"),
        ({"diagnosis": {"agent": "shop"}}, "A2"),
        ({"diagnosis": {"evidence": (Citation(step=1, quote="nowhere to be found"),)}}, "A3"),
        ({"diagnosis": {"evidence": ()}}, "E1"),
        ({"diagnosis": {"correction": None}}, "E1"),
        ({"diagnosis": {"explanation": "  "}}, "E2"),
        ({"diagnosis": {"explanation": "It said <DROPPED> and went on."}}, "E3"),
        ({"construction_only": ConstructionOnly(reference_answer="flights of alpha0")}, "A5"),
        ({"construction_only": ConstructionOnly(notes="Alpha0, bravo0!")}, "A5"),
        ({"diagnosis": {"correction": Correction(text="I will look for flights of alpha0")}}, "A5"),
    ],
    ids=str,
)
def test_full_refuses(parts: dict[str, Any], rule: str, make: Make, built: Any) -> None:
    report, ledger = built([make(0, **parts)], WHO)
    assert report["views"][WHO]["refused"] == {rule: 1} and [one["rule"] for one in ledger] == [rule]


@pytest.mark.parametrize(
    "parts",
    [
        {"construction_only": ConstructionOnly(reference_answer="7")},
        {"construction_only": ConstructionOnly(verifier_context={"gold": ["flex-0", "I will look"]})},
        {"outcome": Outcome(status="failed", fault="agent")},
        {"diagnosis": {"agent": "Booker (planning)"}},
    ],
    ids=str,
)
def test_full_admits(parts: dict[str, Any], make: Make, built: Any) -> None:
    report, _ = built([make(0, **parts)], WHO)
    assert report["views"][WHO]["rows"] == 1


def test_eight_words_of_a_verifier_leak(make: Make, built: Any) -> None:
    told = "one two three four five six seven eight"
    steps = [*make(0).trajectory.steps]
    steps[1] = steps[1].replace(output=f"They say {told} and so on.")
    context = ConstructionOnly(verifier_context={"tests": [{"body": f"assert {told} nine"}]})
    _, ledger = built([make(0, steps=tuple(steps), construction_only=context)], WHO)
    assert ledger[0]["rule"] == "A5" and "two three" not in str(ledger)


def test_a_located_label_feeds_compact_alone(make: Make, built: Any) -> None:
    located = make(0, diagnosis={"evidence": (), "correction": None}, repairs=())
    report, _ = built([located])
    rows = {view: one["rows"] for view, one in report["views"].items()}
    assert rows.pop("diagnosis_compact") == 1 and not any(rows.values())


def _attempts(bundle: Bundle, change: Callable[[Any], Any]) -> tuple[Any, ...]:
    repair = bundle.repairs[0]
    return (repair.replace(attempts=tuple(change(one) for one in repair.attempts)),)


@pytest.mark.parametrize(
    ("view", "change", "rule"),
    [
        ("recovery_preventive", lambda a: a.replace(outcome=Outcome(status="failed")), "A7"),
        ("recovery_preventive", lambda a: a.replace(executed_faithfully=False), "A7"),
        ("recovery_preventive", lambda a: a.replace(state_ref=None), "A7"),
        ("recovery_preventive", lambda a: a.replace(state_ref="elsewhere"), "A7"),
        ("recovery_preventive", lambda a: a.replace(steps=()), "A7"),
        ("preference_action", lambda a: a.replace(outcome=Outcome(status="passed")), "A9"),
        ("preference_action", lambda a: a.replace(settings_digest=a.arm), "A9"),
        ("preference_action", lambda a: a.replace(steps=(Step(agent="booker", kind="tool.call", input="same"),)), "A9"),
    ],
)
def test_recovery_refuses(
    view: str, change: Callable[[Any], Any], rule: str, make: Make, built: Any, certified: Any
) -> None:
    bundle = make(0)
    report, _ = built([certified(bundle.replace(repairs=_attempts(bundle, change)))], view)
    assert report["views"][view]["refused"] == {rule: 1}


@pytest.mark.parametrize(
    ("place", "part"), [(3, {"error": None}), (4, {"state_ref": "moved"}), (4, {"state_ref": None})], ids=str
)
def test_posterror_needs_a_rejection_that_changed_nothing(
    place: int, part: dict[str, Any], make: Make, built: Any
) -> None:
    steps = [*make(0).trajectory.steps]
    steps[place] = steps[place].replace(**part)
    report, _ = built([make(0, steps=tuple(steps))], "recovery_posterror", "recovery_preventive")
    assert report["views"]["recovery_posterror"]["refused"] in ({"A8": 1}, {"A2": 1})


def test_no_replay_is_said_once_a_bundle(make: Make, built: Any) -> None:
    _, ledger = built([make(0, repairs=())], "recovery_reflect")
    assert [(one["rule"], one["detail"]) for one in ledger] == [("E1", "no replay")]


def test_a_benchmark_is_kept_out_of_train(made: list[Bundle], built: Any) -> None:
    goals = [one.trajectory.task.goal or "" for one in made[:20]]
    by_words = Benchmark("public", frozenset(), frozenset(gram for goal in goals for gram in grams(words(goal))))
    by_id = Benchmark("ids", frozenset(f"t{n}" for n in range(20, 40)), frozenset())
    report, ledger = built(made, WHO, benchmarks=[by_words, by_id])
    counts = report["views"][WHO]
    assert counts["splits"]["train"] == 0 and counts["refused"]["A11"] == len(ledger) > 0
    assert counts["rows"] + len(ledger) == 40


def test_exact_duplicates_count_once_and_conflicts_are_told(make: Make, built: Any, certified: Any) -> None:
    one = make(0)
    label = one.diagnoses[0]
    other = certified(
        one.replace(diagnoses=(label, label.replace(step=4, evidence=(Citation(step=4, quote="Booked"),))))
    )
    copy = certified(one.replace(diagnoses=(label.replace(author="someone else"),), repairs=()))
    report, _ = built([one, other, copy], "diagnosis_compact")
    counts = report["views"]["diagnosis_compact"]
    assert (counts["rows"], counts["refused"], counts["conflicting"]) == (2, {"A13": 2}, 1)


def test_no_canary_in_any_prompt(made: list[Bundle], built: Any, tmp_path: Any) -> None:
    """Graders' text and outcomes are in no field of any row but the target."""
    import pyarrow.parquet as pq

    built(made)
    for path in sorted((tmp_path / "rows").glob("*/*/*")):
        rows = (
            [str(row) for row in pq.read_table(path).to_pylist()] if path.suffix == ".parquet" else [path.read_text()]
        )
        assert not any(canary in row for row in rows for canary in ("ANSWERCANARY", "OUTCOMECANARY", "hidden verifier"))


def test_a_task_without_a_name_is_its_goal(make: Make, built: Any) -> None:
    twins = [make(n, task=Task(goal="Find the total of the second column in the report of last May")) for n in range(6)]
    report, _ = built(twins, "diagnosis_compact")
    assert sorted(report["views"]["diagnosis_compact"]["splits"].values()) == [0, 0, 6]
    assert any("too few source tasks" in one for one in report["warnings"])
