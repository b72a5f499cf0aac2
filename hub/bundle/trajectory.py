"""One run as it happened: task, run, steps, outcome. Nothing here is ever rewritten."""

from __future__ import annotations

from functools import cached_property
from hashlib import sha256
from typing import Any, Literal, Self, get_args

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat

from errorhub.hub.bundle.canonical import Json, Text, digest, settled_bytes

Kind = Literal[
    "run.start", "run.end", "message", "agent.step", "llm.call", "llm.response", "tool.call", "tool.result",
    "memory.read", "memory.write", "reflection", "plan", "handoff", "guardrail", "observation", "error",
    "human.feedback",
]  # fmt: skip
"""What a step is. Every AgentDebugX event type, and `message` for what a system or person said to an agent."""

KINDS: tuple[str, ...] = get_args(Kind)

Status = Literal["failed", "passed", "ungradable", "unknown"]


class Record(BaseModel):
    """A frozen value that refuses unknown fields."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", serialize_by_alias=True, validate_by_name=True, validate_by_alias=True
    )

    def replace(self, **parts: Any) -> Self:
        """Return a record with other parts, checked; derived values are computed anew."""
        return type(self)(**{name: getattr(self, name) for name in type(self).model_fields} | parts)


class Artifact(Record):
    """A file, image or state that a step refers to. Bytes are never held, only where they were."""

    uri: Text
    """Where the artifact was: a path or URL as the source wrote it."""
    modality: Literal["text", "image", "audio", "video", "ui", "file", "tool", "state", "other"] = "other"
    """What it is, in AgentDebugX's words."""
    media_type: Text | None = None
    """MIME type, when the source names one."""
    description: Text | None = None
    """What the source says about it."""
    metadata: dict[Text, Json] = {}
    """Everything else the source holds."""


class Task(Record):
    """What the run was asked to do."""

    id: Text = ""
    """The *source task*: unit of splitting and of clustered statistics. Empty when the source names none."""
    aliases: tuple[Text, ...] = ()
    """Other ids of the same task."""
    family: Text | None = None
    """Group of related tasks, for example a benchmark level."""
    environment: Text | None = None
    """Where the task lives, for example `webshop`."""
    goal: Text | None = None
    """The request in words."""


class Run(Record):
    """Who tried it and under which settings."""

    harness: Text | None = None
    """The program that ran the agent, for example `claude-code`."""
    policy: Text | None = None
    """The model or policy that decided."""
    framework: Text | None = None
    """The agent framework, when it is not the harness."""
    seed: int | None = None
    """Random seed."""
    temperature: FiniteFloat | None = None
    """Sampling temperature."""
    budget: dict[Text, Json] = {}
    """Limits the run had: steps, tokens, seconds, cost."""
    started_at: Text | None = None
    """ISO 8601 time, from the source only."""
    metadata: dict[Text, Json] = {}
    """Everything else the source says about the run."""


class Step(Record):
    """One thing that happened. Its number is its 0-based position in `Trajectory.steps`."""

    agent: Text
    """Who acted, verbatim from the source."""
    kind: Kind
    """What kind of step it is."""
    role: Text | None = None
    """The chat role, when the source has one: system, user, assistant, tool."""
    input: Json = None
    """What went *into* the agent or tool: system and user messages, tool arguments."""
    output: Json = None
    """What came *out*: assistant text, tool results, observations."""
    error: Text | None = None
    """The error this step reports."""
    tool: Text | None = None
    """The tool called or answering."""
    call_id: Text | None = None
    """Pairs a call with its result; never guessed from order or time."""
    parent: Text | None = None
    """`source_ref` of the step this one belongs under."""
    at: Text | None = None
    """ISO 8601 time, from the source only."""
    duration_ms: FiniteFloat | None = None
    """Milliseconds, from the source only."""
    state_ref: Text | None = None
    """Checkpoint of the environment before this step."""
    source_ref: Text | None = None
    """The source's own number or id of the step."""
    metadata: dict[Text, Json] = {}
    """Everything else the source says about the step."""
    artifacts: tuple[Artifact, ...] = ()
    """Files, images and states the step refers to."""


class Outcome(Record):
    """How the run ended, and who says so."""

    status: Status = "unknown"
    """`ungradable` is not `failed`: the infrastructure or the grader broke."""
    score: FiniteFloat | None = None
    """The verifier's number, as written."""
    verifier: Text | None = None
    """What judged it."""
    reason: Text | None = None
    """Why, in the words of the source."""
    fault: Literal["agent", "infrastructure", "grader", "unknown"] = "unknown"
    """Who is to blame, when it is known."""
    source: Literal["log", "human", "rule"] = "log"
    """Where the status comes from."""


class Source(Record):
    """Where the run was read from and what the reading lost."""

    format: Text
    """Importer name, for example `claude-code`."""
    version: Text | None = None
    """The format's own version."""
    record: int = 0
    """0-based position of the run in a file of several."""
    step_base: int | None = None
    """0 or 1: how the source numbers steps; None when it writes no numbers."""
    unmapped: dict[Text, int] = {}
    """Fields or records that have no place here, with their count."""
    warnings: tuple[Text, ...] = ()
    """What a reader should know before trusting the steps."""


class ConstructionOnly(Record):
    """What graders knew. Never rendered to a student, nor to a diagnoser unless that is recorded."""

    reference_answer: Text | None = None
    """The right answer."""
    verifier_context: Json = None
    """Gold actions, tests, hidden instructions."""
    notes: Text | None = None
    """Anything else that gives the answer away."""


class Trajectory(Record):
    """One run: the evidence every diagnosis points into."""

    task: Task = Task()
    """What was asked."""
    run: Run = Run()
    """Who tried, and how."""
    steps: tuple[Step, ...] = Field(min_length=1)
    """What happened, in the source's own order."""
    outcome: Outcome = Outcome()
    """How it ended."""
    source: Source
    """Where it was read from."""
    construction_only: ConstructionOnly = ConstructionOnly()
    """What only graders may see."""

    @cached_property
    def trajectory_id(self) -> str:
        """Digest of what happened: each step's agent, kind, role, input, output, error, tool and call id."""
        seen = [[s.agent, s.kind, s.role, s.input, s.output, s.error, s.tool, s.call_id] for s in self.steps]
        return sha256(settled_bytes(seen)).hexdigest()

    @property
    def task_id(self) -> str:
        """The source task, or a digest of the goal, or of the run itself when the source names neither."""
        if self.task.id:
            return self.task.id
        return f"goal-{digest(self.task.goal)[:16]}" if self.task.goal else f"run-{self.trajectory_id[:16]}"

    @property
    def agents(self) -> tuple[str, ...]:
        """Every agent that acts, in order of appearance."""
        return tuple(dict.fromkeys(step.agent for step in self.steps))
