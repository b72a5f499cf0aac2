"""AgentDebugX's DeepDebug on our client, and the reports of it that must not be believed.

The package turns any failure of its model into a confident report, so what the model itself said is read, not the
report alone.

| rule              | what is refused                                                                          |
|-------------------|------------------------------------------------------------------------------------------|
| model_failed      | an answer without JSON, an undecided half, a report whose audit shows an empty reading    |
| step_out_of_range | an answer that names a step the run does not have                                         |
| unknown_event     | an answer that names an event the run does not have                                       |
| constant_text     | no summary of the model's own: the package puts a sentence there that fits every run      |
| no_root           | the readings end at no step                                                               |

Quotes are the model's own, not the package's stand-ins: one that is invented rejects the diagnosis by its rule. The
package's suggestion and its confidence are constants, so neither is kept unless the model wrote it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import dataclass, field
from typing import Any, Final

from errorhub.evidence.agentdebugx import NAME, VERSION, as_trajectory, part, position
from errorhub.evidence.chat import Chat, Down, NoAnswer, Usage
from errorhub.evidence.diagnose_proposals import Proposals, Refusal, Seen
from errorhub.evidence.replies import Reply, first_answer
from errorhub.hub.bundle import Citation, Correction, Diagnosis, Trajectory
from errorhub.hub.bundle.diagnosis import Origin
from errorhub.hub.importers.agentdebugx_report import poisoned

_STEPS: Final = ("step", "step_index")
_EVENTS: Final = ("event_id", "span_id")


class Left(BaseException):
    """A call that failed leaves the package, which would take any Exception for an answer."""

    def __init__(self, problem: NoAnswer | Down | CancelledError) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass
class Bridge:
    """The package's model protocol: called in a worker's thread, answered by the client on the loop."""

    chat: Chat
    loop: asyncio.AbstractEventLoop
    answers: list[Reply] = field(default_factory=list)

    @property
    def model(self) -> str:
        """The model's name."""
        return self.chat.endpoint.model

    def complete(self, messages: list[dict[str, Any]], **_: Any) -> Any:
        """Return the model's answer as the package holds it."""
        try:
            reply = asyncio.run_coroutine_threadsafe(self.chat.ask(messages), self.loop).result()
        except (NoAnswer, Down, CancelledError) as problem:
            raise Left(problem) from None
        self.answers.append(reply)
        return part("runtime.llm").CompletionResult(text=reply.text, raw={})


@dataclass(frozen=True)
class Told:
    """The package's memory protocol: what is known of similar cases; runs are never written back from here."""

    text: str

    def search_references(self, trajectory: Any, top_k: int = 3) -> list[Any]:
        """Return the quoted cases as the one reference."""
        reference = part("diagnose.attribute.deep_memory").MemoryReference
        one = reference(trajectory_text=self.text, description="", evidence=[], suggestion="", score=1.0)
        return [one] if self.text else []

    def save_run(self, trajectory: Any, report: Any) -> None:
        """Do nothing: the memory is made of bundles."""


class DeepDebug:
    """The package's four-stage diagnosis."""

    author = f"{NAME}/DeepDebugAnalyzer"

    def __init__(self, chat: Chat) -> None:
        """Raise UsageError when the package is not installed."""
        self.chat, self._analyzer = chat, _analyzer()

    @property
    def settings(self) -> dict[str, Any]:
        """What a report depends on, beside the run."""
        return self.chat.endpoint.settings | {"package": f"{NAME} {VERSION}"}

    async def propose(self, seen: Seen) -> Proposals:
        """Return the one diagnosis of a report, or the rules that refuse it."""
        bridge = Bridge(self.chat, asyncio.get_running_loop())
        try:
            report, rule = await asyncio.to_thread(self._analyze, seen, bridge)
        except Left as left:
            raise left.problem from None
        usage = sum(map(Usage.of, bridge.answers), Usage())
        if refused := [rule] if rule else list(_poison(report, bridge.answers, seen.run)):
            return Proposals(refused=tuple(refused), usage=usage)
        found = _diagnosis(report, bridge.answers, seen.run)
        if isinstance(found, Refusal):
            return Proposals(refused=(found,), usage=usage)
        return Proposals((found,), usage=usage)

    def _analyze(self, seen: Seen, bridge: Bridge) -> tuple[Any, Refusal | None]:
        trajectory = as_trajectory(seen.run)
        if seen.reference:
            trajectory.metadata["ground_truth"] = seen.reference
        analyzer = self._analyzer(
            bridge, memory_store=Told(seen.told), use_memory=bool(seen.told),
            use_ground_truth_context=bool(seen.reference),
        )  # fmt: skip
        try:
            return part("schema").model_to_dict(analyzer.analyze(trajectory).report), None
        except ValueError:
            faults = _answers_poison(bridge.answers, seen.run)
            return None, next(faults, Refusal("no_root", "the readings end at no step of the run"))


