"""Count what is in real logs with the standard library alone: `python count_logs.py FOLDER` prints JSON.

An oracle for the importers, written from the descriptions of the formats: it imports nothing of theirs. For each file
it gives one row a run: steps, calls, results, agents, outcome.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Step = tuple[str, str]
"""Agent, and `call`, `result` or anything else."""


def row(steps: list[Step], outcome: str = "unknown") -> Row:
    """Return the counts of a run."""
    kinds = [kind for _, kind in steps]
    return {"steps": len(steps), "calls": kinds.count("call"), "results": kinds.count("result"),
            "agents": sorted({agent for agent, _ in steps}), "outcome": outcome}  # fmt: skip


def documents(path: Path) -> list[Any]:
    """Return the JSON values of a document or of the lines of a file; damaged lines are left out."""
    text = path.read_text("utf-8")
    try:
        return [json.loads(text)]
    except ValueError:
        return [value for line in text.splitlines() if (value := _line(line)) is not None]


def _line(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def chat(messages: list[dict[str, Any]]) -> list[Step]:
    """Count OpenAI chat messages: an assistant's words are one step, each of its calls another."""
    steps: list[Step] = []
    for message in messages:
        agent = message.get("name") or message["role"]
        calls = message.get("tool_calls") or []
        if message["role"] == "assistant":
            steps += [(agent, "said")] if message.get("content") or not calls else []
            steps += [(agent, "call")] * len(calls)
        else:
            steps.append((agent, "result" if message["role"] in ("tool", "function") else "said"))
    return steps


def who_and_when(path: Path) -> list[Row]:
    """Every entry of history is a step; all of the runs failed."""
    value = documents(path)[0]
    verdict = value.get("is_correct", value.get("is_corrected"))
    outcome = "unknown" if verdict is None else "passed" if verdict else "failed"
    return [row([(entry.get("name") or entry["role"], "said") for entry in value["history"]], outcome)]


def magentic(path: Path) -> list[Row]:
    """Every entry of the list is a step."""
    return [row([(entry["role"], "said") for entry in documents(path)[0]])]


def tau(path: Path) -> list[Row]:
    """Chat messages with a reward."""
    value = documents(path)[0]
    runs = value if isinstance(value, list) else [value]
    return [row(chat(run["traj"]), "passed" if run["reward"] == 1 else "failed") for run in runs]


def tau_rows(path: Path) -> list[Row]:
    """Re-hosted rows; rows without messages are no runs."""
    return [_tau_row(value) for value in documents(path) if value["messages"]]


def _tau_row(value: dict[str, Any]) -> Row:
    steps: list[Step] = []
    for message in value["messages"]:
        calls = message.get("tool_calls") or []
        if message["role"] == "tool":
            steps.append(("tool", "result"))
            continue
        steps += [(message["role"], "said")] if message.get("content") or not calls else []
        steps += [(message["role"], "call")] * len(calls)
    score, verdict = value["eval_result"].get("score"), value["meta"].get("is_correct")
    passed = score == 1
    open_ = verdict is not None and verdict != passed
    return row(steps, "ungradable" if score is None else "unknown" if open_ else "passed" if passed else "failed")


def chat_list(path: Path) -> list[Row]:
    """One plain list or object of chat messages."""
    value = documents(path)[0]
    return [row(chat(value if isinstance(value, list) else value["messages"]))]


def mini_swe_agent(path: Path) -> list[Row]:
    """One fenced bash block is a call, the user message after it its result; the report beside says the outcome."""
    steps: list[Step] = []
    acted = started = False
    for message in documents(path)[0]["messages"]:
        if message["role"] == "assistant":
            started = True
            blocks = re.findall(r"```bash\s*\n.*?\n```", message["content"], re.DOTALL)
            acted = len(blocks) == 1
            alone = acted and not message["content"].replace(blocks[0], "", 1).strip()
            steps += [] if alone else [("assistant", "said")]
            steps += [("assistant", "call")] if acted else []
        elif not started:
            steps.append((message["role"], "said"))
        else:
            steps.append(("environment", "result" if acted else "said"))
            acted = False
    resolved = documents(path.with_name("report.json"))[0]["resolved"]
    return [row(steps, "passed" if resolved else "failed")]


