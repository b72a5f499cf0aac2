"""The rule that chooses the numbers of induction on sets with labels. The grid stands in `induction.toml`.

Allowed is what reaches every bar on every set: AMI above the best baseline, purity, coverage. Of that the purest,
because a wrong member costs a maintainer more than one left over; of those the most stable; of those the highest AMI.
Differences of 0.02 are noise and decide nothing. Purity and AMI are means of a setting and of its neighbours in the
grid: a plateau carries over to other data, a peak is luck. Stability needs no labels: it is the least resample ARI on
the sets and on the reasons of Who&When.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
from induction_scores import Scores
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
NOISE = 0.02
Measure = Callable[[dict[str, float]], list[Scores]]


def choose(
    grid: Mapping[str, Sequence[float]],
    measure: Measure,
    stability: Callable[[dict[str, float]], float],
    *,
    baselines: Sequence[float],
    bars: Mapping[str, float],
) -> tuple[dict[str, float], float, float]:
    """Return the setting that the rule chooses, its purity and stability; `measure` gives its scores on each set."""
    shape = [len(values) for values in grid.values()]
    settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    measured = [measure(setting) for setting in settings]
    pure, agreeing = (plateau(_means(measured, name).reshape(shape)).ravel() for name in ("purity", "ami"))
    allowed = [at for at, each in enumerate(measured) if _reached(each, baselines, bars)]
    found = {at: stability(settings[at]) for at in allowed if pure[at] >= pure[allowed].max() - NOISE}
    best = max((at for at in found if found[at] >= max(found.values()) - NOISE), key=lambda at: agreeing[at])
    return settings[best], float(pure[best]), found[best]


def _means(measured: Sequence[Sequence[Scores]], name: str) -> Numbers:
    return np.array([np.mean([getattr(one, name) for one in each]) for each in measured])


def _reached(scores: Sequence[Scores], baselines: Sequence[float], bars: Mapping[str, float]) -> bool:
    return all(
        one.ami >= max(least, bars["ami"]) and one.purity >= bars["purity"] and one.coverage >= bars["coverage"]
        for one, least in zip(scores, baselines, strict=True)
    )


def plateau(numbers: Numbers) -> Numbers:
    """Return the mean of each number and of its direct neighbours."""
    total, count = numbers.copy(), np.ones_like(numbers)
    for axis in range(numbers.ndim):
        for part, beside in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
            into, of = (slice(None),) * axis + (part,), (slice(None),) * axis + (beside,)
            total[into] += numbers[of]
            count[into] += 1
    return total / count
