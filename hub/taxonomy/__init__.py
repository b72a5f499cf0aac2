"""Failure modes: the seed, what maintainers made of proposals, and how their decisions fold together."""

from errorhub.hub.taxonomy.decision import Decision
from errorhub.hub.taxonomy.fold import fold
from errorhub.hub.taxonomy.ledger import load_taxonomy
from errorhub.hub.taxonomy.matching import decision_for
from errorhub.hub.taxonomy.modes import Conflict, Decided, KnownMode, Taxonomy
from errorhub.hub.taxonomy.seed import SEED, seed_mode

__all__ = [
    "SEED",
    "Conflict",
    "Decided",
    "Decision",
    "KnownMode",
    "Taxonomy",
    "decision_for",
    "fold",
    "load_taxonomy",
    "seed_mode",
]