def swe_agent(path: Path) -> list[Row]:
    """Prompts before the first turn, then thought, action and observation of every item."""
    value = documents(path)[0]
    history = [entry for entry in value["history"] if not entry.get("is_demo")]
    first = next(number for number, entry in enumerate(history) if entry["role"] == "assistant")
    steps: list[Step] = [(entry["role"], "said") for entry in history[:first]]
    (agent,) = {entry["agent"] for entry in history if entry["role"] == "assistant"}
    if "trajectory" not in value:
        return [row(steps + _swe_history(history[first:]))]
    for item in value["trajectory"]:
        steps += [(agent, "said")] if item["thought"].strip() else []
        steps += [(agent, "call"), ("environment", "result")]
    return [row(steps)]


def _swe_history(history: list[dict[str, Any]]) -> list[Step]:
    steps: list[Step] = []
    for entry in history:
        if entry["role"] == "assistant":
            steps += [(entry["agent"], "said")] if entry["thought"].strip() else []
            steps += [(entry["agent"], "call")] * len(entry.get("tool_calls") or [1])
        else:
            steps.append(("environment", "result"))
    return steps


def openhands(path: Path) -> list[Row]:
    """Events, or rows with a history of them."""
    found = documents(path)
    if "history" in found[0]:
        return [row(_events(value["history"]), "passed" if value["success"] else "failed") for value in found]
    return [row(_events(found[0]))]


def _events(events: list[dict[str, Any]]) -> list[Step]:
    steps: list[Step] = []
    for event in events:
        name = event.get("action") or event["observation"]
        if name in ("change_agent_state", "agent_state_changed", "null"):
            continue
        if "observation" in event:
            steps.append(("environment", "result"))
            continue
        agent = event.get("source") or ("user" if name == "message" else "agent")
        if name == "message" or (name == "finish" and not event.get("tool_call_metadata")):
            steps.append((agent, "said"))
            continue
        thought = event.get("args", event).get("thought")
        steps += [(agent, "said")] if thought and thought.strip() else []
        steps.append((agent, "call"))
    return steps


def inspect(path: Path) -> list[Row]:
    """Messages of every sample; every archive among the logs is packed in a way that `zipfile` reads."""
    if path.suffix == ".json":
        return [_sample(sample) for sample in documents(path)[0]["samples"]]
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("samples/"))
        return [_sample(json.loads(archive.read(name))) for name in names]


def _sample(sample: dict[str, Any]) -> Row:
    steps: list[Step] = []
    for message in sample["messages"]:
        calls = message.get("tool_calls") or []
        if message["role"] == "assistant":
            steps += [("assistant", "said")] if message["content"] or not calls else []
            steps += [("assistant", "call")] * len(calls)
        else:
            steps.append((message["role"], "result" if message["role"] == "tool" else "said"))
    values = [score["value"] for score in (sample.get("scores") or {}).values()]
    if sample.get("error"):
        return row(steps, "ungradable")
    known = {"C": "passed", "I": "failed", 1: "passed", 0: "failed"}
    return row(steps, known.get(values[0], "failed") if values else "unknown")


def gemini(path: Path) -> list[Row]:
    """What the model says is a step, each call and each result another."""
    steps: list[Step] = []
    for message in documents(path)[0]["messages"]:
        calls = message.get("toolCalls") or []
        agent = "user" if message["type"] == "user" else "assistant"
        steps += [(agent, "said"), *[(agent, "call")] * len(calls), *[("tool", "result")] * len(calls)]
    return [row(steps)]


def langsmith(path: Path) -> list[Row]:
    """One model call: its messages in and its answer."""
    value = documents(path)[0]
    asked = value["post"][0]["inputs"]["messages"]
    return [row([(message["role"], "said") for message in asked] + [("assistant", "said")])]


