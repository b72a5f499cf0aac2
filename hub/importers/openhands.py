"""OpenHands: event lists, evaluation and resolver rows with a `history` of events, and events of the SDK by `kind`.

An observation answers the action whose `id` its `cause` holds, or the same tool call; nothing else pairs them. State
changes and null observations are counted. A row's `success` or test report is the outcome, its patch is not.
"""

from __future__ import annotations

from typing import Any, Final

from errorhub.hub.bundle import Bundle, Outcome
from errorhub.hub.bundle.trajectory import ConstructionOnly, Run, Task
from errorhub.hub.errors import FormatError
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.openhands_events import add_event, is_event, is_flat_event
from errorhub.hub.importers.outcomes import broken, ended_as, judged
from errorhub.hub.importers.records import each_record, one_record, session_lines
from errorhub.hub.importers.shapes import items, mapping, text_or_none

NAME: Final = "openhands"
_ROW: Final = frozenset({
    "instance_id", "instruction", "history", "test_result", "error", "metadata", "metrics", "issue", "issue_type",
    "success", "comment_success", "result_explanation", "git_patch", "base_commit", "instance",
})  # fmt: skip
_STOPS: Final = ("timeout", "timed out", "docker", "connection", "rate limit", "runtime", "service unavailable")


def fits(sample: Sample) -> bool:
    """Whether the log holds events, or rows with a history of them."""
    return sample.shape in ("document", "lines") and any(is_event(v) or _is_row(v) for v in sample.objects)


def read(log: Log) -> Runs:
    """Yield one run a row, or the one run of an event list."""
    if any(_is_row(value) for value in log.sample().objects):
        yield from each_record(log, _read_row)
    elif log.shape == "document":
        yield one_record(log, 0, log.document, None, _read_events)
    else:
        draft = Draft(NAME)
        lines, refused = session_lines(log, draft)
        yield from refused
        yield one_record(log, 0, [line.value for line in lines], None, lambda value, _: _finish(draft, value))


def _read_events(value: Any, record: int) -> Bundle:
    return _finish(Draft(NAME, record=record), items(value))


def _finish(draft: Draft, events: list[Any]) -> Bundle:
    _add_all(events, draft)
    return bundle(draft.trajectory(task=Task(goal=_goal(draft)), run=Run(harness=NAME)))


def _read_row(value: Any, record: int) -> Bundle:
    """Return the run of one row of an evaluation or of the resolver."""
    if not isinstance(value, dict) or not _is_row(value):
        raise FormatError("not a row with a history of events.")
    draft = Draft(NAME, record=record)
    draft.lose_unknown(value, _ROW)
    _add_all(items(value.get("history")), draft)
    tested, issue = mapping(value.get("test_result")), mapping(value.get("issue"))
    metadata = {"usage": value.get("metrics"), "patch": tested.get("git_patch") or value.get("git_patch")}
    known = {"instance": value.get("instance"), "test_result": {k: v for k, v in tested.items() if k != "git_patch"}}
    run = Run(
        harness=NAME,
        policy=text_or_none(mapping(mapping(value.get("metadata")).get("llm_config")).get("model")),
        metadata={name: held for name, held in metadata.items() if held not in (None, "", {})},
    )
    goal = "\n\n".join(str(issue[name]) for name in ("title", "body") if issue.get(name))
    task = Task(id=_task(value, issue), goal=goal or text_or_none(value.get("instruction")) or _goal(draft))
    context = {name: held for name, held in known.items() if held} or None
    only = ConstructionOnly(verifier_context=context)
    return bundle(draft.trajectory(task=task, run=run, outcome=_outcome(value, tested), construction_only=only))


def _task(value: dict[str, Any], issue: dict[str, Any]) -> str:
    if name := text_or_none(value.get("instance_id")):
        return name
    parts = [issue.get(name) for name in ("owner", "repo", "number")]
    return f"{parts[0]}/{parts[1]}#{parts[2]}" if all(part is not None for part in parts) else ""


def _outcome(value: dict[str, Any], tested: dict[str, Any]) -> Outcome:
    """Return the verdict: tests before the resolver's own judgement; an error is the run's, not the agent's."""
    report, error = mapping(tested.get("report")), value.get("error")
    for verdict, by in ((report.get("resolved"), "test_result.report"), (value.get("success"), "success")):
        if isinstance(verdict, bool):
            why = text_or_none(value.get("result_explanation"))
            return judged(verdict, by=by).replace(reason=why)
    if isinstance(error, str) and error:
        stopped = ended_as(error, by="error")
        if stopped or any(word in error.lower() for word in _STOPS):
            return stopped or broken("infrastructure", f"the run stopped with an error: {error}", by="error")
        return Outcome(reason=f"the run stopped with an error: {error}", verifier="error")
    return Outcome()


def _add_all(events: list[Any], draft: Draft) -> None:
    for place, event in enumerate(events):
        for each in event if isinstance(event, list) else [event]:  # older rows pair action and observation
            if isinstance(each, dict) and (is_event(each) or is_flat_event(each)):
                add_event(each, str(each.get("id", place)), draft)
            else:
                draft.lose("record that is no event")


def _goal(draft: Draft) -> str | None:
    return text_or_none(next((step.input for step in draft.steps if step.agent == "user"), None))


def _is_row(value: dict[str, Any]) -> bool:
    history = value.get("history")
    told = {"instance_id", "instruction", "issue", "git_patch"} & value.keys()
    flat = [each for event in items(history)[:20] for each in (event if isinstance(event, list) else [event])]
    return bool(told) and any(isinstance(each, dict) and (is_event(each) or is_flat_event(each)) for each in flat)


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="OpenHands events, evaluation output and resolver output",
        recognised="events with `action` or `observation` (or an SDK `kind`); rows with a `history` of them",
        extensions=(".json", ".jsonl"),
    ),
    fits,
    read,
)
