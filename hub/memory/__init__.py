"""The memory: similar past cases for people and agents (lexical leg)."""

from errorhub.hub.memory.answer import Answer, Held, Hit, Trust
from errorhub.hub.memory.memory import Memory
from errorhub.hub.memory.query import Query
from errorhub.hub.memory.render import fence, inline

__all__ = ["Answer", "Held", "Hit", "Memory", "Query", "Trust", "fence", "inline"]
