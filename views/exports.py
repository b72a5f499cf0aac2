"""Rows for other people's trainers. One file holds one format and only its keys; provenance stands beside it.

| format         | keys of a line                                  | read by                                   |
|----------------|-------------------------------------------------|-------------------------------------------|
| `trl`          | prompt, completion, chat_template_kwargs        | TRL: `trl sft --config sft.yaml`          |
| `messages`     | messages with `train` and `weight` each         | axolotl (field `train`), verl, OpenAI     |
| `llamafactory` | messages, or conversations with chosen/rejected | LLaMA-Factory, by `dataset_info.json`     |
| `dpo`          | prompt, chosen, rejected; Together's keys beside | TRL DPO, Together. Experimental: AED's    |
|                |                                                 | pilot found no benefit for recovery       |
| `tokenized`    | input_ids, labels                               | any trainer, for one tokenizer            |
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from errorhub.hub.errors import UsageError
from errorhub.views.parts import parts, write_lines
from errorhub.views.tokenized import export_tokenized

Row = dict[str, Any]
_SPEAKERS: Final = {"role_tag": "role", "content_tag": "content", "user_tag": "user", "assistant_tag": "assistant"}


def export(folder: Path, form: str, out: Path, *, tokenizer: Path | str | None = None) -> list[Path]:
    """Write every view of a build in a format and return the files. Raise UsageError when it has none of that kind."""
    if form == "tokenized":
        return export_tokenized(folder, tokenizer, out)
    if form not in FORMATS:
        raise UsageError(f"no such format: {form}. Use {', '.join(FORMATS)} or tokenized.")
    paths: list[Path] = []
    for view, split, rows in parts(folder):
        preference = view == "preference_action"
        if preference != (form == "dpo") and form != "llamafactory":
            continue
        paths += _write(out, f"{view}.{split}", rows, FORMATS[form], form)
    if not paths:
        raise UsageError(f"{folder} holds no row that can be written as {form}.", hint=f"errorhub views show {folder}")
    if form == "trl":
        paths.append(_recipe(out, paths))
    if form == "llamafactory":
        paths.append(_info(out, paths))
    return paths


def _write(out: Path, name: str, rows: list[Row], shape: Callable[[Row], Row], form: str) -> list[Path]:
    out.mkdir(parents=True, exist_ok=True)
    paths = [write_lines(out / f"{name}.jsonl", map(shape, rows))]
    if form == "dpo":
        paths.append(write_lines(out / f"{name}.together.jsonl", map(_together, rows)))
    kept = [
        {key: value for key, value in row.items() if key not in ("prompt", "completion", "rejected")} for row in rows
    ]
    return [*paths, write_lines(out / f"{name}.provenance.jsonl", kept)]


def _plain(messages: list[Row]) -> list[Row]:
    return [{"role": one["role"], "content": one["content"]} for one in messages]


def _trl(row: Row) -> Row:
    thinking = {"enable_thinking": False}
    return {
        "prompt": _plain(row["prompt"]), "completion": _plain(row["completion"]), "chat_template_kwargs": thinking
    }  # fmt: skip


def _messages(row: Row) -> Row:
    every = [*row["prompt"], *row["completion"]]
    return {"messages": [one | {"weight": int(one["train"])} for one in every]}


def _llamafactory(row: Row) -> Row:
    if not row["rejected"]:
        return {"messages": _plain([*row["prompt"], *row["completion"]])}
    return {
        "conversations": _plain(row["prompt"]),
        "chosen": _plain(row["completion"])[0],
        "rejected": _plain(row["rejected"])[0],
    }


def _dpo(row: Row) -> Row:
    return {
        "prompt": _plain(row["prompt"]), "chosen": _plain(row["completion"]), "rejected": _plain(row["rejected"])
    }  # fmt: skip


def _together(row: Row) -> Row:
    return {
        "input": {"messages": _plain(row["prompt"])}, "preferred_output": _plain(row["completion"]),
        "non_preferred_output": _plain(row["rejected"]),
    }  # fmt: skip


def _recipe(out: Path, paths: list[Path]) -> Path:
    """Write a configuration that `trl sft --config` reads; rows were fitted already, so nothing is cut."""
    train = next((path for path in paths if path.name.endswith(".train.jsonl")), paths[0])
    lines = (
        "model_name_or_path: Qwen/Qwen3-8B", f"dataset_name: {out.resolve()}", "datasets:", "  - path: json",
        f"    data_files: {train.resolve()}", "    split: train", "completion_only_loss: true", "packing: false",
        "max_length: null", "use_peft: true", "lora_r: 16", "lora_alpha: 32", "lora_target_modules: all-linear",
        "learning_rate: 1.0e-4", "num_train_epochs: 3", "output_dir: student", "seed: 0",
    )  # fmt: skip
    path = out / "sft.yaml"
    path.write_text("\n".join(line for line in lines if not line.startswith("dataset_name")) + "\n", encoding="utf-8")
    return path


def _info(out: Path, paths: list[Path]) -> Path:
    known = {}
    for path in paths:
        if path.name.endswith(".provenance.jsonl"):
            continue
        ranking = path.name.startswith("preference_action")
        columns = (
            {"messages": "conversations", "chosen": "chosen", "rejected": "rejected"}
            if ranking
            else {"messages": "messages"}
        )
        entry = {
            "file_name": path.name,
            "formatting": "sharegpt",
            "columns": columns,
            "tags": _SPEAKERS | {"system_tag": "system"},
        }
        known[path.name.removesuffix(".jsonl").replace(".", "_")] = entry | ({"ranking": True} if ranking else {})
    path = out / "dataset_info.json"
    path.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return path


FORMATS: Final[dict[str, Callable[[Row], Row]]] = {
    "trl": _trl, "messages": _messages, "llamafactory": _llamafactory, "dpo": _dpo,
}  # fmt: skip
"""Format -> shape of its line. Tokenized rows need a tokenizer as well."""
