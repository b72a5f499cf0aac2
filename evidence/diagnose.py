"""Diagnose runs in a batch: ask whoever diagnoses, ground what they say, keep it beside the raw run.

What holds and what is rejected are both kept and counted; what cannot be a diagnosis is refused with its rule. An
interrupted batch goes on where it stopped: answers are kept as they come, and a run that has its diagnosis is not
asked about again.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Final

from errorhub.evidence.chat import Chat, Down, Endpoint, NoAnswer, Usage
from errorhub.evidence.diagnose_carry import carry
from errorhub.evidence.diagnose_proposals import Diagnoser, Proposals, Refusal, Seen
from errorhub.evidence.diagnose_seeing import Sight, Terms, origin
from errorhub.hub.bundle import Bundle, Diagnosis, grounded
from errorhub.hub.bundle.canonical import digest
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.errors import RemoteError
from errorhub.hub.workspace import Workspace, append_event, now

CHUNK: Final = 64
"""Runs whose results are written together."""
ANSWERS: Final = "answers"
"""Folder of a workspace where models' answers are kept."""
LEDGER: Final = "diagnosing"
"""Folder of a workspace with one event a batch."""


@dataclass
class Diagnosed:
    """What a batch did."""

    diagnosed: int = 0
    """Runs with at least one new diagnosis that holds."""
    unchanged: int = 0
    """Runs that this diagnoser had diagnosed before, under the same settings."""
    skipped: Counter[str] = field(default_factory=Counter)
    """Why runs were passed over -> how many."""
    accepted: int = 0
    """New diagnoses that hold."""
    rejected: int = 0
    """New diagnoses that do not; they are kept, with the rule."""
    refused: list[dict[str, str]] = field(default_factory=list)
    """What could not be kept: run, rule, reason."""
    bundles: list[dict[str, Any]] = field(default_factory=list)
    """Runs with new diagnoses."""
    usage: Usage = field(default_factory=Usage)

    @property
    def exit_code(self) -> int:
        """0 done, 1 nothing holds, 3 some runs have no diagnosis."""
        if self.refused and not self.diagnosed and not self.unchanged:
            return 1
        left = {one["bundle_id"] for one in self.refused if one["rule"] not in NOTES} - self._found
        return 3 if left else 1 if self.rejected and not self.diagnosed else 0

    @property
    def _found(self) -> set[str]:
        return {one["was"] for one in self.bundles if any(d["grade"] != "rejected" for d in one["diagnoses"])}


NOTES: Final = frozenset({"constant_text", "length_only", "not_an_act", "too_many", "none_found"})
"""Rules that say that a diagnoser had nothing to say, not that something went wrong."""

Open = Callable[[Chat | None], Diagnoser]
"""Makes a diagnoser on an open connection, or on none."""


@dataclass(frozen=True)
class Diagnosing:
    """One call of `diagnose`."""

    workspace: Workspace
    terms: Terms
    endpoint: Endpoint | None = None
    named: bool = False
    """The runs were picked by a person: those that passed, or that no agent is to blame for, are diagnosed too."""
    progress: Callable[[int], None] = lambda _: None

    def run(self, bundles: Iterable[Bundle], opened: Open) -> Diagnosed:
        """Diagnose raw bundles and write what was found. Raise RemoteError when a model answers nothing at all."""
        return asyncio.run(self._run(bundles, opened))

    async def _run(self, bundles: Iterable[Bundle], opened: Open) -> Diagnosed:
        sight, done = Sight(self.workspace, self.terms, self.endpoint), Diagnosed()
        source = (one for one in bundles if self.named or not _passed_over(one, done))
        async with AsyncExitStack() as stack:
            chat = None
            if self.endpoint:
                chat = await stack.enter_async_context(Chat(self.endpoint, self.workspace.folder / ANSWERS))
            diagnoser = opened(chat)
            asked = _key(diagnoser, self.terms)
            while chunk := list(islice(source, CHUNK)):
                await self._chunk(chunk, sight, diagnoser, asked, done)
        self._note(diagnoser, done)
        if chat and not (done.usage.asked or done.usage.cached or done.unchanged):
            why = [one["reason"] for one in done.refused if one["rule"] == "no_answer"]
            if chat.down or why:
                raise RemoteError(chat.down or f"{chat.endpoint.model} gave no answer: {why[0]}")
        return done

    def _note(self, diagnoser: Diagnoser, done: Diagnosed) -> None:
        """Write down what a batch came to, refusals included: only what holds or is rejected stands in bundles."""
        event = {
            "at": now(), "by": diagnoser.author, "settings": diagnoser.settings, "diagnosed": done.diagnosed,
            "rejected": done.rejected, "refused": done.refused, "usage": asdict(done.usage),
        }  # fmt: skip
        if done.refused or done.bundles:
            folder = self.workspace.folder / LEDGER
            folder.mkdir(mode=0o700, exist_ok=True)
            append_event(folder, event)

    async def _chunk(
        self, chunk: list[Bundle], sight: Sight, diagnoser: Diagnoser, asked: str, done: Diagnosed
    ) -> None:
        """Ask about a chunk, many runs at once, and write the answers down."""
        fresh = [one for one in chunk if not _has(one, diagnoser, asked)]
        done.unchanged += len(chunk) - len(fresh)
        self.progress(len(chunk) - len(fresh))
        gate = asyncio.Semaphore(self.endpoint.at_once if self.endpoint else 1)
        found: dict[str, tuple[Seen, Proposals]] = {}

        async def one(raw: Bundle, seen: Seen) -> None:
            async with gate:
                try:
                    found[origin(raw)] = seen, await diagnoser.propose(seen)
                except (NoAnswer, Down) as problem:
                    rule = "not_asked" if isinstance(problem, Down) else "no_answer"
                    done.refused.append(_refused(raw, Refusal(rule, str(problem))))
            self.progress(1)

        async with asyncio.TaskGroup() as group:
            for raw, seen in sight.of(fresh):
                if isinstance(seen, Refusal):
                    done.refused.append(_refused(raw, seen))
                    self.progress(1)
                else:
                    group.create_task(one(raw, seen))
        self._write(found, diagnoser, asked, done)

    def _write(
        self, found: dict[str, tuple[Seen, Proposals]], diagnoser: Diagnoser, asked: str, done: Diagnosed
    ) -> None:
        """Put the diagnoses beside the runs as they are now: somebody may have annotated one meanwhile."""
        after: list[Bundle] = []
        with self.workspace.raw.editing():
            held = self.workspace.raw.held(set(found))
            for name, (seen, proposals) in sorted(found.items()):
                done.usage += proposals.usage
                if name in held:
                    said = {**seen.conditions, **diagnoser.settings, "asked": asked}
                    after += _kept(held[name], seen, proposals, said, done)
            if after:
                self.workspace.raw.put(after)


