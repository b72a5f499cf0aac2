"""OpenAI chat: wrappings, calls and results, typed content, aliases."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle

One = Callable[..., Bundle]
Put = Callable[..., Path]


def call(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def kinds(bundle: Bundle) -> list[str]:
    return [step.kind for step in bundle.trajectory.steps]


def chat(*messages: dict[str, Any], **top: Any) -> dict[str, Any]:
    return {"messages": list(messages), **top}


USER = {"role": "user", "content": "Book it"}


def test_text_and_calls_of_one_message_become_steps(put: Put, one: One) -> None:
    said = {"role": "assistant", "content": "On it", "tool_calls": [call("a", '{"x": 1}'), call("b", "{}", "c2")]}
    answer = [{"role": "tool", "tool_call_id": name, "content": name} for name in ("c2", "c1")]
    bundle = one(put("x.json", chat({"role": "system", "content": "Be brief"}, USER, said, *answer)))
    assert kinds(bundle) == [
        "message",
        "message",
        "llm.response",
        "tool.call",
        "tool.call",
        "tool.result",
        "tool.result",
    ]
    steps = bundle.trajectory.steps
    assert [step.agent for step in steps] == ["system", "user", *["assistant"] * 3, "tool", "tool"]
    assert (steps[0].input, steps[0].output, steps[2].output, steps[3].input) == ("Be brief", None, "On it", {"x": 1})
    assert [(s.tool, s.call_id) for s in steps[3:]] == [("a", "c1"), ("b", "c2"), ("b", "c2"), ("a", "c1")]
    assert bundle.trajectory.task.goal == "Book it"
    assert bundle.trajectory.outcome.status == "unknown"
    assert bundle.trajectory.source.warnings == ()


@pytest.mark.parametrize("content", [None, ""], ids=["null", "empty"])
def test_message_with_calls_alone_says_nothing(content: Any, put: Put, one: One) -> None:
    said = {"role": "assistant", "content": content, "tool_calls": [call("a", "{}")]}
    assert kinds(one(put("x.json", chat(USER, said)))) == ["message", "tool.call"]


def test_empty_turn_stays_a_step(put: Put, one: One) -> None:
    bundle = one(put("x.json", chat(USER, {"role": "assistant", "content": ""})))
    assert [step.output for step in bundle.trajectory.steps] == [None, ""]


@pytest.mark.parametrize(
    ("written", "kept", "mark"),
    [
        ('{"x": 1}', {"x": 1}, {}),
        ('{"x": ', '{"x": ', {"arguments": "text"}),
        ("[1]", "[1]", {"arguments": "text"}),
        ("", "", {"arguments": "text"}),
        ({"x": 1}, {"x": 1}, {}),
    ],
    ids=["object", "broken", "no object", "empty", "already an object"],
)
def test_arguments_are_never_invented(written: Any, kept: Any, mark: Any, put: Put, one: One) -> None:
    said = {"role": "assistant", "content": None, "tool_calls": [call("a", written)]}
    step = one(put("x.json", chat(USER, said))).trajectory.steps[1]
    assert (step.input, step.metadata) == (kept, mark)


def test_legacy_function_calls(put: Put, one: One) -> None:
    said = {"role": "assistant", "content": None, "function_call": {"name": "a", "arguments": '{"x": 1}'}}
    bundle = one(put("x.json", chat(USER, said, {"role": "function", "name": "a", "content": "done"})))
    assert kinds(bundle) == ["message", "tool.call", "tool.result"]
    assert bundle.trajectory.steps[2].agent == "a"
    assert bundle.trajectory.source.warnings == ()


def test_orphan_result_is_kept_with_a_warning(put: Put, one: One) -> None:
    bundle = one(put("x.json", chat(USER, {"role": "tool", "tool_call_id": "ghost", "content": "?"})))
    assert kinds(bundle) == ["message", "tool.result"]
    assert bundle.trajectory.source.warnings == ("1 tool result without a call of the same id, kept.",)


def test_call_id_used_twice_is_told(put: Put, one: One) -> None:
    said = {"role": "assistant", "content": None, "tool_calls": [call("a", "{}"), call("b", "{}")]}
    assert "used by more than one call" in one(put("x.json", chat(USER, said))).trajectory.source.warnings[0]


def test_names_are_the_actors(put: Put, one: One) -> None:
    said = {"role": "assistant", "name": "planner", "content": "p"}
    assert one(put("x.json", [{**USER, "name": "Ann"}, said])).trajectory.agents == ("Ann", "planner")


def test_reasoning_and_refusal(put: Put, one: One) -> None:
    said = {"role": "assistant", "content": None, "refusal": "No.", "reasoning_content": "Risky."}
    step = one(put("x.json", chat(USER, said))).trajectory.steps[1]
    assert (step.output, step.metadata) == ({"text": "No.", "reasoning": "Risky."}, {"refusal": True})


def test_images_become_stand_ins(put: Put, one: One) -> None:
    content = [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
        {"type": "image_url", "image_url": {"url": "https://example.invalid/cat.png"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
    ]
    value = one(put("x.json", chat({"role": "user", "content": content}))).trajectory.steps[0].input
    image, link, sound = value["parts"]
    assert value["text"] == "What is it?"
    assert (image["type"], image["media_type"], image["bytes"], len(image["sha256"])) == ("image", "image/png", 8, 64)
    assert link["image_url"]["url"] == "https://example.invalid/cat.png"
    assert (sound["type"], sound["bytes"]) == ("audio", 3)
    assert "iVBOR" not in json.dumps(value)


def test_tools_are_inputs_and_unknown_fields_are_counted(put: Put, one: One) -> None:
    top = {"tools": [{"type": "function"}], "model": "m-1", "temperature": 0.5, "seed": 3, "answer": 42, "id": "r1"}
    run = one(put("x.json", chat({**USER, "annotations": ["x"]}, **top))).trajectory
    assert (run.run.policy, run.run.temperature, run.run.seed) == ("m-1", 0.5, 3)
    assert run.run.metadata == {"id": "r1", "inputs": {"tools": [{"type": "function"}]}}
    assert run.source.unmapped == {"answer": 1, "message.annotations": 1}
    assert "42" not in run.model_dump_json()


def test_one_message_a_line_is_one_conversation(put: Put, one: One) -> None:
    bundle = one(put("x.jsonl", lines=[USER, {"role": "assistant", "content": "a"}, "{broken"]))
    assert kinds(bundle) == ["message", "llm.response"]
    assert bundle.trajectory.source.warnings == ("line 3: no message, left out.",)


def test_many_conversations(put: Put, read: Callable[..., Any]) -> None:
    bundles, refused = read(put("x.jsonl", lines=[chat(USER), [USER], chat(USER)]))
    assert refused == []
    assert [bundle.trajectory.source.record for bundle in bundles] == [0, 1, 2]


def test_sharegpt_aliases(put: Put, one: One) -> None:
    turns = [
        ("system", "s"), ("human", "h"), ("function_call", '{"name": "f", "arguments": {"x": 1}}'),
        ("observation", "o"), ("gpt", "g"),
    ]  # fmt: skip
    bundle = one(put("x.json", {"conversations": [{"from": who, "value": text} for who, text in turns]}))
    assert kinds(bundle) == ["message", "message", "tool.call", "tool.result", "llm.response"]
    assert bundle.trajectory.agents == ("system", "human", "function_call", "observation", "gpt")
    assert bundle.trajectory.steps[2].input == {"x": 1}
    assert bundle.trajectory.task.goal == "h"


def test_same_file_gives_the_same_bundle_anywhere(put: Put, one: One) -> None:
    one_place, other = put("a/x.json", chat(USER)), put("b/y.json", chat(USER))
    assert one(one_place).bundle_id == one(other).bundle_id
    assert one(other).provenance.file == "y.json"


def test_sharegpt_lists(put: Put, read: Callable[..., Any]) -> None:
    turns = [{"from": "human", "value": "q"}, {"from": "gpt", "value": "a"}]
    listed, refused = read(put("list.json", [{"id": "1", "conversations": turns}, {"conversations": turns}]))
    assert (len(listed), refused) == (2, [])
    (bare,), _ = read(put("bare.json", turns))
    assert [step.agent for step in bare.trajectory.steps] == ["human", "gpt"]
    assert bare.trajectory_id == listed[0].trajectory_id