def _analyzer() -> Any:
    """Return the package's analyzer, made to show references as they are: its own rendering cuts and unquotes them."""
    base: Any = part("diagnose.profiles.deepdebug").DeepDebugAnalyzer

    class Quoting(base):  # type: ignore[misc]  # the package is not there when types are checked
        @staticmethod
        def _render_reference(reference: Any) -> str:
            return str(reference.trajectory_text)

    return Quoting


def _poison(report: dict[str, Any], answers: list[Reply], run: Trajectory) -> Iterator[Refusal]:
    """Yield the rules that refuse a report."""
    yield from _answers_poison(answers, run)
    halves = [decision.get("selected_half") for decision in _decisions(report)]
    if poisoned(report) or not answers or any(half not in ("upper", "lower") for half in halves):
        yield Refusal("model_failed", "the audit shows a reading that came to nothing")


def _answers_poison(answers: list[Reply], run: Trajectory) -> Iterator[Refusal]:
    for number, reply in enumerate(answers, 1):
        answer = first_answer(reply.text)
        if answer is None:
            yield Refusal("model_failed", f"answer {number} holds no JSON object")
            continue
        named = [answer[name] for name in _STEPS if answer.get(name) is not None]
        if not all(_in_range(step, len(run.steps)) for step in named):
            yield Refusal("step_out_of_range", f"answer {number} names no step of the run")
        events = [answer[name] for name in _EVENTS if answer.get(name)]
        if any(position(event, run.steps) is None for event in events):
            yield Refusal("unknown_event", f"answer {number} names no event of the run")


def _in_range(value: Any, steps: int) -> bool:
    try:
        return 0 <= int(value) < steps and not isinstance(value, bool)
    except (TypeError, ValueError, OverflowError):
        return False


def _decisions(report: dict[str, Any]) -> list[dict[str, Any]]:
    probes = [entry["payload"] for entry in report["audit"] if entry["stage"] == "structure_probe"]
    return [decision for probe in probes for decision in probe.get("decisions", [])]


def _diagnosis(report: dict[str, Any], answers: list[Reply], run: Trajectory) -> Diagnosis | Refusal:
    """Return the diagnosis in the model's own words: its last answer explains the step that was found."""
    place = position(report["root_cause_event_id"], run.steps)
    if place is None:
        return Refusal("no_root", "the readings end at no step of the run")
    said = first_answer(answers[-1].text) or {}
    summary = said.get("summary")
    if not isinstance(summary, str) or not summary.strip():
        return Refusal("constant_text", "the model wrote no summary")
    quotes = _quotes(said.get("evidence"), place, run)
    if quotes is None:
        return Refusal("unknown_event", "a quote is of no event of the run")
    fix = said.get("suggestion")
    return Diagnosis(
        step=place,
        agent=report["root_cause_agent"] or run.steps[place].agent,
        explanation=summary.strip(),
        evidence=quotes,
        correction=Correction(text=fix.strip()) if isinstance(fix, str) and fix.strip() else None,
        author=DeepDebug.author,
        source=Origin(name=NAME, revision=VERSION, base=0),
        metadata={NAME: {"verdict": _verdict(report), "answers": len(answers)}},
    )


def _quotes(value: Any, root: int, run: Trajectory) -> tuple[Citation, ...] | None:
    """Return what the model says it quotes; a quote without an event is one of the blamed step."""
    found = []
    for item in value if isinstance(value, list) else [value] if value else []:
        event, quote = (item.get("event_id"), item.get("quote")) if isinstance(item, dict) else (None, item)
        step = root if event is None else position(event, run.steps)
        if step is None:
            return None
        if isinstance(quote, str) and quote.strip():
            found.append(Citation(step=step, quote=quote.strip()))
    return tuple(found)


def _verdict(report: dict[str, Any]) -> str:
    said = [entry["response_summary"] for entry in report["audit"] if entry["stage"] == "cross_examine"]
    return str(said[0]).partition(" ")[0].removeprefix("verdict=") if said else ""
