"""Records refuse what they do not know; old ones are upgraded, newer ones refused; cases are unions."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorhub.hub.bundle import Attempt, Bundle, Case, Outcome, Repair, cases
from errorhub.hub.bundle.diagnosis import Milestone
from errorhub.hub.bundle.upgrades import UPGRADES, upgrade
from errorhub.hub.errors import RecordError, SchemaFromFuture

Make = Callable[..., Bundle]
SCHEMA = Path(__file__).parents[3] / "docs/schema/bundle-1.json"


def test_document_round_trip(make: Make) -> None:
    held = make()
    assert Bundle.from_document(json.loads(json.dumps(held.document()))) == held


@pytest.mark.parametrize(
    ("change", "word"),
    [({"extra": 1}, "extra"), ({"trajectory": None}, "trajectory"), ({"schema": "other/1"}, "schema"), ({"schema": None}, "schema")],
)  # fmt: skip
def test_what_is_no_bundle_is_refused_in_one_sentence(change: dict[str, object], word: str, make: Make) -> None:
    with pytest.raises(RecordError, match=word) as caught:
        Bundle.from_document(make().document() | change)
    assert "Delete the old backups" not in str(caught.value)


def test_a_newer_record_is_refused(make: Make) -> None:
    with pytest.raises(SchemaFromFuture, match="version 2"):
        Bundle.from_document(make().document() | {"schema": "errorhub.bundle/2"})


def test_an_older_record_is_upgraded_one_step_at_a_time(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(UPGRADES, 0, lambda old: old | {"schema": "errorhub.bundle/1", "diagnoses": old["labels"]})
    document = make().document()
    old = {"schema": "errorhub.bundle/0", "labels": document["diagnoses"]}
    assert upgrade(old)["diagnoses"] == document["diagnoses"]


def test_exported_json_schema_is_current() -> None:
    assert json.loads(SCHEMA.read_text()) == Bundle.model_json_schema()


def test_every_field_says_what_it_is() -> None:
    undocumented = []
    for model in Bundle.__mro__[1].__subclasses__():
        source = Path(__import__("sys").modules[model.__module__].__file__ or "").read_text()
        for name in model.__annotations__:
            place = source.find(f"\n    {name}: ", source.find(f"class {model.__name__}("))
            after = source[source.find("\n", place + 1) + 1 :].split("\n    ", 1)[0] if place >= 0 else ""
            lines = source[place + 1 :].split("\n")
            depth = next((i for i, line in enumerate(lines) if line.strip().startswith('"""')), None)
            if depth is None or depth > 6:
                undocumented.append(f"{model.__name__}.{name} {after}")
    assert not undocumented


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(4)))
def test_union_does_not_depend_on_order(order: list[int]) -> None:
    bundles = _family()
    whole = Case.of(*bundles)
    merged = Case.of(bundles[order[0]])
    for place in order[1:]:
        merged = merged | Case.of(bundles[place])
    assert merged == whole == whole | whole
    assert len(whole.diagnoses) == 2


def _family() -> list[Bundle]:
    from errorhub.hub.bundle import Diagnosis, Rights, Step, Trajectory
    from errorhub.hub.bundle.trajectory import Source

    run = Trajectory(steps=(Step(agent="a", kind="message", input="x"),), source=Source(format="t"))
    one, two = (Diagnosis(step=0, agent="a", explanation=text, author=text) for text in ("first", "second"))
    return [
        Bundle(trajectory=run, diagnoses=(one,)), Bundle(trajectory=run, diagnoses=(two,)),
        Bundle(trajectory=run, diagnoses=(one, two)), Bundle(trajectory=run, rights=Rights(license="MIT")),
    ]  # fmt: skip


def test_cases_group_by_trajectory(make: Make) -> None:
    other = make(steps=make().trajectory.steps[:2])
    assert [len(case.bundles) for case in cases([make(), other, make(diagnoses=())])] in ([1, 2], [2, 1])
    with pytest.raises(ValueError, match="one trajectory"):
        Case.of(make(), other)


def attempt(
    status: str, *, faithful: bool | None = True, milestone: str | None = None, arm: str = "corrected"
) -> Attempt:
    reached = (Milestone(name="m", status=milestone),) if milestone else ()  # type: ignore[arg-type]
    return Attempt(arm=arm, outcome=Outcome(status=status), executed_faithfully=faithful, milestones=reached)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("attempts", "verdict", "resolved"),
    [
        ([], "inconclusive", False),
        ([attempt("passed"), attempt("passed"), attempt("failed")], "validated", True),
        ([attempt("passed"), attempt("failed"), attempt("failed")], "partially_validated", True),
        ([attempt("failed", milestone="partial")], "partially_validated", False),
        ([attempt("failed"), attempt("failed", milestone="missed")], "refuted", False),
        ([attempt("passed", faithful=False)], "inconclusive", False),
        ([attempt("ungradable")], "inconclusive", False),
        ([attempt("failed", milestone="achieved"), attempt("failed", milestone="achieved", arm="original")], "refuted",
         False),
        ([attempt("failed", milestone="achieved"), attempt("failed", milestone="partial", arm="original")],
         "partially_validated", False),
    ],
)  # fmt: skip
def test_four_outcomes_are_derived(attempts: list[Attempt], verdict: str, resolved: bool) -> None:
    repair = Repair(kind="intervention", attempts=tuple(attempts))
    assert (repair.verdict, repair.resolved) == (verdict, resolved)
