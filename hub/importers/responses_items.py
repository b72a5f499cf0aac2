"""Items of the OpenAI Responses API, which Codex logs as well: messages, reasoning, calls and their outputs.

`call_id` pairs a call with its output, not `id`. Visible reasoning goes with the next thing the model says; encrypted
reasoning is counted and left out.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.importers.blocks import arguments_of, content_of, without_bytes
from errorhub.hub.importers.draft import Draft
from errorhub.hub.importers.shapes import items, text_or_none, type_of

ITEMS: Final = frozenset({
    "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output",
    "local_shell_call", "local_shell_call_output", "web_search_call", "file_search_call", "computer_call",
    "computer_call_output", "mcp_call", "code_interpreter_call", "image_generation_call",
})  # fmt: skip
_OWN: Final = frozenset({"id", "type", "status", "call_id", "output", "encrypted_content"})


def is_item(value: Any) -> bool:
    """Whether a value is an item of the Responses API."""
    return type_of(value) in ITEMS


class ItemReader:
    """Adds the items of one run to its draft, in order."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self._thought: tuple[list[str], dict[str, Any]] = ([], {})

    def add(self, item: dict[str, Any], place: str, at: str | None = None, *, injected: bool = False) -> None:
        """Add one item."""
        kind = str(item["type"])
        common = {"source_ref": place, "at": at}
        if kind == "reasoning":
            self._think(item, common)
        elif kind == "message":
            self._say(item, common, injected)
        elif kind.endswith("_output"):
            self.flush()
            self._answer(item, common)
        else:
            self.flush()
            self._call(item, kind, common)

    def flush(self) -> None:
        """Add reasoning that nothing was said after."""
        thoughts, common = self._thought
        if thoughts:
            output = {"text": "", "reasoning": "\n".join(thoughts)}
            self.draft.add("assistant", "llm.response", role="assistant", output=output, **common)
        self._thought = ([], {})

    def _think(self, item: dict[str, Any], common: dict[str, Any]) -> None:
        if item.get("encrypted_content"):
            self.draft.lose("encrypted_content")
        found = content_of([*items(item.get("summary")), *items(item.get("content"))], self.draft)
        thoughts = [text for text in found.texts if text]
        if thoughts:
            self._thought = ([*self._thought[0], *thoughts], self._thought[1] or common)

    def _say(self, item: dict[str, Any], common: dict[str, Any], injected: bool) -> None:
        role = str(item.get("role", "assistant"))
        content = content_of(item.get("content"), self.draft)
        if role != "assistant":
            self.flush()
            mark = {"injected": "context"} if injected else {}
            agent = "system" if injected else role
            self.draft.add(agent, "message", role=role, input=content.value(), metadata=mark, **common)
            return
        content.reasoning += self._thought[0]
        self._thought = ([], {})
        self.draft.add(role, "llm.response", role=role, output=content.value(), **common)

    def _call(self, item: dict[str, Any], kind: str, common: dict[str, Any]) -> None:
        """Add a call; a built-in tool that answers in the same item gives a result as well."""
        given = item.get("arguments", item.get("input"))
        if given is None:
            given = {name: held for name, held in item.items() if name not in _OWN}
        arguments, mark = arguments_of(given)
        mark = {} if kind == "custom_tool_call" else mark
        tool = text_or_none(item.get("name")) or kind.removesuffix("_call")
        call = text_or_none(item.get("call_id")) or text_or_none(item.get("id"))
        self.draft.add("assistant", "tool.call", role="assistant", tool=tool, call_id=call, input=arguments,
                       metadata=mark, **common)  # fmt: skip
        if item.get("output") is not None:
            self._answer({**item, "call_id": call}, common)

    def _answer(self, item: dict[str, Any], common: dict[str, Any]) -> None:
        call = text_or_none(item.get("call_id"))
        output = item.get("output")
        value = content_of(output, self.draft).value() if isinstance(output, str | list) else without_bytes(output)
        self.draft.add("tool", "tool.result", role="tool", tool=self.draft.tool_of(call), call_id=call, output=value,
                       error=text_or_none(item.get("error")), **common)  # fmt: skip
