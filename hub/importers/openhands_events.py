"""OpenHands events as steps: actions and observations of the event log, and the kinds of the SDK."""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.importers.blocks import arguments_of, content_of
from errorhub.hub.importers.draft import Draft
from errorhub.hub.importers.shapes import integer_or_none, mapping, objects, text_or_none, type_of

_BOOKKEEPING: Final = frozenset({"change_agent_state", "agent_state_changed", "null", "recall", "condensation",
                                 "condensation_request"})  # fmt: skip
_KINDS: Final = frozenset({
    "SystemPromptEvent", "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent", "UserRejectObservation",
    "ConversationErrorEvent", "ConversationStateUpdateEvent", "Condensation", "CondensationRequest",
    "CondensationSummaryEvent", "PauseEvent", "TokenEvent",
})  # fmt: skip
_SELF: Final = frozenset({
    "thought", "action", "observation", "id", "timestamp", "source", "message", "cause", "timeout", "args",
    "tool_call_metadata", "is_confirmed", "confirmation_state", "action_risk", "security_risk", "keep_prompt",
    "blocking", "hidden", "kernel_init_code", "llm_metrics", "wait_for_response", "images_urls", "image_urls",
})  # fmt: skip
"""Fields of an action that are no arguments."""
ENVIRONMENT: Final = "environment"


def is_event(value: dict[str, Any]) -> bool:
    """Whether an object is one event of a log: a numbered action or observation of a source, or a kind of the SDK."""
    if isinstance(value.get("kind"), str):
        return value["kind"] in _KINDS and "source" in value
    return {"id", "source"} <= value.keys() and is_flat_event(value)


def is_flat_event(value: dict[str, Any]) -> bool:
    """Whether an object is an action or observation as histories of rows hold them, without number and source."""
    named = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    shaped = {"source", "args", "extras", "content", "thought", "outputs", "cause", "command"} & value.keys()
    return named and bool(shaped) and {"event_type", "role", "response"}.isdisjoint(value)


def add_event(event: dict[str, Any], place: str, draft: Draft) -> None:
    """Add the steps of one event."""
    name = event.get("action") or event.get("observation")
    if isinstance(event.get("kind"), str):
        _add_kind(event, place, draft)
    elif name in _BOOKKEEPING:
        draft.lose(f"event.{name}")
    elif isinstance(event.get("action"), str):
        _add_action(event, place, draft)
    else:
        _add_observation(event, place, draft)


def _add_action(event: dict[str, Any], place: str, draft: Draft) -> None:
    """Add an action: a message, or a call with the thought before it."""
    name, agent = str(event["action"]), text_or_none(event.get("source"))
    given = mapping(event.get("args")) or {key: held for key, held in event.items() if key not in _SELF}
    thought = mapping(event.get("args")).get("thought", event.get("thought"))
    common = {"at": text_or_none(event.get("timestamp"))}
    if name in ("message", "system"):
        _add_message(name, agent, given, place, common, draft)
        return
    agent = agent or "agent"
    called = mapping(event.get("tool_call_metadata"))
    if name in ("finish", "think", "reject") and not called:
        kind = "reflection" if name == "think" else "agent.step"
        said = thought or event.get("message") or given.get("outputs")
        draft.add(agent, kind, output=said, source_ref=place, metadata={"action": name}, **common)
        return
    if isinstance(thought, str) and thought.strip():
        draft.add(agent, "llm.response", role="assistant", output=thought, source_ref=place, **common)
    arguments = {key: held for key, held in given.items() if key not in _SELF}
    tool = text_or_none(called.get("function_name")) or name
    draft.add(agent, "tool.call", role="assistant", tool=tool, call_id=_call_id(event, event.get("id")),
              input=arguments, source_ref=f"{place}.0", **common)  # fmt: skip
    if called.get("model_response"):
        draft.lose("tool_call_metadata.model_response")


def _add_message(
    name: str, agent: str | None, given: dict[str, Any], place: str, common: dict[str, Any], draft: Draft
) -> None:
    said = content_of(given.get("content"), draft).value()
    if name == "system" or agent != "agent":
        role = "system" if name == "system" else "user"
        speaker = role if name == "system" else agent or role
        draft.add(speaker, "message", role=role, input=said, source_ref=place, **common)
    else:
        draft.add(agent, "llm.response", role="assistant", output=said, source_ref=place, **common)