def langfuse(path: Path) -> list[Row]:
    """The generation that holds no other: its messages in and its answer."""
    value = documents(path)[0]
    parents = {each["parentObservationId"] for each in value["observations"]}
    leaves = [each for each in value["observations"] if each["type"] == "GENERATION" and each["id"] not in parents]
    steps = [(message["role"], "said") for leaf in leaves for message in json.loads(leaf["input"])]
    return [row(steps + [("assistant", "said")] * len(leaves))]


def autogen(path: Path) -> list[Row]:
    """Recorded calls: every answer, and every message in that no earlier call had as often."""
    calls = documents(path)[0]
    roles = {"SystemMessage": "system", "UserMessage": "user", "AssistantMessage": "assistant"}
    seen: dict[Any, int] = {}
    steps: list[Step] = []
    for call in calls:
        here: dict[Any, int] = {}
        for message in call["messages"]:
            key = (roles[message["type"]], str(message["content"]).strip())
            here[key] = here.get(key, 0) + 1
            steps += [(key[0], "said")] if here[key] > seen.get(key, 0) else []
        steps.append(("assistant", "said"))
        answer = ("assistant", str(call["response"]["content"]).strip())
        here[answer] = here.get(answer, 0) + 1
        seen = {key: max(seen.get(key, 0), here.get(key, 0)) for key in {*seen, *here}}
    return [row(steps)]


def pi(path: Path) -> list[Row]:
    """A linear session: an assistant's words are one step, each call another."""
    steps: list[Step] = []
    agents = {"user": "user", "toolResult": "tool"}
    for value in documents(path):
        message = value.get("message")
        if value["type"] != "message":
            continue
        if message["role"] != "assistant":
            steps.append((agents[message["role"]], "result" if message["role"] == "toolResult" else "said"))
            continue
        kinds = [block["type"] for block in message["content"]]
        error = bool(message.get("errorMessage"))
        spoken = any(block.get("text") or block.get("thinking") for block in message["content"])
        steps += [("assistant", "said")] if spoken or "toolCall" not in kinds or error else []
        steps += [("assistant", "call")] * kinds.count("toolCall")
    return [row(steps)]


def codex(path: Path) -> list[Row]:
    """Items of a rollout; an event counts when no item says the same words, thoughts go with what is said next."""
    records = [(value["type"], value["payload"]) for value in documents(path)]
    told = {text for kind, payload in records if kind == "response_item" for text in _item_texts(payload)}
    instructed = next(payload.get("instructions") for kind, payload in records if kind == "session_meta")
    steps: list[Step] = [("system", "said")] if instructed else []
    thinking = False
    for kind, payload in records:
        if kind not in ("response_item", "event_msg"):
            continue
        said = payload.get("message", payload.get("text"))
        copied = kind == "event_msg" and said in told
        step = None if copied else _item(payload) if kind == "response_item" else _event(payload["type"])
        if step == ("assistant", "thought"):
            thinking = thinking or bool(said or _item_texts(payload))
        elif step:
            steps += [("assistant", "said")] if thinking and step != ("assistant", "said") else []
            steps.append(step)
            thinking = False
    return [row(steps + [("assistant", "said")] * thinking)]


def _item_texts(payload: dict[str, Any]) -> list[str]:
    blocks = [*(payload.get("content") or []), *(payload.get("summary") or [])]
    return [block["text"] for block in blocks if block.get("text")]


def _item(payload: dict[str, Any]) -> Step | None:
    kind = payload["type"]
    if kind == "message":
        text = "".join(_item_texts(payload)[:1]).lstrip()
        injected = payload["role"] == "user" and text.startswith(("<environment_context>", "<user_instructions>"))
        return ("system" if injected else payload["role"], "said")
    known = {"reasoning": ("assistant", "thought"), "function_call": ("assistant", "call"),
             "custom_tool_call": ("assistant", "call"), "function_call_output": ("tool", "result"),
             "custom_tool_call_output": ("tool", "result")}  # fmt: skip
    return known.get(kind)


