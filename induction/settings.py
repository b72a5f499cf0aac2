"""What an induction was run with. Its digest stands in the result."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]


class Settings(BaseModel):
    """How failures become proposals. `bench/induction.py --tune agentrx` chose the four weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    min_support: Annotated[int, Field(ge=1)] = 3
    """Distinct runs that a proposal needs."""
    min_tasks: Annotated[int, Field(ge=1)] = 2
    """Distinct source tasks that a proposal needs."""
    limit: Annotated[int, Field(ge=1)] = 12
    """Most proposals, those with most runs first."""
    threshold: Share = 0.2
    """Distance up to which average linkage joins two clusters."""
    concepts: Share = 0.6
    """Weight of the vocabulary of failures beside the words themselves."""
    agent: Share = 0.6
    """Weight of who failed beside what is said; less for an agent that fails nearly always, or seldom."""
    sharpness: Annotated[int, Field(ge=1, le=9)] = 1
    """Power of a similarity when a text is seen with its neighbours: higher looks at nearer ones only."""
    mask_entities: bool = False
    """Leave out quotations, URLs and capitalised names."""
    doubt: Share = 0.4
    """Findings with a known mode but less confidence than this are looked at again."""
    duplicate: Share = 0.8
    """Similarity to a known mode from which a proposal is marked as one that is there already."""
    stability: Share = 0.5
    """Stability below which a proposal is marked unstable and ranked last."""
    draws: Annotated[int, Field(ge=1)] = 10
    """Resamples behind a stability."""
    embed: str | None = None
    """Encoder whose vectors stand beside the words, as `hub/memory/encoders.py` has it; none by default."""
    embedding: Share = 0.2
    """Weight of an encoder's vectors."""
    seed: int = 0
    """Of the resamples. Clusters do not depend on it."""
