"""OTLP: three dialects, history told once, agents by enclosing spans, tools by id, wrappers left out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorhub.hub.bundle import Bundle

One = Callable[..., Bundle]
Put = Callable[..., Path]


def value(held: Any) -> dict[str, Any]:
    if isinstance(held, bool):
        return {"boolValue": held}
    if isinstance(held, int):
        return {"intValue": str(held)}
    if isinstance(held, list):
        return {"arrayValue": {"values": [value(item) for item in held]}}
    return {"stringValue": held if isinstance(held, str) else json.dumps(held)}


def attributes(**held: Any) -> list[dict[str, Any]]:
    return [{"key": key.replace("__", "."), "value": value(item)} for key, item in held.items()]


def span(number: int, name: str, parent: int | None = None, *, start: int = 0, **held: Any) -> dict[str, Any]:
    begin = 1767225600_000000000 + (start or number) * 10**6
    return {
        "traceId": held.pop("trace", "t"), "spanId": f"s{number}", "name": name,
        "parentSpanId": "" if parent is None else f"s{parent}", "startTimeUnixNano": str(begin),
        "endTimeUnixNano": begin + 10**6, "status": held.pop("status", {}), "events": held.pop("events", []),
        "attributes": attributes(**held),
    }  # fmt: skip


def document(*spans: dict[str, Any]) -> dict[str, Any]:
    scope = {"scope": {"name": "lib", "version": "1.2"}, "spans": list(spans)}
    return {"resourceSpans": [{"resource": {"attributes": attributes(service__name="desk")}, "scopeSpans": [scope]}]}


def rows(bundle: Bundle) -> list[tuple[str, str]]:
    return [(step.agent, step.kind) for step in bundle.trajectory.steps]


ASKED = {"role": "user", "parts": [{"type": "text", "content": "Find x"}]}
CALLED = {
    "role": "assistant",
    "parts": [
        {"type": "text", "content": "On it"},
        {"type": "tool_call", "id": "c1", "name": "search", "arguments": {"q": "x"}},
    ],
}
ANSWER = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": {"hits": 0}}]}
SAID = {"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm."}, {"type": "text", "content": "None"}]}


def chat(number: int, parent: int | None, given: list[Any], out: list[Any], **more: Any) -> dict[str, Any]:
    return span(number, "chat", parent, gen_ai__operation__name="chat", gen_ai__input__messages=json.dumps(given),
                gen_ai__output__messages=json.dumps(out), gen_ai__request__model="m", **more)  # fmt: skip


WANTED = [("system", "message"), ("user", "message"), ("planner", "llm.response"), ("planner", "tool.call"),
          ("tool", "tool.result"), ("planner", "llm.response")]  # fmt: skip


def test_gen_ai_tells_the_history_once(put: Put, one: One) -> None:
    agent = span(1, "invoke_agent", gen_ai__operation__name="invoke_agent", gen_ai__agent__name="planner")
    system = json.dumps([{"type": "text", "content": "Be brief"}])
    tool = span(3, "execute_tool", 1, gen_ai__operation__name="execute_tool", gen_ai__tool__name="search",
                gen_ai__tool__call__id="c1", gen_ai__tool__call__result="no hits")  # fmt: skip
    first = chat(2, 1, [ASKED], [CALLED], gen_ai__system_instructions=system, gen_ai__usage__input_tokens=7)
    last = chat(4, 1, [ASKED, CALLED, ANSWER], [SAID], gen_ai__system_instructions=system)
    bundle = one(put("x.json", document(last, tool, first, agent)))
    assert rows(bundle) == WANTED
    steps = bundle.trajectory.steps
    assert (steps[3].input, steps[4].output, steps[4].tool) == ({"q": "x"}, "no hits", "search")
    assert steps[5].output == {"text": "None", "reasoning": "Hm."}
    assert steps[2].metadata == {"usage": {"gen_ai.usage.input_tokens": 7}}
    assert (steps[2].at, steps[2].duration_ms) == ("2026-01-01T00:00:00.002000000Z", 1.0)
    assert (bundle.trajectory.run.policy, bundle.trajectory.run.framework) == ("m", "lib")
    assert bundle.trajectory.run.metadata == {"trace_id": "t", "service": "desk"}
    assert bundle.trajectory.task.goal == "Find x"


def flat(side: str, number: int, **fields: str) -> dict[str, str]:
    return {f"llm__{side}_messages__{number}__message__{name}": text for name, text in fields.items()}


@pytest.mark.parametrize("spread", [False, True], ids=["one document", "one span a document"])
def test_openinference(spread: bool, put: Put, one: One) -> None:
    kind = "openinference__span__kind"
    call = {"tool_calls__0__tool_call__id": "c1", "tool_calls__0__tool_call__function__name": "search",
            "tool_calls__0__tool_call__function__arguments": '{"q": "x"}'}  # fmt: skip
    asked = flat("input", 0, role="system", content="Be brief") | flat("input", 1, role="user", content="Find x")
    said = {"role": "assistant", "content": "On it", **call}
    told = flat("input", 2, **said) | flat("input", 3, role="tool", tool_call_id="c1", content="no hits")
    spans = [
        span(1, "planner", **{kind: "AGENT", "agent__name": "planner"}),
        span(2, "llm", 1, **{kind: "LLM"}, **asked, **flat("output", 0, **said)),
        span(3, "search", 1, **{kind: "TOOL", "tool__name": "search", "output__value": "no hits"}),
        span(4, "llm", 1, **{kind: "LLM"}, **asked, **told, **flat("output", 0, role="assistant", content="None")),
        span(5, "chain", 1, **{kind: "CHAIN"}),
    ]
    path = put("x.jsonl", lines=[document(each) for each in spans]) if spread else put("x.json", document(*spans))
    bundle = one(path)
    assert rows(bundle) == WANTED
    assert bundle.trajectory.source.unmapped == {"span.AGENT": 1, "span.CHAIN": 1, "tool span without a call id": 1}
    assert bundle.trajectory.source.warnings == ()


def test_older_events(put: Put, one: One) -> None:
    events = [
        {"name": "gen_ai.user.message", "attributes": attributes(content="Find x")},
        {"name": "gen_ai.choice", "attributes": attributes(message={"role": "assistant", "content": "None"})},
    ]
    bundle = one(put("x.json", document(span(1, "chat", gen_ai__operation__name="chat", events=events))))
    assert [(s.kind, s.input or s.output) for s in bundle.trajectory.steps] == [
        ("message", "Find x"),
        ("llm.response", "None"),
    ]


def test_wrapper_calls_and_lone_tools(put: Put, one: One) -> None:
    wrapper = chat(1, None, [ASKED], [SAID])
    tool = span(3, "look", 1, openinference__span__kind="TOOL", input__value='{"q": 1}', output__value="seen")
    bundle = one(put("x.json", document(wrapper, chat(2, 1, [ASKED], [SAID]), tool)))
    assert rows(bundle) == [
        ("user", "message"),
        ("assistant", "llm.response"),
        ("assistant", "tool.call"),
        ("tool", "tool.result"),
    ]
    assert bundle.trajectory.source.unmapped == {"wrapper span": 1}
    assert bundle.trajectory.steps[2].input == {"q": 1}


@pytest.mark.parametrize("code", [2, "STATUS_CODE_ERROR"])
def test_errors_of_spans(code: Any, put: Put, one: One) -> None:
    event = {"name": "exception", "attributes": attributes(exception__type="Timeout", exception__message="30 s")}
    failed = chat(1, None, [ASKED], [], status={"code": code}, events=[event])
    bundle = one(put("x.json", document(failed)))
    assert (bundle.trajectory.steps[1].kind, bundle.trajectory.steps[1].error) == ("llm.response", "Timeout: 30 s")


def test_calls_without_content_are_told(put: Put, one: One) -> None:
    bundle = one(put("x.json", document(span(1, "chat", gen_ai__operation__name="chat"))))
    assert rows(bundle) == [("assistant", "llm.response")]
    assert "content not captured" in bundle.trajectory.source.warnings[0]


def test_traces_are_runs_and_cycles_end(put: Put, read: Callable[..., Any]) -> None:
    loop = [chat(1, 2, [ASKED], [SAID]), chat(2, 1, [ASKED], [SAID], start=5)]
    bundles, refused = read(put("x.json", document(*loop, chat(3, None, [ASKED], [SAID], trace="u"))))
    assert (len(bundles), refused) == (2, [])
    assert [bundle.trajectory.source.record for bundle in bundles] == [0, 1]


def test_trace_without_agents_is_refused(put: Put, read: Callable[..., Any]) -> None:
    bundles, refused = read(put("x.json", document(span(1, "GET /"))))
    assert bundles == []
    assert refused[0].reason == "holds no step of a run."


def test_real_traces_keep_their_calls_apart(shared_data: Path, read: Callable[..., Any]) -> None:
    folder = shared_data / "agentpile/fixtures/otlp"
    agents = {}
    for path in sorted(folder.glob("*ai*.json*")):
        bundles, refused = read(path)
        assert refused == []
        for bundle in bundles:
            calls = [step.call_id for step in bundle.trajectory.steps if step.kind == "tool.call"]
            assert len(calls) == len(set(calls)), path
            assert bundle.trajectory.source.warnings == (), path
        agents[path.name] = {agent for bundle in bundles for agent in bundle.trajectory.agents}
    assert {"boss_agent", "helper_agent"} <= agents["pydantic_ai_2.58.0_delegation.json"]
    assert {"Triage", "Refunds"} <= agents["openai_agents_0.24.0_oi_2.5.3.jsonl"]