def _event(kind: str) -> Step | None:
    known = {"user_message": ("user", "said"), "agent_message": ("assistant", "said"),
             "agent_reasoning": ("assistant", "thought")}  # fmt: skip
    return known.get(kind)


def claude_code(path: Path) -> list[Row]:
    """A session and the subagents its results name: an assistant message is one step, calls and results are others.

    A file that holds nothing but a subagent's records is a session of its own.
    """
    steps: list[Step] = []
    todo, done = [(path, "assistant", "user")], {path}
    while todo:
        file, agent, asker = todo.pop()
        said: dict[str, bool] = {}
        dropped = _abandoned(file)
        records = [record for record in _records(file) if record.get("uuid") not in dropped]
        inline = file == path and not all(record.get("isSidechain") for record in records)
        for record in records:
            aside = inline and record.get("isSidechain")
            name = f"agent-{record['agentId']}" if record.get("agentId") else "subagent"
            who, whose = (name, agent) if aside else (agent, asker)
            steps += _claude_user(record, whose) if record["type"] == "user" else []
            steps += _claude_assistant(record, who, said) if record["type"] == "assistant" else []
            named = record.get("toolUseResult")
            if not isinstance(named, dict):
                continue
            for part in sorted(path.with_suffix("").rglob("agent-*.jsonl")):
                mine = part.stem == f"agent-{named.get('agentId')}" or part.parent.name == named.get("runId")
                if mine and part not in done:
                    done.add(part)
                    todo.append((part, str(named.get("agentType") or part.stem), agent))
    return [row(steps)]


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield user, assistant and API error records, each uuid once."""
    uuids = set()
    for record in documents(path):
        message = record.get("message") if isinstance(record, dict) else None
        if not isinstance(message, dict) or not isinstance(message.get("content"), list | str):
            if isinstance(record, dict) and record.get("subtype") == "api_error":
                yield {**record, "type": "assistant", "message": {"content": "x", "model": "<synthetic>"}}
            continue
        if record.get("type") in ("user", "assistant") and record.get("uuid") not in uuids:
            uuids.add(record["uuid"])
            yield record


def _claude_blocks(record: dict[str, Any]) -> list[dict[str, Any]]:
    content = record["message"]["content"]
    listed = content if isinstance(content, list) else [content]
    return [{"type": "text", "text": block} if isinstance(block, str) else block for block in listed]


def _injected(record: dict[str, Any], text: str) -> bool:
    """Whether the program, and no person, put a user record there."""
    flags = ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly")
    marks = ("<command-", "<local-command", "<bash-", "<system-reminder", "Caveat:")
    return any(record.get(flag) for flag in flags) or text.lstrip().startswith(marks)


def _claude_user(record: dict[str, Any], asker: str) -> list[Step]:
    blocks = _claude_blocks(record)
    results = sum(block.get("type") == "tool_result" for block in blocks)
    others = [block for block in blocks if block.get("type") != "tool_result"]
    injected = _injected(record, next((block.get("text", "") for block in others), ""))
    return [("tool", "result")] * results + ([("system" if injected else asker, "said")] if others else [])


def _claude_assistant(record: dict[str, Any], agent: str, said: dict[str, bool]) -> list[Step]:
    """Count a record of an assistant message: its words are one step for all records of the message."""
    blocks = _claude_blocks(record)
    calls = sum(block.get("type") == "tool_use" for block in blocks)
    others = [block for block in blocks if block.get("type") not in ("tool_use", "text", "thinking")]
    spoken = bool(others) or any(block.get("text") or block.get("thinking") for block in blocks)
    name = str(record["message"].get("id", id(record)))
    first = spoken and not said.get(name)
    said[name] = said.get(name, False) or spoken
    speaker = "system" if record["message"].get("model") == "<synthetic>" else agent
    return ([(speaker, "said")] if first else []) + [(agent, "call")] * calls


def _abandoned(path: Path) -> set[str]:
    """Return the records of abandoned branches: of turns of a person after one record, the last written goes on."""
    tree: dict[str, dict[str, Any]] = {}
    for record in documents(path):
        if isinstance(record, dict) and record.get("uuid"):
            tree.setdefault(record["uuid"], record)
    above = {uuid: str(each.get("parentUuid") or each.get("logicalParentUuid")) for uuid, each in tree.items()}
    last = {uuid: place for place, uuid in enumerate(tree)}
    asked = {uuid: _asks(record) for uuid, record in tree.items()}
    for uuid in reversed(tree):
        if (parent := above[uuid]) in tree:
            last[parent] = max(last[parent], last[uuid])
            asked[parent] = asked[parent] or asked[uuid]
    newest: dict[str, int] = {}
    for uuid in tree:
        if asked[uuid]:
            newest[above[uuid]] = max(newest.get(above[uuid], 0), last[uuid])
    dropped: set[str] = set()
    for uuid in tree:
        older = above[uuid] in tree and asked[uuid] and last[uuid] < newest[above[uuid]]
        dropped |= {uuid} if older or above[uuid] in dropped else set()
    return dropped


def _asks(record: dict[str, Any]) -> bool:
    """Whether a person speaks in a record."""
    message = record.get("message")
    if record.get("type") != "user" or record.get("isSidechain") or not isinstance(message, dict):
        return False
    if not isinstance(message.get("content"), list | str):
        return False
    text = next((block["text"] for block in _claude_blocks(record) if block.get("text")), "")
    return bool(text.strip()) and not _injected(record, text)


def atif(path: Path) -> list[Row]:
    """Every trajectory, and those embedded in it that a result refers to."""
    return [row(_atif(value, value.get("subagent_trajectories") or [])) for value in documents(path)]


def _atif(value: dict[str, Any], embedded: list[dict[str, Any]]) -> list[Step]:
    steps: list[Step] = []
    for step in value["steps"]:
        spaces = [space for space in (step.get("extra") or {}).values() if isinstance(space, dict)]
        named = next((space["actor"] for space in spaces if space.get("actor")), None)
        agent = named or (value["agent"]["name"] if step["source"] == "agent" else step["source"])
        calls = step.get("tool_calls") or []
        steps += [(agent, "said")] if step.get("message") or step.get("reasoning_content") or not calls else []
        steps += [(agent, "call")] * len(calls)
        for result in (step.get("observation") or {}).get("results", []):
            steps.append(("tool", "result") if result.get("source_call_id") else ("environment", "said"))
            meant = {ref.get("trajectory_id") for ref in result.get("subagent_trajectory_ref") or []}
            steps += [inner for each in embedded if each["trajectory_id"] in meant for inner in _atif(each, embedded)]
    return steps


Span = dict[str, Any]


def otlp(path: Path) -> list[Row]:
    """One trace is one run: what model calls say for the first time, and tool spans."""
    found = [each for value in documents(path) for each in (value if isinstance(value, list) else [value])]
    scopes = [scope for value in found for resource in value["resourceSpans"] for scope in resource["scopeSpans"]]
    traces: dict[str, dict[str, Span]] = {}
    for span in (span for scope in scopes for span in scope["spans"]):
        held = {each["key"]: next(iter(each["value"].values()), None) for each in span.get("attributes") or []}
        traces.setdefault(span["traceId"], {})[span["spanId"]] = {**span, "held": held}
    return [row(_trace(spans)) for spans in traces.values()]


def _trace(spans: dict[str, Span]) -> list[Step]:
    """Read spans by start time. Of model calls around each other the innermost counts."""
    steps: list[Step] = []
    calls: set[str] = set()
    answers: set[str] = set()
    said: dict[str, Counter[str]] = {}
    models = [span for span in spans.values() if _operation(span) == "model"]
    outer = {each["spanId"] for span in models for each in _around(span, spans)}
    named = {call[1] for span in models for side in _sides(span) for message in side for call in message["calls"]}
    for span in sorted(spans.values(), key=lambda each: int(each["startTimeUnixNano"])):
        around, kind = _around(span, spans), _operation(span)
        agent = next((name for each in (span, *around) if (name := _agent(each))), None)
        if kind == "retriever":
            steps.append((agent or span["name"], "said"))
        elif kind == "tool":
            steps += _tool_span(span["held"], span["name"], agent or "assistant", named, calls, answers)
        elif kind == "model" and span["spanId"] not in outer:
            scope = next((each["spanId"] for each in around if _operation(each) == "tool"), "")
            heard = said.setdefault(scope, Counter())
            steps += _model_span(span, agent or "assistant", heard, calls, answers)
    return steps


def _model_span(span: Span, agent: str, heard: Counter[str], calls: set[str], answers: set[str]) -> list[Step]:
    """Count the answer, and of the messages in those that are new: by their words, or by the ids of their calls."""
    asked, answered = _sides(span)
    steps: list[Step] = []
    here: Counter[str] = Counter()
    for place, message in enumerate([*asked, *answered]):
        key = json.dumps(message, sort_keys=True)
        here[key] += 1
        ids = {call[0] for call in message["calls"]}
        known = message["answers"] in answers if message["answers"] else bool(ids) and ids <= calls
        if place < len(asked) and (known or here[key] <= heard[key]):
            continue
        speaker = agent if message["role"] == "assistant" else message["role"]
        spoken = message["text"] or not ids
        kind = "result" if message["role"] == "tool" else "said"
        steps += ([(speaker, kind)] if spoken else []) + [(speaker, "call")] * len(message["calls"])
        calls |= ids
        answers |= {message["answers"]} if message["answers"] else set()
    heard |= here
    return steps if answered else [*steps, (agent, "said")]


def _tool_span(
    held: dict[str, Any], name: str, agent: str, named: set[str], calls: set[str], answers: set[str]
) -> list[Step]:
    """Count a result, and a call that no message made; without an id only when no message speaks of the tool."""
    name, call = held.get("gen_ai.tool.name") or held.get("tool.name") or name, held.get("gen_ai.tool.call.id")
    if call is None and name in named:
        return []
    answers |= {call} if call else set()
    return [("tool", "result")] if call in calls else [(agent, "call"), ("tool", "result")]


def _operation(span: Span) -> str | None:
    operation, kind = span["held"].get("gen_ai.operation.name"), span["held"].get("openinference.span.kind")
    known = {"chat": "model", "execute_tool": "tool", "LLM": "model", "TOOL": "tool", "RETRIEVER": "retriever"}
    return known.get(operation) or known.get(kind)


def _agent(span: Span) -> Any:
    return span["held"].get("gen_ai.agent.name") or span["held"].get("agent.name")


def _around(span: Span, spans: dict[str, Span]) -> list[Span]:
    """Return the spans around one, nearest first."""
    found: list[Span] = []
    while above := spans.get(span.get("parentSpanId") or ""):
        found.append(above)
        span = above
    return found


def _sides(span: Span) -> tuple[list[Span], list[Span]]:
    """Return the messages into and out of a model call: role, text, calls, and the call it answers."""
    held = span["held"]
    if "gen_ai.input.messages" not in held:
        return _flat(held, "input"), _flat(held, "output")
    told = json.loads(held.get("gen_ai.system_instructions", "[]"))
    system = [_message("system", "".join(part["content"] for part in told))] if told else []
    asked, answered = (json.loads(held[f"gen_ai.{side}.messages"]) for side in ("input", "output"))
    return system + _parts(asked), _parts(answered)


def _message(role: str, text: str, calls: list[Any] | None = None, answers: str | None = None) -> Span:
    return {"role": role, "text": text.strip(), "calls": calls or [], "answers": answers}


def _parts(messages: list[dict[str, Any]]) -> list[Span]:
    found: list[Span] = []
    for message in messages:
        answers = [part for part in message["parts"] if part["type"] == "tool_call_response"]
        calls = [[part["id"], part["name"]] for part in message["parts"] if part["type"] == "tool_call"]
        text = "".join(part["content"] for part in message["parts"] if part["type"] == "text")
        found += [_message(message["role"], text, calls)] if text or calls or not answers else []
        found += [_message("tool", str(part.get("result", part.get("response"))), None, part["id"]) for part in answers]
    return found


def _flat(held: dict[str, Any], side: str) -> list[Span]:
    """Read OpenInference's names: `llm.input_messages.0.message.role` and so on."""
    rows: dict[int, dict[str, Any]] = {}
    for key, value in held.items():
        if match := re.fullmatch(rf"llm\.{side}_messages\.(\d+)\.message\.(.+)", key):
            rows.setdefault(int(match[1]), {})[match[2]] = value
    return [_from_names(rows[number]) for number in sorted(rows)]


