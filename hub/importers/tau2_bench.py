"""tau2-bench: result files with `simulations`, and re-hosted rows `{messages, eval_result, meta}`.

Either side may call tools: the actor of a call is the message's role. Results pair by `id` or `tool_call_id` only.
Runs that stopped in an unusual way keep their reward with a warning: the fault need not be the agent's.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

from errorhub.hub.bundle import Bundle, Outcome
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.blocks import arguments_of, content_of
from errorhub.hub.importers.contract import Format, Importer, Refused, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.outcomes import ended_as, rewarded
from errorhub.hub.importers.records import each_record, one_record
from errorhub.hub.importers.shapes import integer_or_none, mapping, number_or_none, objects, text_or_none
from errorhub.hub.importers.tau_bench import task_of

NAME: Final = "tau2-bench"
_NORMAL: Final = ("agent_stop", "user_stop", "stop")
_MESSAGE: Final = frozenset({"role", "content", "turn_idx", "tool_calls", "tool_call_id", "id", "name", "timestamp",
                             "requestor", "error", "cost", "usage"})  # fmt: skip
_ROW: Final = frozenset({
    "messages", "eval_result", "meta", "model_path", "user_model_path", "benchmark_name", "task_name",
    "sampling_params", "user_sampling_params", "id", "task_id", "trial", "seed", "termination_reason", "reward_info",
    "start_time", "end_time", "timestamp", "duration", "agent_cost", "user_cost",
})  # fmt: skip


def fits(sample: Sample) -> bool:
    """Whether one of the first objects is a result file or a re-hosted row."""
    return any(_is_results(value) or _is_row(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a simulation or row."""
    if log.shape != "document" or not isinstance(log.document, dict) or not _is_results(log.document):
        yield from each_record(log, _read_row)
        return
    tasks = {str(task.get("id")): task for task in objects(log.document.get("tasks"))}
    for record, each in enumerate(log.document["simulations"]):
        if not isinstance(each, dict):
            yield Refused(log.path, f"record {record}: not an object.", record=record)
            continue
        task = tasks.get(str(each.get("task_id")), {})
        yield one_record(log, record, each, None, partial(_read_run, task=task))


def _read_row(value: Any, record: int) -> Bundle:
    if not isinstance(value, dict) or not _is_row(value):
        raise FormatError("not a tau2-bench row with messages and eval_result.")
    return _read_run(value, record, mapping(mapping(value.get("meta")).get("task_description")))


def _read_run(value: Any, record: int, task: dict[str, Any]) -> Bundle:
    """Return the run of one simulation or row."""
    if value.get("ticks") and not value.get("messages"):
        raise FormatError("a voice run: it holds ticks, no messages.")
    draft, meta = Draft(NAME, step_base=0, record=record), mapping(value.get("meta"))
    draft.lose_unknown(value, _ROW)
    for place, message in enumerate(objects(value.get("messages"))):
        _add(message, str(message.get("turn_idx", place)), draft)
    reward = mapping(value.get("reward_info")) or mapping(value.get("eval_result"))
    gold = {"task": task or None, "reward_info": reward or None, "reward_details": meta.get("reward_details")}
    number = value.get("task_id", meta.get("id"))
    said = (step.input for step in draft.steps if step.role == "user" and step.kind == "message")
    named = task_of(NAME, number, task.get("instruction") or task or None, text_or_none(next(said, None)))
    outcome = _outcome(value, meta, reward, draft)
    run = Run(
        harness=NAME,
        policy=text_or_none(value.get("model_path")),
        seed=integer_or_none(value.get("seed")),
        temperature=number_or_none(mapping(value.get("sampling_params")).get("temperature")),
        started_at=text_or_none(value.get("start_time")) or text_or_none(meta.get("simulation_start_time")),
        metadata={name: value[name] for name in ("id", "trial", "user_model_path") if value.get(name) is not None},
    )
    known = ConstructionOnly(verifier_context={name: held for name, held in gold.items() if held} or None)
    named = named.replace(family=text_or_none(value.get("task_name")))
    return bundle(draft.trajectory(task=named, run=run, outcome=outcome, construction_only=known))


def _add(message: dict[str, Any], place: str, draft: Draft) -> None:
    draft.lose_unknown(message, _MESSAGE, "message.")
    role = str(message.get("role"))
    common: dict[str, Any] = {"role": role, "at": text_or_none(message.get("timestamp"))}
    content = content_of(message.get("content"), draft)
    if role == "tool":
        call_id = text_or_none(message.get("tool_call_id")) or text_or_none(message.get("id"))
        error = (content.text or "error") if message.get("error") is True else None
        common |= {"error": error, "source_ref": place}
        draft.add("tool", "tool.result", call_id=call_id, tool=draft.tool_of(call_id), output=content.value(), **common)
        return
    calls = objects(message.get("tool_calls"))
    if not content.empty or not calls:
        side = "output" if role == "assistant" else "input"
        kind = "llm.response" if role == "assistant" else "message"
        said: dict[str, Any] = {side: content.value()}
        draft.add(role, kind, **said, source_ref=place, **common)
    for number, call in enumerate(calls):
        function = mapping(call.get("function")) or call
        given, mark = arguments_of(function.get("arguments"))
        draft.add(role, "tool.call", tool=text_or_none(function.get("name")), call_id=text_or_none(call.get("id")),
                  input=given, metadata=mark, source_ref=f"{place}.{number}", **common)  # fmt: skip


def _outcome(value: dict[str, Any], meta: dict[str, Any], reward: dict[str, Any], draft: Draft) -> Outcome:
    ended = value.get("termination_reason", meta.get("finish_reason"))
    if fault := ended_as(ended, by="termination_reason"):
        return fault
    if isinstance(ended, str) and ended not in _NORMAL:
        named = ended if re.fullmatch(r"[\w-]{1,40}", ended) else "something unusual"
        draft.warn(f"ended by {named}: look before it counts as an agent's error.")
    score = reward.get("reward", reward.get("score"))
    outcome, verdict = rewarded(score, by="reward"), meta.get("is_correct")
    if isinstance(verdict, bool) and outcome.status in ("passed", "failed") and verdict != (outcome.status == "passed"):
        draft.warn("score and is_correct disagree: the outcome stays open.")
        return Outcome(score=number_or_none(score), reason="score and is_correct disagree")
    return outcome


def _is_results(value: dict[str, Any]) -> bool:
    return isinstance(value.get("simulations"), list) and "tasks" in value


def _is_row(value: dict[str, Any]) -> bool:
    return isinstance(value.get("messages"), list) and isinstance(value.get("eval_result"), dict)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="tau2-bench results and rows",
        recognised="an object with `simulations` and `tasks`, or rows with `messages` and `eval_result`",
        extensions=(".json", ".jsonl"),
        step_base=0,
        status="experimental",
    ),
    fits,
    read,
)
