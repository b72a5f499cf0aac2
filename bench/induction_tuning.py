"""The rule that chooses the numbers of induction on sets with labels. The grid stands in `induction.toml`.

Allowed is what reaches the bars of purity, coverage and resample ARI on every set. Of that, the setting leads whose AMI
is furthest above the best baseline's, on the set where that is least. AMI, purity and coverage are means of a setting
and of its neighbours in the grid: a plateau carries over to other data, a peak is luck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
from induction_scores import Scores
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Measure = Callable[[dict[str, float]], list[Scores]]


def choose(
    grid: Mapping[str, Sequence[float]],
    measure: Measure,
    stable: Callable[[dict[str, float]], bool],
    *,
    baselines: Sequence[float],
    bars: Mapping[str, float],
) -> tuple[dict[str, float], float]:
    """Return the setting that the rule chooses and its least lead; `measure` gives the scores of a setting a set."""
    shape = [len(values) for values in grid.values()]
    settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    scores = [[(one.ami, one.purity, one.coverage) for one in measure(setting)] for setting in settings]
    level = plateau(np.array(scores).reshape(*shape, len(baselines), 3), len(shape)).reshape(-1, len(baselines), 3)
    allowed = (level[..., 1] >= bars["purity"]) & (level[..., 2] >= bars["coverage"])
    lead = np.where(allowed, level[..., 0] - np.array(baselines), -np.inf).min(axis=1)
    ranked = (int(at) for at in np.argsort(-lead, kind="stable") if np.isfinite(lead[at]))
    best = next(at for at in ranked if stable(settings[at]))
    return settings[best], float(lead[best])


def plateau(numbers: Numbers, axes: int) -> Numbers:
    """Return the mean of each number and its direct neighbours along the first axes."""
    total, count = numbers.copy(), np.ones_like(numbers)
    for axis in range(axes):
        for part, beside in ((slice(1, None), slice(None, -1)), (slice(None, -1), slice(1, None))):
            into, of = (slice(None),) * axis + (part,), (slice(None),) * axis + (beside,)
            total[into] += numbers[of]
            count[into] += 1
    return total / count
