"""Claude Code sessions: JSONL under `projects/<project>/<session>.jsonl`, with their subagents.

Records that share `message.id` are one assistant message, at the place of its first record: what it says is one step,
each call another. Results pair by id only. A person acts as `user`, the model as `assistant`, the program as `system`,
tools as `tool`; a subagent acts under its name or type, and its steps follow the call that started it.
`source_ref` is `line.block`, in a subagent's file `agent-<id>/line.block`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from errorhub.hub.bundle import Bundle
from errorhub.hub.bundle.trajectory import Run, Task
from errorhub.hub.importers.blocks import Content, content_of, read_block
from errorhub.hub.importers.claude_entries import Entry, Session, load
from errorhub.hub.importers.claude_subagents import Subagents, agent_id
from errorhub.hub.importers.contract import Format, Importer, Runs
from errorhub.hub.importers.draft import Draft, bundle, listed, plural
from errorhub.hub.importers.files import Log, Sample
from errorhub.hub.importers.outcomes import ended_in_error
from errorhub.hub.importers.records import damage
from errorhub.hub.importers.shapes import mapping, text_or_none, type_of

NAME: Final = "claude-code"
_RUN: Final = ("cwd", "gitBranch", "sessionId", "entrypoint", "agentId")
_ENVELOPE: Final = frozenset({
    "type", "uuid", "parentUuid", "logicalParentUuid", "sessionId", "version", "cwd", "gitBranch", "timestamp",
    "isSidechain", "userType", "entrypoint", "requestId", "agentId", "message", "isMeta", "isCompactSummary",
    "isVisibleInTranscriptOnly", "isApiErrorMessage", "subtype", "level", "error", "retryInMs", "retryAttempt",
    "maxRetries", "sourceToolAssistantUUID", "promptId", "slug", "permissionMode", "thinkingMetadata", "todos",
})  # fmt: skip


@dataclass(frozen=True)
class Scope:
    """Whose records are read: the session's own, or a subagent's."""

    agent: str = "assistant"
    asker: str = "user"
    prefix: str = ""
    parent: str | None = None
    """source_ref of the call that started it."""


def fits(sample: Sample) -> bool:
    """Whether some user or assistant record carries a uuid, a session and a message."""
    return sample.shape in ("document", "lines") and any(
        record.get("type") in ("user", "assistant") and {"uuid", "sessionId", "message"} <= record.keys()
        for record in sample.objects
    )


def read(log: Log) -> Runs:
    """Yield the run of a session, and one refusal for all its damaged lines."""
    session = load(log.path)
    reader = _Reader(log, session)
    yield from damage(log, reader.draft, session.damaged, session.lines)
    yield reader.bundle()


class _Reader:
    """One session on its way to a run."""

    def __init__(self, log: Log, session: Session) -> None:
        self.draft = Draft(NAME)
        self.subagents = Subagents(log.path)
        self.session = session
        self.goal: str | None = None
        self.expanded: str | None = None
        self.models: list[str] = []
        self.missing = 0

    def bundle(self) -> Bundle:
        """Return the run."""
        main = self.session.entries
        alone = bool(main) and all(entry.sidechain for entry in main)
        if alone:
            main = [replace(entry, value=entry.value | {"isSidechain": False}) for entry in main]
        self._keep_ledger(self.session)
        first = next((entry.value for entry in main if entry.value.get("sessionId")), {})
        self.add(main, Scope())
        for path in self.subagents.unused:
            self.draft.warn(f"subagent file {path.name} is named by no call, left out.")
        if self.missing:
            self.draft.warn(f"{plural(self.missing, 'subagent')} named by a call without a file of its own.")
        self.draft.version = text_or_none(first.get("version"))
        metadata: dict[str, Any] = {name: first[name] for name in _RUN if text_or_none(first.get(name))}
        if len(self.models) > 1:
            metadata["models"] = self.models
        run = Run(
            harness=NAME,
            policy=self.models[0] if self.models else None,
            started_at=text_or_none(first.get("timestamp")),
            metadata=metadata,
        )
        own = [step for step in self.draft.steps if step.parent is None]
        outcome = ended_in_error(own)
        return bundle(self.draft.trajectory(task=Task(goal=self.goal or self.expanded), run=run, outcome=outcome))

    def add(self, entries: list[Entry], scope: Scope) -> None:
        """Add the steps of one file, subagents right after the calls that started them; the entries are used up."""
        launches = {call: entry.launched for entry in entries if entry.launched for call in _results(entry)}
        calls = {
            str(block.get("id")) for entry in entries for block in _blocks(entry) if block.get("type") == "tool_use"
        }
        groups: dict[str, list[Entry]] = {}
        for entry in entries:
            groups.setdefault(_group(entry, scope), []).append(entry)
        todo = list(groups.values())[::-1]
        groups.clear()
        entries.clear()  # a long session is held once: as records before, as steps after
        while todo:
            group = todo.pop()
            first = group[0]
            self.draft.lose_unknown(first.value, _ENVELOPE, "field.")
            here = self._inline(first, scope)
            if first.type == "system":
                self._add_error(first, here)
            elif first.type == "user":
                self._add_user(first, here, launches, calls)
            else:
                self._add_assistant(group, here, launches)

    def _inline(self, entry: Entry, scope: Scope) -> Scope:
        """Return the scope of a record: older sessions hold their subagents' records inline."""
        if not entry.sidechain or scope.prefix:
            return scope
        name = text_or_none(entry.value.get("agentId"))
        return Scope(agent=f"agent-{name}" if name else "subagent", asker=scope.agent, parent=scope.parent)

    def _add_error(self, entry: Entry, scope: Scope) -> None:
        error = entry.value.get("error")
        text = text_or_none(error) or text_or_none(mapping(error).get("message")) or "API error"
        mark = {name: entry.value.get(name) for name in ("retryAttempt", "maxRetries")}
        kind = type_of(error) or None
        self._step(entry, 0, scope, "system", "error", error=text, metadata=mark | {"error_type": kind})

    def _add_user(self, entry: Entry, scope: Scope, launches: dict[str, dict[str, str]], calls: set[str]) -> None:
        """Add results as they come, and everything else that was said as one message."""
        content = entry.message["content"]
        blocks = content if isinstance(content, list) else [content]
        said, place = Content(), 0
        for number, block in enumerate(blocks):
            if isinstance(block, dict) and block.get("type") == "tool_result":
                self._add_result(entry, number, block, scope)
                call = str(block.get("tool_use_id"))
                if call in launches and call not in calls:
                    self._launch(launches[call], None, scope, parent=self._ref(entry, number, scope))
            else:
                place = place if not said.empty else number
                read_block(block, said, self.draft)
        if not said.empty or not blocks or content == "":
            self._add_said(entry, place, said, scope)

    def _add_said(self, entry: Entry, place: int, said: Content, scope: Scope) -> None:
        injected = entry.injected
        if said.text.startswith("[Request interrupted by user"):
            self._step(entry, place, scope, "user", "human.feedback", role="user", input=said.value())
        elif injected:
            if injected == "isMeta":
                self.expanded = self.expanded or said.text or None
            mark = {"injected": injected, "copied_context": True if injected == "isCompactSummary" else None}
            self._step(entry, place, scope, "system", "message", role="user", input=said.value(), metadata=mark)
        elif scope.asker == "user":
            self.goal = self.goal or said.text or None
            self._step(entry, place, scope, "user", "message", role="user", input=said.value())
        else:
            self._step(entry, place, scope, scope.asker, "handoff", role="user", input=said.value())

    def _add_result(self, entry: Entry, number: int, block: dict[str, Any], scope: Scope) -> None:
        content = content_of(block.get("content"), self.draft)
        call = text_or_none(block.get("tool_use_id"))
        error = (content.text or "error") if block.get("is_error") is True else None
        tool = self.draft.tool_of(call)
        self._step(entry, number, scope, "tool", "tool.result", role="tool", tool=tool, call_id=call,
                   output=content.value(), error=error)  # fmt: skip

    def _add_assistant(self, group: list[Entry], scope: Scope, launches: dict[str, dict[str, str]]) -> None:
        """Add one assistant message, joined from its records: what it says, then its calls."""
        said, place = Content(), (group[0], 0)
        calls: list[tuple[Entry, int, dict[str, Any]]] = []
        for entry in group:
            for number, block in enumerate(_all_blocks(entry)):
                if isinstance(block, dict) and block.get("type") in ("tool_use", "server_tool_use"):
                    calls.append((entry, number, block))
                else:
                    place = place if not said.empty else (entry, number)
                    read_block(block, said, self.draft)
        mark = self._message_mark(group)
        if not said.empty or not calls:
            self._add_reply(*place, said, scope, mark)
            mark = {}
        for entry, number, block in calls:
            call = text_or_none(block.get("id"))
            self._step(entry, number, scope, scope.agent, "tool.call", role="assistant", metadata=mark, call_id=call,
                       tool=text_or_none(block.get("name")), input=block.get("input"))  # fmt: skip
            mark = {}
            if call in launches:
                self._launch(launches[call], block.get("input"), scope, parent=self._ref(entry, number, scope))

    def _add_reply(self, entry: Entry, number: int, said: Content, scope: Scope, mark: dict[str, Any]) -> None:
        if entry.message.get("model") != "<synthetic>":
            self._step(entry, number, scope, scope.agent, "llm.response", role="assistant", output=said.value(),
                       metadata=mark)  # fmt: skip
        elif entry.value.get("isApiErrorMessage") is True:
            self._step(entry, number, scope, "system", "error", output=said.value(), error=said.text or "API error")
        else:
            self._step(entry, number, scope, "system", "message", output=said.value(), metadata={"injected": "local"})

    def _message_mark(self, group: list[Entry]) -> dict[str, Any]:
        """Return what the message says about itself; usage is that of its last record."""
        message = group[-1].message
        model = text_or_none(message.get("model"))
        if model and model != "<synthetic>" and model not in self.models:
            self.models.append(model)
        other = model if self.models and model != self.models[0] else None
        mark = {name: message.get(name) for name in ("usage", "stop_reason")}
        return {"message_id": message.get("id"), "model": other, **mark}

    def _launch(self, launched: dict[str, str], arguments: Any, scope: Scope, *, parent: str) -> None:
        """Add the subagents that a call started."""
        files = self.subagents.take(agent=launched.get("agentId"), run=launched.get("runId"))
        if not files and (launched.get("agentId") or launched.get("runId")):
            self.missing += 1
        given = mapping(arguments)
        kind = text_or_none(given.get("name")) or text_or_none(given.get("subagent_type")) or launched.get("agentType")
        for path in files:
            name = agent_id(path)
            session = load(path)
            self._keep_ledger(session, path.name)
            inner = Scope(agent=kind or f"agent-{name}", asker=scope.agent, prefix=f"agent-{name}/", parent=parent)
            self.add(session.entries, inner)

    def _keep_ledger(self, session: Session, name: str = "") -> None:
        for what, count in session.lost.items():
            self.draft.lose(what, count)
        for warning in session.warnings:
            self.draft.warn(f"{name}: {warning}" if name else warning)
        if name and session.damaged:
            self.draft.lose("damaged line", len(session.damaged))
            self.draft.warn(f"{name} {listed([line.number for line in session.damaged])}: no record, left out.")

    def _ref(self, entry: Entry, number: int, scope: Scope) -> str:
        return f"{scope.prefix}{entry.line}.{number}"

    def _step(self, entry: Entry, number: int, scope: Scope, agent: str, kind: str, **parts: Any) -> None:
        ref, at = self._ref(entry, number, scope), text_or_none(entry.value.get("timestamp"))
        self.draft.add(agent, kind, source_ref=ref, parent=scope.parent, at=at, **parts)


def _group(entry: Entry, scope: Scope) -> str:
    """Name what a record is part of: an assistant message, or itself."""
    message = entry.message.get("id")
    if entry.type != "assistant" or not isinstance(message, str):
        return f"line {entry.line}"
    return f"{scope.prefix}{entry.sidechain}{message}"


def _all_blocks(entry: Entry) -> list[Any]:
    content = entry.message.get("content")
    return content if isinstance(content, list) else [content] if content else []


def _blocks(entry: Entry) -> list[dict[str, Any]]:
    return [block for block in _all_blocks(entry) if isinstance(block, dict)]


def _results(entry: Entry) -> list[str]:
    return [str(block.get("tool_use_id")) for block in _blocks(entry) if block.get("type") == "tool_result"]


IMPORTER: Final = Importer(
    Format(
        name=NAME,
        description="Claude Code sessions, with their subagents",
        recognised="JSONL whose user and assistant records carry `uuid`, `sessionId` and `message`",
        extensions=(".jsonl",),
    ),
    fits,
    read,
)
