"""The optimisation itself, by TRL. Only imported where training happens: it loads torch and TRL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers.integrations import TensorBoardCallback
from trl import DPOConfig, DPOTrainer, SFTConfig

from errorhub.hub.errors import UsageError
from errorhub.training.answers import prediction
from errorhub.training.dataset import Lessons
from errorhub.training.extras import extra
from errorhub.training.generate import generate
from errorhub.training.loss import DiagnosisTrainer, StudentTrainer
from errorhub.training.recipe import Recipe
from errorhub.views.encoding import Encoded, prompt_text

Progress = Callable[[int], None]
Rows = tuple[list[Encoded], list[Encoded]]


def fit_student(
    recipe: Recipe,
    base: str,
    tokenizer: Any,
    lessons: Lessons,
    rows: Rows,
    part: Path,
    resume: bool,
    progress: Progress,
) -> Any:
    """Train on encoded rows and return the trainer, the best checkpoint loaded."""
    train, val = (_table([{"input_ids": one.input_ids, "labels": one.labels} for one in half]) for half in rows)
    judged = bool(rows[1]) and recipe.kind == "diagnosis"
    metric = "eval_exact" if judged else "eval_loss"
    config = SFTConfig(
        **_settings(recipe, part, metric if rows[1] else None), max_length=None, packing=False,
        dataset_kwargs={"skip_prepare_dataset": True},
    )  # fmt: skip
    kind = DiagnosisTrainer if recipe.kind == "diagnosis" else StudentTrainer
    trainer = kind(
        model=load_model(recipe, base), args=config, train_dataset=train, eval_dataset=val if rows[1] else None,
        processing_class=tokenizer, peft_config=_adapters(recipe),
    )  # fmt: skip
    trainer.judge = judge(recipe, tokenizer, lessons.val) if judged else None
    return _run(trainer, recipe, part, resume, progress, early=bool(rows[1]))


def fit_preference(
    recipe: Recipe,
    base: str,
    tokenizer: Any,
    lessons: Lessons,
    rows: Rows,
    part: Path,
    resume: bool,
    progress: Progress,
) -> Any:
    """Train on pairs of actions by DPO and return the trainer. Experimental."""
    sides = {"prompt": "prompt", "chosen": "completion", "rejected": "rejected"}
    train, val = (
        _table([{name: _said(row[side]) for name, side in sides.items()} | _quiet() for row in half])
        for half in (lessons.train, lessons.val)
    )
    config = DPOConfig(
        **_settings(recipe, part, "eval_loss" if lessons.val else None), max_length=None, beta=recipe.beta
    )
    reference = None if recipe.lora else load_model(recipe, base)
    trainer = DPOTrainer(
        model=load_model(recipe, base), ref_model=reference, args=config, train_dataset=train,
        eval_dataset=val if lessons.val else None, processing_class=tokenizer, peft_config=_adapters(recipe),
    )  # fmt: skip
    return _run(trainer, recipe, part, resume, progress, early=bool(lessons.val))


def load_model(recipe: Recipe, base: str) -> Any:
    """Load the base of a recipe. Raise UsageError when it is not there."""
    dtype = torch.bfloat16 if recipe.precision == "bf16" and recipe.lora else torch.float32
    try:
        return transformers.AutoModelForCausalLM.from_pretrained(base, dtype=dtype)
    except (OSError, ValueError) as problem:
        raise UsageError(f"cannot load the base {base}: {str(problem).splitlines()[0]}") from None


def judge(recipe: Recipe, tokenizer: Any, val: Sequence[dict[str, Any]]) -> Callable[[Any], dict[str, float]]:
    """Return a function that scores a model on validation rows: exact step and readable answers."""
    texts = [prompt_text(tokenizer, row["prompt"]) for row in val]
    gold = [int(row["gold_step"]) for row in val]

    def look(model: Any) -> dict[str, float]:
        said = generate(model, tokenizer, texts, max_new_tokens=recipe.max_new_tokens, batch=max(8, recipe.per_device))
        steps = [prediction({"id": "", "step": None, "text": text}).step for text in said]
        exact = sum(step == right for step, right in zip(steps, gold, strict=True))
        return {"eval_exact": exact / len(gold), "eval_parsed": sum(step is not None for step in steps) / len(gold)}

    return look


def _settings(recipe: Recipe, part: Path, metric: str | None) -> dict[str, Any]:
    """Return what all trainers are told: batches, schedule, seeds, when to look and what to keep."""
    on_gpu = torch.cuda.is_available()
    pace = {"strategy": "steps", "steps": recipe.evaluate_every} if recipe.evaluate_every else {"strategy": "epoch"}
    looks = {f"eval_{name}": one for name, one in pace.items()} if metric else {"eval_strategy": "no"}
    best = {"load_best_model_at_end": True, "metric_for_best_model": metric, "greater_is_better": metric != "eval_loss"}
    return {
        "output_dir": str(part), "num_train_epochs": recipe.epochs, "max_steps": recipe.max_steps or -1,
        "per_device_train_batch_size": recipe.per_device, "per_device_eval_batch_size": recipe.per_device,
        "gradient_accumulation_steps": _accumulation(recipe), "learning_rate": recipe.learning_rate,
        "lr_scheduler_type": recipe.schedule, "warmup_steps": recipe.warmup, "use_cpu": not on_gpu,
        "bf16": recipe.precision == "bf16", "activation_checkpointing": recipe.activation_checkpointing,
        "seed": recipe.seed, "data_seed": recipe.seed, "report_to": "none", "logging_steps": 10,
        "logging_first_step": True, "logging_nan_inf_filter": False, "disable_tqdm": True, "save_total_limit": 2,
        "dataloader_pin_memory": on_gpu, **looks, **{f"save_{name}": one for name, one in pace.items()},
        **(best if metric else {}),
    }  # fmt: skip


def _accumulation(recipe: Recipe) -> int:
    world = int(extra("accelerate", feature="training", name="train").PartialState().num_processes)
    each, rest = divmod(recipe.batch, recipe.per_device * world)
    if rest or not each:
        raise UsageError(f"batch {recipe.batch} is no multiple of {recipe.per_device} rows on {world} devices.")
    return each


def _run(trainer: Any, recipe: Recipe, part: Path, resume: bool, progress: Progress, *, early: bool) -> Any:
    for quiet in (transformers.trainer_callback.PrinterCallback, transformers.trainer_callback.ProgressCallback):
        trainer.remove_callback(quiet)
    writer = extra("torch.utils.tensorboard", feature="curves", name="train").SummaryWriter(part.parent / "log")
    trainer.add_callback(TensorBoardCallback(writer))
    trainer.add_callback(_Advance(progress))
    if recipe.patience and early:
        trainer.add_callback(transformers.EarlyStoppingCallback(recipe.patience))
    last = transformers.trainer_utils.get_last_checkpoint(str(part)) if resume else None
    trainer.train(resume_from_checkpoint=last)
    writer.close()
    return trainer


class _Advance(transformers.TrainerCallback):  # type: ignore[misc]
    """Tells somebody that a step is done."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._progress(1)


def _adapters(recipe: Recipe) -> Any:
    if recipe.lora is None:
        return None
    lora = recipe.lora
    targets = lora.targets if isinstance(lora.targets, str) else list(lora.targets)
    return extra("peft", feature="adapters", name="train").LoraConfig(
        r=lora.rank, lora_alpha=lora.alpha, lora_dropout=lora.dropout, target_modules=targets, task_type="CAUSAL_LM"
    )


def _table(rows: list[dict[str, Any]]) -> Any:
    return extra("datasets", feature="training", name="train").Dataset.from_list(rows)


def _said(messages: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"role": one["role"], "content": one["content"]} for one in messages]


def _quiet() -> dict[str, Any]:
    return {"chat_template_kwargs": {"enable_thinking": False}}
