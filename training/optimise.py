"""The optimisation itself, by TRL. Only imported where training happens: it loads torch and TRL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import datasets
import torch
import transformers
from accelerate.utils import gather_object
from torch.utils.tensorboard import SummaryWriter
from transformers.integrations import TensorBoardCallback
from trl import DPOConfig, DPOTrainer, SFTConfig

from errorhub.hub.errors import UsageError
from errorhub.hub.extras import extra
from errorhub.training.answers import prediction
from errorhub.training.dataset import Lessons
from errorhub.training.generate import generate
from errorhub.training.libraries import processes
from errorhub.training.loss import DiagnosisTrainer, StudentTrainer
from errorhub.training.recipe import Recipe
from errorhub.views.encoding import Encoded, prompt_text

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Training:
    """Everything that is settled before the first step."""

    recipe: Recipe
    base: str
    """Folder or name of the base."""
    tokenizer: Any
    lessons: Lessons
    rows: tuple[list[Encoded], list[Encoded]]
    """The lessons encoded, to learn from and to look at."""
    part: Path
    """Folder of checkpoints."""
    resume: bool
    progress: Progress

    @property
    def looks(self) -> bool:
        """Whether there is a validation split to choose the best checkpoint by."""
        return bool(self.lessons.val)


def fit_student(training: Training) -> Any:
    """Train on encoded rows and return the trainer, the best checkpoint loaded."""
    recipe = training.recipe
    train, val = (
        _table([{"input_ids": one.input_ids, "labels": one.labels} for one in half]) for half in training.rows
    )
    judged = training.looks and recipe.kind == "diagnosis"
    config = SFTConfig(
        **_settings(training, "eval_exact" if judged else "eval_loss"), max_length=None, packing=False,
        dataset_kwargs={"skip_prepare_dataset": True},
    )  # fmt: skip
    kind = DiagnosisTrainer if recipe.kind == "diagnosis" else StudentTrainer
    trainer = kind(
        model=load_model(recipe, training.base), args=config, train_dataset=train,
        eval_dataset=val if training.looks else None, processing_class=training.tokenizer,
        peft_config=_adapters(recipe),
    )  # fmt: skip
    trainer.judge = judge(recipe, training.tokenizer, training.lessons.val) if judged else None
    return _run(trainer, training)


def fit_preference(training: Training) -> Any:
    """Train on pairs of actions by DPO and return the trainer. Experimental."""
    recipe, lessons = training.recipe, training.lessons
    sides = {"prompt": "prompt", "chosen": "completion", "rejected": "rejected"}
    train, val = (
        _table([{name: _said(row[side]) for name, side in sides.items()} | _quiet() for row in half])
        for half in (lessons.train, lessons.val)
    )
    trainer = DPOTrainer(
        model=load_model(recipe, training.base),
        ref_model=None if recipe.lora else load_model(recipe, training.base),
        args=DPOConfig(**_settings(training, "eval_loss"), max_length=None, beta=recipe.beta), train_dataset=train,
        eval_dataset=val if training.looks else None, processing_class=training.tokenizer,
        peft_config=_adapters(recipe),
    )  # fmt: skip
    return _run(trainer, training)


def load_model(recipe: Recipe, base: str) -> Any:
    """Load the base of a recipe. Raise UsageError when it is not there."""
    if recipe.base == "tiny":
        torch.set_num_threads(1)  # a model this small only waits for its threads
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
        batch = max(8, recipe.per_device)
        with processes().split_between_processes(list(range(len(gold)))) as mine:
            asked = [texts[place] for place in mine]
            said = generate(model, tokenizer, asked, max_new_tokens=recipe.max_new_tokens, batch=batch)
            steps = [prediction({"id": "", "step": None, "text": text}).step for text in said]
            found = [(step == gold[place], step is not None) for place, step in zip(mine, steps, strict=True)]
        every = gather_object(found)
        exact, parsed = (sum(column) / len(gold) for column in zip(*every, strict=True))
        return {"eval_exact": exact, "eval_parsed": parsed}

    return look


def _settings(training: Training, metric: str) -> dict[str, Any]:
    """Return what all trainers are told: batches, schedule, seeds, when to look and what to keep."""
    recipe = training.recipe
    on_gpu = torch.cuda.is_available()
    pace = {"strategy": "steps", "steps": recipe.evaluate_every} if recipe.evaluate_every else {"strategy": "epoch"}
    looks = {f"eval_{name}": one for name, one in pace.items()} if training.looks else {"eval_strategy": "no"}
    best = {"load_best_model_at_end": True, "metric_for_best_model": metric, "greater_is_better": metric != "eval_loss"}
    return {
        "output_dir": str(training.part), "num_train_epochs": recipe.epochs, "max_steps": recipe.max_steps or -1,
        "per_device_train_batch_size": recipe.per_device, "per_device_eval_batch_size": recipe.per_device,
        "gradient_accumulation_steps": _accumulation(recipe), "learning_rate": recipe.learning_rate,
        "lr_scheduler_type": recipe.schedule, "warmup_steps": recipe.warmup, "use_cpu": not on_gpu,
        "bf16": recipe.precision == "bf16", "activation_checkpointing": recipe.activation_checkpointing,
        "seed": recipe.seed, "data_seed": recipe.seed, "report_to": "none", "logging_steps": 10,
        "logging_first_step": True, "logging_nan_inf_filter": False, "disable_tqdm": True, "log_level": "error",
        "ddp_find_unused_parameters": False, "save_total_limit": 2,
        "dataloader_pin_memory": on_gpu, **looks, **{f"save_{name}": one for name, one in pace.items()},
        **(best if training.looks else {}),
    }  # fmt: skip


def _accumulation(recipe: Recipe) -> int:
    world = int(processes().num_processes)
    each, rest = divmod(recipe.batch, recipe.per_device * world)
    if rest or not each:
        raise UsageError(f"batch {recipe.batch} is no multiple of {recipe.per_device} rows on {world} devices.")
    return each


def _run(trainer: Any, training: Training) -> Any:
    for quiet in (transformers.trainer_callback.PrinterCallback, transformers.trainer_callback.ProgressCallback):
        trainer.remove_callback(quiet)
    writer = SummaryWriter(training.part.parent / "log") if trainer.is_world_process_zero() else None
    trainer.add_callback(TensorBoardCallback(writer))
    trainer.add_callback(_Advance(training.progress))
    if training.recipe.patience and training.looks:
        trainer.add_callback(transformers.EarlyStoppingCallback(training.recipe.patience))
    last = transformers.trainer_utils.get_last_checkpoint(str(training.part)) if training.resume else None
    trainer.train(resume_from_checkpoint=last)
    if writer:
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
    return datasets.Dataset.from_list(rows)


def _said(messages: Sequence[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"role": one["role"], "content": one["content"]} for one in messages]


def _quiet() -> dict[str, Any]:
    return {"chat_template_kwargs": {"enable_thinking": False}}
