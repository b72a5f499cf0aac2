"""Cards: facts about a hub as Markdown, YAML and Croissant."""

from errorhub.cards.croissant import croissant
from errorhub.cards.facts import Facts, File, label
from errorhub.cards.hub import dataset_card
from errorhub.cards.student import Student, student_readme
from errorhub.cards.taxonomy import TaxonomyFacts, taxonomy_card
from errorhub.cards.views import ViewFacts, views_readme
from errorhub.cards.workflow import workflow

__all__ = [
    "Facts",
    "File",
    "Student",
    "TaxonomyFacts",
    "ViewFacts",
    "croissant",
    "dataset_card",
    "label",
    "student_readme",
    "taxonomy_card",
    "views_readme",
    "workflow",
]
