"""A student's folder: weights or adapters, tokenizer, recipe, a card, and `student.json`, which is written last.

STUDENT/student.json   what it was made of and how; while it is missing the student is not finished
STUDENT/README.md      its card
STUDENT/log/           curves for TensorBoard
STUDENT/base/          the untrained base, where it was made on the spot
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from errorhub.hub.errors import RecordError, UsageError
from errorhub.hub.extras import extra
from errorhub.training.libraries import quiet
from errorhub.training.predict import Predicted, Row, answered
from errorhub.views.encoding import ids_of, load_tokenizer, prompt_text, tokenizer_digest

SCHEMA: Final = "errorhub.student/1"
MANIFEST: Final = "student.json"


def read_student(folder: Path) -> dict[str, Any]:
    """Return the manifest of a student. Raise UsageError when there is no finished one."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UsageError(f"no finished student at {folder}.", hint="errorhub train RECIPE.toml --resume")
    try:
        found = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("schema") != SCHEMA:
        raise RecordError(f"{path} is no manifest of a student of this version.")
    return found


def by_student(
    folder: Path,
    rows: Sequence[Row],
    *,
    batch: int = 8,
    max_new_tokens: int | None = None,
    max_length: int | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> Predicted:
    """Answer rows with a student, or with any local model: greedy, thinking off. A row over its budget has no line."""
    known = read_student(folder)["recipe"] if (folder / MANIFEST).is_file() else {}
    most = max_length or known.get("max_length") or 8192
    longest = max_new_tokens or known.get("max_new_tokens") or 256
    model, tokenizer = load(folder)
    texts = [prompt_text(tokenizer, row["prompt"]) for row in rows]
    fits = [len(ids_of(tokenizer, text)) <= most for text in texts]
    from errorhub.training.generate import generate

    asked = [place for place, one in enumerate(fits) if one]
    said = generate(
        model, tokenizer, [texts[place] for place in asked], max_new_tokens=longest, batch=batch, progress=progress
    )
    failed = [
        f"{row['example_id'][:12]}: its prompt has over {most} tokens."
        for row, one in zip(rows, fits, strict=True)
        if not one
    ]
    conditions = {
        "student": folder.name, "recipe": known and read_student(folder)["recipe_digest"], "temperature": 0,
        "tokenizer": tokenizer_digest(tokenizer), "max_length": most, "max_tokens": longest, "thinking": False,
    }  # fmt: skip
    return answered([(rows[place], text) for place, text in zip(asked, said, strict=True)], rows, failed, conditions)


def load(folder: Path) -> tuple[Any, Any]:
    """Return model and tokenizer of a student or of a local model. Raise UsageError when there is none."""
    torch, transformers = (extra(name, feature="a local student", name="train") for name in ("torch", "transformers"))
    if not any((folder / name).is_file() for name in ("config.json", "adapter_config.json")):
        raise UsageError(f"no model at {folder}: neither config.json nor adapter_config.json.")
    tokenizer = load_tokenizer(folder)
    quiet()
    adapters = (folder / "adapter_config.json").is_file()
    place = json.loads((folder / "adapter_config.json").read_bytes())["base_model_name_or_path"] if adapters else folder
    try:
        model = transformers.AutoModelForCausalLM.from_pretrained(place, dtype="auto")
    except (OSError, ValueError) as problem:
        raise UsageError(f"cannot load the model {place}: {str(problem).splitlines()[0]}") from None
    if adapters:
        model = extra("peft", feature="a student of adapters", name="train").PeftModel.from_pretrained(model, folder)
    return model.to("cuda" if torch.cuda.is_available() else "cpu"), tokenizer
