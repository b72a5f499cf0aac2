"""The words of a decision: scrubbed before they are written, because they leave with the taxonomy."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping

from errorhub.hub.known import vault
from errorhub.hub.taxonomy.decision import Decision
from errorhub.hub.workspace import Workspace
from errorhub.scrubber import Policy, reread, scrub

PROSE = ("note", "description")
"""Where people write sentences, so that names of people are looked for."""


def scrubbed(workspace: Workspace, texts: Mapping[str, str]) -> dict[str, str]:
    """Return texts without secrets, personal data and the workspace's known values."""
    policy = Policy.load("strict")
    wordy = any(texts.get(name, "").strip() for name in PROSE)
    policy = policy.with_paths(prose=PROSE) if wordy else policy.without_names()
    clean = scrub(dict(texts), policy, vault(workspace)).document
    return {name: str(clean[name]) for name in texts}


def slug(family: str) -> str:
    """Return a family as ids hold it; `other` when nothing of it is left."""
    plain = unicodedata.normalize("NFKD", family).encode("ascii", "ignore").decode().lower()
    return "_".join(re.findall(r"[a-z0-9]+", plain))[:32].strip("_").lstrip("0123456789_") or "other"


def unfit(workspace: Workspace) -> Callable[[Decision], str | None]:
    """Return the function that says why a decision may not leave: something in its words is known or secret."""
    policy, known = Policy.load("strict").without_names(), vault(workspace)

    def reason(one: Decision) -> str | None:
        texts = [one.by, one.note, one.method, *(text for d in one.defines for text in (d.name, d.description, d.id))]
        if scrub(texts, policy, known).document != texts or reread(texts, policy, known):
            return "leak: its words hold a secret, personal data or a known value. Undo it and decide again"
        return None

    return reason
