"""What a build is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from errorhub.views.fitting import Budget
from errorhub.views.overlap import Benchmark
from errorhub.views.splits import Shares
from errorhub.views.tokens import ByteBound


@dataclass(frozen=True)
class Plan:
    """What to build and how."""

    views: Sequence[str]
    """Names of views."""
    budget: Budget = field(default_factory=lambda: Budget(ByteBound()))
    """Most tokens a row may have."""
    shares: Shares = field(default_factory=Shares)
    """How tasks are split."""
    benchmarks: Sequence[Benchmark] = ()
    """Tasks that must not be trained on."""
    jobs: int | None = 1
    """Processes that read bundles; None: as many as there are processors, when there is much to read. More than one
    start the calling program anew, which must guard its main part."""