def _kept(raw: Bundle, seen: Seen, proposals: Proposals, said: dict[str, Any], done: Diagnosed) -> Iterator[Bundle]:
    """Yield the bundle with what can be kept of the proposals, if anything can."""
    fresh: list[Diagnosis] = []
    for refusal in proposals.refused:
        done.refused.append(_refused(raw, refusal))
    for proposed in proposals.diagnoses:
        verdict = ground(seen.run, proposed)
        home = carry(proposed, seen.run, raw.trajectory) if seen.stage == "clean" else proposed
        home = home.replace(conditions=said | home.conditions)
        at_home = ground(raw.trajectory, home)
        if (verdict.grade == "rejected") != (at_home.grade == "rejected"):
            rule = verdict.rule if verdict.grade == "rejected" else "not_carried"
            done.refused.append(_refused(raw, Refusal(rule, verdict.detail or at_home.detail)))
        elif home not in (*raw.diagnoses, *fresh):
            fresh.append(home)
    if fresh:
        after = grounded(raw.replace(diagnoses=(*raw.diagnoses, *fresh)))
        _count(raw, after, len(fresh), seen, proposals, done)
        yield after


def _count(raw: Bundle, after: Bundle, fresh: int, seen: Seen, proposals: Proposals, done: Diagnosed) -> None:
    names = after.diagnosis_ids[-fresh:]
    graded = {one.diagnosis_id: one for one in after.groundings if one.by == "structure"}
    said = [
        {
            "diagnosis_id": name, "step": found.step, "agent": found.agent, "grade": graded[name].grade,
            "rule": graded[name].rule,
        }
        for name, found in zip(names, after.diagnoses[-fresh:], strict=True)
    ]  # fmt: skip
    rejected = sum(one["grade"] == "rejected" for one in said)
    done.rejected += rejected
    done.accepted += fresh - rejected
    done.diagnosed += rejected < fresh
    cost = {"prompt_tokens": proposals.usage.prompt_tokens, "completion_tokens": proposals.usage.completion_tokens}
    done.bundles.append(
        {"bundle_id": after.bundle_id, "was": raw.bundle_id, "stage": seen.stage, "diagnoses": said} | cost
    )


def _passed_over(bundle: Bundle, done: Diagnosed) -> bool:
    """Count and leave out runs that hold no error of an agent."""
    outcome = bundle.trajectory.outcome
    if outcome.status in ("passed", "ungradable"):
        why = str(outcome.status)
    elif outcome.fault in ("infrastructure", "grader"):
        why = f"fault of the {outcome.fault}"
    else:
        return False
    done.skipped[why] += 1
    return True


def _key(diagnoser: Diagnoser, terms: Terms) -> str:
    """Return what has to be the same for an earlier diagnosis to count as this one."""
    shown = {"stage": terms.stage, "reference": terms.reference, "cases": terms.cases, "same_task": terms.same_task}
    return digest({"author": diagnoser.author, "settings": diagnoser.settings, "shown": shown})[:16]


def _has(bundle: Bundle, diagnoser: Diagnoser, asked: str) -> bool:
    return any(one.author == diagnoser.author and one.conditions.get("asked") == asked for one in bundle.diagnoses)


def _refused(bundle: Bundle, refusal: Refusal) -> dict[str, str]:
    return {"bundle_id": bundle.bundle_id, "rule": refusal.rule, "reason": refusal.detail}
