"""The ranker: learns what words do, never sees its own task, says what is missing."""

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="the ranker needs scikit-learn")

from errorhub.evidence.transcript import render_steps
from errorhub.hub.errors import UsageError
from errorhub.hub.extras import extra
from errorhub.hub.importers import Imported, read_log
from errorhub.training import Case, Gold, Protocol, evaluate
from errorhub.training.features import Run, features, run_of, run_of_prompt
from errorhub.training.ranker import Kind, Ranker, cross_validated


def made(number: int, *, seed: int = 0) -> tuple[list[Run], list[int]]:
    """Runs of eight steps in which the decisive one assumes something; where it stands is chance."""
    generator = np.random.default_rng(seed)
    gold = generator.integers(1, 7, number).tolist()
    runs = []
    for place, step in enumerate(gold):
        texts = [f"I look at file {generator.integers(99)} and read what it says about the total." for _ in range(8)]
        texts[step] = "I assume the total is probably the same as last year, so I simulate it."
        runs.append(
            Run(
                f"r{place}",
                f"t{place // 2}",
                "Find the total.",
                ("user", "a", "b", "a", "b", "a", "b", "a"),
                tuple(texts),
            )
        )
    return runs, gold


@pytest.mark.parametrize("kind", ["boosted", "relative"])
def test_learns_what_words_do(kind: Kind) -> None:
    runs, gold = made(60)
    ranker = Ranker(kind).fit(runs[:40], gold[:40])
    hits = [ranker.answer(run).step == step for run, step in zip(runs[40:], gold[40:], strict=True)]
    assert np.mean(hits) > 0.9
    assert sum(ranker.scores(runs[41])) == pytest.approx(1)
    assert ranker.answer(runs[41]).agent == runs[41].agents[ranker.answer(runs[41]).step or 0]


def test_position_alone_cannot_know() -> None:
    runs, gold = made(60)
    ranker = Ranker("position").fit(runs[:40], gold[:40])
    assert np.mean([ranker.answer(run).step == step for run, step in zip(runs[40:], gold[40:], strict=True)]) < 0.5


def test_same_seed_same_answers_in_any_order() -> None:
    runs, gold = made(20)
    said = cross_validated(runs, gold, kind="relative")
    back = cross_validated(runs[::-1], gold[::-1], kind="relative")
    assert {name: one.step for name, one in said.items()} == {name: one.step for name, one in back.items()}


def test_bundle_and_prompt_give_the_same_features(shared: Path) -> None:
    """A run read back from a prompt that leaves nothing out is the run."""
    for path in sorted((shared / "who-and-when").glob("*/*.json"))[::13]:
        (one,) = read_log(path)
        assert isinstance(one, Imported)
        run = run_of(one.bundle)
        prompt = f"{run.goal}\n{render_steps(one.bundle.trajectory.steps)}"
        back = run_of_prompt(run.id, run.task, prompt)
        assert back.agents == run.agents
        assert np.allclose(features(back)[0], features(run)[0], atol=0.05)


def test_nothing_to_learn_from_is_said() -> None:
    with pytest.raises(UsageError, match="no labelled run"):
        Ranker().fit([], [])
    runs, gold = made(2)
    with pytest.raises(UsageError, match="two source tasks"):
        cross_validated(runs, gold)


def test_a_run_of_one_step_and_none() -> None:
    runs, gold = made(20)
    ranker = Ranker("relative").fit(runs, gold)
    assert ranker.answer(Run("x", "x", "", ("a",), ("done",))).step == 0
    assert ranker.answer(Run("x", "x", "", (), ())).step is None


def test_a_missing_extra_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="plots needs not_there") as caught:
        extra("not_there.part", feature="plots", name="views")
    assert caught.value.hint == "pip install 'agent-error-hub[views]'"


@pytest.mark.slow
def test_above_position_on_real_runs(shared: Path) -> None:
    """Grouped cross-validation on real labelled chats: the paired interval above the rule of position excludes 0."""
    runs, cases = [], []
    for path in sorted((shared / "who-and-when").glob("*/*.json")):
        (one,) = read_log(path)
        assert isinstance(one, Imported)
        run, label = run_of(one.bundle, str(path)), one.bundle.diagnoses[0]
        runs.append(run)
        cases.append(Case(run.id, run.task, None, len(run.texts), run.agents, (Gold(label.step, label.agent),)))
    said = cross_validated(runs, [case.golds[0].step for case in cases])
    found = evaluate(cases, {"ranker": said}, Protocol(draws=4000))
    assert found["joint"] >= 0.30
    assert found["paired"]["ranker - position"]["interval"]["joint"][0] > 0


@pytest.fixture(scope="module")
def shared() -> Path:
    """Real labelled logs, read-only."""
    folder = Path(os.environ.get("ERRORHUB_SHARED_DATA", Path(__file__).parents[3] / "shared" / "data"))
    if not (folder / "who-and-when").is_dir():
        pytest.skip("no shared data: set ERRORHUB_SHARED_DATA")
    return folder
