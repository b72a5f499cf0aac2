"""A workflow for the repository of a hub: every push and every contribution is verified and scanned again."""

from __future__ import annotations

from importlib.resources import files


def workflow(version: str) -> str:
    """Return the YAML of the workflow, for this version of errorhub or a newer one."""
    text = (files("errorhub.cards") / "templates" / "verify-hub.yml").read_text(encoding="utf-8")
    return text.replace("{{ version }}", version)
