"""The rule that chooses the numbers of induction on sets with labels. The grid stands in `induction.toml`.

Allowed is what reaches every bar on every set: AMI above the best baseline, purity, coverage, resample ARI. Of that,
the purest are looked at, because a wrong member costs a maintainer more than one left over; purity is the mean of a
setting and of its neighbours in the grid: a plateau carries over to other data, a peak is luck. Differences of 0.02 are
noise, so the most stable of those is chosen. Stability needs no labels: it is the least on the sets and on the reasons
of Who&When.
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
    pure = np.array([np.mean([one.purity for one in each]) for each in measured])
    level = plateau(pure.reshape(shape)).ravel()
    allowed = [at for at in range(len(settings)) if _reached(measured[at], baselines, bars)]
    purest = [at for at in allowed if level[at] >= level[allowed].max() - NOISE]
    found = {at: stability(settings[at]) for at in purest}
    best = max(found, key=lambda at: found[at])
    return settings[best], float(level[best]), found[best]


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