def _add_observation(event: dict[str, Any], place: str, draft: Draft) -> None:
    name = str(event["observation"])
    content, extras = event.get("content"), mapping(event.get("extras")) or event
    call_id = _call_id(event, event.get("cause"))
    failed = name == "error" or event.get("success") is False
    code = integer_or_none(mapping(extras.get("metadata")).get("exit_code"))
    mark = {"exit_code": integer_or_none(extras.get("exit_code")) if code is None else code}
    error = (text_or_none(content) or text_or_none(event.get("message")) or "error") if failed else None
    common = {"at": text_or_none(event.get("timestamp")), "source_ref": place, "error": error, "metadata": mark}
    if name == "user_rejected":
        draft.add("user", "human.feedback", input=content, call_id=call_id, **common)
    elif name == "error" and call_id is None:
        draft.add(ENVIRONMENT, "error", **common)
    else:
        called = mapping(event.get("tool_call_metadata"))
        tool = text_or_none(called.get("function_name")) or draft.tool_of(call_id) or name
        draft.add(ENVIRONMENT, "tool.result", tool=tool, call_id=call_id, output=content, **common)


def _call_id(event: dict[str, Any], number: Any) -> str | None:
    """Return what pairs an action and its observation: the tool call's id, else the id of the action."""
    named = text_or_none(mapping(event.get("tool_call_metadata")).get("tool_call_id"))
    return named or (f"event-{number}" if isinstance(number, int) and number >= 0 else None)


def _add_kind(event: dict[str, Any], place: str, draft: Draft) -> None:
    """Add an event of the SDK."""
    kind, agent = event["kind"], str(event.get("source") or "agent")
    common = {"at": text_or_none(event.get("timestamp")), "source_ref": place}
    if kind == "SystemPromptEvent":
        said = mapping(event.get("system_prompt")).get("text", event.get("system_prompt"))
        draft.add("system", "message", role="system", input=said, **common)
    elif kind == "MessageEvent":
        message = mapping(event.get("llm_message"))
        said = content_of(message.get("content"), draft).value()
        by_agent = message.get("role") == "assistant" or agent == "agent"
        side, step = ("output", "llm.response") if by_agent else ("input", "message")
        draft.add(agent, step, role=text_or_none(message.get("role")), **{side: said}, **common)
    elif kind == "ActionEvent":
        _add_call(event, agent, place, common, draft)
    elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
        _add_result(event, common, draft)
    elif kind == "ConversationErrorEvent":
        draft.add("system", "error", error=text_or_none(event.get("detail")) or "error", **common)
    else:
        draft.lose(f"event.{kind}")


def _add_call(event: dict[str, Any], agent: str, place: str, common: dict[str, Any], draft: Draft) -> None:
    said = content_of(objects(event.get("thought")) or event.get("thought"), draft)
    if thought := text_or_none(event.get("reasoning_content")):
        said.reasoning.append(thought)
    if not said.empty:
        draft.add(agent, "llm.response", role="assistant", output=said.value(), **common)
    action = event.get("action")
    function = mapping(mapping(event.get("tool_call")).get("function")) or mapping(event.get("tool_call"))
    given, mark = arguments_of(function.get("arguments"))
    if given is None:
        given = {key: held for key, held in mapping(action).items() if key != "kind"}
    tool = text_or_none(event.get("tool_name")) or type_of(action, "kind") or None
    draft.add(agent, "tool.call", role="assistant", tool=tool, call_id=text_or_none(event.get("tool_call_id")),
              input=given, metadata=mark, **common | {"source_ref": f"{place}.0"})  # fmt: skip


def _add_result(event: dict[str, Any], common: dict[str, Any], draft: Draft) -> None:
    observation, call_id = mapping(event.get("observation")), text_or_none(event.get("tool_call_id"))
    said = content_of(observation.get("content", event.get("rejection_reason")), draft)
    error = text_or_none(event.get("error"))
    if observation.get("is_error") is True:
        error = said.text or "error"
    tool = text_or_none(event.get("tool_name")) or draft.tool_of(call_id)
    output = said.value() if not said.empty else None
    draft.add(ENVIRONMENT, "tool.result", tool=tool, call_id=call_id, output=output, error=error, **common)
