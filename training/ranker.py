"""The ranker: a student without a language model. Features of steps, gradient boosting, seconds on a CPU.

Two ways to learn, because they fail differently:
* `boosted`: boosted trees over all features, five of them averaged; best on runs like those it learnt from.
* `relative`: a softmax over the steps of a run (conditional logit) on features relative to the run; what carries over
  to runs of another source, where boosted trees collapse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np

from errorhub.hub.errors import UsageError
from errorhub.hub.extras import extra
from errorhub.training.answers import Prediction
from errorhub.training.baselines import folds
from errorhub.training.features import Array, Run, features, relative_names

Kind = Literal["boosted", "relative", "position"]

BAGS: Final = 5
RIDGE: Final = 0.1
_POSITION: Final = ("index", "place", "n", "from end", "first", "second", "last")
_SETTINGS: Final = {
    "n_estimators": 120, "learning_rate": 0.04, "max_depth": 3, "subsample": 0.5, "max_features": 0.2,
    "min_samples_leaf": 8,
}  # fmt: skip


@dataclass
class Ranker:
    """Scores every step of a run and answers with the best one."""

    kind: Kind = "boosted"
    """`position` is boosted trees that see nothing but position: the control."""
    seed: int = 0
    """Seed of the boosting."""
    _models: list[Any] = field(default_factory=list, repr=False)
    _weights: tuple[Array, Array, Array] | None = field(default=None, repr=False)

    def fit(self, runs: Sequence[Run], gold: Sequence[int]) -> Ranker:
        """Learn from runs and their gold steps. Every run counts once, however long. Raise UsageError without any."""
        if not runs:
            raise UsageError("the ranker has no labelled run to learn from.")
        tables = [self._table(run) for run in runs]
        if self.kind == "relative":
            self._weights = _conditional_logit(tables, gold)
            return self
        boosting = extra("sklearn.ensemble", feature="the ranker", name="induce").GradientBoostingClassifier
        settings = _SETTINGS | ({"max_features": None} if self.kind == "position" else {})
        rows = np.vstack(tables)
        wanted = np.concatenate([np.arange(len(t)) == step for t, step in zip(tables, gold, strict=True)])
        weight = np.concatenate([np.full(len(t), 1 / len(t)) for t in tables])
        bags = range(1 if self.kind == "position" else BAGS)
        models = [boosting(**settings, random_state=self.seed * BAGS + bag) for bag in bags]
        self._models = [model.fit(rows, wanted, sample_weight=weight) for model in models]
        return self

    def scores(self, run: Run) -> Array:
        """Return the probability that each step is the decisive error; they sum to 1."""
        table = self._table(run)
        if self._weights is not None:
            mean, spread, weights = self._weights
            return _softmax(np.clip((table - mean) / spread, -4, 4) @ weights)
        logs = np.zeros(len(table))
        for model in self._models:
            chance = model.predict_proba(table)[:, 1]
            logs += np.log(chance / chance.sum() + 1e-3)
        return _softmax(logs / max(1, len(self._models)))

    def answer(self, run: Run) -> Prediction:
        """Return the best step and who acts there."""
        if not run.texts:
            return Prediction(run.id)
        step = int(np.argmax(self.scores(run)))
        return Prediction(run.id, step, run.agents[step], str(step))

    def _table(self, run: Run) -> Array:
        table, names = features(run)
        if self.kind == "boosted":
            return table[:, [i for i, name in enumerate(names) if not name.startswith(("z ", "rank "))]]
        chosen = relative_names(names) if self.kind == "relative" else [names.index(name) for name in _POSITION]
        return table[:, chosen]


def cross_validated(
    runs: Sequence[Run], gold: Sequence[int], *, kind: Kind = "boosted", seed: int = 0, number: int = 5
) -> dict[str, Prediction]:
    """Return an answer for every run from a ranker that saw no run of its task. Raise UsageError for one task only."""
    fold = folds([f"{seed}:{run.task}" for run in runs], number)
    where = np.array([fold[f"{seed}:{run.task}"] for run in runs])
    if len(fold) < 2:
        raise UsageError("cross-validation needs runs of at least two source tasks.")
    said: dict[str, Prediction] = {}
    for held in sorted(set(where.tolist())):
        train = np.flatnonzero(where != held).tolist()
        ranker = Ranker(kind, seed).fit([runs[i] for i in train], [gold[i] for i in train])
        said |= {runs[i].id: ranker.answer(runs[i]) for i in np.flatnonzero(where == held).tolist()}
    return said


def _conditional_logit(tables: Sequence[Array], gold: Sequence[int]) -> tuple[Array, Array, Array]:
    """Return mean, spread and weights that maximise the softmax likelihood of the gold steps, with a ridge."""
    minimize = extra("scipy.optimize", feature="the ranker", name="induce").minimize
    rows = np.vstack(tables)
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    rows = np.clip((rows - mean) / spread, -4, 4)
    starts = np.concatenate([[0], np.cumsum([len(t) for t in tables])[:-1]])
    run = np.repeat(np.arange(len(tables)), [len(t) for t in tables])
    hit = starts + np.asarray(gold)

    def loss(weights: Array) -> tuple[float, Array]:
        raw = rows @ weights
        top = np.maximum.reduceat(raw, starts)
        powers = np.exp(raw - top[run])
        sums = np.add.reduceat(powers, starts)
        error = powers / sums[run]
        error[hit] -= 1
        value = (top + np.log(sums) - raw[hit]).mean() + RIDGE / 2 * weights @ weights
        return float(value), rows.T @ error / len(tables) + RIDGE * weights

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": 200})
    return mean, spread, np.asarray(found.x)


def _softmax(raw: Array) -> Array:
    powers = np.exp(raw - raw.max())
    return np.asarray(powers / powers.sum())
