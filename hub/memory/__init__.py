"""The memory: similar past cases for people and agents."""

from errorhub.hub.memory.answer import Answer, Hit, Place, Trust
from errorhub.hub.memory.memory import Memory
from errorhub.hub.memory.query import Query
from errorhub.hub.memory.render import fence, inline
from errorhub.hub.memory.shelf import Pile, Shelf

__all__ = ["Answer", "Hit", "Memory", "Pile", "Place", "Query", "Shelf", "Trust", "fence", "inline"]
