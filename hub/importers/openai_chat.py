"""OpenAI chat messages: an object with `messages`, a bare list, or JSONL with one conversation (or message) a line.

The actor of a step is the message's `name`, else its `role` (ShareGPT: its `from`), verbatim; results of tools without
a name act as `tool`. System, developer and user messages are input; what assistants say and tools answer is output.
The format has no outcome and no labels; fields it does not define are counted, because some files hide answers there.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.blocks import Content, arguments_of, content_of
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle, listed
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.foreign import anthropic_blocks
from errorhub.hub.importers.records import each_record, one_record
from errorhub.hub.importers.shapes import integer_or_none, number_or_none, text_or_none

NAME: Final = "openai-chat"
ROLES: Final = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
_SHAREGPT: Final = {"human": "user", "user": "user", "gpt": "assistant", "assistant": "assistant", "system": "system",
                    "function_call": "assistant", "observation": "tool", "tool": "tool"}  # fmt: skip
_TOP: Final = frozenset({"messages", "conversations", "model", "temperature", "seed", "tools", "functions", "id",
                         "task_id", "system"})  # fmt: skip
_OTHERS: Final = frozenset({"record_type", "trajectory_format", "eval_result", "suite_name", "projectHash"})
"""Fields of formats that hold chat messages inside; `record_type` is a task of AgentDebugX that has not run yet."""
_MESSAGE: Final = frozenset({"role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal",
                             "reasoning_content", "reasoning", "index", "timestamp", "from", "value"})  # fmt: skip


def fits(sample: Sample) -> bool:
    """Whether one of the first records is a conversation, or all of them are the messages of one."""
    if sample.shape not in ("document", "lines") or not sample.records:
        return False
    if _is_conversation(list(sample.records)):
        return True
    records = sample.records
    if sample.shape == "document" and isinstance(records[0], list) and not _is_conversation(records[0]):
        records = tuple(records[0])
    return any(_is_conversation(messages_of(record)) for record in records)


def read(log: Log) -> Runs:
    """Yield one run a conversation."""
    if log.shape == "lines" and _is_conversation(list(log.sample().records)):
        yield _read_messages(log)
    else:
        yield from each_record(log, read_conversation)


def read_conversation(value: Any, record: int) -> Bundle:
    """Return the run of one conversation."""
    messages = messages_of(value)
    if not _is_conversation(messages):
        raise FormatError("not a conversation of the OpenAI chat format.")
    draft = Draft(NAME, record=record)
    top = value if isinstance(value, dict) else {}
    draft.lose_unknown(top, _TOP)
    if system := top.get("system"):
        draft.add("system", "message", role="system", input=content_of(system, draft).value(), source_ref="system")
    if not any(isinstance(message.get("content"), list) for message in messages) and "system" in top:
        draft.warn("plain turns beside a system text: the Anthropic format would read the same.")
    for position, message in enumerate(messages):
        add_message(message, position, draft)
    return _finish(draft, top)


def messages_of(value: Any) -> Any:
    """Return the messages of a conversation in any of its wrappings, as the source wrote them."""
    if not isinstance(value, dict):
        return value
    if not _OTHERS.isdisjoint(value) or {"mode", "response"} <= value.keys():
        return None
    return value.get("messages", value.get("conversations"))


def add_message(message: dict[str, Any], position: int, draft: Draft) -> None:
    """Add the steps of one message."""
    draft.lose_unknown(message, _MESSAGE, "message.")
    role = role_of(message)
    agent = text_or_none(message.get("name")) or str(message.get("from") or message["role"])
    index = message.get("index")
    place = str(index) if isinstance(index, int) else str(position)
    common = {"role": role, "at": text_or_none(message.get("timestamp"))}
    content = content_of(message.get("content", message.get("value")), draft)
    if role == "assistant":
        _add_assistant(message, agent, place, content, common, draft)
    elif role in ("tool", "function"):
        call_id = text_or_none(message.get("tool_call_id"))
        tool = text_or_none(message.get("name")) or draft.tool_of(call_id)
        draft.add(agent, "tool.result", tool=tool, call_id=call_id, output=content.value(), source_ref=place, **common)
    else:
        draft.add(agent, "message", input=content.value(), source_ref=place, **common)


def role_of(message: dict[str, Any]) -> str:
    """Return the chat role of a message."""
    return _SHAREGPT[message["from"]] if "from" in message else str(message["role"])


def _add_assistant(
    message: dict[str, Any], agent: str, place: str, content: Content, common: dict[str, Any], draft: Draft
) -> None:
    """Add what an assistant said, when it said something, and then each of its calls."""
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    if isinstance(reasoning, str):
        content.reasoning.append(reasoning)
    refusal = text_or_none(message.get("refusal"))
    if refusal:
        content.texts.append(refusal)
    calls = _calls(message, content)
    if not content.empty or not calls:
        mark = {"refusal": True} if refusal else {}
        draft.add(agent, "llm.response", output=content.value(), source_ref=place, metadata=mark, **common)
    for number, call in enumerate(calls):
        _add_call(call, agent, f"{place}.{number}", common, draft)


def _calls(message: dict[str, Any], content: Content) -> list[Any]:
    """Return the calls of a message in any of their spellings."""
    if message.get("from") == "function_call":
        arguments, _ = arguments_of(message.get("value"))
        if isinstance(arguments, dict) and "name" in arguments:
            content.texts.clear()
            return [{"function": arguments}]
        return []
    calls = message.get("tool_calls")
    legacy = message.get("function_call")
    return (list(calls) if isinstance(calls, list) else []) + ([{"function": legacy}] if legacy else [])


def _add_call(call: Any, agent: str, place: str, common: dict[str, Any], draft: Draft) -> None:
    if not isinstance(call, dict):
        draft.lose("tool_call")
        return
    function = call.get("function") or call.get("custom") or call
    if not isinstance(function, dict):
        function = {"name": function}
    arguments, mark = arguments_of(function.get("arguments", function.get("input", call.get("arguments"))))
    draft.add(
        agent,
        "tool.call",
        tool=text_or_none(function.get("name")),
        call_id=text_or_none(call.get("id")),
        input=arguments,
        source_ref=place,
        metadata=mark,
        **common,
    )


def _read_messages(log: Log) -> Bundle | Any:
    """Read a log whose lines are the messages of one conversation."""
    draft, damaged = Draft(NAME), []
    for line in log.lines():
        if line.damage is not None or not is_message(line.value):
            damaged.append(line.number)
        else:
            add_message(line.value, line.index, draft)
    if damaged:
        draft.lose("damaged line", len(damaged))
        draft.warn(f"{listed(damaged)}: no message, left out.")
    return one_record(log, 0, draft, None, lambda value, _: _finish(value, {}))


def _finish(draft: Draft, top: dict[str, Any]) -> Bundle:
    tools = top.get("tools") or top.get("functions")
    metadata = {"id": top.get("id"), "inputs": {"tools": tools} if tools else None}
    seed, temperature = top.get("seed"), top.get("temperature")
    run = Run(
        policy=text_or_none(top.get("model")),
        seed=integer_or_none(seed),
        temperature=number_or_none(temperature),
        metadata={name: value for name, value in metadata.items() if value is not None},
    )
    task = top.get("task_id")
    named = str(task) if isinstance(task, str | int) else ""
    return bundle(draft.trajectory(task=Task(id=named, goal=_goal(draft)), run=run))


def _goal(draft: Draft) -> str | None:
    """Return the first thing a user said."""
    said = (step.input for step in draft.steps if step.role == "user" and step.kind == "message")
    first = next(said, None)
    text = first.get("text") if isinstance(first, dict) else first
    return text_or_none(text)


def _is_conversation(messages: Any) -> bool:
    if not isinstance(messages, list) or not messages or anthropic_blocks(messages):
        return False
    return all(is_message(message) for message in messages)


def is_message(value: Any) -> bool:
    """Whether a value is one message of this format."""
    if not isinstance(value, dict):
        return False
    if "from" in value and "value" in value:
        return isinstance(value["from"], str) and value["from"] in _SHAREGPT
    role = value.get("role")
    says = "content" in value or "tool_calls" in value or "function_call" in value
    return isinstance(role, str) and role in ROLES and says and "type" not in value


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="OpenAI chat messages: what most agent frameworks log, and ShareGPT lists",
        recognised="`messages` (or a bare list) whose roles are system, developer, user, assistant, tool or function",
        extensions=(".json", ".jsonl"),
    ),
    fits,
    read,
)
