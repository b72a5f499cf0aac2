"""Who can diagnose, by name: resolved when used, so that nothing heavy is imported for the rest."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from errorhub.evidence.chat import Chat, Endpoint
from errorhub.evidence.diagnose_proposals import Diagnoser
from errorhub.hub.errors import UsageError
from errorhub.hub.taxonomy import load_taxonomy
from errorhub.hub.workspace import Workspace

DIAGNOSERS: Final = {
    "agentdebugx": "errorhub.evidence.agentdebugx:Heuristic",
    "deepdebug": "errorhub.evidence.agentdebugx_deepdebug:DeepDebug",
    "judge": "errorhub.evidence.judge:Judge",
}
ASKS_NO_MODEL: Final = frozenset({"agentdebugx"})


def opener(
    name: str, workspace: Workspace, endpoint: Endpoint | None, *, most_characters: int
) -> Callable[[Chat | None], Diagnoser]:
    """Return what makes the diagnoser of this name. Raise UsageError when there is none, or its model is missing."""
    if name not in DIAGNOSERS:
        raise UsageError(f"no such diagnoser: {name}. Use {', '.join(DIAGNOSERS)}.")
    if name in ASKS_NO_MODEL and endpoint:
        raise UsageError(f"{name} asks no model. Leave --base-url and --model out.")
    if name not in ASKS_NO_MODEL and not endpoint:
        raise UsageError(f"{name} asks a model. Name it with --base-url and --model.")
    module, _, attribute = DIAGNOSERS[name].partition(":")

    def opened(chat: Chat | None) -> Diagnoser:
        made: Any = getattr(import_module(module), attribute)
        if chat is None:
            return made()  # type: ignore[no-any-return]
        if name == "judge":
            return made(chat, load_taxonomy(workspace), most_characters)  # type: ignore[no-any-return]
        return made(chat)  # type: ignore[no-any-return]

    return opened
