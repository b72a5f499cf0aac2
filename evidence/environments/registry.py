"""The known environments: name -> where its class is. Modules load when a world is made; outsiders add entry points."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module, metadata
from typing import Any, Final

from pydantic import ValidationError

from errorhub.evidence.environments.environment import Environment
from errorhub.hub.errors import UsageError

GROUP: Final = "errorhub.environments"
"""Entry-point group for environments of other packages; each entry names a class like those below."""

ENVIRONMENTS: Final = {
    "rooms": "errorhub.evidence.environments.rooms:Rooms",
    "scienceworld": "errorhub.evidence.environments.scienceworld_tasks:ScienceWorld",
    "textworld": "errorhub.evidence.environments.textworld_games:TextWorld",
}


def environment(name: str, settings: Mapping[str, Any]) -> Environment:
    """Make the world that settings name. Raise UsageError for an unknown name or setting, or a missing package."""
    place = _places().get(name)
    if place is None:
        raise UsageError(f"no environment is called {name}. Known: {', '.join(sorted(_places()))}.")
    module, _, attribute = place.partition(":")
    try:
        made: Environment = getattr(import_module(module), attribute)(settings)
    except ValidationError as problem:
        first = problem.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UsageError(f"setting {where or 'of'} of environment {name}: {first['msg']}.") from None
    return made


def names() -> tuple[str, ...]:
    """Return the names of all environments."""
    return tuple(sorted(_places()))


@cache
def _places() -> dict[str, str]:
    others = {entry.name: entry.value for entry in metadata.entry_points(group=GROUP)}
    return {**others, **ENVIRONMENTS}
