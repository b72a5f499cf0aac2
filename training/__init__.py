"""Training: rows in, student, predictions and scores out."""

from errorhub.evidence.intervals import bootstrap
from errorhub.training.answers import Case, Gold, Prediction, read_gold, read_predictions
from errorhub.training.baselines import baselines
from errorhub.training.evaluate import Protocol, evaluate
from errorhub.training.manifest import student_card
from errorhub.training.marks import marks
from errorhub.training.recipe import Recipe, read_recipe
from errorhub.training.train import train

__all__ = [
    "Case",
    "Gold",
    "Prediction",
    "Protocol",
    "Recipe",
    "baselines",
    "bootstrap",
    "evaluate",
    "marks",
    "read_gold",
    "read_predictions",
    "read_recipe",
    "student_card",
    "train",
]
