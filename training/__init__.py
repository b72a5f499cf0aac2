"""Training: rows in, student, predictions and scores out."""

from errorhub.evidence.intervals import bootstrap
from errorhub.training.answers import Case, Gold, Prediction, read_gold, read_predictions
from errorhub.training.baselines import baselines
from errorhub.training.evaluate import Protocol, evaluate
from errorhub.training.marks import marks

__all__ = [
    "Case",
    "Gold",
    "Prediction",
    "Protocol",
    "baselines",
    "bootstrap",
    "evaluate",
    "marks",
    "read_gold",
    "read_predictions",
]
