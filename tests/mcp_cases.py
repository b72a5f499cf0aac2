"""What tests of the MCP server share: one call, and the text of its result."""

from collections.abc import Awaitable, Callable
from typing import Any


def ask(tool: str, arguments: dict[str, Any]) -> Callable[[Any], Awaitable[Any]]:
    """Return what a client does: one call."""

    async def speak(client: Any) -> Any:
        return await client.call_tool(tool, arguments)

    return speak


def text(result: Any) -> str:
    """Return the text of a result."""
    return "\n".join(part.text for part in result.content if part.type == "text")
