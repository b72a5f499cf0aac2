"""Inspect evaluation logs, `.json` and `.eval`: every sample of every epoch is one run.

Messages are the steps; long texts that stand under `attachment://` are put back. A sample's error or limit makes it
ungradable, else the first scorer decides, and all scores are kept where only graders look. `status: success` says only
that the evaluation ran.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle, Outcome
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.contract import Format, Importer, Refused, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.inspect_archive import is_eval, members
from errorhub.hub.importers.openai_chat import add_message
from errorhub.hub.importers.outcomes import broken, judged, rewarded
from errorhub.hub.importers.records import one_record
from errorhub.hub.importers.shapes import items, mapping, number_or_none, objects, text_or_none

NAME: Final = "inspect"
_SAMPLE: Final = frozenset({
    "id", "epoch", "input", "target", "choices", "messages", "output", "scores", "score", "metadata", "error", "limit",
    "attachments", "transcript", "uuid", "sandbox", "setup", "files", "started_at",
})  # fmt: skip
_VERDICTS: Final = {"C": True, "I": False, "P": False, "N": False, "yes": True, "no": False}
_POINTER: Final = "attachment://"


def fits(sample: Sample) -> bool:
    """Whether the log is an Inspect evaluation: an object with version, status and eval, or an `.eval` archive."""
    if sample.shape == "archive":
        return is_eval(sample.path)
    return any(_is_log(value) for value in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a sample."""
    if log.shape == "archive":
        header, samples = members(log.path)
    else:
        value = log.document
        if not isinstance(value, dict) or not _is_log(value):
            raise FormatError("not an Inspect log.")
        header, samples = value, iter(items(value.get("samples")))
    empty = True
    for record, sample in enumerate(samples):
        empty = False
        if isinstance(sample, FormatError):
            yield Refused(log.path, f"sample {record}: {sample}", record=record)
            continue
        yield one_record(log, record, sample, None, lambda value, at: _read_sample(value, at, header))
    if empty:
        raise FormatError(f"an Inspect log without samples (status {header.get('status')}).")


def _read_sample(sample: Any, record: int, header: dict[str, Any]) -> Bundle:
    if not isinstance(sample, dict) or not isinstance(sample.get("messages"), list):
        raise FormatError("not a sample with messages.")
    draft, asked = Draft(NAME, record=record), mapping(header.get("eval"))
    draft.version = str(header.get("version", "")) or None
    draft.lose_unknown(sample, _SAMPLE, "sample.")
    held = {**mapping(mapping(sample.get("transcript")).get("content")), **mapping(sample.get("attachments"))}
    for place, message in enumerate(sample["messages"]):
        _add(_resolved(message, held), place, draft)
    name = text_or_none(asked.get("task")) or ""
    run = Run(
        harness=NAME,
        policy=text_or_none(asked.get("model")),
        started_at=text_or_none(sample.get("started_at")) or text_or_none(asked.get("created")),
        metadata={"epoch": sample.get("epoch"), "run_id": asked.get("run_id")},
    )
    said = (step.input for step in draft.steps if step.role == "user")
    first = next(said, None)
    goal = text_or_none(first.get("text") if isinstance(first, dict) else first)
    target = sample.get("target")
    known = ConstructionOnly(
        reference_answer=target if isinstance(target, str) else "; ".join(map(str, items(target))) or None,
        verifier_context={"scores": _resolved(sample["scores"], held)} if sample.get("scores") else None,
    )
    task = Task(id=f"{name}/{sample.get('id')}", environment=name or None, goal=goal)
    return bundle(draft.trajectory(task=task, run=run, outcome=_outcome(sample, draft), construction_only=known))


def _add(message: Any, place: int, draft: Draft) -> None:
    """Add a message: its calls hold `function` and `arguments` side by side, and results may hold an error."""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        draft.lose("message")
        return
    calls = [
        {"id": call.get("id"), "function": {"name": call.get("function"), "arguments": call.get("arguments")}}
        for call in objects(message.get("tool_calls"))
    ]
    chat = {"role": message["role"], "content": _visible(message.get("content"))}
    if calls:
        chat["tool_calls"] = calls
    if message["role"] == "tool":
        chat |= {"tool_call_id": message.get("tool_call_id"), "name": message.get("function")}
    before = len(draft.steps)
    add_message(chat, place, draft)
    error = mapping(message.get("error"))
    if message["role"] == "tool" and len(draft.steps) > before:
        said = ": ".join(str(error[name]) for name in ("type", "message") if error.get(name)) or None
        draft.steps[-1] = draft.steps[-1].replace(agent="tool", error=said)


def _visible(content: Any) -> Any:
    """Return content with reasoning blocks in the shape the block reader knows."""
    if not isinstance(content, list):
        return content
    return [
        {"type": "thinking", "thinking": part.get("reasoning")}
        if isinstance(part, dict) and part.get("type") == "reasoning"
        else part
        for part in content
    ]


def _outcome(sample: dict[str, Any], draft: Draft) -> Outcome:
    """Return the first scorer's verdict; an error or a limit makes the sample ungradable."""
    if error := sample.get("error"):
        why = mapping(error).get("message") or error
        return broken("infrastructure", f"the sample stopped with an error: {why}", by="error")
    if limit := mapping(sample.get("limit")).get("type"):
        return broken("infrastructure", f"stopped by the {limit} limit", by="limit")
    scores = mapping(sample.get("scores"))
    if not scores:
        return Outcome(reason="not scored")
    verdicts = {name: _verdict(mapping(score).get("value"), name) for name, score in scores.items()}
    if len({verdict.status for verdict in verdicts.values()}) > 1:
        draft.warn(f"scorers disagree; {next(iter(scores))} was used.")
    return next(iter(verdicts.values()))


def _verdict(value: Any, name: str) -> Outcome:
    if isinstance(value, str) and value in _VERDICTS:
        return judged(_VERDICTS[value], by=name)
    if isinstance(value, bool) or value is None:
        return judged(value, by=name)
    if number_or_none(value) is not None and 0 <= value <= 1:
        return rewarded(value, by=name)
    return Outcome(verifier=name, reason=f"{name} is no verdict of pass or fail")


def _resolved(value: Any, held: dict[str, Any]) -> Any:
    """Put texts back that stand under their digest elsewhere in the sample."""
    if isinstance(value, str):
        for prefix in (_POINTER, "tc://"):
            if value.startswith(prefix):
                return held.get(value.removeprefix(prefix), value)
        return value
    if isinstance(value, list):
        return [_resolved(item, held) for item in value]
    if isinstance(value, dict):
        return {name: _resolved(item, held) for name, item in value.items()}
    return value


def _is_log(value: dict[str, Any]) -> bool:
    return isinstance(value.get("eval"), dict) and {"status", "version"} <= value.keys() and "task" in value["eval"]


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Inspect evaluation logs, .json and .eval",
        recognised="an object with `version`, `status` and `eval`; or an archive with `header.json` or `_journal/`",
        extensions=(".json", ".eval"),
        step_base=0,
    ),
    fits,
    read,
)
