"""The memory: similar past cases for people and agents."""

from errorhub.hub.memory.answer import Answer, Hit, Place, Trust
from errorhub.hub.memory.dense import Encoder
from errorhub.hub.memory.hinting import Hints, hints, quoted
from errorhub.hub.memory.memory import Memory
from errorhub.hub.memory.query import Query
from errorhub.hub.memory.render import fence, inline
from errorhub.hub.memory.shelf import Pile, Shelf
from errorhub.hub.memory.suspicion import suspicious

__all__ = [
    "Answer", "Encoder", "Hints", "Hit", "Memory", "Pile", "Place", "Query", "Shelf", "Trust", "fence", "hints",
    "inline", "quoted", "suspicious",
]  # fmt: skip