def _from_names(fields: dict[str, Any]) -> Span:
    texts = [fields[key] for key in sorted(fields) if key.endswith(".message_content.text")]
    prefixes = sorted(key.removesuffix(".function.name") for key in fields if key.endswith(".function.name"))
    calls = [[fields.get(f"{prefix}.id"), fields[f"{prefix}.function.name"]] for prefix in prefixes]
    text = "\n".join(texts) if texts else str(fields.get("content") or "")
    return _message(fields["role"], text, calls, fields.get("tool_call_id"))


COUNTERS: list[tuple[str, Callable[[Path], list[Row]]]] = [
    ("agent-prism/langfuse/*.json", langfuse),
    ("agent-prism/otlp/*.json", otlp),
    ("agentpile/corpora/tau2_bench/*.jsonl", tau_rows),
    ("agentpile/corpora/tau_bench/*.jsonl", tau_rows),
    ("agentpile/corpora/trace_commons/sessions/claude_code/*.jsonl", claude_code),
    ("agentpile/corpora/who_and_when/*/*/*.json", who_and_when),
    ("agentpile/fixtures/atif_*", atif),
    ("agentpile/fixtures/claude_code/*.jsonl", claude_code),
    ("agentpile/fixtures/otlp/[op]*", otlp),
    ("agentpile/fixtures/tools/multimodal_messages.json", chat_list),
    ("agentrx/magentic/*[0-9a-f].json", magentic),
    ("agentrx/tau_retail/*_runs.json", tau),
    ("agtrace/claude/*.jsonl", claude_code),
    ("agtrace/codex/*.jsonl", codex),
    ("agtrace/gemini/*.json", gemini),
    ("autogen/*/session.json", autogen),
    ("bioagent/[ekp]*.json", chat_list),
    ("claude-code-log/*.jsonl", claude_code),
    ("claude-code-transcripts/*.jsonl", claude_code),
    ("claude-code-viewer/*/*.jsonl", claude_code),
    ("docent/*.json", tau),
    ("inspect/*.json", inspect),
    ("inspect/*.eval", inspect),
    ("langsmith/*wrap*.json", langsmith),
    ("mini-swe-agent/*/*.traj.json", mini_swe_agent),
    ("openhands/events/*.json", openhands),
    ("openhands/resolver/*.jsonl", openhands),
    ("pi/*.jsonl", pi),
    ("swe-agent/**/*.traj", swe_agent),
    ("tau-bench/*.json", tau),
    ("who-and-when/*/*.json", who_and_when),
]
"""Where the runs of each kind are."""


def counted(folder: Path) -> Iterator[tuple[str, list[Row]]]:
    """Yield every file that holds runs, with a row a run."""
    for pattern, counter in COUNTERS:
        for path in sorted(folder.glob(pattern)):
            yield str(path.relative_to(folder)), counter(path)


if __name__ == "__main__":
    print(json.dumps(dict(counted(Path(sys.argv[1]))), indent=1))
