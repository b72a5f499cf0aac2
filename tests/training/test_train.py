"""A training from recipe to student: what it leaves, that it resumes bit by bit, and what it refuses."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from errorhub.cli.app import run as run_command
from errorhub.hub.errors import UsageError
from errorhub.training import Recipe, read_recipe, student_card, train
from errorhub.training.recipe import Lora

torch = pytest.importorskip("torch", reason="needs the train extra")
pytest.importorskip("trl", reason="needs the train extra")
torch.set_num_threads(1)

SHORT = {
    "base": "tiny", "max_steps": 4, "batch": 8, "per_device": 4, "learning_rate": 3e-3, "evaluate_every": 2,
    "validation": 4, "max_new_tokens": 4,
}  # fmt: skip


@pytest.fixture
def recipe(synthetic_rows: Path, tmp_path: Path) -> Callable[..., Recipe]:
    """Return a recipe of four steps over synthetic rows; values can be replaced."""

    def give(**changes: Any) -> Recipe:
        places = {"rows": [synthetic_rows / "diagnosis_compact"], "out": tmp_path / "student"}
        return Recipe.model_validate(SHORT | places | changes)

    return give


def weights(folder: Path) -> bytes:
    """The bytes of a student's weights."""
    return (folder / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def student(synthetic_rows: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A student of four steps."""
    out = tmp_path_factory.mktemp("students") / "student"
    train(Recipe.model_validate(SHORT | {"rows": [synthetic_rows / "diagnosis_compact"], "out": out}))
    return out


def test_a_student_says_what_it_was_made_of(student: Path, synthetic_rows: Path) -> None:
    held = json.loads((student / "student.json").read_bytes())
    rows = [
        row
        for split in ("train", "val")
        for row in pq.read_table(synthetic_rows / "diagnosis_compact" / split / "rows.parquet").to_pylist()
    ]
    assert held["n_train"] == sum(row["split"] == "train" for row in rows) and held["n_val"] == 4
    assert set(held["bundles"]) <= {row["bundle_id"] for row in rows} and held["licenses"] == ["CC0-1.0"]
    assert held["steps"] == 4 and held["best"]["metric"] == "eval_exact" and len(held["looks"]) == 2
    assert {"torch", "trl", "transformers"} <= set(held["versions"])
    assert all(len(digest) == 64 for digest in [*held["rows"].values(), held["tokenizer"], held["recipe_digest"]])
    card = (student / "README.md").read_text()
    assert card == student_card(student) and held["bundles"][0] in card and "held out" in card


def test_a_student_holds_no_pickle_and_no_leftover(student: Path) -> None:
    names = {path.name for path in student.rglob("*") if path.is_file()}
    assert not [name for name in names if name.endswith((".bin", ".pt", ".pth", ".pkl"))]
    assert not (student / ".part").exists() and any(name.startswith("events.out.tfevents") for name in names)


def test_the_same_recipe_gives_the_same_student(student: Path, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    again = train(recipe(out=tmp_path / "again"))
    assert weights(again.student) == weights(student)


def test_a_resumed_training_is_bit_identical(student: Path, recipe: Callable[..., Recipe], tmp_path: Path) -> None:
    def stop(_: int, taken: list[int] = []) -> None:  # noqa: B006 - counts steps
        taken.append(1)
        if len(taken) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(recipe(), progress=stop)
    assert (tmp_path / "student/.part/checkpoint-2").is_dir() and not (tmp_path / "student/student.json").exists()
    with pytest.raises(UsageError, match="--resume"):
        train(recipe())
    with pytest.raises(UsageError, match="another recipe"):
        train(recipe(learning_rate=1e-3), resume=True)
    resumed = train(recipe(), resume=True)
    assert resumed.steps == 4 and weights(resumed.student) == weights(student)
    with pytest.raises(UsageError, match="finished student"):
        train(recipe())


def test_adapters_of_a_local_base(
    tiny: Path, recipe: Callable[..., Recipe], tmp_path: Path, synthetic_rows: Path
) -> None:
    from errorhub.training.predict import rows_to_answer
    from errorhub.training.student import by_student

    out = train(recipe(base=str(tiny), lora=Lora(rank=4, alpha=8), max_steps=2)).student
    assert (out / "adapter_model.safetensors").is_file() and not (out / "model.safetensors").exists()
    rows = rows_to_answer(synthetic_rows / "diagnosis_compact/test/rows.parquet")
    assert len(by_student(out, rows[:3], max_new_tokens=3).lines) == 3


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rows": []}, "no rows to learn from"), ({"rows": ["nowhere"]}, "no rows at nowhere"),
        ({"out": None}, "no folder for the student"), ({"kind": "actor"}, "no view for a student of actor"),
        ({"share": 1e-9}, "the train split is empty"), ({"max_length": 20}, "over 20 tokens"),
        ({"base": "/nowhere/at/all"}, "/nowhere/at/all"),
    ],
    ids=["no rows", "no build", "no out", "another kind", "empty", "over budget", "no base"],
)  # fmt: skip
def test_a_recipe_that_cannot_be_followed(changes: dict[str, Any], message: str, recipe: Callable[..., Recipe]) -> None:
    with pytest.raises(UsageError, match=message):
        train(recipe(**changes))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("packing = true", "packing is refused"), ("batch = 3\nper_device = 2", "no multiple"), ("speed = 1", "speed"),
        ("kind = 'poet'", "kind"), ("base = ''", "base"), ("base = 'tiny'\n[lora]", "random weights"), ("a = ", "TOML"),
    ],
    ids=["packing", "batch", "unknown", "kind", "base", "lora", "toml"],
)  # fmt: skip
def test_a_recipe_that_is_none(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_recipe(str(tmp_path / "recipe.toml"))


def test_nothing_to_resume(recipe: Callable[..., Recipe]) -> None:
    with pytest.raises(UsageError, match="no checkpoint"):
        train(recipe(), resume=True)


def test_packaged_recipes_are_valid_and_named_by_their_content(tmp_path: Path) -> None:
    names = ["tiny", "smollm2", "qwen3-8b", "qwen3-8b-gpus", "actor", "preference"]
    read = [read_recipe(name, rows=[tmp_path], out=tmp_path) for name in names]
    assert len({one.digest for one in read}) == len(names)
    assert read[0].digest == read_recipe("tiny").digest != read_recipe("tiny", seed=1).digest
    with pytest.raises(UsageError, match="qwen3-8b"):
        read_recipe("nothing")


def test_a_loss_that_is_no_number_stops(recipe: Callable[..., Recipe]) -> None:
    from errorhub.training.loss import NotFinite

    with pytest.raises(NotFinite, match="at step"):
        train(recipe(learning_rate=1e30, warmup=0.0, schedule="constant_with_warmup", max_steps=12, evaluate_every=12))


def test_a_full_disk_leaves_no_student(synthetic_rows: Path, tmp_path: Path) -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))\n"
        "from errorhub.cli.app import run; sys.exit(run(sys.argv[1:]))"
    )
    (tmp_path / "recipe.toml").write_text("base = 'tiny'\nmax_steps = 1\nbatch = 2")
    arguments = ["--json", "train", tmp_path / "recipe.toml", "--rows", synthetic_rows / "diagnosis_compact", "--out"]
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *map(str, arguments), str(tmp_path / "student")],
        capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"}, timeout=200,
    )  # fmt: skip
    assert done.returncode == 2 and "error" in json.loads(done.stdout), (done.stdout, done.stderr)
    assert not (tmp_path / "student/student.json").exists()


@pytest.mark.slow
def test_two_processes_make_one_student(synthetic_rows: Path, tmp_path: Path) -> None:
    (tmp_path / "recipe.toml").write_text("".join(f"{key} = {value!r}\n" for key, value in SHORT.items()))
    code = "import sys; from errorhub.cli.app import run; sys.exit(run(sys.argv[1:]))"
    arguments = ["--json", "train", "recipe.toml", "--rows", synthetic_rows / "diagnosis_compact", "--out", "student"]
    (tmp_path / "once.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2", "once.py",
         *map(str, arguments)],
        capture_output=True, text=True, cwd=tmp_path, env=os.environ | {"OMP_NUM_THREADS": "1"}, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["steps"] == 4, "one of them speaks"
    held = json.loads((tmp_path / "student/student.json").read_bytes())
    assert len(held["looks"]) == 2 and not (tmp_path / "student/.part").exists()


@pytest.mark.slow
def test_a_tiny_student_learns(tmp_path: Path) -> None:
    """From nothing to four of five unseen runs, on one thread, in about a minute."""
    from errorhub.training.predict import rows_to_answer
    from errorhub.training.student import by_student
    from errorhub.training.synthetic import synthetic
    from errorhub.views import Plan, Shares, build, of_bundles

    build(of_bundles(synthetic(2600)), Plan(("diagnosis_compact",), shares=Shares(89, 2, 9)), tmp_path / "rows")
    view = tmp_path / "rows/diagnosis_compact"
    out = train(read_recipe("tiny", rows=[view], out=tmp_path / "student")).student
    rows = rows_to_answer(view / "test/rows.parquet")[:200]
    gold = {row["example_id"]: row["gold_step"] for row in rows}

    def exact(folder: Path) -> float:
        said = by_student(folder, rows, batch=50, max_new_tokens=24).lines
        return sum(gold[line["id"]] == line["step"] for line in said) / len(gold)

    assert exact(out / "base") == 0
    assert exact(out) >= 0.8


def test_a_command_says_what_it_did(
    synthetic_rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recipe.toml").write_text("".join(f"{key} = {value!r}\n" for key, value in SHORT.items()))
    view = synthetic_rows / "diagnosis_compact"
    code = run_command(["--json", "train", "recipe.toml", "--rows", str(view), "--out", "mine"])
    done = json.loads(capsys.readouterr().out)
    assert code == 0 and done["student"] == "mine" and done["steps"] == 4 and done["loss"] > 0
    rows = view / "test/rows.parquet"
    code = run_command(["--json", "predict", "--student", "mine", "--rows", str(rows), "--out", "mine.jsonl"])
    said = json.loads(capsys.readouterr().out)
    assert code == 0 and said["predicted"] == pq.read_metadata(rows).num_rows
    assert json.loads(Path("mine.jsonl.conditions.json").read_bytes())["thinking"] is False
    code = run_command(["--json", "evaluate", "--gold", str(view / "test/gold.jsonl"), "--predictions", "mine.jsonl"])
    assert code == 0 and "position" in json.loads(capsys.readouterr().out)["baselines"]
