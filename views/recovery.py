"""Rows for actors: what to do instead of the decisive error, from replays that were carried out.

| view                  | context                                 | target                        | evidence   |
|-----------------------|-----------------------------------------|-------------------------------|------------|
| `recovery_preventive` | history before the error                | the action that passed        | A7         |
| `recovery_posterror`  | history, wrong action and its rejection | the action that passed        | A7, A8     |
| `recovery_reflect`    | the same                                | a reflection, then the action | A7, A8, E2 |
| `preference_action`   | history before the error                | chosen and rejected action    | A7, A9     |

The later failed suffix is in none of them. A rerun of the task without a shared checkpoint is no continuation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from errorhub.evidence.transcript import step_text
from errorhub.hub.bundle import Attempt, Bundle, Diagnosis, Repair, Step
from errorhub.hub.bundle.grounding import WITHHELD, ground, same_agent
from errorhub.views.draft import Draft, Refusal, Refused, provenance, sound
from errorhub.views.fitting import Budget, fit
from errorhub.views.leaks import Withheld
from errorhub.views.row import Message, Row

_ACTS: Final = frozenset({"agent.step", "tool.call", "llm.call", "llm.response", "plan", "handoff"})
_GIVEN: Final = "[left out]"
_GO_ON: Final[Message] = {"role": "user", "content": "Continue.", "train": False}


@dataclass(frozen=True)
class _Tried(Draft):
    diagnosis: Diagnosis | None
    repair: Repair
    attempt: Attempt
    view: str

    @property
    def steps(self) -> tuple[Step, ...]:
        return self.bundle.trajectory.steps

    @property
    def wrong(self) -> Step:
        """The decisive error. Only after `_located` admitted."""
        assert self.diagnosis is not None
        return self.steps[self.diagnosis.step]

    @property
    def state(self) -> str | None:
        return self.attempt.state_ref

    @property
    def other(self) -> Attempt | None:
        """The failed original arm from the same state under the same settings."""
        mine = (self.attempt.state_ref, self.attempt.settings_digest)
        arms = [one for one in self.repair.attempts if one.arm == "original" and one.outcome.status == "failed"]
        return next((one for one in arms if (one.state_ref, one.settings_digest) == mine), None)


Rule = tuple[str, Callable[[_Tried], str | None]]


def recovery_rows(bundle: Bundle, view: str, budget: Budget) -> Iterator[Row | Refused]:
    """Yield a row or a refusal for every corrected attempt of a bundle, and one refusal for a bundle without any."""
    known = dict(zip(bundle.diagnosis_ids, bundle.diagnoses, strict=True))
    withheld = Withheld(bundle)
    tried = [
        _Tried(bundle, repair.diagnosis_id, known.get(repair.diagnosis_id or ""), repair, attempt, view)
        for repair in bundle.repairs
        for attempt in repair.attempts
        if attempt.arm == "corrected"
    ]
    if not tried:
        yield Draft(bundle, None).refused(view, Refusal("E1", "no replay"))
    for one in tried:
        refusal = next((Refusal(rule, why) for rule, test in RULES[view] if (why := test(one))), None)
        yield one.refused(view, refusal) if refusal else _row(one, budget, withheld)


def act_of(attempt: Attempt) -> Step | None:
    """Return the first step of an attempt in which an agent acts."""
    return next((step for step in attempt.steps if step.kind in _ACTS and step_text(step)), None)


def rejection(steps: tuple[Step, ...], step: int) -> Step | None:
    """Return the environment's answer to an action when it is a rejection that left the state as it was.

    The answer reports an error, and the checkpoints before the action and after the answer are one and the same.
    """
    if step + 2 >= len(steps) or not steps[step + 1].error or steps[step + 1].kind in _ACTS:
        return None
    before, after = steps[step].state_ref, steps[step + 2].state_ref
    return steps[step + 1] if before is not None and before == after else None


def _row(tried: _Tried, budget: Budget, withheld: Withheld) -> Row | Refused:
    diagnosis, act = tried.diagnosis, act_of(tried.attempt)
    assert diagnosis is not None and act is not None
    until = diagnosis.step + (2 if tried.view in ("recovery_posterror", "recovery_reflect") else 0)
    target = step_text(act)
    if tried.view == "recovery_reflect":
        target = f"{diagnosis.explanation.strip()}\n\n{target}"
    history, keep = tried.steps[:until], frozenset(range(max(0, until - 2), until))
    fitted = fit(history, lambda out: _messages(tried, history, out), target, keep, budget)
    if fitted is None:
        return tried.refused(tried.view, Refusal("A4", "over_budget"))
    if not fitted.prompt:
        return tried.refused(tried.view, Refusal("A7", "neither a task nor a step stands before the error"))
    if leak := withheld.leak("\n".join(message["content"] for message in fitted.prompt)):
        return tried.refused(tried.view, Refusal("A5", leak))
    other = act_of(tried.other) if tried.view == "preference_action" and tried.other else None
    rejected = ({"role": "assistant", "content": step_text(other), "train": True},) if other else ()
    return provenance(
        tried, tried.view, diagnosis, prompt=fitted.prompt,
        completion=({"role": "assistant", "content": target, "train": True},), rejected=rejected,
        elided_steps=fitted.elided, state_ref=tried.state, n_prompt_tokens=fitted.prompt_tokens,
        n_target_tokens=fitted.target_tokens, tokenizer=budget.counter.name,
    )  # fmt: skip


def _messages(tried: _Tried, history: tuple[Step, ...], elided: tuple[int, ...]) -> tuple[Message, ...]:
    """Return the history as a chat: the acting agent is the assistant, everybody else speaks to it. Nothing trains."""
    goal = tried.bundle.trajectory.task.goal
    shown: list[Message] = [{"role": "user", "content": f"Task: {goal}", "train": False}] if goal else []
    for place, step in enumerate(history):
        mine = step.kind in _ACTS and same_agent(step.agent, tried.wrong.agent)
        text = _GIVEN if place in elided else step_text(step)
        role = "assistant" if mine else "system" if step.role == "system" and not shown else "user"
        shown.append({"role": role, "content": text if mine else f"{step.agent}: {text}", "train": False})
    return _turns(shown)


def _turns(messages: list[Message]) -> tuple[Message, ...]:
    """Return a chat in which user and assistant take turns, the user first and last, as trainers demand.

    What one side says in a row becomes one message; where the other side has nothing to say it says `Continue.`
    """
    turns: list[Message] = []
    for one in messages:
        if turns and turns[-1]["role"] == one["role"]:
            turns[-1] = turns[-1] | {"content": f"{turns[-1]['content']}\n\n{one['content']}"}
            continue
        if one["role"] == "assistant" and (not turns or turns[-1]["role"] == "system"):
            turns.append(_GO_ON)
        turns.append(one)
    return (*turns, _GO_ON) if turns and turns[-1]["role"] != "user" else tuple(turns)


def _located(tried: _Tried) -> str | None:
    if tried.diagnosis is None:
        return "the repair names no diagnosis of the bundle"
    grade = ground(tried.bundle.trajectory, tried.diagnosis).grade
    return "the diagnosis does not hold" if grade == "rejected" else None


def _passed(tried: _Tried) -> str | None:
    if tried.attempt.outcome.status != "passed" or tried.attempt.executed_faithfully is False:
        return "the corrected attempt did not pass as meant"
    if tried.attempt.state_ref is None:
        return "no checkpoint: a rerun of the task is no continuation"
    known = tried.wrong.state_ref
    if known is not None and known != tried.attempt.state_ref:
        return "it started from another state than that before the error"
    return None if act_of(tried.attempt) else "the attempt holds no action"


def _whole(tried: _Tried) -> str | None:
    act = act_of(tried.attempt)
    return "the scrubber took part of the target" if act and WITHHELD in step_text(act) else None


def _rejected(tried: _Tried) -> str | None:
    assert tried.diagnosis is not None
    return None if rejection(tried.steps, tried.diagnosis.step) else "no rejection that left the state as it was"


def _explained(tried: _Tried) -> str | None:
    assert tried.diagnosis is not None
    text = tried.diagnosis.explanation.replace(WITHHELD, "").strip()
    return None if text and WITHHELD not in tried.diagnosis.explanation else "no explanation to reflect on"


def _contrast(tried: _Tried) -> str | None:
    mine, other = act_of(tried.attempt), tried.other and act_of(tried.other)
    if not other or not mine:
        return "no failed original arm from the same state under the same settings"
    return "both arms act alike" if step_text(mine) == step_text(other) else None


_ALL: Final[tuple[Rule, ...]] = (("A12", sound), ("A2", _located), ("A7", _passed), ("E3", _whole))
RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "recovery_preventive": _ALL,
    "recovery_posterror": (*_ALL, ("A8", _rejected)),
    "recovery_reflect": (*_ALL, ("A8", _rejected), ("E2", _explained)),
    "preference_action": (*_ALL, ("A9", _contrast)),
}
"""View -> rule id -> reason to refuse, None to admit. A4 and A5 are decided when the prompt is made."""
