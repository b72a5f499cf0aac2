"""The build as a whole, the verbs of `errorhub views`, the files other trainers read, and bad input."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.cli.app import run as run_command
from errorhub.hub.bundle import Bundle
from errorhub.hub.errors import UsageError
from errorhub.hub.workspace import Workspace
from errorhub.views import VIEWS, Plan, Source, build, of_bundles, read_benchmark, read_rows
from errorhub.views.exports import FORMATS, export
from errorhub.views.sources import of_stage
from errorhub.views.tokens import counter

Command = Callable[..., tuple[int, Any]]


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """Run `errorhub --json …` in an empty folder and return (exit code, document)."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ERRORHUB_CONFIG_DIR", str(tmp_path / "config"))

    def run(*arguments: object) -> tuple[int, Any]:
        capsys.readouterr()
        code = run_command(["--json", *map(str, arguments)])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.fixture
def workspace(tmp_path: Path, made: list[Bundle]) -> Workspace:
    """A workspace whose clean stage holds forty runs."""
    held = Workspace.open(tmp_path / ".errorhub")
    held.clean.put(made)
    return held


def test_the_verbs(command: Command, workspace: Workspace) -> None:
    code, built = command("views", "build", "all", "--out", "rows", "--splits", "60/20/20")
    assert code == 0 and {view: one["rows"] for view, one in built["views"].items()} == dict.fromkeys(VIEWS, 40)
    code, shown = command("views", "show", "rows")
    assert code == 0 and sum(shown["shown"]["diagnosis_full"]["place"]) == 40
    row = next(read_rows(Path("rows/diagnosis_full/train/rows.parquet")))
    code, masked = command("views", "mask", "rows", "--row", row["example_id"][:12])
    assert code == 0 and masked["trained"] == [row["completion"][0]["content"]]
    assert [one["train"] for one in masked["messages"]] == [False, False, True]
    gold = [json.loads(line) for line in Path("rows/diagnosis_full/train/gold.jsonl").read_text().splitlines()]
    assert gold[0] | {"agents": 5} == {
        "id": row["example_id"], "step": 2, "agent": "booker", "task": row["source_task"], "family": row["task_family"],
        "n_steps": 5, "agents": 5, "author": "person",
    }  # fmt: skip
    assert not Path("rows/preference_action/train/gold.jsonl").exists()


