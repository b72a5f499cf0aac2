"""Count what is in real logs with the standard library alone: `python count_logs.py FOLDER` prints JSON.

An oracle for the importers, written from the descriptions of the formats: it imports nothing of theirs. For each file
it gives one row a run: steps, calls, results, agents, outcome; a value that it cannot tell simply is left out.
"""

from __future__ import annotations

import json
import re
import sys
import zipfile
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
    """Messages of every sample; archives packed in a way the standard library cannot read give only their number."""
    if path.suffix == ".json":
        return [_sample(sample) for sample in documents(path)[0]["samples"]]
    with zipfile.ZipFile(path) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith("samples/"))
        if any(info.compress_type not in (0, 8) for info in archive.infolist()):
            return [{} for _ in names]
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
    """Calls and results of a rollout."""
    kinds = [(value.get("payload") or {}).get("type", "") for value in documents(path)]
    calls = sum(kind in ("function_call", "custom_tool_call") for kind in kinds)
    results = sum(kind in ("function_call_output", "custom_tool_call_output") for kind in kinds)
    return [{"calls": calls, "results": results, "outcome": "unknown"}]


def claude_code(path: Path) -> list[Row]:
    """A session and the subagents its results name: an assistant message is one step, calls and results are others."""
    steps: list[Step] = []
    todo, done = [(path, "assistant", "user")], {path}
    while todo:
        file, agent, asker = todo.pop()
        said: dict[str, bool] = {}
        for record in _records(file):
            content = record["message"]["content"]
            listed = content if isinstance(content, list) else [content]
            blocks = [{"type": "text", "text": block} if isinstance(block, str) else block for block in listed]
            steps += _claude_user(record, blocks, asker) if record["type"] == "user" else []
            steps += _claude_assistant(record, blocks, agent, said) if record["type"] == "assistant" else []
            named = record.get("toolUseResult")
            for part in sorted(path.with_suffix("").rglob("agent-*.jsonl")) if isinstance(named, dict) else ():
                mine = part.stem == f"agent-{named.get('agentId')}" or part.parent.name == named.get("runId")
                if mine and part not in done:
                    done.add(part)
                    todo.append((part, str(named.get("agentType") or part.stem), agent))
    counts = row(steps)
    if _branches(path) or len(done) > 1 or any(record.get("isSidechain") for record in _records(path)):
        counts = {key: counts[key] for key in ("calls", "results", "outcome")}
    return [counts]


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


def _claude_user(record: dict[str, Any], blocks: list[Any], asker: str) -> list[Step]:
    results = sum(block.get("type") == "tool_result" for block in blocks)
    others = [block for block in blocks if block.get("type") != "tool_result"]
    text = next((block.get("text", "") for block in others), "").lstrip()
    injected = any(record.get(flag) for flag in ("isMeta", "isCompactSummary", "isVisibleInTranscriptOnly"))
    injected = injected or text.startswith(("<command-", "<local-command", "<bash-", "<system-reminder", "Caveat:"))
    return [("tool", "result")] * results + ([("system" if injected else asker, "said")] if others else [])


def _claude_assistant(record: dict[str, Any], blocks: list[Any], agent: str, said: dict[str, bool]) -> list[Step]:
    """Count a record of an assistant message: its words are one step for all records of the message."""
    calls = sum(block.get("type") == "tool_use" for block in blocks)
    others = [block for block in blocks if block.get("type") not in ("tool_use", "text", "thinking")]
    spoken = bool(others) or any(block.get("text") or block.get("thinking") for block in blocks)
    name = str(record["message"].get("id", id(record)))
    first = spoken and not said.get(name)
    said[name] = said.get(name, False) or spoken
    speaker = "system" if record["message"].get("model") == "<synthetic>" else agent
    return ([(speaker, "said")] if first else []) + [(agent, "call")] * calls


def _branches(path: Path) -> bool:
    """Whether a person edited an earlier turn: two turns of a person after the same record."""
    records = [record for record in _records(path) if record["type"] == "user"]
    asked = [record.get("parentUuid") for record in records if isinstance(record["message"]["content"], str)]
    return any(parent is not None and asked.count(parent) > 1 for parent in asked)


def atif(path: Path) -> list[Row]:
    """Every trajectory, and those embedded in it that a result refers to."""
    return [_atif(value) for value in documents(path)]


def _atif(value: dict[str, Any]) -> Row:
    inner = value.get("subagent_trajectories") or []
    count = {"steps": 0, "calls": 0, "results": 0}
    for step in (step for each in (value, *inner) for step in each["steps"]):
        calls = len(step.get("tool_calls") or [])
        results = (step.get("observation") or {}).get("results", [])
        said = bool(step.get("message") or step.get("reasoning_content")) or not calls
        count["steps"] += said + calls + len(results)
        count["calls"] += calls
        count["results"] += sum(1 for each in results if each.get("source_call_id"))
    return {**count, "outcome": "unknown"}


def otlp(path: Path) -> list[Row]:
    """Tool calls by id over all spans of the file: what models asked for, each once."""
    found = documents(path)
    values = [each for value in found for each in (value if isinstance(value, list) else [value])]
    traces = {
        span["traceId"]
        for value in values
        for resource in value["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    }
    return [{"outcome": "unknown"} for _ in traces]


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
