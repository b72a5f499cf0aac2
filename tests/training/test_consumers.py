"""Exports in the hands of those they are for: TRL's own script and trainers, our trainers of actors and preferences."""

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from errorhub.training import Recipe, train
from errorhub.views.encoding import IGNORE, encode, load_tokenizer
from errorhub.views.exports import export

torch = pytest.importorskip("torch", reason="needs the train extra")
trl = pytest.importorskip("trl", reason="needs the train extra")
datasets = pytest.importorskip("datasets", reason="needs the views extra")
torch.set_num_threads(1)

DRY = {
    "max_steps": 1, "per_device_train_batch_size": 2, "use_cpu": True, "bf16": False, "activation_checkpointing": False,
    "report_to": "none", "save_strategy": "no", "disable_tqdm": True, "dataloader_pin_memory": False,
}  # fmt: skip


def lines(path: Path) -> list[dict[str, Any]]:
    """Every object of a file of lines."""
    return [json.loads(line) for line in path.read_text().splitlines()]


def rows_of(view: Path, split: str = "train") -> list[dict[str, Any]]:
    """Every row of a split of a view."""
    rows: list[dict[str, Any]] = pq.read_table(view / split / "rows.parquet").to_pylist()
    return rows


def test_trl_sft_takes_the_ready_configuration(synthetic_rows: Path, tiny: Path, tmp_path: Path) -> None:
    from trl.scripts.sft import main, make_parser

    config = next(path for path in export(synthetic_rows, "trl", tmp_path / "trl") if path.name == "sft.yaml")
    dry = [f"--{name}={value}" for name, value in DRY.items()]
    arguments = [
        "--config",
        str(config),
        "--model_name_or_path",
        str(tiny),
        "--output_dir",
        str(tmp_path / "out"),
        *dry,
    ]
    script, training, model, mixture = make_parser().parse_args_and_config(arguments, fail_with_unknown_args=False)
    assert training.max_length is None and model.use_peft and not training.packing
    main(script, training, model, mixture)
    assert (tmp_path / "out/adapter_model.safetensors").is_file()


def test_trl_masks_a_row_as_we_do(synthetic_rows: Path, tiny: Path, tmp_path: Path) -> None:
    paths = export(synthetic_rows, "trl", tmp_path / "trl")
    path = next(path for path in paths if path.name == "diagnosis_full.train.jsonl")
    table = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    tokenizer = load_tokenizer(tiny)
    trainer = trl.SFTTrainer(
        model=str(tiny), args=trl.SFTConfig(output_dir=str(tmp_path / "out"), max_length=None, **DRY),
        train_dataset=table, processing_class=tokenizer,
    )  # fmt: skip
    blank = tokenizer("\n", add_special_tokens=False)["input_ids"]
    rows = rows_of(synthetic_rows / "diagnosis_full")
    for row, theirs in zip(rows, trainer.train_dataset, strict=True):
        ours = encode(tokenizer, row["prompt"], row["completion"])
        assert theirs["input_ids"] == [*ours.input_ids, *blank], "theirs has the line break after the end of the turn"
        assert theirs["labels"] == [*ours.labels, *blank]


def test_sft_takes_tokenized_rows_as_they_are(synthetic_rows: Path, tiny: Path, tmp_path: Path) -> None:
    paths = export(synthetic_rows, "tokenized", tmp_path / "ids", tokenizer=tiny)
    path = next(path for path in paths if path.name == "diagnosis_compact.train.jsonl")
    assert set(lines(path)[0]) == {"input_ids", "labels"}
    assert len(json.loads((tmp_path / "ids/tokenizer.json").read_bytes())["tokenizer"]) == 64
    table = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    trainer = trl.SFTTrainer(
        model=str(tiny), args=trl.SFTConfig(output_dir=str(tmp_path / "out"), max_length=None, **DRY),
        train_dataset=table, processing_class=load_tokenizer(tiny),
    )  # fmt: skip
    assert [one["labels"] for one in trainer.train_dataset] == [one["labels"] for one in lines(path)]
    assert trainer.train().global_step == 1


def test_every_target_is_whole_when_decoded(synthetic_rows: Path, replayed_rows: Path, tiny: Path) -> None:
    tokenizer = load_tokenizer(tiny)
    seen = 0
    for view in [*synthetic_rows.glob("diagnosis_*"), *replayed_rows.glob("recovery_*")]:
        for row in rows_of(view):
            made = encode(tokenizer, row["prompt"], row["completion"])
            assert tokenizer.decode(made.target) == row["completion"][0]["content"] + tokenizer.eos_token
            context = [token for token, label in zip(made.input_ids, made.labels, strict=True) if label == IGNORE]
            shown = tokenizer.decode(context)
            assert all(message["content"] in shown for message in row["prompt"])
            assert shown.endswith("<|im_start|>assistant\n<think>\n\n</think>\n\n")
            seen += 1
    assert seen > 150


def test_dpo_takes_pairs(replayed_rows: Path, tiny: Path, tmp_path: Path) -> None:
    paths = export(replayed_rows, "dpo", tmp_path / "dpo")
    path = next(path for path in paths if path.name == "preference_action.train.jsonl")
    table = datasets.load_dataset("json", data_files=str(path), split="train", cache_dir=str(tmp_path / "cache"))
    trainer = trl.DPOTrainer(
        model=str(tiny), args=trl.DPOConfig(output_dir=str(tmp_path / "out"), max_length=None, **DRY),
        train_dataset=table, processing_class=load_tokenizer(tiny),
    )  # fmt: skip
    assert trainer.train().global_step == 1


@pytest.mark.parametrize(
    ("kind", "view", "lora"),
    [("actor", "recovery_preventive", None), ("preference", "preference_action", {"rank": 4, "alpha": 8}),
     ("preference", "preference_action", None)],
    ids=["actor", "preference by adapters", "preference"],
)  # fmt: skip
def test_students_of_replays(kind: Any, view: str, lora: Any, replayed_rows: Path, tiny: Path, tmp_path: Path) -> None:
    recipe = Recipe.model_validate({
        "kind": kind, "base": str(tiny), "rows": [replayed_rows / view], "out": tmp_path / "student", "max_steps": 2,
        "batch": 4, "per_device": 2, "lora": lora, "evaluate_every": 1,
    })  # fmt: skip
    made = train(recipe)
    assert made.steps == 2 and made.document["best"]["metric"] == "eval_loss"
    assert made.document["experimental"] is (kind == "preference")
    assert ("Experimental" in (tmp_path / "student/README.md").read_text()) is (kind == "preference")
