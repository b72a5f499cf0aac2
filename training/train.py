"""Fine-tune a student from a recipe, resumably; the result is a folder that says what it was made of.

While it trains, checkpoints and what the training began with lie in STUDENT/.part. It goes when the student is
finished, and every pickle with it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from errorhub.hub.durable import write_file
from errorhub.hub.errors import UsageError
from errorhub.hub.extras import extra
from errorhub.training.bases import smollm2_base, tiny_base
from errorhub.training.dataset import Lessons, encoded, read_lessons, texts_of
from errorhub.training.libraries import processes, quiet
from errorhub.training.manifest import manifest, student_card
from errorhub.training.recipe import Recipe
from errorhub.training.student import MANIFEST
from errorhub.views.encoding import load_tokenizer

PART: Final = ".part"
_PICKLES: Final = ("*.bin", "*.pt", "*.pth", "*.pkl")

Progress = Callable[[int], None]


@dataclass(frozen=True)
class Trained:
    """How a training ended."""

    student: Path
    steps: int
    loss: float
    document: dict[str, Any]
    """Its manifest."""
    first: bool = True
    """Whether this process is the one that writes; false in the others of several."""


def train(recipe: Recipe, *, resume: bool = False, progress: Progress = lambda _: None) -> Trained:
    """Train a student and return where it lies. Raise UsageError for a recipe that cannot be followed.

    `resume` continues from the last checkpoint of the same recipe over the same rows, bit by bit as if never stopped.
    """
    for name in (
        "torch",
        "transformers",
        "trl",
        "accelerate",
        "tensorboard",
        "datasets",
        *(("peft",) if recipe.lora else ()),
    ):
        extra(name, feature="training", name="train")
    quiet()
    if recipe.out is None:
        raise UsageError("no folder for the student. Name one with `out` in the recipe, or --out.")
    lessons = read_lessons(recipe)
    part = _begin(recipe, recipe.out, lessons, resume)
    from errorhub.training.optimise import Training, fit_preference, fit_student

    with processes().main_process_first(), _writing(recipe.out):
        base = _base(recipe, recipe.out, lessons)
    tokenizer = load_tokenizer(base, recipe.template)
    rows = encoded(lessons, tokenizer, recipe.max_length)
    fit = fit_preference if recipe.kind == "preference" else fit_student
    with _writing(recipe.out):
        trainer = fit(Training(recipe, base, tokenizer, lessons, rows, part, resume, progress))
    loss = float(trainer.state.log_history[-1].get("train_loss", 0.0)) if trainer.state.log_history else 0.0
    document = manifest(recipe, tokenizer, lessons, trainer, loss)
    if trainer.is_world_process_zero():
        with _writing(recipe.out):
            _finish(recipe.out, part, trainer, tokenizer, document)
    return Trained(recipe.out, trainer.state.global_step, loss, document, bool(trainer.is_world_process_zero()))


def _begin(recipe: Recipe, out: Path, lessons: Lessons, resume: bool) -> Path:
    """Open the folder of a training. Raise UsageError unless it is new, or the one that is to be resumed."""
    part = out / PART
    if (out / MANIFEST).is_file():
        raise UsageError(f"{out} holds a finished student. Choose another folder with --out.")
    begun = {"recipe": recipe.digest, "rows": lessons.hashes}
    held = json.loads((part / "begun.json").read_bytes()) if (part / "begun.json").is_file() else None
    if resume and not list(part.glob("checkpoint-*")):
        raise UsageError(f"no checkpoint to resume from in {part}. Train without --resume.")
    if resume and held != begun:
        raise UsageError(f"{out} was begun with another recipe or other rows. Use those, or another --out.")
    if held is not None and not resume and list(part.glob("checkpoint-*")):
        raise UsageError(f"a training was interrupted in {out}. Continue it with --resume, or remove {part}.")
    if not resume and processes().is_main_process:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        write_file(part / "begun.json", json.dumps(begun).encode())
    return part


def _base(recipe: Recipe, out: Path, lessons: Lessons) -> str:
    """Return where the base is, made first when it needs no download."""
    if recipe.base == "tiny":
        made = out / "base"
        if not (made / "model.safetensors").is_file():
            tiny_base(made, texts_of(lessons.train), seed=recipe.seed)
        return str(made)
    return str(smollm2_base(out.parent / "bases" / "smollm2-135m")) if recipe.base == "smollm2" else recipe.base


def _finish(out: Path, part: Path, trainer: Any, tokenizer: Any, document: dict[str, Any]) -> None:
    """Move the student into place without a pickle; the manifest comes last."""
    final = part / "final"
    trainer.save_model(str(final))
    tokenizer.save_pretrained(final)
    for pattern in _PICKLES:
        for path in final.rglob(pattern):
            path.unlink()
    for path in final.iterdir():
        path.replace(out / path.name)
    write_file(out / "README.md", student_card(out, document).encode())
    shutil.rmtree(part)
    write_file(out / MANIFEST, json.dumps(document, ensure_ascii=False, indent=1).encode())


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Turn the ways in which model libraries say that a disk is full into one."""
    error = extra("safetensors", feature="training", name="train").SafetensorError
    try:
        yield
    except (error, RuntimeError) as problem:
        if isinstance(problem, RuntimeError) and "PytorchStreamWriter" not in str(problem):
            raise
        raise UsageError(f"cannot write to {out}: {problem}. Make room, then use --resume.") from None
