"""AgentDebugX's rules on a run: its HeuristicAnalyzer, without a model. Runs go in by position, findings come back so.

| rule              | what is refused                                                                        |
|-------------------|----------------------------------------------------------------------------------------|
| constant_text     | a finding that a word occurs somewhere: its text is the same for every run             |
| not_an_act        | a finding about the start or end of the run, or about what a person said               |
| length_only       | a finding that the run has more steps than a number that nobody set                    |
| too_many          | findings beyond the first of a run, all of them from rules that repeat themselves      |

Its suggestions are one constant a mode and never become corrections; it states no confidence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from typing import Any, Final

from errorhub.evidence.diagnose_proposals import Proposals, Refusal, Seen
from errorhub.evidence.transcript import cut_middle, most_shown
from errorhub.hub.bundle import Citation, Diagnosis, Step, Trajectory
from errorhub.hub.bundle.canonical import canonical
from errorhub.hub.bundle.diagnosis import Origin
from errorhub.hub.bundle.grounding import ground
from errorhub.hub.errors import UsageError
from errorhub.hub.taxonomy import seed_mode

NAME: Final = "agentdebugx"
VERSION: Final = "0.5.2"
KEPT: Final = 12
"""Findings of one run that are kept."""
LONGEST_QUOTE: Final = 500
"""Characters of an error that are quoted."""
MOST_CHARACTERS: Final = 400_000
"""Of a run that the package gets; the middles of its longest steps go first."""

_LENGTH_RULE: Final = "core.trajectory.step_count_limit"
_NO_ACT: Final = frozenset({"run.start", "run.end", "message", "human.feedback"})


class Heuristic:
    """The package's deterministic rules."""

    author = f"{NAME}/HeuristicAnalyzer"

    def __init__(self) -> None:
        """Raise UsageError when the package is not installed."""
        self._analyzer: Any = part("diagnose.detect.analyzers").HeuristicAnalyzer()

    @property
    def settings(self) -> dict[str, Any]:
        """What a finding depends on, beside the run."""
        return {"package": f"{NAME} {VERSION}"}

    async def propose(self, seen: Seen) -> Proposals:
        """Return the findings of the rules, the earliest first, as the package ranks them."""
        report = self._analyzer.analyze(as_trajectory(seen.run))
        read = [_read(finding, seen.run) for finding in report.findings]
        kept = sorted((one for one in read if isinstance(one, Diagnosis)), key=lambda one: one.step)
        first = {(one.explanation, one.agent): one for one in reversed(kept)}
        kept = [one for one in kept if first[one.explanation, one.agent] is one]
        counts = Counter(one for one in read if isinstance(one, str))
        refused = [Refusal(rule, f"findings: {n}") for rule, n in sorted(counts.items())]
        if len(kept) > KEPT:
            refused.append(Refusal("too_many", f"findings: {len(kept) - KEPT}"))
        return Proposals(tuple(kept[:KEPT]), tuple(refused))


def part(name: str) -> Any:
    """Return a module of the package. Raise UsageError with the pip command when it is not installed."""
    try:
        return import_module(f"agentdebug.{name}")
    except ModuleNotFoundError as problem:
        if (problem.name or "").split(".")[0] != "agentdebug":
            raise
        raise UsageError(
            "diagnosing with AgentDebugX needs agentdebugx, which is not installed.",
            hint="pip install 'agent-error-hub[diagnose]'",
        ) from None


def as_trajectory(run: Trajectory) -> Any:
    """Return a run in the package's form: what a student sees of it, numbered by position, no metadata, no labels.

    The package shows structured values as Python writes them; as JSON text, what is quoted from them can be found.
    """
    schema = part("schema")
    texts = [(_text(step.input), _text(step.output)) for step in run.steps]
    most = most_shown([len(one) + len(two) for one, two in texts], MOST_CHARACTERS) or 0
    events = [
        schema.AgentEvent(**_event(place, step, *texts[place], most=most)) for place, step in enumerate(run.steps)
    ]
    return schema.AgentTrajectory(trace_id="run", goal=run.task.goal, events=events)


def position(event_id: Any, steps: Sequence[Step]) -> int | None:
    """Return the step that an event id of ours names, None when it names none."""
    name = str(event_id).strip()
    number = name.removeprefix("step_")
    fits = name != number and number.isascii() and number.isdecimal() and len(number) < 10
    return int(number) if fits and int(number) < len(steps) else None


def _event(place: int, step: Step, source: str, output: str, most: int) -> dict[str, Any]:
    given = f"<{step.tool}> {source}" if step.tool and step.output is None else source
    if step.kind == "message" and step.output is None:
        given, output = "", source  # what somebody said is seen by the agents; without it all messages look alike
    return {
        "event_id": f"step_{place}", "trace_id": "run", "step_index": place, "agent_name": step.agent,
        "event_type": "observation" if step.kind == "message" else step.kind,
        "input": cut_middle(given, most) or None, "output": cut_middle(output, most) or None, "error": step.error,
    }  # fmt: skip


def _read(finding: Any, run: Trajectory) -> Diagnosis | str:
    """Return a finding as a diagnosis, or the rule that refuses it."""
    place = position(finding.event_id, run.steps)
    if place is None or run.steps[place].kind in _NO_ACT:
        return "not_an_act"
    if finding.metadata.get("rule_id") == _LENGTH_RULE:
        return "length_only"
    agent = run.steps[place].agent
    said = [str(text) for text in finding.evidence if str(text).strip()]
    quotes = tuple(Citation(step=place, quote=text[:LONGEST_QUOTE].strip()) for text in said)
    mode = finding.failure_mode
    found = Diagnosis(
        step=place, agent=agent, explanation=f"{mode.name}: {' '.join(said)[:LONGEST_QUOTE]}", evidence=quotes,
        mode=seed_mode(mode.mode_id), author=Heuristic.author, source=Origin(name=NAME, revision=VERSION, base=0),
        metadata={NAME: {"rule": str(finding.metadata.get("rule_id"))}},
    )  # fmt: skip
    if ground(run, found).grade == "evidenced":
        return found
    about_one_event = finding.metadata.get("analysis_layer") == "single_event_rule"
    return "constant_text" if about_one_event or not said else found.replace(evidence=())


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else canonical(value).decode()
