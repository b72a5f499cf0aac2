"""Factories: cases, files of gold and of predictions."""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from errorhub.cli.app import run as run_command

Lines = Callable[[str, Iterable[Any]], Path]


@pytest.fixture
def lines(tmp_path: Path) -> Lines:
    """Write objects, or text as it is, one a line."""

    def write(name: str, objects: Iterable[Any]) -> Path:
        path = tmp_path / name
        path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in objects))
        return path

    return write


@pytest.fixture
def gold() -> list[dict[str, Any]]:
    """Twelve runs of six tasks and two families; the gold step is the third of six, in one run the last."""
    agents = ["user", "planner", "coder", "coder", "critic", "coder"]
    return [
        {
            "id": f"run{i}", "task": f"task{i // 2}", "family": "easy" if i < 4 else "hard", "n_steps": 6, "agents": agents,
            "step": 5 if i == 11 else 2, "agent": "coder",
        }
        for i in range(12)
    ]  # fmt: skip


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    """Run `errorhub --json …` in an empty folder and return (exit code, document)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))

    def run(*arguments: object) -> tuple[int, Any]:
        capsys.readouterr()
        code = run_command(["--json", *map(str, arguments)])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.fixture(scope="session")
def synthetic_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of diagnosis views over synthetic runs; returns its folder."""
    from errorhub.training.synthetic import synthetic
    from errorhub.views import Plan, Shares, build, of_bundles

    out = tmp_path_factory.mktemp("synthetic") / "rows"
    build(of_bundles(synthetic(120)), Plan(("diagnosis_compact", "diagnosis_full"), shares=Shares(70, 15, 15)), out)
    return out


@pytest.fixture(scope="session")
def tiny(synthetic_rows: Path) -> Path:
    """A base of random weights whose tokenizer knows the synthetic runs."""
    pytest.importorskip("torch", reason="needs the train extra").set_num_threads(1)
    from errorhub.training.bases import tiny_base
    from errorhub.training.dataset import texts_of
    from errorhub.views import read_rows

    rows = list(read_rows(synthetic_rows / "diagnosis_full/train/rows.parquet"))
    return tiny_base(synthetic_rows.parent / "base", texts_of(rows))


@pytest.fixture(scope="session")
def replayed_rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build of recovery and preference views over synthetic runs that were replayed in both arms."""
    from errorhub.hub.bundle import Attempt, Bundle, Outcome, Repair, Step
    from errorhub.scrubber import Receipt
    from errorhub.training.synthetic import synthetic
    from errorhub.views import Plan, Shares, build, of_bundles

    def replayed(bundle: Bundle) -> Bundle:
        def attempt(arm: Any, status: Any, said: str) -> Attempt:
            step = Step(agent="picker", kind="agent.step", output=said)
            outcome = Outcome(status=status)
            return Attempt(arm=arm, state_ref="before", settings_digest="same", steps=(step,), outcome=outcome)

        arms = (attempt("corrected", "passed", "hold the parcel"), attempt("original", "failed", "let it go"))
        repair = Repair(diagnosis_id=bundle.diagnosis_ids[0], kind="correction", directive="Hold it.", attempts=arms)
        held = bundle.replace(repairs=(repair,), receipt=None)
        receipt = Receipt(policy="none", policy_digest="", scrubber="none", digest=held.certified_digest)
        return held.replace(receipt=receipt)

    out = tmp_path_factory.mktemp("replayed") / "rows"
    plan = Plan(("recovery_preventive", "preference_action"), shares=Shares(70, 15, 15))
    build(of_bundles([replayed(one) for one in synthetic(60)]), plan, out)
    return out
