"""Cards: facts about a hub as Markdown, YAML and Croissant."""

from errorhub.cards.croissant import croissant
from errorhub.cards.facts import Facts, File, label
from errorhub.cards.hub import dataset_card
from errorhub.cards.workflow import workflow

__all__ = ["Facts", "File", "croissant", "dataset_card", "label", "workflow"]
