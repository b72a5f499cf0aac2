"""What a student was made of and how, as a document; and the card that says it to people."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from errorhub.cards import Student, student_readme
from errorhub.training.dataset import Lessons
from errorhub.training.recipe import Recipe
from errorhub.training.student import SCHEMA, read_student
from errorhub.views.encoding import tokenizer_digest

_PACKAGES: Final = ("agent-error-hub", "torch", "transformers", "trl", "peft", "accelerate", "tokenizers", "datasets")


def manifest(recipe: Recipe, tokenizer: Any, lessons: Lessons, trainer: Any, loss: float) -> dict[str, Any]:
    """Return the manifest of a finished training."""
    state = trainer.state
    looks = [entry for entry in state.log_history if "eval_loss" in entry]
    return {
        "schema": SCHEMA,
        "kind": recipe.kind, "experimental": recipe.kind == "preference",
        "recipe": recipe.model_dump(mode="json"), "recipe_digest": recipe.digest, "seed": recipe.seed,
        "base": Path(recipe.base).name if Path(recipe.base).exists() else recipe.base,
        "rows": lessons.hashes, "tokenizer": tokenizer_digest(tokenizer),
        "n_train": len(lessons.train), "n_val": len(lessons.val), "refused": dict(sorted(lessons.refused.items())),
        "steps": state.global_step, "loss": round(loss, 6),
        "best": {
            "metric": trainer.args.metric_for_best_model, "value": state.best_metric, "step": state.best_global_step,
        } if looks and trainer.args.load_best_model_at_end else None,
        "looks": [
            {key: entry[key] for key in ("step", "eval_loss", "eval_exact", "eval_parsed") if key in entry}
            for entry in looks
        ],
        "versions": {name: found for name in _PACKAGES if (found := _version(name))},
        **lessons.used,
    }  # fmt: skip


def student_card(folder: Path, document: dict[str, Any] | None = None) -> str:
    """Return the card of a student's folder. Raise UsageError when there is no finished student."""
    held = document or read_student(folder)
    return student_readme(Student.of(folder.resolve().name, held))


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