def test_rows_load_where_people_load_them(made: list[Bundle], built: Any, tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    polars = pytest.importorskip("polars", reason="needs polars")
    built(made, "diagnosis_full")
    path = tmp_path / "rows/diagnosis_full/train/rows.parquet"
    rows = list(read_rows(path))
    loaded = datasets.load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    assert loaded[0]["prompt"] == rows[0]["prompt"] and len(loaded) == len(rows)
    assert polars.read_parquet(path)["gold_step"].to_list() == [2] * len(rows)


@pytest.mark.parametrize(
    ("form", "keys"),
    [
        ("trl", {"prompt", "completion", "chat_template_kwargs"}), ("messages", {"messages"}),
        ("llamafactory", {"messages"}), ("dpo", {"prompt", "chosen", "rejected"}),
    ],
)  # fmt: skip
def test_exports_hold_one_format_and_only_its_keys(
    form: str, keys: set[str], made: list[Bundle], built: Any, tmp_path: Path
) -> None:
    datasets = pytest.importorskip("datasets", reason="needs datasets")
    built(made)
    paths = export(tmp_path / "rows", form, tmp_path / form)
    files = [path for path in paths if path.name.count(".") == 2]
    assert len(files) >= 3
    for path in files:
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        wanted = (
            {"conversations", "chosen", "rejected"} if form == "llamafactory" and "preference" in path.name else keys
        )
        assert all(set(line) == wanted for line in lines)
        loaded = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
        assert len(loaded) == len(lines)
        beside = path.with_name(path.name.replace(".jsonl", ".provenance.jsonl")).read_text().splitlines()
        assert len(beside) == len(lines) and "prompt" not in json.loads(beside[0])


def test_weights_are_on_the_answer_alone(made: list[Bundle], built: Any, tmp_path: Path) -> None:
    built(made, "recovery_reflect")
    (path, *_) = export(tmp_path / "rows", "messages", tmp_path / "out")
    for line in path.read_text().splitlines():
        *context, answer = json.loads(line)["messages"]
        assert {(one["train"], one["weight"]) for one in context} == {(False, 0)} and answer["weight"] == 1


def test_the_recipe_and_the_register_name_real_files(made: list[Bundle], built: Any, tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml", reason="needs pyyaml")
    built(made)
    recipe = yaml.safe_load(export(tmp_path / "rows", "trl", tmp_path / "trl")[-1].read_text())
    assert Path(recipe["datasets"][0]["data_files"]).is_file() and recipe["max_length"] is None
    register = json.loads(export(tmp_path / "rows", "llamafactory", tmp_path / "lf")[-1].read_text())
    assert all((tmp_path / "lf" / one["file_name"]).is_file() for one in register.values())
    assert register["preference_action_train"]["ranking"] is True


def test_ids_cover_view_bundle_and_diagnosis(made: list[Bundle], built: Any, tmp_path: Path) -> None:
    built(made)
    ids = [row["example_id"] for path in (tmp_path / "rows").glob("*/*/rows.parquet") for row in read_rows(path)]
    assert len(set(ids)) == len(ids) == 40 * len(VIEWS)


def test_a_build_is_the_same_twice(made: list[Bundle], built: Any, tmp_path: Path) -> None:
    built(made)
    first = {p: p.read_bytes() for p in sorted((tmp_path / "rows").rglob("*")) if p.is_file()}
    built(made)
    assert {p: p.read_bytes() for p in sorted((tmp_path / "rows").rglob("*")) if p.is_file()} == first


def test_an_interrupted_build_leaves_the_old_one(made: list[Bundle], built: Any, tmp_path: Path) -> None:
    built(made, "diagnosis_full")
    before = (tmp_path / "rows/diagnosis_full/train/rows.parquet").read_bytes()
    held = of_bundles(made)

    def until_the_disk_is_full() -> Any:
        yield made[0]
        raise OSError(28, "No space left on device")

    source = Source(until_the_disk_is_full, held.rows)
    with pytest.raises(OSError, match="No space"):
        build(source, Plan(("diagnosis_full",)), tmp_path / "rows")
    assert (tmp_path / "rows/diagnosis_full/train/rows.parquet").read_bytes() == before
    assert not (tmp_path / "rows/.part").exists()


def test_steps_are_left_out_until_the_budget_holds(made: list[Bundle], built: Any) -> None:
    report, _ = built(made[:3], "diagnosis_compact", max_length=250)
    small, ledger = built(made[:3], "diagnosis_compact", max_length=20)
    assert (
        report["views"]["diagnosis_compact"]["rows"] + sum(report["views"]["diagnosis_compact"]["refused"].values())
        == 3
    )
    assert small["views"]["diagnosis_compact"]["refused"] == {"A4": 3} and ledger[0]["detail"] == "over_budget"


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (("views", "build", "diagnosis_compact", "--out", "rows"), 2, "no bundle to build from"),
        (("views", "build", "nonsense", "--out", "rows"), 2, "no such view"),
        (("views", "build", "diagnosis_full", "--out", "rows", "--splits", "1/2/3"), 2, "not a split"),
        (
            ("views", "build", "diagnosis_full", "--out", "rows", "--benchmark", "none.json"),
            2,
            "cannot read the benchmark",
        ),
        (("views", "build", "diagnosis_full", "--out", "rows", "--tokenizer", "none"), 2, "no tokenizer"),
        (("views", "show", "nowhere"), 2, "no finished build"),
        (("views", "mask", "nowhere", "--row", "12345678"), 2, "no finished build"),
        (("views", "export", "nowhere", "--format", "trl", "--out", "x"), 2, "no finished build"),
        (("views", "export", "nowhere", "--format", "csv", "--out", "x"), 2, "no such format"),
    ],
    ids=str,
)
def test_bad_input_is_said(arguments: tuple[str, ...], code: int, word: str, command: Command) -> None:
    found, document = command(*arguments)
    assert (found, word in document["error"]["message"]) == (code, True), document


def test_all_refused_is_exit_one(command: Command, tmp_path: Path, make: Callable[..., Bundle]) -> None:
    Workspace.open(tmp_path / ".errorhub").clean.put([make(0, certify=False)])
    code, document = command("views", "build", "diagnosis_full", "--out", "rows")
    assert code == 1 and document["views"]["diagnosis_full"]["refused"] == {"A12": 1}
    assert any("empty" in one for one in document["warnings"])
    assert command("views", "export", "rows", "--format", "trl", "--out", "x")[0] == 2


@pytest.mark.parametrize("text", ["", "{}", "too short"], ids=["empty", "object", "short"])
def test_a_benchmark_of_nothing_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text(text)
    with pytest.raises(UsageError, match="holds no id"):
        read_benchmark(tmp_path / "b.txt")


def test_a_benchmark_of_any_shape(tmp_path: Path) -> None:
    (tmp_path / "b.jsonl").write_text(
        '{"task_id": 7, "q": "one two three four five six seven eight nine"}\nplain words\n'
    )
    found = read_benchmark(tmp_path / "b.jsonl")
    assert (found.name, found.ids, len(found.grams)) == ("b", {"7"}, 2)


def test_a_tokenizer_counts_once(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="needs tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel({"a": 0, "[UNK]": 1}, unk_token="[UNK]"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    count = counter(tmp_path)
    assert count.count("a a b") == 3 and len(count.name) == 64
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(UsageError, match="not a tokenizer"):
        counter(tmp_path)


def test_formats_are_the_documented_ones() -> None:
    assert set(FORMATS) == {"trl", "messages", "llamafactory", "dpo"}


def test_more_processes_change_nothing(workspace: Workspace, tmp_path: Path) -> None:
    read = []
    for jobs in (1, 2):
        build(of_stage(workspace.clean), Plan(VIEWS, jobs=jobs), tmp_path / str(jobs))
        files = sorted(path for path in (tmp_path / str(jobs)).rglob("*") if path.is_file())
        read.append({str(path.relative_to(tmp_path / str(jobs))): path.read_bytes() for path in files})
    assert read[0] == read[1] and len(read[0]) > 30
